"""What past runs came to: one line a run, for trends.

Apart from the answers because it is no cache: answers can be asked again, what
a checkpoint that is gone came to cannot. ``docs/design/store.md`` tells why it
is a text file, and what makes two runs the same.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pytest_vdg.errors import StoreError
from pytest_vdg.store._folder import make_folder, require_writable
from pytest_vdg.store._levels import DIGITS, Level, level_from, level_to
from pytest_vdg.store.records import dumps, loads

__all__ = [
    "DIGITS",
    "FILE_NAME",
    "Level",
    "PastRun",
    "comparable_digest",
    "from_record",
    "past_runs",
    "read_history",
    "remember",
    "to_record",
]

FILE_NAME = "history.jsonl"
PATIENCE_S = 60.0
"""How long a process waits for another one's lines, in seconds."""
_VERSION = 1
"""Stands in each line; lines of a later version are left alone."""
_KINDS: Mapping[str, type] = {
    **dict.fromkeys(("step", "questions", "videos"), int),
    **dict.fromkeys(("accuracies", "effects", "verdicts"), list),
    "confidence": float,
}
"""Kinds of JSON values that are no texts, by field."""


@dataclass(frozen=True, kw_only=True)
class PastRun:
    """What one checkpoint came to on one slice, once."""

    when: str
    """ISO 8601 with zone."""
    origin: str
    """``pytest``, ``vdg run``, ``vdg watch`` or ``training``."""
    checkpoint: str
    """What people call it."""
    weights: str = ""
    """Content digest of the weights; empty where it is not known."""
    step: int | None = None
    """Optimizer step of a training; None where there is none."""
    slice_name: str
    slice_digest: str = ""
    environment: str | None = None
    """Name of the machine or set-up, where one is declared."""
    questions: int
    """Questions that were asked; 0 where nothing could be."""
    videos: int
    accuracies: tuple[Level, ...] = ()
    """Of each condition, in the order of the run."""
    effects: tuple[Level, ...] = ()
    """``VDG``, and what is known of ``spatial``, ``diversity`` and ``temporal``."""
    confidence: float = 0.95
    """Of all intervals."""
    verdicts: tuple[tuple[str, str], ...] = ()
    """(claim, what it came to in words), in the order judged."""
    comparable: str = ""
    """Digest of what must be equal for two runs to be drawn in one line."""
    asked: str = ""
    """Digest of claims and settings; empty where nobody has to find it again."""

    def __post_init__(self) -> None:
        """Refuse what could be drawn nowhere, or be read as evidence by mistake."""
        for name in ("when", "origin", "checkpoint", "slice_name"):
            if not getattr(self, name):
                raise ValueError(f"a past run needs {name}")
        if not 0 <= self.videos <= self.questions:
            raise ValueError(f"{self.questions} questions on {self.videos} videos")
        if not 0.5 < self.confidence < 1:
            raise ValueError(f"confidence must lie in (0.5, 1), got {self.confidence}")
        for kind in (self.accuracies, self.effects):
            names = [level.name for level in kind]
            if len(set(names)) < len(names):
                raise ValueError(f"one of {names} is there twice")

    def level(self, name: str) -> Level | None:
        """Return the effect or accuracy called *name*; None where it is not known."""
        both = (*self.effects, *self.accuracies)
        return next((level for level in both if level.name == name), None)

    @property
    def line(self) -> tuple[str, str, str, str | None, str]:
        """What runs of one checkpoint that follow each other have in common."""
        return (self.checkpoint, *self.trend)

    @property
    def trend(self) -> tuple[str, str, str | None, str]:
        """What runs of all checkpoints in one trend have in common."""
        return self.slice_name, self.comparable, self.environment, self.asked

    def same_as(self, other: PastRun) -> bool:
        """Return whether *other* says nothing that this does not say.

        The moment and who asked aside: answers come from the cache.
        """
        own, others = to_record(self), to_record(other)
        for each in (own, others):
            del each["when"], each["origin"]
        return own == others


def comparable_digest(comparable: Mapping[str, str]) -> str:
    """Return a digest of the settings that two runs must share to be compared."""
    text = json.dumps(sorted(comparable.items()), separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def remember(cache_dir: Path | str, entries: Iterable[PastRun]) -> int:
    """Add *entries* to the history in *cache_dir*; return how many were new.

    One that says the same as the last of its line is left out, unless other
    checkpoints were heard of since: a trend must end with what was judged last.
    Safe under several processes; one that dies in here leaves at most half a
    line, which readers pass over. Raises `StoreError` where nothing can be written, and
    ``ValueError`` for a number that is none.
    """
    given = [(entry, dumps(_with_version(to_record(entry)))) for entry in entries]
    if not given:
        return 0
    path = Path(cache_dir) / FILE_NAME
    require_writable(path.parent)
    make_folder(path.parent)
    with (
        _explained(path),
        path.open("a+b", buffering=0) as file,
        _locked(file.fileno()),
    ):
        file.seek(0)
        held = file.read()
        known = _parsed(held)[0]
        last = {run.line: run for run in known}
        newest = {run.trend: run.when for run in known}
        new: list[str] = []
        for entry, text in given:
            before = last.get(entry.line)
            lately = before and before.when in (entry.when, newest.get(entry.trend))
            if before is None or not lately or not entry.same_as(before):
                new.append(text)
                last[entry.line] = entry
                newest[entry.trend] = entry.when
        _append(file.fileno(), held, new)
    return len(new)


def keep(cache_dir: Path | str, entries: Iterable[PastRun]) -> list[str]:
    """Add *entries* as `remember` does; return what has to be told, if they cannot be.

    A history that is not kept changes no verdict.
    """
    try:
        remember(cache_dir, entries)
    except StoreError as error:
        return [f"the history is not kept: {error}"]
    return []


def past_runs(
    cache_dir: Path | str, *, slice_name: str | None = None
) -> tuple[PastRun, ...]:
    """Return the history in *cache_dir*, oldest first; of one slice if it is named."""
    runs, _ = read_history(cache_dir)
    return tuple(r for r in runs if slice_name is None or r.slice_name == slice_name)


def read_history(cache_dir: Path | str) -> tuple[tuple[PastRun, ...], int]:
    """Return the history in *cache_dir*, and how many lines could not be read.

    These are what a killed process left, or what a later version wrote.
    """
    path = Path(cache_dir) / FILE_NAME
    with _explained(path):
        return _parsed(path.read_bytes()) if path.exists() else ((), 0)


def to_record(run: PastRun) -> dict[str, Any]:
    """Return *run* as JSON values; fields that hold nothing are left out."""
    record: dict[str, Any] = {}
    for field in fields(run):
        value = getattr(run, field.name)
        if field.name in ("accuracies", "effects"):
            value = [level_to(level) for level in value]
        elif field.name == "verdicts":
            value = [list(pair) for pair in value]
        if value not in (None, "", []):
            record[field.name] = value
    return record


def from_record(record: Mapping[str, Any]) -> PastRun:
    """Return the run that `to_record` wrote.

    Raises ``ValueError``, ``KeyError`` or ``TypeError`` on anything else.
    """
    values = dict(record)
    for name, value in values.items():
        kind = _KINDS.get(name, str)
        if type(value) is not kind:
            raise TypeError(f"{name} must be {kind.__name__}, got {value!r:.60}")
    for name in ("accuracies", "effects"):
        values[name] = tuple(level_from(each) for each in values.get(name, ()))
    values["verdicts"] = tuple((str(c), str(v)) for c, v in values.get("verdicts", ()))
    return PastRun(**values)


def _with_version(record: dict[str, Any]) -> dict[str, Any]:
    return {"v": _VERSION, **record}


def _parsed(data: bytes) -> tuple[tuple[PastRun, ...], int]:
    lines = [line for line in data.split(b"\n") if line.strip()]
    runs = [run for run in map(_run, lines) if run is not None]
    return tuple(runs), len(lines) - len(runs)


def _run(line: bytes) -> PastRun | None:
    try:
        record = loads(line.decode("utf-8"))
        return from_record(record) if record.pop("v") == _VERSION else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # half a line, or one of a later version


def _append(descriptor: int, held: bytes, lines: Sequence[str]) -> None:
    """Write *lines* behind what is *held*; take them back if they do not fit."""
    if not lines:
        return
    whole = not held or held.endswith(b"\n")  # else behind the half line of a dead
    data = ("" if whole else "\n") + "".join(f"{line}\n" for line in lines)
    rest = data.encode("utf-8")
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, len(held))
        raise


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Hold the file alone; the system lets go of it when its holder dies."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # noqa: PERF203 - waiting is what the loop is for
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            break
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except BlockingIOError as error:
        raise StoreError(
            f"the history in {path} is held by another process for longer than "
            f"{PATIENCE_S:g} s. Look for one that hangs"
        ) from error
    except OSError as error:
        raise StoreError(
            f"the history in {path} cannot be used: {error}. Check free space, "
            "permissions, and that it is a file"
        ) from error
