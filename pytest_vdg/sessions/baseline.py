"""Baselines: found, compared, recorded; one file a slice.

Apart from the fixture so that the life cycle is plain functions: a missing
file is an error with a candidate to commit, never a silent pass, and nothing
is written unless it was asked for by name.
"""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

from pytest_vdg.comparable import at_questions_of, require_comparable
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import COMMAND_LINE
from pytest_vdg.errors import (
    ConfigError,
    CouldNotBeJudged,
    NotComparable,
    StoreError,
)
from pytest_vdg.outcomes import pair
from pytest_vdg.outcomes.extent import of_wanted
from pytest_vdg.runs import Run
from pytest_vdg.sessions.budget import require_whole
from pytest_vdg.stats import counted
from pytest_vdg.store._folder import make_folder
from pytest_vdg.store.runfile import load_run, save_run

UPDATE = "--vdg-update-baseline"


def baseline_path(settings: Settings, slice_name: str) -> Path:
    """Return where the baseline of *slice_name* lies, or would."""
    return settings.baseline_dir / f"{slice_name}.jsonl"


def held_conditions(path: Path) -> tuple[str, ...]:
    """Return the conditions of the baseline at *path*; none when there is none.

    A new baseline must hold them too: what did not run this time is not
    obsolete.
    """
    before = _readable(path)
    return () if before is None else before.conditions


def require_recordable(settings: Settings) -> None:
    """Raise `ConfigError` unless baselines can be written, or their folder made.

    Asked before a model is: a run of an hour must not end in a closed door.
    """
    nearest = settings.baseline_dir
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
        raise ConfigError(
            f"baselines cannot be written to {settings.baseline_dir}: {nearest} is "
            "not a folder that you may write to"
        )


def read_baseline(settings: Settings, run: Run, conditions: tuple[str, ...]) -> Run:
    """Return the baseline of *run*, restricted to *conditions*.

    Raises `CouldNotBeJudged` when there is none (and leaves a candidate) or
    when it lacks a condition, `NotComparable` naming the fields that differ.
    """
    path = baseline_path(settings, run.slice_name)
    if not path.is_file():
        raise CouldNotBeJudged(_missing(settings, run, path))
    baseline = load_run(path)
    if run.planned is not None:
        baseline = at_questions_of(run, baseline)
    require_comparable(run, baseline)
    lacking = [c for c in conditions if c not in baseline.conditions]
    if lacking:
        raise NotComparable(
            f"baseline {path} of slice {run.slice_name!r} lacks condition "
            f"{', '.join(lacking)} (it holds {', '.join(baseline.conditions)}). "
            f"Record it anew: pytest {UPDATE}"
        )
    return baseline.only(conditions)


def record_baseline(settings: Settings, run: Run) -> str:
    """Write *run* as the baseline of its slice; return what was done, in a line."""
    if settings.replay is None:  # of logs there is no more to be had
        require_whole(run)
    path = baseline_path(settings, run.slice_name)
    before, broken = _readable(path), path.is_file()
    _require_no_loss(run, before, path)
    save_run(run, path, reason=f"pytest {UPDATE}")
    kept = "; what lay there was no baseline and is kept as .bak"
    many = f"{len(run.questions)} questions" if run.planned is None else of_wanted(run)
    return (
        f"wrote {path} ({many}, "
        f"{', '.join(run.conditions)}){_change(run, before)}"
        f"{kept if broken and before is None else ''}"
    )


def _require_no_loss(run: Run, before: Run | None, path: Path) -> None:
    held = () if before is None else before.conditions
    lost = [c for c in held if c not in run.conditions]
    if lost:
        raise CouldNotBeJudged(
            f"baseline {path} of slice {run.slice_name!r} would lose condition "
            f"{', '.join(lost)}, which this run lacks. Remove the file first if it is "
            "of no use any more"
        )


def _readable(path: Path) -> Run | None:
    """Return the baseline at *path*; None where there is none that can be read."""
    if not path.is_file():
        return None
    try:
        return load_run(path)
    except StoreError:
        return None  # about to be replaced; `save_run` keeps it as .bak


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


def _missing(settings: Settings, run: Run, path: Path) -> str:
    if run.planned is not None and settings.replay is None:
        return (
            f"there is no baseline of slice {run.slice_name!r}: no file {path}\n"
            f"  next      record one without --vdg-time-budget: this run has only "
            f"{of_wanted(run)}"
        )
    candidate = settings.cache_dir / "candidates" / path.name
    make_folder(settings.cache_dir)
    save_run(run, candidate, reason="candidate: there was no baseline")
    return (
        f"there is no baseline of slice {run.slice_name!r}: no file {path}\n"
        f"  candidate {candidate} ({len(run.questions)} questions, "
        f"{', '.join(run.conditions)})\n"
        f"  next      record it with: pytest {_as_typed(settings)}{UPDATE}\n"
        "            then look at the file and commit it"
    )


def _as_typed(settings: Settings) -> str:
    """Return what the command line said of where to run, ready to type again.

    But for what a baseline is not recorded with: a part of its slice.
    """
    found = settings.where.items()
    return "".join(
        f"{given.named}{'' if given.value is True else f'={quote(str(given.value))}'} "
        for name, given in found
        if given.source == COMMAND_LINE and name not in ("questions", "time_budget")
    )


def _change(run: Run, before: Run | None) -> str:
    now, then = _vdg(run), None if before is None else _vdg(before)
    if now is None:
        return ""
    was = "" if then is None else f", was {then}"
    return f": VDG {now}{was}"


def _vdg(run: Run) -> str | None:
    """Return the gap and its interval in words; None where nothing is paired."""
    if not {"original", "black"} <= set(run.conditions):
        return None
    try:
        paired = pair(run, control="black")
    except CouldNotBeJudged:
        return None  # the line then tells no number; the run itself was judged
    gap = counted.difference(
        paired.differences, paired.video_ids, questions=paired.asked_ids
    )
    low, high = 100 * gap.low, 100 * gap.high
    return f"{100 * gap.estimate:+.1f}pp [{low:+.1f}, {high:+.1f}]"
