"""Where things lie in a benchmark's folder: the files with questions, and videos.

Apart from the loaders because people unpack the same benchmark in several
ways, and a wrong folder is to be answered with what was looked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pytest_vdg.benchmarks.source import Source
from pytest_vdg.errors import BenchmarkError

_PART = re.compile(
    r"(?P<stem>.+)-(?P<part>\d{5})-of-(?P<count>\d{5})(?:-\w+)?\.parquet"
)
"""How the Hugging Face Hub names the parts of a table."""


def annotation_files(path: Path, *patterns: str) -> list[Path]:
    """Return the files with questions at *path*: itself, or what fits in its folder.

    Parameters
    ----------
    path
        A file, which is then the only one, or a folder.
    patterns
        Glob patterns below the folder. The first that any file fits decides.

    Returns
    -------
    list of Path
        One or more, sorted by name, parts of a table in their order.

    Raises
    ------
    BenchmarkError
        When there is no such path, or nothing in the folder fits.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise BenchmarkError(f"{path}: there is no such file or folder")
    for pattern in patterns:
        found = sorted(p for p in path.glob(pattern) if p.is_file())
        if found:
            _require_parts(found)
            return found
    raise BenchmarkError(
        f"{path}: holds none of {', '.join(patterns)}. Give the benchmark's folder, or "
        "the file with its questions"
    )


def _require_parts(found: Sequence[Path]) -> None:
    """Refuse a table of which parts are missing, as their own names say."""
    parts: dict[tuple[str, int], set[int]] = {}
    for path in found:
        named = _PART.fullmatch(path.name)
        if named is not None:
            whole = str(path.parent / named["stem"]), int(named["count"])
            parts.setdefault(whole, set()).add(int(named["part"]))
    for (stem, count), there in parts.items():
        missing = [n for n in range(count) if n not in there]
        if missing:
            raise BenchmarkError(
                f"{stem}: {len(missing)} of {count} parts of the table are missing "
                f"(first: {Path(stem).name}-{missing[0]:05}-of-{count:05}). Fetch them "
                "all: half a benchmark is another one"
            )


def folder_of(path: Path, *, below: Sequence[str] = ()) -> Path:
    """Return the benchmark's folder, whichever part of it *path* is.

    *path* may be that folder, or the file with the questions in it; *below* are
    names of folders between the two, such as ``json``.
    """
    folder = path if path.is_dir() else path.parent
    return folder.parent if folder.name in below else folder


def video_folder(source: Source, folder: Path, *names: str) -> Path:
    """Return where the videos are: where *source* says, or in *folder*.

    There, under the first of *names* that exists, or under the first of all.
    """
    if source.videos is not None:
        return source.videos
    found = (folder / name for name in names if (folder / name).is_dir())
    return next(found, folder / names[0])


class Files:
    """Names of the files of one folder, looked up once and without its subfolders.

    For videos whose ending or zeros the annotations leave open. A folder that is
    not there is an empty one: the videos may come later.
    """

    def __init__(self, folder: Path) -> None:
        """List *folder*."""
        try:
            names = sorted(path.name for path in folder.iterdir())
        except OSError:
            names = []
        self._names = set(names)
        self._stems: dict[str, list[str]] = {}
        for name in names:
            self._stems.setdefault(name.rpartition(".")[0] or name, []).append(name)

    def with_ending(self, stem: str, default: str, others: Sequence[str]) -> str:
        """Return the file called *stem* with *default* or one of *others* behind.

        *default* where there is none, or where that file exists too.
        """
        wanted = {ending.lower() for ending in others}
        if stem + default not in self._names:
            for name in self._stems.get(stem, ()):
                if name[len(stem) :].lower() in wanted:
                    return name
        return stem + default

    def __contains__(self, name: str) -> bool:
        """Return whether there is a file or folder of this *name*."""
        return name in self._names


VIDEO_ENDINGS = (".mp4", ".mkv", ".webm", ".avi", ".mov")
"""Endings a video may have where the annotations name none, in any case."""
