"""`Scan`: all that is known of a file's frames before a picture is kept.

Apart from the functions that make and use it so that neither imports the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vdg.frames._packets import Packet
from pytest_vdg.frames._pyav_picture import Turn
from pytest_vdg.frames._timeline import VideoInfo


@dataclass(frozen=True, eq=False, kw_only=True)
class Scan:
    """A file's frames in order, before any picture is kept."""

    info: VideoInfo
    """What `probe` hands out."""
    order: tuple[int | None, ...]
    """Presentation time of each shown frame in ticks."""
    packets: tuple[Packet, ...]
    """All packets of the stream in the order of the file."""
    turn: Turn
    """How to display the pictures."""
    seekable: bool
    """Whether `order` was learnt without decoding."""
    tainted: frozenset[int]
    """Frames that a decoding error may have reached (only when decoded)."""
