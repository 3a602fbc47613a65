"""What a run lacks of its plan: replies, questions, frames.

Apart from the claim of coverage because it counts cells and names them, while
that holds one share against a floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from pytest_vdg.assertions._caps import reason_lines
from pytest_vdg.assertions._words import count, listed_as, plain
from pytest_vdg.assertions.judge import FIRST_WORDS
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes.columns import among, column, counted_in_all
from pytest_vdg.runs import CellResult, Outcome, Run, TaskFilter

_OTHER_FRAMES = ("text_only", "sampled", "fps")
"""Conditions that show another number of frames on purpose."""
_LOST = (Outcome.FAILED, Outcome.UNPARSED)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What was to be asked of a run, checked."""

    run: Run
    conditions: tuple[str, ...]
    questions: int | None
    """How many must be judged under all *conditions*; None for any."""
    frames: int | None
    """How many each clip must have shown at least; None for some."""


def shortfalls(plan: Plan, task: TaskFilter) -> list[str]:
    """Return where the questions of *task* fall short of *plan*, in words.

    Raises
    ------
    CouldNotBeJudged
        When frames are asked of a run that did not record them.
    """
    return [*_too_few(plan, task), *_other_frames(plan, task)]


def cell_lines(plan: Plan, task: TaskFilter) -> str:
    """Return what became of the cells, a line a condition."""
    lines = []
    for condition in plan.conditions:
        c = plan.run.counts(condition, task)
        lines.append(
            f"{plain(condition)}: {c.correct + c.wrong} covered, {c.unparsed} "
            f"unparsed, {c.failed} failed, {c.not_applicable} not applicable"
        )
    return "\n".join(lines)


def lost_reasons(plan: Plan, task: TaskFilter) -> list[tuple[str, str]]:
    """Return why cells have no answer, the commonest reason first."""
    questions = plan.run.selected(task)
    lost = [
        plan.run.cells[q.id, condition]
        for condition in plan.conditions
        for q in compress(questions, among(column(plan.run, condition, task), _LOST))
    ]
    texts = [line.split(None, 1)[-1] for line in reason_lines(lost)]
    return [("reasons", "\n".join(texts))] if texts else []


def _too_few(plan: Plan, task: TaskFilter) -> list[str]:
    counted = counted_in_all(plan.run, plan.conditions, task)
    judged = len({q.question for q in compress(plan.run.selected(task), counted)})
    if plan.questions is None or judged >= plan.questions:
        return []
    found = f"{count(judged, 'question')} judged in all conditions"
    return [f"{found}, {plan.questions} needed"]


def _other_frames(plan: Plan, task: TaskFilter) -> list[str]:
    kept = [c for c in plan.conditions if c.split(":", 1)[0] not in _OTHER_FRAMES]
    cells = {
        q.id: [cell for c in kept if (cell := plan.run.cells[q.id, c]).outcome.judged]
        for q in plan.run.selected(task)
    }
    if not any(cell.frames_seen for group in cells.values() for cell in group):
        if plan.frames is None:
            return []  # read from a log that knows no frames
        raise CouldNotBeJudged(
            f"{FIRST_WORDS}no number of frames was recorded on slice "
            f"{plain(plan.run.slice_name)}, so that {plan.frames} cannot be asked for"
        )
    wrong = sorted(q for q, group in cells.items() if _wrong_frames(plan, group))
    if not wrong:
        return []
    named = listed_as(plain, wrong)
    return [f"{count(len(wrong), 'question')} saw other frames than planned: {named}"]


def _wrong_frames(plan: Plan, cells: Sequence[CellResult]) -> bool:
    seen = {cell.frames_seen for cell in cells}
    least = plan.frames or 1
    return len(seen) > 1 or any(number < least for number in seen)
