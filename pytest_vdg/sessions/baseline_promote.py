"""Promoting a candidate: what speaks against it, and writing it.

Apart from recording within a session because the run is not at hand, only its
file is: all that a session would have refused is asked of the file again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_vdg.assertions.judge import require_judgeable
from pytest_vdg.config.ci import in_ci
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError, CouldNotBeJudged, StoreError
from pytest_vdg.sessions.baseline_criteria import merged
from pytest_vdg.sessions.baseline_list import Entry
from pytest_vdg.sessions.baseline_record import (
    changes,
    ignored_note,
    says_the_same,
)
from pytest_vdg.sessions.gap import gap_text, nothing_to_lose
from pytest_vdg.spelling import count
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.runfile import save_recorded


@dataclass(frozen=True, kw_only=True)
class Promotion:
    """A candidate that is to become the baseline of its slice."""

    entry: Entry
    made: Recorded
    """What will be written."""
    objections: tuple[str, ...]
    """Why it should not be."""

    @property
    def path(self) -> Path:
        """The baseline's file."""
        return self.entry.path


def require_may_record(*, force: bool) -> None:
    """Raise `ConfigError` in a CI, where a baseline would be looked at by nobody."""
    said = in_ci()
    if said is not None and not force:
        raise ConfigError(
            f"vdg baseline promote is refused because CI={said}: a baseline is looked "
            "at before it counts. If you mean it: --force"
        )


def propose(settings: Settings, entry: Entry, *, reason: str) -> Promotion:
    """Return the promotion of the candidate of *entry*, with all that speaks against.

    Raises `ConfigError` where there is no candidate, `StoreError` where it cannot
    be read.
    """
    if entry.candidate_problem is not None:
        raise StoreError(entry.candidate_problem)
    if entry.candidate is None:
        raise ConfigError(
            f"there is no candidate of slice {entry.slice_name!r}: no file "
            f"{entry.candidate_path}. A test that takes vdg_baseline leaves one"
        )
    before, candidate = entry.recorded, entry.candidate
    held = () if before is None else before.criteria
    made = replace(
        candidate,
        reason=reason or "vdg baseline promote",
        environment=settings.environment,
        criteria=merged(held, candidate.criteria),
    )
    return Promotion(
        entry=entry,
        made=made,
        objections=tuple(_objections(entry, before, candidate)),
    )


def _objections(
    entry: Entry, before: Recorded | None, candidate: Recorded
) -> list[str]:
    run = candidate.run
    found = [*_unjudged(candidate)]
    if run.slice_name != entry.slice_name:
        found.append(f"it is a run of another slice, {run.slice_name!r}")
    if candidate.environment not in (None, entry.environment):
        found.append(f"it was made in another environment, {candidate.environment!r}")
    if before is None:
        return found
    lost = [c for c in before.run.conditions if c not in run.conditions]
    if lost:
        found.append(f"the baseline's condition {', '.join(lost)} would be lost")
    ids = {q.id for q in run.questions}
    gone = sorted(q.id for q in before.run.questions if q.id not in ids)
    if gone:
        questions = count(len(gone), "question")
        found.append(f"{questions} of the baseline would be lost (first: {gone[0]})")
    return found


def _unjudged(candidate: Recorded) -> Sequence[str]:
    run = candidate.run
    problems = []
    if run.planned is not None:
        problems.append("it holds a part of its slice only")
    try:
        require_judgeable(run, run.conditions)
    except CouldNotBeJudged as error:
        problems.append(str(error).splitlines()[0])
    return problems


def promote(promotion: Promotion) -> list[str]:
    """Write *promotion*, whole or not at all; return what was done, in lines."""
    entry, made = promotion.entry, promotion.made
    before = entry.recorded
    if before is not None and says_the_same(before, made):
        return [f"unchanged: {entry.path} holds these answers and criteria already"]
    moved = save_recorded(made, entry.path)
    now, then = gap_text(made.run), None if before is None else gap_text(before.run)
    said = "" if now is None else f": VDG {now}" + (f", was {then}" if then else "")
    kept = "" if moved is None else f"; what lay there is kept as {moved.suffix}"
    held = f"{len(made.run.questions)} questions, {', '.join(made.run.conditions)}"
    return [
        f"wrote {entry.path} ({held}){said}{kept}",
        *changes(before, made),
        *nothing_to_lose(made.run),
        *ignored_note(entry.path),
        "look at the file and commit it",
    ]
