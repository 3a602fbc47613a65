"""Recording a baseline: what is written, what is refused, and what is said of it.

Apart from reading because nothing is written unless it was asked for by name,
and two ways ask: ``--vdg-update-baseline`` and ``vdg baseline promote``.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes.extent import of_wanted
from pytest_vdg.reports.baseline_diff import diff_recorded
from pytest_vdg.reports.baseline_text import head_lines
from pytest_vdg.runs import Run
from pytest_vdg.sessions.baseline import baseline_path, readable
from pytest_vdg.sessions.baseline_advice import UPDATE
from pytest_vdg.sessions.budget import require_whole
from pytest_vdg.sessions.gap import gap_text, nothing_to_lose
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.runfile import dump_recorded, save_recorded

_GIT_SECONDS = 5


def record_baseline(settings: Settings, run: Run) -> list[str]:
    """Write *run* as the baseline of its slice; return what was done, in lines.

    Where the file says the same already, it stays as it is. Raises
    `CouldNotBeJudged` for a part of a slice, and where conditions would be lost.
    """
    if settings.replay is None:  # of logs there is no more to be had
        require_whole(run)
    path = baseline_path(settings, run.slice_name)
    before = readable(path)
    _require_no_loss(run, before, path)
    made = Recorded(
        run=run,
        reason=f"pytest {UPDATE}",
        environment=settings.environment,
        criteria=() if before is None else before.criteria,
    )
    if before is not None and says_the_same(before, made):
        return [f"answers unchanged: {path} ({_held(run)}) holds them already"]
    moved = save_recorded(made, path)
    return [
        _wrote(path, made, before, moved),
        *changes(before, made),
        *nothing_to_lose(run),
        *ignored_note(path),
    ]


def says_the_same(one: Recorded, other: Recorded) -> bool:
    """Return whether two differ in nothing but when and why they were written."""
    texts = [
        dump_recorded(replace(each, reason="", run=replace(each.run, created="")))
        for each in (one, other)
    ]
    return texts[0] == texts[1]


def changes(before: Recorded | None, made: Recorded) -> list[str]:
    """Return what *made* changes in numbers, old -> new; nothing where it is first."""
    if before is None:
        return []
    try:
        diff = diff_recorded(before, made)
    except CouldNotBeJudged as error:
        return [f"  {str(error).splitlines()[0]}"]
    return [f"  {line}" for line in head_lines(diff)]


def ignored_note(path: Path) -> list[str]:
    """Return that git ignores *path*, so that it would never reach a CI, or nothing."""
    command = ["git", "-C", str(path.parent), "check-ignore", "-q", path.name]
    try:
        found = subprocess.run(  # noqa: S603 - no shell; the words are ours
            command, capture_output=True, check=False, timeout=_GIT_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    if found.returncode != 0:
        return []
    return [f"git ignores {path}: commit it with git add -f, or mend .gitignore"]


def _require_no_loss(run: Run, before: Recorded | None, path: Path) -> None:
    held = () if before is None else before.run.conditions
    lost = [c for c in held if c not in run.conditions]
    if lost:
        raise CouldNotBeJudged(
            f"baseline {path} of slice {run.slice_name!r} would lose condition "
            f"{', '.join(lost)}, which this run lacks. Remove the file first if it is "
            "of no use any more"
        )


def _held(run: Run) -> str:
    many = f"{len(run.questions)} questions" if run.planned is None else of_wanted(run)
    return f"{many}, {', '.join(run.conditions)}"


def _wrote(
    path: Path, made: Recorded, before: Recorded | None, moved: Path | None
) -> str:
    now = gap_text(made.run)
    then = None if before is None else gap_text(before.run)
    said = "" if now is None else f": VDG {now}" + (f", was {then}" if then else "")
    kept = ""
    if moved is not None:
        kept = f"; what lay there was no baseline and is kept as {moved.suffix}"
    return f"wrote {path} ({_held(made.run)}){said}{kept}"
