"""Taking the wanted pictures out of a scanned file, in order or by key frames.

Apart from ``_pyav.py``, which decides which of the two is safe and what to do
when it was not.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import MediaError
from pytest_vdg.frames._packets import Packet, pts_of
from pytest_vdg.frames._pyav_picture import picture_of, room_for
from pytest_vdg.frames._pyav_stream import decoded, demuxed, frames_of, opened
from pytest_vdg.frames._scan import Scan

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream


def take_in_order(
    path: Path, known: Scan, indices: Sequence[int], size: tuple[int, int] | None
) -> npt.NDArray[np.uint8]:
    """Return the frames at *indices*, decoding from the first frame on."""
    wanted = {index: place for place, index in enumerate(indices)}
    taken = room_for(known.turn, len(indices), size)
    with opened(path) as (container, stream):
        for position, frame in enumerate(frames_of(container, stream)):
            if position > indices[-1]:
                break
            if known.order[position] != frame.pts:
                raise MediaError("decodes differently each time it is read")
            if position in wanted:
                taken[wanted.pop(position)] = picture_of(frame, known.turn, size)
    if wanted:
        raise MediaError("decodes differently each time it is read")
    return taken


def take_by_seeking(
    path: Path, known: Scan, indices: Sequence[int], size: tuple[int, int] | None
) -> npt.NDArray[np.uint8] | None:
    """Return the frames at *indices*, or None as soon as anything surprises."""
    order = [pts for pts in known.order if pts is not None]
    keys = sorted(
        ((pts_of(p), i) for i, p in enumerate(known.packets) if p.key),
    )
    taken = room_for(known.turn, len(indices), size)
    with opened(path) as (container, stream):
        frames = _frames_or_none(container, stream)
        coming, floor = 0, order[0]
        for place, index in enumerate(indices):
            before = bisect.bisect_right(keys, (order[index], math.inf)) - 1
            if before >= 0:
                key_pts = keys[before][0]
                start = bisect.bisect_left(order, key_pts)
                if start > coming:
                    if not _seek(container, stream, known.packets, keys[before]):
                        return None
                    frames = _frames_or_none(container, stream)
                    coming, floor = start, key_pts
            while coming <= index:
                frame = _next_from(frames, floor)
                if frame is None or frame.pts != order[coming] or frame.is_corrupt:
                    return None
                if coming == index:
                    taken[place] = picture_of(frame, known.turn, size)
                coming += 1
    return taken


class Surprise(Exception):
    """A file does not decode as its packets promise."""


def frames_from(
    path: Path, known: Scan, first: int
) -> Generator[tuple[int, VideoFrame], None, None]:
    """Yield all frames of a seekable file from *first* on, with their positions.

    Raises `Surprise` where another frame comes than the expected one.
    """
    order = [pts for pts in known.order if pts is not None]
    keys = sorted((pts_of(p), i) for i, p in enumerate(known.packets) if p.key)
    before = bisect.bisect_right(keys, (order[first], math.inf)) - 1
    with opened(path) as (container, stream):
        coming, floor = 0, order[0]
        start = bisect.bisect_left(order, keys[before][0]) if before >= 0 else 0
        if start:
            if not _seek(container, stream, known.packets, keys[before]):
                raise Surprise
            coming, floor = start, keys[before][0]
        frames = _frames_or_none(container, stream)
        for position in range(coming, len(order)):
            frame = _next_from(frames, floor)
            if frame is None or frame.pts != order[position] or frame.is_corrupt:
                raise Surprise
            if position >= first:
                yield position, frame


def _next_from(frames: Iterator[VideoFrame | None], floor: int) -> VideoFrame | None:
    """Return the next frame at or after *floor*; None for any trouble.

    What is shown before the key frame that decoding began at cannot be relied
    on, and is not needed.
    """
    for frame in frames:
        if frame is None or frame.pts is None or frame.pts >= floor:
            return frame
    return None


def _frames_or_none(
    container: InputContainer, stream: VideoStream
) -> Iterator[VideoFrame | None]:
    """Yield decoded frames, and None for a packet that fails."""
    for _, frames in decoded(container, stream):
        yield from (None,) if frames is None else frames


def _seek(
    container: InputContainer,
    stream: VideoStream,
    packets: Sequence[Packet],
    key: tuple[int, int],
) -> bool:
    """Go to a key frame or before it, and tell whether that is where we are."""
    import av

    pts, position = key
    at = {packet.pts: i for i, packet in enumerate(packets)}
    dts = packets[position].dts
    for goal in (pts if dts is None else min(pts, dts), pts_of(packets[0])):
        try:
            container.seek(goal, stream=stream)
            landed = next(demuxed(container, stream), None)
            if landed is None or at.get(landed.pts, len(packets)) > position:
                continue
            container.seek(goal, stream=stream)
        except av.FFmpegError:
            return False
        return packets[at[landed.pts]].key
    return False
