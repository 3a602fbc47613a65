"""Frames of a video as it looks when it is encoded again with H.264.

Apart from the readers because it takes every frame where they take a few: a
picture's loss depends on those around it, so the sampled frames cannot be had
by encoding them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pytest_vdg.errors import MediaError
from pytest_vdg.frames import _folder, _pyav
from pytest_vdg.frames._encode import TICKS, recoded
from pytest_vdg.frames._files import CannotRead
from pytest_vdg.frames._pyav_picture import Turn, picture_of, room_for
from pytest_vdg.frames._pyav_stream import NOT_INSTALLED, frames_of, opened
from pytest_vdg.frames._pyav_take import Surprise, frames_from
from pytest_vdg.frames._scan import Scan
from pytest_vdg.frames._timeline import Reading, VideoInfo
from pytest_vdg.frames.window import Pick

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

Span = Callable[[VideoInfo], tuple[int, int]]
"""Gives the part of a video that is encoded, as `window.frames_within` does."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is wanted of a video."""

    pick: Pick
    """Which frames."""
    span: Span
    """What is encoded."""
    size: tuple[int, int] | None
    """Height and width to scale to after decoding; None: as displayed."""
    crf: int
    """Constant rate factor, 0 to 51."""


def read(path: Path, order: Order) -> Reading:
    """Return the frames of *path* that *order* wants.

    All frames of its span are encoded at their own times, as they are stored; those
    that it picks are turned for display afterwards.
    """
    known = _pyav.scan(path)
    if known.seekable:
        try:
            return _read(path, known, order)
        except Surprise:
            known = _pyav.scan_by_decoding(path)
    bad = known.tainted.intersection(order.pick(known.info).tolist())
    if bad:
        raise MediaError(
            f"damaged: {len(bad)} of the frames asked for lie between a decoding error "
            "and the next key frame"
        )
    try:
        return _read(path, known, order)
    except Surprise as error:
        raise MediaError("decodes differently each time it is read") from error


def read_folder(folder: Path, order: Order, rate: float | None) -> Reading:
    """Return what `read` does, of a folder of pictures at *rate* a second."""
    try:
        from av import VideoFrame as NewFrame
    except ImportError as error:
        raise CannotRead(NOT_INSTALLED) from error
    info = _folder.probe(folder, rate)
    first, stop = order.span(info)
    turn = Turn(quarters=0, mirrored=False, height=info.height, width=info.width)
    frames = (
        (first + place, NewFrame.from_ndarray(picture, format="rgb24"))
        for place, picture in enumerate(_folder.pictures(folder, first, stop))
    )
    return _taken(frames, info, turn, order)


def _read(path: Path, known: Scan, order: Order) -> Reading:
    first, stop = order.span(known.info)
    with closing(_stored(path, known, first, stop)) as frames:
        return _taken(frames, known.info, known.turn, order)


def _stored(
    path: Path, known: Scan, first: int, stop: int
) -> Generator[tuple[int, VideoFrame], None, None]:
    """Yield the frames from *first* up to *stop*, as stored, with their positions."""
    if known.seekable:
        for position, frame in frames_from(path, known, first):
            if position == stop:
                return
            yield position, frame
        return
    with opened(path) as (container, stream):
        coming = frames_of(container, stream)
        for position, pts in enumerate(known.order[:stop]):
            found = next(coming, None)
            if found is None or found.pts != pts:
                raise Surprise
            if position >= first:
                yield position, found


def _taken(
    frames: Iterator[tuple[int, VideoFrame]],
    info: VideoInfo,
    turn: Turn,
    order: Order,
) -> Reading:
    """Return the picked ones of *frames*, encoded; each found, none twice."""
    indices = order.pick(info)
    places = {position: place for place, position in enumerate(indices.tolist())}
    taken = room_for(turn, len(indices), order.size)
    for position, frame in recoded(
        frames,
        ticks=_ticks(info),
        fps=info.fps,
        crf=order.crf,
        wanted=places.keys(),
    ):
        picture = picture_of(frame, turn, order.size)
        if picture.shape != taken.shape[1:]:
            raise MediaError(
                f"a frame has the size {picture.shape[:2]} after encoding, not "
                f"{taken.shape[1:3]}"
            )
        taken[places.pop(position)] = picture
    if places:
        raise MediaError(f"{len(places)} frames are missing after encoding")
    return Reading(info=info, indices=indices, frames=taken)


def _ticks(info: VideoInfo) -> list[int]:
    """Return when each frame begins by the encoder's clock, each after the last."""
    found: list[int] = []
    for begins in np.rint(info.pts_s * TICKS).astype(np.int64).tolist():
        found.append(max(begins, found[-1] + 1) if found else begins)
    return found
