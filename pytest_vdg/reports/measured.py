"""What a run says of itself: accuracies and effects, each with its interval.

Apart from the texts that show them, so that the ladder on the terminal and the
results in a file are the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import pair
from pytest_vdg.runs import AskedQuestion, Outcome, Run
from pytest_vdg.stats import counted
from pytest_vdg.stats.ladder import Ladder, ladder
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.proportion import Proportion

STEPS = (
    ("spatial", "single_frame", "black"),
    ("diversity", "shuffled", "single_frame"),
    ("temporal", "original", "shuffled"),
)
"""The steps of the ladder: name, treated and control condition."""
OTHERS = (("order", "original", "reversed"), ("visual gain", "original", "text_only"))
"""Effects that are no part of the ladder."""
_RUNGS = ("black", "single_frame", "shuffled", "original")


@dataclass(frozen=True, kw_only=True)
class View:
    """The part of a run that is looked at: all its tasks, or some."""

    run: Run
    task: Sequence[str] | None = None
    confidence: float = 0.95

    def present(self, base: str) -> str | None:
        """Return the condition that stands for *base*, e.g. with argument."""
        if base in self.run.conditions:
            return base
        variants = (c for c in self.run.conditions if c.split(":", 1)[0] == base)
        return next(variants, None)

    def accuracy(self, condition: str) -> Proportion | None:
        """Return the share of right answers; None where no reply was judged."""
        cells, asked = self.run.cells, self.run.selected(self.task)
        judged = [q for q in asked if cells[q.id, condition].outcome.judged]
        if not judged:
            return None
        videos, ids = [q.video for q in judged], [q.question for q in judged]
        correct = _correct(self.run, condition, judged)
        return counted.share(correct, videos, self.confidence, ids)

    def difference(self, treated: str, control: str) -> PairedDifference | None:
        """Return what *treated* is worth over *control*; None where none is judged."""
        try:
            paired = pair(self.run, treated=treated, control=control, task=self.task)
        except CouldNotBeJudged:
            return None  # no question judged in both: shown as not measured
        return counted.difference(
            paired.differences, paired.video_ids, self.confidence, paired.asked_ids
        )

    @cached_property
    def ladder(self) -> Ladder | None:
        """The steps over the questions judged on all four rungs, which sum to VDG.

        None where not all four were run, or where fewer than two videos are left.
        """
        rungs = {name: self.present(name) for name in _RUNGS}
        present = [name for name in rungs.values() if name is not None]
        if len(present) < len(_RUNGS):
            return None
        cells = self.run.cells
        judged = [
            q
            for q in self.run.selected(self.task)
            if all(cells[q.id, name].outcome.judged for name in present)
        ]
        if len({q.video for q in judged}) < 2:
            return None
        black, single_frame, shuffled, original = (
            _correct(self.run, name, judged) for name in present
        )
        return ladder(
            black=black,
            single_frame=single_frame,
            shuffled=shuffled,
            original=original,
            clusters=[q.video for q in judged],
            confidence=self.confidence,
            questions=[q.question for q in judged],
        )


def _correct(
    run: Run, condition: str, questions: Sequence[AskedQuestion]
) -> npt.NDArray[np.bool_]:
    outcomes = (run.cells[q.id, condition].outcome for q in questions)
    return np.array([o is Outcome.CORRECT for o in outcomes], dtype=bool)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One number of a run with its interval; all are fractions."""

    measure: str = ""
    """``accuracy``, ``VDG``, the steps, ``order``, ``visual gain``, ``blind gap``."""
    task: str | None = None
    """None for all tasks together."""
    treated: str = ""
    """The condition; of a difference the one with more of the video."""
    control: str | None = None
    """The condition, or ``chance``, that is subtracted."""
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float = 0.95
    n: int = 0
    """Distinct questions that were judged."""
    reason: str | None = None
    """Why there is no number."""


def measures(run: Run, *, confidence: float = 0.95) -> Iterator[Measured]:
    """Yield what is known of *run*: of all tasks, then of each where there are more."""
    if not run.questions:
        return
    whole = View(run=run, confidence=confidence)
    yield from _of_view(whole, None)
    for task in run.tasks if len(run.tasks) > 1 else ():
        yield from _of_view(View(run=run, task=(task,), confidence=confidence), task)


def _of_view(view: View, task: str | None) -> Iterator[Measured]:
    blank = Measured(task=task, confidence=view.confidence)
    for condition in view.run.conditions:
        named = replace(blank, measure="accuracy", treated=condition)
        yield _filled(named, view, view.accuracy(condition))
    for name, treated, control in (("VDG", "original", "black"), *STEPS, *OTHERS):
        first, second = view.present(treated), view.present(control)
        found = None
        if first is not None and second is not None:
            found = view.difference(first, second)
        if view.ladder is not None and (name, treated, control) in STEPS:
            found = view.ladder.steps[STEPS.index((name, treated, control))]
        named = replace(blank, measure=name)
        named = replace(named, treated=first or treated, control=second or control)
        yield _filled(named, view, found)
    blind = view.accuracy("text_only") if "text_only" in view.run.conditions else None
    named = replace(blank, measure="blind gap", treated="text_only", control="chance")
    yield _filled(named, view, blind, less=view.run.chance(view.task))


def _filled(
    named: Measured,
    view: View,
    value: Proportion | PairedDifference | None,
    *,
    less: float = 0.0,
) -> Measured:
    """Return *named* with the numbers of *value*, or with why there are none."""
    if value is None:
        arms = {named.treated, named.control} - {None, "chance"}
        lacking = sorted(str(c) for c in arms - set(view.run.conditions))
        why = f"not run: {', '.join(lacking)}" if lacking else "no question was judged"
        return replace(named, reason=why)
    return replace(
        named,
        estimate=float(value.estimate) - less,
        low=float(value.low) - less,
        high=float(value.high) - less,
        n=int(value.questions),
    )
