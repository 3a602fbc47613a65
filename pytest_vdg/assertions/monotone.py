"""The claim that more of the video never makes answers worse.

Apart from the single steps because it is a check of the measurement too: where
a picture helps less than black frames do, something else changed with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pytest_vdg.assertions import check
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._explain import Decide
from pytest_vdg.assertions._family import listing_parts, settle
from pytest_vdg.assertions._gap_claim import Delta, gap_above
from pytest_vdg.assertions._words import plain
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict

LADDER = ("black", "single_frame", "shuffled", "original")
_STEPS = {
    ("black", "single_frame"): "spatial delta",
    ("single_frame", "shuffled"): "diversity delta",
    ("shuffled", "original"): "temporal delta",
}


def assert_ladder_monotone(
    run: Run,
    margin: float = 0.05,
    *,
    rungs: Sequence[str] = LADDER,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that no step of the ladder costs more than *margin*.

    Each rung is compared with the one below it, over the questions judged in
    all of them, so that the steps sum to the gap between the first and the
    last.

    Parameters
    ----------
    run : Run
        Holds all *rungs*.
    margin : float
        A fraction in [0, 1]: what a step may cost. A step that is worth
        nothing is no fault, so that zero asks more than most models give.
    rungs : sequence of str
        Conditions from least to most of the video, two at least.
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.
        Its numbers are those of the worst step.

    Raises
    ------
    ClaimFailed
        ``BELOW FLOOR`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When *run* allows no verdict, see `require_judgeable`.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ====================================================  ================
    steps                                                 verdict
    ====================================================  ================
    every one-sided lower bound > -margin                 ``ok``
    some one-sided upper bound <= -margin, at the         ``BELOW FLOOR``
    confidence shared out among the steps
    anything else                                         ``INCONCLUSIVE``
    ====================================================  ================

    Sharing out (Bonferroni) is for the alarms only: three steps are three
    chances of a false one, but each of them has to be shown to hold.
    """
    __tracebackhide__ = True
    margin = check.fraction("margin", margin, low=0, high=1)
    names = _rungs(rungs)

    steps = [
        Delta(
            claim="assert_ladder_monotone",
            measure=_STEPS.get(step, f"{plain(step[1])} - {plain(step[0])}"),
            treated=step[1],
            control=step[0],
            floor_advice=_ADVICE,
        )
        for step in pairwise(names)
    ]

    def judge(task: TaskFilter) -> Decide:
        above = [
            gap_above(step, run, -margin, task=task, missing=missing, among=names)
            for step in steps
        ]
        return listing_parts("steps", above)

    return settle(judge, run, task=task, per_task=per_task, confidence=confidence)


def _rungs(rungs: Sequence[str]) -> tuple[str, ...]:
    names = (rungs,) if isinstance(rungs, str) else tuple(rungs)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(
            f"rungs must be two or more different conditions, got {rungs!r}. "
            f"The ladder is {', '.join(LADDER)}"
        )
    return names


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "open the questions that are right under the lower rung only. Frames that "
        "mislead are a finding about the model; unparsed replies, other prompts or "
        "other frame counts between conditions are one about the measurement"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "widen the margin"),
}
