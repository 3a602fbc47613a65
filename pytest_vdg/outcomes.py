"""Paired outcomes: two conditions, or two runs, joined by question id.

Apart from ``runs`` because joining is where pairing goes wrong: nothing here
relies on position, and what leaves a pair is listed, never dropped silently.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.runs import AskedQuestion, CellResult, Outcome, Run, TaskFilter


@dataclass(frozen=True, kw_only=True)
class Excluded:
    """A question that left a pair, and the cell that made it leave."""

    question_id: str
    condition: str
    outcome: Outcome
    reason: str | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Paired:
    """Correctness of the same questions under two conditions of one run.

    ``unparsed`` counts as not correct; ``failed`` and ``not_applicable``
    leave the pair and are listed in `excluded`.
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
    def differences(self) -> npt.NDArray[np.int64]:
        """Treated minus control for each question, in {-1, 0, 1}."""
        return self.treated.astype(np.int64) - self.control.astype(np.int64)

    def kept(self, ids: Collection[str]) -> Paired:
        """Return the pairs of *ids* only, in the present order."""
        mask = np.array([q in ids for q in self.question_ids], dtype=bool)
        where = np.flatnonzero(mask)
        return replace(
            self,
            question_ids=tuple(self.question_ids[i] for i in where),
            video_ids=tuple(self.video_ids[i] for i in where),
            tasks=tuple(self.tasks[i] for i in where),
            treated=self.treated[mask],
            control=self.control[mask],
        )


def pair(
    run: Run, *, treated: str = "original", control: str, task: TaskFilter = None
) -> Paired:
    """Join two conditions of *run* by question id.

    Raises `CouldNotBeJudged` when a condition was not run or no question is
    judged in both.
    """
    run.require(treated, control)
    kept: list[AskedQuestion] = []
    excluded: list[Excluded] = []
    for question in run.selected(task):
        cells = [run.cells[question.id, c] for c in (treated, control)]
        lost = next((c for c in cells if not c.outcome.judged), None)
        if lost is None:
            kept.append(question)
        else:
            excluded.append(_excluded(lost))
    if not kept:
        raise CouldNotBeJudged(
            f"no question of slice {run.slice_name!r} was judged under both "
            f"{treated!r} and {control!r} ({len(excluded)} excluded)"
        )
    return Paired(
        treated_name=treated,
        control_name=control,
        question_ids=tuple(q.id for q in kept),
        video_ids=tuple(q.video for q in kept),
        tasks=tuple(q.task for q in kept),
        treated=_correct(run, kept, treated),
        control=_correct(run, kept, control),
        excluded=tuple(excluded),
    )


def _correct(
    run: Run, questions: Iterable[AskedQuestion], condition: str
) -> npt.NDArray[np.bool_]:
    outcomes = (run.cells[q.id, condition].outcome for q in questions)
    return np.array([o is Outcome.CORRECT for o in outcomes], dtype=bool)


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
) -> PairedRuns:
    """Join two runs question by question, each over two conditions.

    Raises `NotComparable` when the runs do not hold the same questions or
    differ in a field that can change answers, naming what differs.
    """
    require_comparable(run, baseline)
    now = pair(run, treated=treated, control=control, task=task)
    then = pair(baseline, treated=treated, control=control, task=task)
    common = set(now.question_ids) & set(then.question_ids)
    if not common:
        raise CouldNotBeJudged("no question was judged in both runs")
    dropped = sorted(set(now.question_ids) ^ set(then.question_ids))
    order = {q: i for i, q in enumerate(now.question_ids)}
    then = _in_order(then.kept(common), order)
    return PairedRuns(now=now.kept(common), then=then, dropped=tuple(dropped))


def _in_order(paired: Paired, order: Mapping[str, int]) -> Paired:
    where = np.argsort([order[q] for q in paired.question_ids], kind="stable")
    return replace(
        paired,
        question_ids=tuple(paired.question_ids[i] for i in where),
        video_ids=tuple(paired.video_ids[i] for i in where),
        tasks=tuple(paired.tasks[i] for i in where),
        treated=paired.treated[where],
        control=paired.control[where],
    )


def require_comparable(run: Run, baseline: Run) -> None:
    """Raise `NotComparable` unless the two runs measure the same thing."""
    now = {q.id: q for q in run.questions}
    then = {q.id: q for q in baseline.questions}
    only_now, only_then = sorted(now.keys() - then), sorted(then.keys() - now)
    common = sorted(now.keys() & then)
    changed = [q for q in common if now[q].digest != then[q].digest]
    moved = [q for q in common if now[q].video != then[q].video]
    problems = [
        f"{len(ids)} questions {what} (first: {', '.join(ids[:3])})"
        for what, ids in (
            ("are not in the baseline", only_now),
            ("are only in the baseline", only_then),
            ("changed their text, options or key", changed),
            ("are about another video", moved),
        )
        if ids
    ]
    problems += run.fingerprint.differences(baseline.fingerprint)
    if problems:
        raise NotComparable(
            f"slice {run.slice_name!r}: run and baseline do not measure the same "
            "thing:\n  " + "\n  ".join(problems) + "\n"
            "Run both with the same settings, or record a new baseline with "
            "--vdg-update-baseline"
        )
