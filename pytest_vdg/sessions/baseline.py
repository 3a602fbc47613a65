"""Baselines: found, read, compared; one file a slice, and a folder an environment.

Apart from the fixture so that the life cycle is plain functions: a missing
file is an error that says what to do, never a silent pass. What writes files
is in modules of its own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_vdg.comparable import at_questions_of, require_comparable
from pytest_vdg.config.ci import in_ci
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import NAME
from pytest_vdg.errors import (
    ConfigError,
    CouldNotBeJudged,
    NotComparable,
    StoreError,
    near_path,
)
from pytest_vdg.outcomes.extent import of_wanted
from pytest_vdg.runs import Run
from pytest_vdg.sessions.baseline_advice import UPDATE, next_lines, settings_advice
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.runfile import load_recorded


def baseline_path(settings: Settings, slice_name: str) -> Path:
    """Return where the baseline of *slice_name* lies, or would."""
    return in_environment(settings.baseline_dir, settings.environment, slice_name)


def in_environment(folder: Path, environment: str | None, slice_name: str) -> Path:
    """Return the file of *slice_name* in *folder*; flat where there is none."""
    return folder / (environment or "") / f"{slice_name}.jsonl"


def environments(folder: Path) -> list[str | None]:
    """Return the environments that *folder* has a place for, None for no name."""
    if not folder.is_dir():
        return []
    below = sorted(p.name for p in folder.iterdir() if p.is_dir())
    return [None, *(name for name in below if NAME.fullmatch(name))]


def readable(path: Path) -> Recorded | None:
    """Return the baseline at *path*; None where there is none that can be read."""
    if not path.is_file():
        return None
    try:
        return load_recorded(path)
    except StoreError:
        return None  # about to be replaced, and then kept as .bak


def held_conditions(path: Path) -> tuple[str, ...]:
    """Return the conditions of the baseline at *path*; none when there is none.

    A new baseline must hold them too: what did not run this time is not
    obsolete.
    """
    before = readable(path)
    return () if before is None else before.run.conditions


def require_recordable(settings: Settings) -> None:
    """Raise `ConfigError` unless baselines can be written, or their folder made.

    Asked before a model is: a run of an hour must not end in a closed door.
    """
    nearest = settings.baseline_dir / (settings.environment or "")
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
        raise ConfigError(
            f"baselines cannot be written to {settings.baseline_dir}: {nearest} is "
            "not a folder that you may write to"
        )


def read_baseline(settings: Settings, run: Run, conditions: Sequence[str]) -> Run:
    """Return the baseline of *run*, restricted to *conditions*.

    Raises as `read_recorded` does.
    """
    return read_recorded(settings, run, conditions).run


def read_recorded(
    settings: Settings,
    run: Run,
    conditions: Sequence[str],
    *,
    candidate: Path | None = None,
) -> Recorded:
    """Return the baseline of *run* and its criteria, restricted to *conditions*.

    *candidate* is the file that *run* was left in, for the messages. Raises
    `CouldNotBeJudged` when there is no baseline or when it lacks a condition,
    `NotComparable` naming the fields that differ, `StoreError` where the file
    is damaged.
    """
    path = baseline_path(settings, run.slice_name)
    if not path.is_file():
        raise CouldNotBeJudged(_missing(settings, run, path, candidate))
    found = load_recorded(path)
    _require_own(settings, found, path)
    baseline = found.run
    if run.planned is not None:
        baseline = at_questions_of(run, baseline)
    advice = settings_advice(settings, run, baseline, candidate)
    require_comparable(run, baseline, advice=advice)
    lacking = [c for c in conditions if c not in baseline.conditions]
    if lacking:
        raise NotComparable(
            f"baseline {path} of slice {run.slice_name!r} lacks condition "
            f"{', '.join(lacking)} (it holds {', '.join(baseline.conditions)}). "
            f"Record it anew: pytest {UPDATE}"
            + "".join(f"\n{line}" for line in next_lines(settings, run, candidate))
        )
    return replace(found, run=baseline.only(conditions))


def _require_own(settings: Settings, found: Recorded, path: Path) -> None:
    """Raise `NotComparable` for a file that says it is of another environment."""
    if found.environment in (None, settings.environment):
        return
    here = settings.environment
    what = "none is declared" if here is None else f"this is {here!r}"
    raise NotComparable(
        f"baseline {path} of slice {found.run.slice_name!r} was recorded in "
        f"environment {found.environment!r}, and {what}: say where this runs with "
        "--vdg-environment NAME, and keep its file in the folder of that name"
    )


def _missing(settings: Settings, run: Run, path: Path, candidate: Path | None) -> str:
    first = f"there is no baseline of slice {run.slice_name!r}: no file {path}"
    others = _elsewhere(settings, run.slice_name)
    lines = []
    if others and settings.environment is not None:
        first = (
            f"uncalibrated environment {settings.environment!r}: there is no baseline "
            f"of slice {run.slice_name!r} for it, no file {path}"
        )
        lines.append(f"  there is  one for {', '.join(others)}")
    elif others:
        lines.append(
            f"  there is  one for {', '.join(others)}: if this is such a machine, say "
            "so with --vdg-environment"
        )
    else:
        first += _near(path, settings.baseline_dir)
    if in_ci() is not None:
        lines.append(
            "  CI        if you have the file, is it committed? Ask: git check-ignore "
            f"-v {path.name}; git status --ignored"
        )
    if run.planned is not None and settings.replay is None:
        lines.append(
            "  next      record one without --vdg-time-budget: this run has only "
            f"{of_wanted(run)}"
        )
        return "\n".join([first, *lines])
    return "\n".join([first, *lines, *next_lines(settings, run, candidate)])


def _near(path: Path, folder: Path) -> str:
    """Return which file, or folder of baselines, has nearly that name."""
    wanted = path if path.parent.is_dir() else folder
    if wanted.exists() or not wanted.parent.is_dir():
        return ""  # a first run has none, and that is no slip
    near = near_path(wanted)
    return f".{near}" if near else ""


def _elsewhere(settings: Settings, slice_name: str) -> list[str]:
    """Return the other environments that hold a baseline of *slice_name*, in words."""
    folder = settings.baseline_dir
    found = [
        name
        for name in environments(folder)
        if name != settings.environment
        and in_environment(folder, name, slice_name).is_file()
    ]
    return ["no named environment" if name is None else repr(name) for name in found]


def version_note(run: Run, baseline: Run) -> str | None:
    """Return which package versions differ, or None: told, never refused."""
    now, then = run.fingerprint.informative, baseline.fingerprint.informative
    differ = [
        f"{name} {now.get(name, 'none')} (was {then.get(name, 'none')})"
        for name in sorted({*now, *then})
        if now.get(name) != then.get(name)
    ]
    if not differ:
        return None
    what = f"baseline {run.slice_name} was made with other versions"
    return f"{what}: {', '.join(differ)}"
