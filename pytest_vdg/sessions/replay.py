"""`Replay`: runs that are stored, in place of a model that is asked.

Apart from the session because nothing is asked here: a run is found by slice
and checkpoint, and what it does not hold is said, with what to do about it.
Slices need not be named in ``vdg.yaml``, nor their benchmarks be on this disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_vdg.comparable import slice_digest
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError, CouldNotBeJudged, did_you_mean
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask, suffix

IMPORT = "vdg import CONDITION=FILE ... --checkpoint NAME --slice NAME --to FILE"
"""How a run comes into a folder."""


@dataclass(frozen=True, kw_only=True)
class StoredRun:
    """A run file, as far as its first line tells."""

    path: Path
    checkpoint: str
    slice_name: str
    conditions: tuple[str, ...]

    def __str__(self) -> str:
        """Return one line that tells it from others."""
        return (
            f"{self.path.name}: slice {self.slice_name!r}, checkpoint "
            f"{self.checkpoint!r}, {', '.join(self.conditions)}"
        )


def require_replay(settings: Settings) -> Path:
    """Return the folder or file to replay, or raise `ConfigError`."""
    path = settings.replay
    assert path is not None
    if not path.exists():
        raise ConfigError(
            f"{settings.where['replay'].named}: {path} is not there. Give a folder of "
            f"runs, made with save_run(run, path, full=True) or:\n  {IMPORT}"
        )
    return path


class Replay:
    """The runs in one folder, each read at first need."""

    def __init__(self, settings: Settings) -> None:
        """Use the folder that *settings* name; read nothing yet."""
        self.settings = settings
        self._read: dict[tuple[Path, str], Run] = {}
        self._planned: dict[tuple[Path, str], tuple[str, ...]] = {}

    @property
    def named(self) -> str:
        """Which option, variable or key says that runs are replayed."""
        return self.settings.where["replay"].named

    @cached_property
    def stored(self) -> tuple[StoredRun, ...]:
        """All runs that are there, by the name of their file."""
        path = require_replay(self.settings)
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        return tuple(run for run in map(_header, files) if run is not None)

    def slice_name(self, ask: Ask) -> str:
        """Return the slice that *ask* means, without the part that it wants."""
        if ask.slice is not None:
            return ask.slice
        configured = sorted(self.settings.config.slices)
        there = sorted({run.slice_name for run in self.stored})
        for names in (configured, there):
            if len(names) == 1:
                return names[0]
        raise ConfigError(
            f"which slice? Replayed are {', '.join(there) or 'none'}. Say it: "
            "@pytest.mark.vdg(slice='...')"
        )

    def conditions(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the specs of *names*; a misspelt one raises `ConfigError`.

        A stored run may have conditions that cannot be run here.
        """
        from pytest_vdg.frames.conditions import Condition

        held = {condition for run in self.stored for condition in run.conditions}
        return tuple(
            dict.fromkeys(n if n in held else str(Condition.parse(n)) for n in names)
        )

    def held(self, ask: Ask) -> tuple[str, ...]:
        """Return all conditions of the stored run that *ask* is about."""
        return self._stored(ask)[1].conditions

    def plan(self, ask: Ask, conditions: Iterable[str]) -> None:
        """Note that *conditions* of the run of *ask* will be needed.

        As where a model is asked, a run then has what its tests need together,
        and no more: what nobody asks for is not recorded as a baseline.
        """
        key, _ = self._stored(ask)
        union = (*self._planned.get(key, ()), *conditions)
        self._planned[key] = tuple(dict.fromkeys(union))

    def run(self, ask: Ask, conditions: Sequence[str]) -> Run:
        """Return the stored run that *ask* is about, over all conditions planned.

        Raises
        ------
        CouldNotBeJudged
            When there is none, or it lacks one of *conditions*, saying what
            there is.
        ConfigError
            When there are several, or a part is wanted that cannot be told.
        """
        self.plan(ask, conditions)
        key, run = self._stored(ask)
        lacking = [c for c in conditions if c not in run.conditions]
        if lacking:
            raise CouldNotBeJudged(
                f"condition {', '.join(map(repr, lacking))} of slice "
                f"{run.slice_name!r} is not in {key[0]} (it holds "
                f"{', '.join(run.conditions)}). Import it together with the others: "
                f"vdg import ... {lacking[0]}=FILE --to {key[0]}"
            )
        return run.only(c for c in self._planned[key] if c in run.conditions)

    def _stored(self, ask: Ask) -> tuple[tuple[Path, str], Run]:
        """Return file and part of the run of *ask*, and the run itself."""
        name, part = self.slice_name(ask), suffix(ask)
        exact = self._found(name + part, ask)
        stored = exact or self._found(name, ask)
        if stored is None:
            raise CouldNotBeJudged(self._missing(name, ask))
        key = (stored.path, "" if exact else part)
        if key not in self._read:
            self._read[key] = self._restricted(stored, ask, whole=bool(exact))
        return key, self._read[key]

    def _found(self, name: str, ask: Ask) -> StoredRun | None:
        """Return the one run of slice *name* and the checkpoint that is wanted."""
        wanted = self.settings.checkpoint_named(ask.checkpoint)
        found = [run for run in self.stored if run.slice_name == name]
        if wanted is not None:
            names = {wanted, Path(wanted).name}
            found = [run for run in found if run.checkpoint in names]
        if len(found) < 2:
            return found[0] if found else None
        listed = "".join(f"\n  {run}" for run in found)
        advice = f"Name one: --vdg-checkpoint={found[0].checkpoint}"
        if len({run.checkpoint for run in found}) == 1:
            advice = "Leave one of them in the folder"
        raise ConfigError(f"which run of slice {name!r}? {advice}{listed}")

    def _missing(self, name: str, ask: Ask) -> str:
        wanted = self.settings.checkpoint_named(ask.checkpoint)
        of = "" if wanted is None else f" and checkpoint {wanted!r}"
        there = "".join(f"\n  there is  {run}" for run in self.stored)
        known = {run.slice_name for run in self.stored}
        near = did_you_mean(name, known) if known and name not in known else ""
        return (
            f"no run of slice {name!r}{of} is in {self.settings.replay}."
            f"{near}{there or ' It holds no run'}\n  next      {IMPORT}"
        )

    def _restricted(self, stored: StoredRun, ask: Ask, *, whole: bool) -> Run:
        from pytest_vdg.store.runfile import load_run

        run = load_run(stored.path)
        if "caps" in self.settings.config.given:
            run = replace(run, caps=self.settings.config.caps)
        if not whole:
            run = _part(run, ask, stored.path)
        limit = self.settings.questions
        if limit is not None and limit < len(run.questions):
            named = self.settings.where["questions"].named
            raise ConfigError(
                f"{named} asks for {limit} questions, and the stored run "
                f"{stored.path} has {len(run.questions)}: it is judged whole"
            )
        return run


def _header(path: Path) -> StoredRun | None:
    """Return what the first line of *path* tells; None if it is no run file."""
    try:
        with path.open("rb") as file:
            first: Any = json.loads(file.readline(1 << 20))
        if first["format"] != "pytest-vdg run":
            return None
        return StoredRun(
            path=path,
            checkpoint=str(first["checkpoint"]),
            slice_name=str(first["slice"]),
            conditions=tuple(map(str, first["conditions"])),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _part(run: Run, ask: Ask, path: Path) -> Run:
    """Return the tasks of *run* that *ask* wants; other parts cannot be told."""
    from pytest_vdg.outcomes.extent import by_task  # numpy comes with it

    if ask.tasks is not None:
        for task in ask.tasks:
            if task not in run.tasks:
                raise ConfigError(
                    f"stored run {path} has no task {task!r}."
                    + did_you_mean(task, run.tasks)
                )
    kept = run.selected(ask.tasks)
    if ask.seed is not None or ask.questions not in (None, len(kept)):
        raise ConfigError(
            f"stored run {path} has {len(kept)} questions and cannot be asked for "
            f"others (questions={ask.questions}, seed={ask.seed}). Leave these out, or "
            f"store a run of slice {run.slice_name + suffix(ask)!r}"
        )
    ids = {question.id for question in kept}
    comparable = dict(run.fingerprint.comparable)
    # Ours to tell only where it is made as ours are.
    if comparable.get("slice") == slice_digest(run.questions):
        comparable["slice"] = slice_digest(kept)
    planned = run.planned
    if planned is not None and ask.tasks is not None:
        planned = {task: n for task, n in planned.items() if task in ask.tasks}
        if planned == by_task((q.task, q.question) for q in kept):
            planned = None
    return replace(
        run,
        slice_name=run.slice_name + suffix(ask),
        questions=kept,
        planned=planned,
        cells={key: cell for key, cell in run.cells.items() if key[0] in ids},
        fingerprint=replace(run.fingerprint, comparable=comparable),
    )
