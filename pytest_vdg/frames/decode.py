"""Video files to clips: the frames shown at the times asked for, by any reader.

Apart from the readers, one file each, so that what they have in common is
decided once: which files are opened at all, which reader is asked first, and
how a failure is told.

The frames of a clip are those that a player shows at the sampled times, in
displayed orientation, whatever the reader. ``auto`` is PyAV, and decord for
the files that PyAV cannot open. ``decord`` gives decord's pixels, read from the
first frame to the last because its random access is not exact, and held against
PyAV's pictures; it takes the time of both.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from pytest_vdg.errors import ConfigError, MediaError, did_you_mean
from pytest_vdg.frames import _compressed, _decord, _folder, _pyav
from pytest_vdg.frames._encode import encoder_version, encoding
from pytest_vdg.frames._files import CannotRead, check_file, safe_text
from pytest_vdg.frames._files import file_digest as _file_digest
from pytest_vdg.frames._takes import all_of, parted
from pytest_vdg.frames._timeline import Reading, VideoInfo
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.frames.view import check_crf, check_reader
from pytest_vdg.frames.window import Pick, frames_within

__all__ = [
    "READERS",
    "VideoInfo",
    "encoding",
    "file_digest",
    "probe",
    "read_clip",
    "reader_versions",
]

READERS = ("auto", "pyav", "decord")
"""What `read_clip` accepts as *reader*."""

_DISTRIBUTIONS = {"pyav": ("av",), "decord": ("decord2", "decord", "eva-decord")}
_T = TypeVar("_T")


def probe(
    path: str | os.PathLike[str], *, picture_rate: float | None = None
) -> VideoInfo:
    """Return what is known of a video before its pictures are looked at.

    Cheap where the container allows: of MP4, MOV, Matroska and WebM with a
    usual codec only the packets' times are read and one frame is decoded (for
    its size and orientation). Other files are decoded once, because nothing
    less tells how many frames they show.

    What is not seen without decoding: damage inside the packets, and hence
    frames that will be missing. `read_clip` finds that out.

    Parameters
    ----------
    path
        As for `read_clip`.
    picture_rate
        `Excerpt.picture_rate`: of a folder, which has no times of its own.

    Raises
    ------
    MediaError
        If the file is missing, empty, no video, cut short or unreadable. The
        message names the path and what each reader said.
    """
    with _named(path):
        place = Path(path)
        if _is_folder(place):
            return _folder.probe(place, picture_rate)
        file = _check_video(place, picture_rate)
        return _first_that_can(
            {
                "pyav": lambda: _pyav.scan(file).info,
                "decord": lambda: _decord.probe(file),
            }
        )[1]


def read_clip(
    path: str | os.PathLike[str],
    sampling: Sampling,
    *,
    excerpt: Excerpt = WHOLE,
    reader: str = "auto",
    size: tuple[int, int] | None = None,
    also: Sequence[Sampling] = (),
    crf: int | None = None,
) -> Clip:
    """Return the frames that *path* shows at the sampled times.

    Parameters
    ----------
    path
        A local video file, or a folder of pictures (natural order). Names are
        taken literally, whatever characters they hold.
    sampling
        How many frames, and where.
    excerpt
        Part of the video that is sampled, as if it were all of it. The times of
        the clip stay times in the video, so the first may lie a frame before
        the excerpt.
    reader
        ``auto``, ``pyav`` or ``decord``. `Clip.reader` says which one it was.
    size
        Height and width to scale to; None keeps the displayed size.
    also
        Further samplings, whose frames are taken in the same pass: the clip
        holds all frames, and `Clip.take` gives those of each sampling, the first
        being *sampling*.
    crf
        Encode the video, or the excerpt of it, with H.264 at this constant rate
        factor, 0 to 51, and take the frames of that: as many, at the same times
        and of the same size. It is read by PyAV, with every frame decoded.

    Raises
    ------
    MediaError
        If the file cannot give these frames, or does not last as long as the
        excerpt (see `pytest_vdg.frames.window.check_excerpt`). A file is
        refused as *damaged* when a frame asked for lies between a decoding
        error and the next key frame, or when more than 1 % of its frames, and
        more than one, were decoded with errors (as far as it had to be
        decoded); as *cut short* when more than 5 % of what it announces is
        missing.
    ConfigError
        If there is no such reader, or no encoder for *crf*.
    """
    if reader not in READERS:
        raise ConfigError(
            f"there is no reader {reader!r}.{did_you_mean(str(reader), READERS)}"
        )
    _check_size(size)
    samplings = (sampling, *also)
    if crf is not None:
        check_reader(reader, crf)
        return _read_compressed(path, samplings, excerpt, size, crf)
    pick = partial(all_of, samplings=samplings, excerpt=excerpt)
    rate = excerpt.picture_rate
    with _named(path):
        place = Path(path)
        if _is_folder(place):
            reading = _folder.read(place, pick, size, rate)
            clip = _clip(reading, "pictures-by-pyav", "pyav")
            return parted(clip, reading, samplings, excerpt)
        file = _check_video(place, rate)
        ways: dict[str, Callable[[], Reading]] = {
            "pyav": partial(_pyav.read, file, pick, size),
            "decord": lambda: _decord.read(
                file, pick, size, _by_pyav(file, pick, size)
            ),
        }
        if reader != "auto":
            ways = {reader: ways[reader]}
        name, reading = _first_that_can(ways)
        return parted(_clip(reading, name, name), reading, samplings, excerpt)


def _read_compressed(
    path: str | os.PathLike[str],
    samplings: Sequence[Sampling],
    excerpt: Excerpt,
    size: tuple[int, int] | None,
    crf: int,
) -> Clip:
    """Return what `read_clip` does with *crf*."""
    check_crf(crf)
    encoder = encoder_version()
    order = _compressed.Order(
        pick=partial(all_of, samplings=samplings, excerpt=excerpt),
        span=partial(frames_within, excerpt=excerpt),
        size=size,
        crf=crf,
    )
    rate = excerpt.picture_rate
    with _named(path):
        place = Path(path)
        if _is_folder(place):
            label = "pictures-by-pyav"
            reading = _compressed.read_folder(place, order, rate)
        else:
            label = "pyav"
            reading = _compressed.read(_check_video(place, rate), order)
        clip = _clip(reading, label, "pyav")
        clip = replace(clip, reader=f"{clip.reader}, {encoder}", crf=crf)
        return parted(clip, reading, samplings, excerpt)


def reader_versions() -> dict[str, str]:
    """Return the version of each installed reader, without importing any."""
    return {
        name: found for name in _DISTRIBUTIONS if (found := _version(name)) is not None
    }


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 hex digest of a video's content, whatever its name.

    Of a folder of pictures: over the pictures in their order.
    """
    place = Path(path)
    if _is_folder(place):
        with _named(path):
            return _folder.folder_digest(place)
    return _file_digest(place)


def _version(reader: str) -> str | None:
    """Return the installed version of *reader*, whichever package brings it."""
    for distribution in _DISTRIBUTIONS[reader]:
        try:
            return version(distribution)
        except PackageNotFoundError:  # noqa: PERF203 - three names at most
            continue
    return None


def _clip(reading: Reading, label: str, reader: str) -> Clip:
    """Return a clip of what a reader read."""
    return Clip(
        frames=reading.frames,
        timestamps_s=reading.info.pts_s[reading.indices],
        source_fps=reading.info.fps,
        source_frames=reading.info.frames,
        source_indices=tuple(reading.indices.tolist()),
        reader=f"{label}-{_version(reader) or 'unknown'}",
    )


def _by_pyav(file: Path, pick: Pick, size: tuple[int, int] | None) -> Reading | None:
    """Return what PyAV reads, to hold decord's frames against, if it can."""
    try:
        return _pyav.read(file, pick, size)
    except CannotRead:
        return None


def _first_that_can(ways: Mapping[str, Callable[[], _T]]) -> tuple[str, _T]:
    """Return the name and result of the first reader that can open the file.

    Only `CannotRead` passes the file on: a verdict such as *damaged* stands,
    since a reader that conceals damage would only hide it.
    """
    refusals: list[CannotRead] = []
    told: list[str] = []
    for name, way in ways.items():
        try:
            return name, way()
        except CannotRead as error:  # noqa: PERF203 - two readers at most
            refusals.append(error)
            told.append(f"{name} {_version(name) or '(not installed)'}: {error}")
    raise MediaError("cannot be read\n  " + "\n  ".join(told)) from refusals[0]


def _check_video(path: Path, picture_rate: float | None) -> Path:
    """Return *path* made absolute, if it is a file that its question can mean."""
    file = check_file(path)
    if picture_rate is not None:
        raise MediaError(
            f"a video file, where a folder of pictures ({picture_rate:g} a second) is "
            "meant; probably the annotations are of another release than the videos"
        )
    return file


def _is_folder(path: Path) -> bool:
    """Tell whether *path* is a folder; a name that cannot exist is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the path before every `MediaError` raised inside."""
    try:
        yield
    except MediaError as error:
        raise MediaError(f"{safe_text(path)}: {error}") from error


def _check_size(size: tuple[int, int] | None) -> None:
    """Raise unless *size* is None or a height and a width."""
    if size is not None and (len(size) != 2 or min(size) < 1):
        raise ValueError(f"size must be (height, width) of at least 1, got {size!r}")
