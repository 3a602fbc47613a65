"""Folders of pictures that stand for a video, e.g. ``1.jpg`` to ``900.jpg``.

Apart from the video readers because a folder has neither times nor an order of
its own: both are given by the rules here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import MediaError
from pytest_vdg.frames._files import file_digest, safe_text
from pytest_vdg.frames._pyav_picture import decode_still
from pytest_vdg.frames._timeline import Reading, VideoInfo
from pytest_vdg.frames.window import Pick

FOLDER_FPS = 1.0
"""Pictures a second of a folder whose annotations do not say."""
PICTURES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp"})
"""Endings that are frames, in any case."""
_CLUTTER = frozenset({"thumbs.db", "desktop.ini"})


def frame_files(folder: Path) -> list[Path]:
    """Return the pictures of *folder* in natural order: 2 comes before 10.

    Hidden files and those that file managers leave behind are passed over; any
    other file is an error, because a frame may hide behind an odd ending.
    """
    found: dict[tuple[tuple[int, int, str], ...], Path] = {}
    for path in _entries(folder):
        if path.name.startswith(".") or path.name.lower() in _CLUTTER:
            continue
        if path.suffix.lower() not in PICTURES or not path.is_file():
            raise MediaError(
                f"holds {safe_text(path.name, 80)!r}, which is no picture; frames end "
                f"in {', '.join(sorted(PICTURES))}"
            )
        key = _natural(path.stem)
        if key in found:
            raise MediaError(
                f"{safe_text(found[key].name, 80)!r} and {safe_text(path.name, 80)!r} "
                "claim the same place in the order"
            )
        found[key] = path
    if not found:
        raise MediaError("no frames: the folder holds no pictures")
    return [found[key] for key in sorted(found)]


def probe(folder: Path, rate: float | None = None) -> VideoInfo:
    """Return what is known of *folder*, from the names and its first picture.

    *rate* is how many pictures there are a second; None is `FOLDER_FPS`.
    """
    files = frame_files(folder)
    height, width = _load(files[0], None).shape[:2]
    return _info(len(files), height, width, rate or FOLDER_FPS)


def read(
    folder: Path, pick: Pick, size: tuple[int, int] | None, rate: float | None = None
) -> Reading:
    """Return the pictures of *folder* that *pick* takes at *rate* a second."""
    files = frame_files(folder)
    first = _load(files[0], size)
    height, width = first.shape[:2]
    info = _info(len(files), height, width, rate or FOLDER_FPS)
    indices = pick(info)
    taken = np.empty((len(indices), *first.shape), dtype=np.uint8)
    for place, index in enumerate(indices.tolist()):
        taken[place] = _load_alike(files[index], size, first.shape)
    return Reading(info=info, indices=indices, frames=taken)


def pictures(folder: Path, first: int, stop: int) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield the pictures of *folder* from *first* up to *stop*, at their one size."""
    files = frame_files(folder)
    shape = _load(files[0], None).shape
    for file in files[first:stop]:
        yield _load_alike(file, None, shape)


def folder_digest(folder: Path) -> str:
    """Return a SHA-256 hex digest of the frames in their order."""
    state = hashlib.sha256()
    for path in frame_files(folder):
        state.update(file_digest(path).encode())
    return state.hexdigest()


def _entries(folder: Path) -> list[Path]:
    """Return what lies in *folder*, the same on every file system."""
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise MediaError(f"cannot be opened: {error.strerror or error}") from error


def _info(count: int, height: int, width: int, rate: float) -> VideoInfo:
    """Return the description of *count* pictures of one size."""
    return VideoInfo(
        frames=count,
        pts_s=np.arange(count) / rate,
        duration_s=count / rate,
        fps=rate,
        width=width,
        height=height,
        rotation=0,
        codec="pictures",
        notes=(f"A folder has no times; taken as pictures at {rate:g} a second.",),
    )


def _load_alike(
    path: Path, size: tuple[int, int] | None, shape: tuple[int, ...]
) -> npt.NDArray[np.uint8]:
    """Return one picture as RGB; `MediaError` where it has another *shape*."""
    picture = _load(path, size)
    if picture.shape != shape:
        raise MediaError(
            f"{safe_text(path.name, 80)!r} has the size {picture.shape[:2]}, the first "
            f"picture {shape[:2]}"
        )
    return picture


def _load(path: Path, size: tuple[int, int] | None) -> npt.NDArray[np.uint8]:
    """Return one picture as RGB."""
    try:
        return decode_still(path.read_bytes(), size)
    except (MediaError, OSError) as error:
        raise MediaError(f"{safe_text(path.name, 80)!r}: {error}") from error


def _natural(stem: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that orders numbers by value and letters without case."""
    parts = re.findall(r"\d+|\D+", stem.casefold())
    return tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts
    )
