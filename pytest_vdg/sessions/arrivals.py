"""Checkpoint folders as they appear in a folder: which, in what order, and when.

Apart from watching because all of this is about files that another program
writes, and deletes, while they are looked at.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_vdg.backends._hf_files import PROCESSOR_CONFIGS

Stamp = tuple[tuple[str, int, int, int], ...]
"""Name, size and both times of each file that lies directly in a folder."""

_CHECKPOINT = re.compile(r".*checkpoint.*|(epoch|step|iter)\w*[-_]?\d+", re.IGNORECASE)
_STEP = re.compile(r"[-_](\d+)$")
_CONFIGS = ("config.json", "adapter_config.json")
_OF_A_MODEL = (*_CONFIGS, "*.safetensors", "*.index.json")
_TOKENIZERS = ("tokenizer*", "vocab*", "*.model", "*.tiktoken")
_PARTS = {
    "processor": (*PROCESSOR_CONFIGS, "chat_template*"),
    "tokenizer": (
        *_TOKENIZERS,
        *("merges.txt", "special_tokens_map.json", "added_tokens.json"),
    ),
}
"""Files of each part of a processor."""


def arrivals(folder: Path) -> list[Path]:
    """Return the checkpoint folders in *folder*, in natural order.

    That is ``checkpoint-500`` before ``checkpoint-1000``; *folder* itself last,
    where a model was saved there. Hidden folders and those that begin with
    ``tmp`` are on their way; links into *folder* are known by another name.
    """
    try:
        inside = [path for path in folder.iterdir() if _may_be(path, folder)]
    except OSError:
        return []  # not there at the moment
    found = sorted(inside, key=lambda path: _natural(path.name))
    named = any((folder / name).is_file() for name in _CONFIGS)
    whole = named and any(folder.glob("*.safetensors"))
    return [*found, folder] if whole else found


def _may_be(path: Path, folder: Path) -> bool:
    if path.name.startswith((".", "tmp")) or not path.is_dir():
        return False
    here = folder.resolve()
    if path.is_symlink() and here in (path.resolve(), path.resolve().parent):
        return False
    if _CHECKPOINT.fullmatch(path.name):
        return True
    return any(next(path.glob(pattern), None) for pattern in _OF_A_MODEL)


def _natural(name: str) -> list[tuple[bool, int, str]]:
    parts = re.split(r"(\d+)", name)
    return [
        (part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts
    ]


def step_of(folder: Path) -> int | None:
    """Return the step that *folder* is of, by its name or the trainer's notes."""
    named = _STEP.search(folder.name)
    if named:
        return int(named[1])
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        text = (folder / "trainer_state.json").read_text(encoding="utf-8")
        return int(json.loads(text)["global_step"])
    return None


def stamp_of(folder: Path) -> Stamp | None:
    """Return what tells that *folder* changed; None where it is gone."""
    try:
        with os.scandir(folder) as entries:
            stats = [(e.name, e.stat()) for e in entries if e.is_file()]
    except OSError:
        return None
    return tuple(
        (name, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for name, s in sorted(stats)
    )


@dataclass(kw_only=True)
class Settling:
    """Whether folders were left alone for long enough to be whole."""

    seconds: float
    now: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic
    """A clock that nobody sets, for our own watch."""
    _since: dict[Path, tuple[Stamp, float]] = field(default_factory=dict)

    def settled(self, folder: Path, stamp: Stamp) -> bool:
        """Return whether *folder*, which looks like *stamp*, is written to no more.

        By the times of its files, of which a program that copies can set one
        back but not the other; by our own watch where they are of a clock that
        is ahead.
        """
        watched = self._watched(folder, stamp)
        now = self.now()
        newest = max((max(m, c) / 1e9 for _, _, m, c in stamp), default=now)
        since = now - newest if newest <= now else watched
        return bool(stamp) and since >= self.seconds

    def given_up(self, folder: Path, stamp: Stamp) -> bool:
        """Return whether *folder* was seen to be empty for long enough."""
        return not stamp and self._watched(folder, stamp) >= self.seconds

    def _watched(self, folder: Path, stamp: Stamp) -> float:
        """Return the seconds since *folder* was first seen to look like *stamp*."""
        now = self.steady()
        if folder not in self._since or self._since[folder][0] != stamp:
            self._since[folder] = stamp, now
        return now - self._since[folder][1]


def lacking(folder: Path) -> list[str]:
    """Return what *folder* lacks of a processor: its settings, its words, or both."""
    found = {
        "processor": any((folder / name).is_file() for name in PROCESSOR_CONFIGS),
        "tokenizer": any(_files(folder, _TOKENIZERS)),
    }
    return [name for name, there in found.items() if not there]


@contextmanager
def whole(folder: Path, others: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Give a folder that holds *folder* and a processor, and where that is from.

    What *folder* lacks is taken from the first of *others* that lacks nothing;
    nothing is written to either. The text is empty where nothing is lacking.
    """
    source = next((each for each in others if not lacking(each)), None)
    parts = lacking(folder)
    if not parts or source is None or source == folder:
        yield folder, ""
        return
    taken = [pattern for part in parts for pattern in _PARTS[part]]
    with TemporaryDirectory(prefix="vdg-") as made:
        joined = Path(made) / folder.resolve().name
        joined.mkdir()
        for path in (*_files(folder, ("*",)), *_files(source, taken)):
            here = joined / path.name
            if not here.is_symlink():  # the checkpoint's own come first
                here.symlink_to(path.resolve())
        yield joined, f"{' and '.join(parts)} of {source}"


def _files(folder: Path, patterns: Sequence[str]) -> list[Path]:
    found = {path for pattern in patterns for path in folder.glob(pattern)}
    return sorted(path for path in found if path.is_file())
