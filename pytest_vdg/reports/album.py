"""`Pictures`: small pictures of the frames that a model was shown, each held once.

Apart from whoever makes them, who needs videos and conditions, and from the
page, which has only so many bytes for them.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # results are read where nothing is computed
    import numpy as np
    import numpy.typing as npt

    Frame: TypeAlias = npt.NDArray[np.uint8]

MOST_SHOWN = 8
"""Frames of a clip that are shown; of more, these many at even distances."""
FORM = "webp"
"""What the pictures are encoded as; every browser reads it."""
_SIDE, _QUALITY = 128, 60


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a model was shown for one question under one condition."""

    frames: tuple[str, ...] = ()
    """Keys of pictures in the order shown, `MOST_SHOWN` at most."""
    times_s: tuple[float, ...] = ()
    """Time mark of each of `frames`, in seconds."""
    total: int = 0
    """Frames that the model was shown; 0 where no picture is here."""
    reason: str = ""
    """Why there are no pictures; empty where there are."""

    def __post_init__(self) -> None:
        """Refuse what would show a frame at no time, or nothing for no reason."""
        if len(self.frames) != len(self.times_s) or len(self.frames) > self.total:
            counts = len(self.frames), self.total, len(self.times_s)
            raise ValueError("{} of {} frames at {} times".format(*counts))
        if bool(self.frames) == bool(self.reason):
            raise ValueError("either there are frames, or a reason why there are none")


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """The pictures of a run."""

    cells: Mapping[tuple[str, str], Shown] = field(default_factory=dict)
    """(question id, condition) to what was shown."""
    images: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Key to encoded picture."""
    reason: str = ""
    """Why there are none at all; empty where there are."""


class Album:
    """Collects frames, and makes a picture of each that looks unlike all others."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self.images: dict[str, bytes] = {}

    def shown(self, frames: Frame, times_s: Sequence[float]) -> Shown:
        """Return what is shown of *frames*, shape ``(T, H, W, 3)``, and keep it."""
        chosen = evenly(len(frames), MOST_SHOWN)
        return Shown(
            frames=tuple(self._key(frames[i]) for i in chosen),
            times_s=tuple(round(float(times_s[i]), 3) for i in chosen),
            total=len(frames),
        )

    def _key(self, frame: Frame) -> str:
        key = content_key(frame)
        if key not in self.images:
            self.images[key] = _encoded(frame)
        return key


def content_key(frame: Frame) -> str:
    """Return what frames of equal size and pixels have in common, and no others."""
    state = hashlib.blake2b(repr(frame.shape).encode(), digest_size=12)
    state.update(frame.tobytes())
    return state.hexdigest()


def evenly(total: int, most: int) -> list[int]:
    """Return *most* of 0 ... *total* - 1 at even distances, both ends among them.

    Read backwards they have the same distances, so that a clip and its reverse
    show the same pictures.

    >>> evenly(3, 8), evenly(32, 8)
    ([0, 1, 2], [0, 4, 9, 13, 18, 22, 27, 31])
    """
    if total <= most:
        return list(range(total))
    half = [
        (2 * i * (total - 1) + most - 1) // (2 * (most - 1)) for i in range(most // 2)
    ]
    return [*half, *(total - 1 - i for i in reversed(half))]


def _encoded(frame: Frame) -> bytes:
    from PIL import Image

    picture = Image.fromarray(frame)
    picture.thumbnail((_SIDE, _SIDE))
    return save(picture, _QUALITY)


def smaller(data: bytes, side: int, quality: int) -> bytes:
    """Return the picture *data* with no side longer than *side*."""
    from PIL import Image

    picture = Image.open(io.BytesIO(data))
    picture.thumbnail((side, side))
    return save(picture, quality)


def save(picture: object, quality: int) -> bytes:
    """Return *picture*, of Pillow, as bytes."""
    room = io.BytesIO()
    picture.save(room, FORM, quality=quality, method=2)  # type: ignore[attr-defined]
    return room.getvalue()
