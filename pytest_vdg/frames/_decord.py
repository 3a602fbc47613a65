"""Reading with decord, only from the first frame to the last.

Apart from ``decode.py`` so that decord, which has no types, is named in one
module. Its random access returns other frames than asked for on some files
(of ten HEVC frames, 0, 3, 6, 9 came as 0, 4, 7, 7), and on some streams it
cannot go back to the beginning, so frames are counted off one by one, and
only in containers where this was seen to be right. It conceals broken frames
without a word. Where PyAV can read a file too, both must show the same.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import MediaError
from pytest_vdg.frames._files import CannotRead, container_kind, safe_text
from pytest_vdg.frames._timeline import Reading, VideoInfo, make_timeline
from pytest_vdg.frames.window import Pick

THREADS = 1
"""Decoding threads of a reader; by default each reader would start six."""
SAME_PICTURE = 10.0
"""Levels, of 255, by which a cell's mean may differ in equal pictures: 0 was seen
unscaled, up to 8 where a test pattern was scaled to a tenth, 16 and more where
decord gave another frame of the small HEVC clip."""
_CONTAINERS = {"mp4", "matroska", "gif"}
"""Transport streams begin with the wrong frame, AVI has no usable times."""


def probe(path: Path) -> VideoInfo:
    """Return what decord knows of *path*; used where PyAV cannot open it."""
    reader = _open(path, None)
    first = _first(_pictures(reader))
    return _info(reader, first.shape[:2])


def read(
    path: Path,
    pick: Pick,
    size: tuple[int, int] | None,
    other: Reading | None = None,
) -> Reading:
    """Return the frames of *path* that *pick* takes.

    Parameters
    ----------
    path, size
        As for `pytest_vdg.frames.decode.read_clip`.
    pick
        Which frames, given the times of all.
    other
        What PyAV read of the file, if it can. Both must agree on the number of
        frames, their times and their pictures, else `CannotRead` is raised.
    """
    reader = _open(path, size)
    pictures = _pictures(reader)
    first = _first(pictures)
    info = _info(reader, first.shape[:2])
    if other is not None:
        _check_times(info, other.info)
        info = other.info
    indices = pick(info)
    taken = np.empty((len(indices), *first.shape), dtype=np.uint8)
    places = {int(index): place for place, index in enumerate(indices)}
    position = 0
    picture: npt.NDArray[np.uint8] | None = first
    while picture is not None:
        if position in places:
            taken[places[position]] = picture
        position += 1
        picture = next(pictures, None)
    # Counted to the end even when nothing more is wanted: a reader whose count
    # is wrong is not trusted with the frames before it either.
    if position != info.frames:
        raise MediaError(f"decord decodes {position} of {info.frames} announced frames")
    if other is not None:
        _check_pictures(taken, other.frames)
    return Reading(info=info, indices=indices, frames=taken)


def _load_torch_first() -> None:
    """Import torch, where there is one, before decord is.

    decord2 binds a CUDA library for linear algebra that has no CPU part. Where
    it is loaded first, torch takes its symbols, and the first matrix product
    ends the process with a segmentation fault.
    """
    with suppress(ImportError):
        importlib.import_module("torch")


def _open(path: Path, size: tuple[int, int] | None) -> Any:  # noqa: ANN401
    """Return decord's reader of *path* (untyped, like all of decord)."""
    kind = container_kind(path)
    if kind not in _CONTAINERS:
        raise CannotRead(
            "decord is only trusted with MP4, MOV, Matroska, WebM and GIF, "
            f"this is {kind or 'unknown'}"
        )
    _load_torch_first()
    try:
        import decord
    except (ImportError, OSError) as error:
        raise CannotRead(
            "decord is not installed (pip install 'pytest-vdg[model]')"
        ) from error
    height, width = size or (-1, -1)
    try:
        return decord.VideoReader(
            str(path),
            ctx=decord.cpu(0),
            width=width,
            height=height,
            num_threads=THREADS,
        )
    except Exception as error:  # decord's own error has no public base; read_clip
        # joins the message with the other reader's.
        raise CannotRead(_last_words(error)) from error


def _first(pictures: Iterator[npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    """Return the first picture, or raise `CannotRead` where there is none."""
    first = next(pictures, None)
    if first is None:
        raise CannotRead("no frames: decord opens it and gives none")
    return first


def _pictures(reader: Any) -> Iterator[npt.NDArray[np.uint8]]:  # noqa: ANN401
    """Yield all frames in order as RGB arrays."""
    while True:
        try:
            frame = reader.next()
        except StopIteration:
            return
        except Exception as error:  # As above: the class is decord's own.
            raise MediaError(f"decord: {_last_words(error)}") from error
        # A bridge set elsewhere in the process may have made it a tensor.
        array = frame.asnumpy() if hasattr(frame, "asnumpy") else np.asarray(frame)
        if array.ndim != 3 or array.shape[2] != 3 or array.dtype != np.uint8:
            # Seen with rotated narrow clips: four channels of shifted pixels.
            raise CannotRead(f"decord returns pictures of shape {array.shape}")
        yield array


def _info(reader: Any, size: tuple[int, int]) -> VideoInfo:  # noqa: ANN401
    """Return what decord says of frames and times, if it can be used."""
    count = len(reader)
    spans = np.asarray(reader.get_frame_timestamp(list(range(count))))
    begins, ends = spans[:, 0], spans[:, 1]
    # Single precision: the shortest decimal is nearer to what the file says.
    times: list[float | None] = [float(str(begin)) for begin in begins]
    line = make_timeline(times, last_s=float(ends[-1] - begins[-1]))
    if line.notes or not (ends > begins).all():
        raise CannotRead("decord gives no usable presentation times for this file")
    return VideoInfo(
        frames=count,
        pts_s=line.pts_s,
        duration_s=line.duration_s,
        fps=line.fps,
        width=size[1],
        height=size[0],
        rotation=0,
        codec="unknown",
        notes=("Read by decord, which cannot tell damaged frames.",),
    )


def _check_times(ours: VideoInfo, theirs: VideoInfo) -> None:
    """Raise `CannotRead` unless both readers count and time the frames alike."""
    if ours.frames != theirs.frames:
        raise CannotRead(
            f"decord counts {ours.frames} frames, PyAV {theirs.frames}; use reader pyav"
        )
    # decord stores single precision: a millisecond, or a few parts in 10**7.
    if not np.allclose(ours.pts_s, theirs.pts_s, rtol=1e-6, atol=1e-3):
        raise CannotRead("decord and PyAV differ in presentation times; use pyav")


def _check_pictures(ours: npt.NDArray[np.uint8], theirs: npt.NDArray[np.uint8]) -> None:
    """Raise `CannotRead` unless both readers show the same pictures.

    Compared are the mean levels of a coarse grid: scaling and colour conversion
    may differ between the readers by a level or two, another picture by more.
    """
    if ours.shape != theirs.shape:
        raise CannotRead(f"decord gives frames of {ours.shape}, PyAV {theirs.shape}")
    for place, (one, two) in enumerate(zip(ours, theirs, strict=True)):
        if np.abs(_coarse(one) - _coarse(two)).max() > SAME_PICTURE:
            raise CannotRead(f"decord and PyAV show different pictures at {place}")


def _coarse(frame: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Return the mean level of each cell of a coarse grid, at most 8 by 8."""
    summed = frame.astype(np.float64)
    area = np.ones(frame.shape[:2])
    for axis in (0, 1):
        cells = min(8, frame.shape[axis])
        edges = np.arange(cells) * frame.shape[axis] // cells
        summed = np.add.reduceat(summed, edges, axis=axis)
        area = np.add.reduceat(area, edges, axis=axis)
    means: npt.NDArray[np.float64] = summed / area[..., None]
    return means


def _last_words(error: Exception) -> str:
    """Return what decord complains of, without its C++ stack."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    words = safe_text(lines[0] if lines else type(error).__name__)
    if "cannot find video stream" in words:
        # Said of sound alone and of video whose codec it was built without.
        return (
            "decord finds no video that it can decode: either there is none, or its "
            "build lacks the codec (AV1 often)"
        )
    return words
