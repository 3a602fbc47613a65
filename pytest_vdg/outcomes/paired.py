"""Paired outcomes: two conditions, or two runs, joined by question id.

Apart from ``runs`` because joining is where pairing goes wrong: nothing here
relies on position, and what leaves a pair is listed, never dropped silently.

What to do with a question without a reply is a policy, and recorded:

=========  ==========================================================
missing    a ``failed`` cell
=========  ==========================================================
"drop"     takes its question out of the pair (the default)
"wrong"    counts as not correct, as if the model had answered wrongly
=========  ==========================================================

``unparsed`` counts as not correct under both; ``not_applicable`` leaves the
pair under both, as nothing is missing where a condition has no meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from pytest_vdg.comparable import require_comparable
from pytest_vdg.errors import CouldNotBeJudged, did_you_mean
from pytest_vdg.runs import AskedQuestion, CellResult, Outcome, Run, TaskFilter

Missing = Literal["drop", "wrong"]
"""What becomes of a question without a reply."""


@dataclass(frozen=True, kw_only=True)
class Excluded:
    """A question that left a pair, and the cell that made it leave."""

    question_id: str
    condition: str
    outcome: Outcome
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class Unmatched:
    """What one condition alone came to, over its own questions."""

    correct: int
    n: int
    """Its own judged questions; also those without a reply if these are wrong."""

    @property
    def accuracy(self) -> float:
        """Correct over `n`, in [0, 1]."""
        return self.correct / self.n


@dataclass(frozen=True, eq=False, kw_only=True)
class Paired:
    """Correctness of the same questions in two ways of asking.

    Two conditions of one run, or one condition of two runs. ``unparsed``
    counts as not correct; what leaves the pair is listed in `excluded`.
    """

    treated_name: str
    control_name: str
    question_ids: tuple[str, ...]
    video_ids: tuple[str, ...]
    tasks: tuple[str, ...]
    treated: npt.NDArray[np.bool_]
    """Shape ``(n,)``: correct under the treated condition (the real video)."""
    control: npt.NDArray[np.bool_]
    """Shape ``(n,)``: correct under the control condition; same questions."""
    excluded: tuple[Excluded, ...]
    missing: Missing = "drop"
    """What became of cells without a reply."""
    counted_wrong: tuple[Excluded, ...] = ()
    """Cells without a reply that stayed in the pair as not correct."""
    treated_alone: Unmatched
    """The treated condition over its own questions, matched or not."""
    control_alone: Unmatched
    """The control condition over its own questions, matched or not."""

    @property
    def n(self) -> int:
        """Questions judged in both."""
        return len(self.question_ids)

    @property
    def n_videos(self) -> int:
        """Distinct videos among them."""
        return len(set(self.video_ids))

    @property
    def both(self) -> int:
        """Questions right under both."""
        return int(np.sum(self.treated & self.control))

    @property
    def treated_only(self) -> int:
        """Questions right under the treated condition only."""
        return int(np.sum(self.treated & ~self.control))

    @property
    def control_only(self) -> int:
        """Questions right under the control condition only."""
        return int(np.sum(~self.treated & self.control))

    @property
    def neither(self) -> int:
        """Questions right under neither."""
        return int(np.sum(~self.treated & ~self.control))

    @property
    def unmatched_difference(self) -> float:
        """Treated minus control accuracy, each over its own questions.

        The difference that is printed where nothing is paired. Where it is
        not `differences`' mean, which questions are missing decides.
        """
        return self.treated_alone.accuracy - self.control_alone.accuracy

    @property
    def differences(self) -> npt.NDArray[np.int64]:
        """Treated minus control for each question, in {-1, 0, 1}."""
        return self.treated.astype(np.int64) - self.control.astype(np.int64)

    def kept(self, ids: Collection[str]) -> Paired:
        """Return the pairs of *ids* only, in the present order."""
        where = [i for i, q in enumerate(self.question_ids) if q in ids]
        wrong = tuple(e for e in self.counted_wrong if e.question_id in ids)
        return replace(_at(self, where), counted_wrong=wrong)


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
    arms = _Arm(run, treated, treated), _Arm(run, control, control)
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
    arms = (
        _Arm(run, condition, f"{condition} now"),
        _Arm(baseline, condition, f"{condition} then"),
    )
    return _join(arms, run.selected(task), missing)


@dataclass(frozen=True)
class _Arm:
    run: Run
    condition: str
    name: str

    def cell(self, question: AskedQuestion) -> CellResult:
        return self.run.cells[question.id, self.condition]

    def correct(self, questions: Iterable[AskedQuestion]) -> npt.NDArray[np.bool_]:
        outcomes = (self.cell(q).outcome for q in questions)
        return np.array([o is Outcome.CORRECT for o in outcomes], dtype=bool)

    def alone(self, questions: Iterable[AskedQuestion], missing: Missing) -> Unmatched:
        outcomes = [self.cell(q).outcome for q in questions]
        return Unmatched(
            correct=sum(o is Outcome.CORRECT for o in outcomes),
            n=sum(_counts(o, missing) for o in outcomes),
        )


def _join(
    arms: tuple[_Arm, _Arm], questions: Sequence[AskedQuestion], missing: Missing
) -> Paired:
    if missing not in get_args(Missing):
        raise ValueError(
            f"missing must be one of {', '.join(get_args(Missing))}, got {missing!r}."
            + did_you_mean(str(missing), get_args(Missing))
        )
    for arm in arms:
        arm.run.require(arm.condition)
    kept: list[AskedQuestion] = []
    excluded: list[Excluded] = []
    counted_wrong: list[Excluded] = []
    judged = 0
    for question in questions:
        cells = [arm.cell(question) for arm in arms]
        lost = next((c for c in cells if not _counts(c.outcome, missing)), None)
        if lost is not None:
            excluded.append(_excluded(lost))
            continue
        kept.append(question)
        failed = [_excluded(c) for c in cells if not c.outcome.judged]
        counted_wrong += failed
        judged += not failed
    treated, control = arms
    if not judged:  # also where all could be counted wrong: nothing was seen
        raise CouldNotBeJudged(_nothing_judged(arms, len(questions)))
    return Paired(
        treated_name=treated.name,
        control_name=control.name,
        question_ids=tuple(q.id for q in kept),
        video_ids=tuple(q.video for q in kept),
        tasks=tuple(q.task for q in kept),
        treated=treated.correct(kept),
        control=control.correct(kept),
        excluded=tuple(excluded),
        missing=missing,
        counted_wrong=tuple(counted_wrong),
        treated_alone=treated.alone(questions, missing),
        control_alone=control.alone(questions, missing),
    )


def _counts(outcome: Outcome, missing: Missing) -> bool:
    return outcome.judged or (missing == "wrong" and outcome is Outcome.FAILED)


def _nothing_judged(arms: tuple[_Arm, _Arm], asked: int) -> str:
    treated, control = arms
    return (
        f"no question of slice {treated.run.slice_name!r} was judged under both "
        f"{treated.name!r} and {control.name!r} ({asked} excluded)"
    )


def _excluded(cell: CellResult) -> Excluded:
    return Excluded(
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
        raise CouldNotBeJudged("no question was judged in both runs")
    dropped = sorted(set(now.question_ids) ^ set(then.question_ids))
    order = {q: i for i, q in enumerate(now.question_ids)}
    then = _in_order(then.kept(common), order)
    return PairedRuns(now=now.kept(common), then=then, dropped=tuple(dropped))


def _in_order(paired: Paired, order: Mapping[str, int]) -> Paired:
    ids = paired.question_ids
    return _at(paired, sorted(range(paired.n), key=lambda i: order[ids[i]]))


def _at(paired: Paired, where: Sequence[int]) -> Paired:
    """Return the questions at *where*, in that order, with all that is theirs."""
    chosen = np.array(where, dtype=np.intp)
    return replace(
        paired,
        question_ids=tuple(paired.question_ids[i] for i in where),
        video_ids=tuple(paired.video_ids[i] for i in where),
        tasks=tuple(paired.tasks[i] for i in where),
        treated=paired.treated[chosen],
        control=paired.control[chosen],
    )
