"""Joining by question id: two conditions of a run, or two runs.

Apart from what a pair holds because here cells are taken in and left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import get_args

import numpy as np
import numpy.typing as npt

from pytest_vdg.comparable import require_comparable
from pytest_vdg.errors import CouldNotBeJudged, did_you_mean
from pytest_vdg.outcomes.columns import COUNTED, JUDGED, among, column
from pytest_vdg.outcomes.paired import Excluded, Missing, Paired, Unmatched
from pytest_vdg.runs import AskedQuestion, CellResult, Outcome, Run, TaskFilter


def pair(
    run: Run,
    *,
    treated: str = "original",
    control: str,
    task: TaskFilter = None,
    missing: Missing = "drop",
) -> Paired:
    """Join two conditions of *run* by question id.

    Raises `CouldNotBeJudged` when a condition was not run or no question is
    judged in both.
    """
    arms = (
        _Arm(run, treated, treated, column(run, treated, task)),
        _Arm(run, control, control, column(run, control, task)),
    )
    return _join(arms, run.selected(task), missing)


def pair_answers(
    run: Run,
    baseline: Run,
    *,
    condition: str = "original",
    task: TaskFilter = None,
    missing: Missing = "drop",
) -> Paired:
    """Join the answers of two runs under one *condition*; *run* is treated.

    Raises `NotComparable` as `pair_runs` does.
    """
    require_comparable(run, baseline)
    questions = run.selected(task)
    places = {q.id: row for row, q in enumerate(baseline.questions)}
    then = [places[q.id] for q in questions]
    arms = (
        _Arm(run, condition, f"{condition} now", column(run, condition, task)),
        _Arm(
            baseline, condition, f"{condition} then", column(baseline, condition)[then]
        ),
    )
    return _join(arms, questions, missing)


@dataclass(frozen=True)
class _Arm:
    """One condition of one run, over the questions that are joined."""

    run: Run
    condition: str
    name: str
    outcomes: npt.NDArray[np.uint8]
    """What became of each question; shape ``(n,)``, see `column`."""

    def came_to(self, outcomes: Collection[Outcome]) -> npt.NDArray[np.bool_]:
        return among(self.outcomes, outcomes)

    def cell(self, question: AskedQuestion) -> CellResult:
        return self.run.cells[question.id, self.condition]

    def alone(self, missing: Missing) -> Unmatched:
        return Unmatched(
            correct=int(np.sum(self.came_to([Outcome.CORRECT]))),
            n=int(np.sum(self.came_to(COUNTED[missing]))),
        )


def _join(
    arms: tuple[_Arm, _Arm], questions: Sequence[AskedQuestion], missing: Missing
) -> Paired:
    if missing not in get_args(Missing):
        raise ValueError(
            f"missing must be one of {', '.join(get_args(Missing))}, got {missing!r}."
            + did_you_mean(str(missing), get_args(Missing))
        )
    treated, control = arms
    judged = treated.came_to(JUDGED) & control.came_to(JUDGED)
    if not judged.any():  # also where all could be counted wrong: nothing was seen
        raise CouldNotBeJudged(_nothing_judged(arms, len(questions)))
    counted = COUNTED[missing]
    stays = treated.came_to(counted) & control.came_to(counted)
    kept = list(compress(questions, stays))
    return Paired(
        treated_name=treated.name,
        control_name=control.name,
        question_ids=tuple(q.id for q in kept),
        asked_ids=tuple(q.question for q in kept),
        video_ids=tuple(q.video for q in kept),
        tasks=tuple(q.task for q in kept),
        treated=treated.came_to([Outcome.CORRECT])[stays],
        control=control.came_to([Outcome.CORRECT])[stays],
        excluded=tuple(
            next(_lost(arms, question, counted))
            for question in compress(questions, ~stays)
        ),
        missing=missing,
        counted_wrong=tuple(
            lost
            for question in compress(questions, stays & ~judged)
            for lost in _lost(arms, question, JUDGED)
        ),
        treated_alone=treated.alone(missing),
        control_alone=control.alone(missing),
    )


def _nothing_judged(arms: tuple[_Arm, _Arm], asked: int) -> str:
    treated, control = arms
    return (
        f"no question of slice {treated.run.slice_name!r} was judged under both "
        f"{treated.name!r} and {control.name!r} ({asked} excluded)"
    )


def _lost(
    arms: tuple[_Arm, _Arm], question: AskedQuestion, counted: Collection[Outcome]
) -> Iterator[Excluded]:
    """Yield the cells of *question* whose outcome is not *counted*, treated first."""
    for arm in arms:
        cell = arm.cell(question)
        if cell.outcome not in counted:
            yield Excluded(
                question_id=cell.question_id,
                condition=cell.condition,
                outcome=cell.outcome,
                reason=cell.reason,
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedRuns:
    """The same questions under two conditions, now and in a baseline."""

    now: Paired
    then: Paired
    """Same `question_ids` in the same order as `now`."""
    dropped: tuple[str, ...]
    """Ids judged in one of the two runs only, which left both."""

    @property
    def changes(self) -> npt.NDArray[np.int64]:
        """Change of treated minus control for each question, in [-2, 2]."""
        return self.now.differences - self.then.differences


def pair_runs(
    run: Run,
    baseline: Run,
    *,
    treated: str = "original",
    control: str,
    task: TaskFilter = None,
    missing: Missing = "drop",
) -> PairedRuns:
    """Join two runs question by question, each over two conditions.

    Raises `NotComparable` when the runs do not hold the same questions or
    differ in a field that can change answers, naming what differs.
    """
    require_comparable(run, baseline)
    now = pair(run, treated=treated, control=control, task=task, missing=missing)
    then = pair(baseline, treated=treated, control=control, task=task, missing=missing)
    common = set(now.question_ids) & set(then.question_ids)
    if not common:
        raise CouldNotBeJudged(
            f"no question of slice {run.slice_name!r} was judged in both runs"
        )
    dropped = sorted(set(now.question_ids) ^ set(then.question_ids))
    order = {q: i for i, q in enumerate(now.question_ids)}
    then = _in_order(then.kept(common), order)
    return PairedRuns(now=now.kept(common), then=then, dropped=tuple(dropped))


def _in_order(paired: Paired, order: Mapping[str, int]) -> Paired:
    ids = paired.question_ids
    return paired.at(sorted(range(paired.n), key=lambda i: order[ids[i]]))
