"""Claims that the video adds to what the text gives away.

Apart from VDG because a video replaced by black frames is still a video: here
the control is measured by leaving it out, or is the better of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pytest_vdg.assertions import check
from pytest_vdg.assertions._delta import UNDECIDED, floor_claim
from pytest_vdg.assertions._explain import Decide
from pytest_vdg.assertions._family import listing_parts, settle
from pytest_vdg.assertions._gap_claim import Delta, gap_above
from pytest_vdg.assertions._words import plain
from pytest_vdg.assertions.judge import first_words
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict

BLIND = ("text_only", "black")
"""Conditions that show nothing of the video."""


def assert_visual_gain_above(
    run: Run,
    floor: float,
    *,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
    evidence: Literal["bound", "estimate"] = "bound",
) -> Finding:
    """Claim that the visual gain of *run* is above *floor*.

    The visual gain is accuracy(original) - accuracy(text_only) over the
    questions judged in both: what adding the video to the text is worth.

    Parameters
    ----------
    run : Run
        Holds the conditions ``original`` and ``text_only``.
    floor : float
        A fraction in [-1, 1]: 0.10 is ten percentage points.
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.
    evidence : {"bound", "estimate"}
        "estimate" compares the estimate alone; the first line then says so.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.

    Raises
    ------
    ClaimFailed, CouldNotBeJudged, ValueError
        As for `assert_vdg_above`, whose claim this is against another control.

    Notes
    -----
    ===========================  ==================
    one-sided bounds             verdict
    ===========================  ==================
    lower > floor                ``ok``
    upper <= floor               ``BELOW FLOOR``
    anything else                ``INCONCLUSIVE``
    ===========================  ==================
    """
    __tracebackhide__ = True
    return floor_claim(
        _GAIN,
        run,
        floor,
        task=task,
        per_task=per_task,
        missing=missing,
        confidence=confidence,
        evidence=evidence,
    )


def assert_accuracy_above_blind(
    run: Run,
    floor: float = 0.0,
    *,
    against: str | Sequence[str] | None = None,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that accuracy is above what the same model reaches without sight.

    Chance is no floor: a blind model beats it wherever the text gives answers
    away. This compares with the *measured* blind accuracies, question by
    question, and with the better of them.

    Parameters
    ----------
    run : Run
        Holds ``original`` and each of *against*.
    floor : float
        A fraction in [-1, 1]: by how much accuracy must be shown to exceed
        every blind accuracy.
    against : str, sequence of str, optional
        The blind conditions. By default those of ``text_only`` and ``black``
        that were run, one at least.
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.
        Its numbers are those against the blind condition that comes nearest.

    Raises
    ------
    ClaimFailed
        ``BELOW FLOOR`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When *run* allows no verdict, see `require_judgeable`, or holds no blind
        condition.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ====================================================  ================
    original - blind, for each blind condition            verdict
    ====================================================  ================
    every one-sided lower bound > floor                   ``ok``
    some one-sided upper bound <= floor, at the           ``BELOW FLOOR``
    confidence shared out among the blind conditions
    anything else                                         ``INCONCLUSIVE``
    ====================================================  ================
    """
    __tracebackhide__ = True
    check.a_run("run", run)
    floor = check.fraction("floor", floor, low=-1, high=1)

    leads = [
        Delta(
            claim="assert_accuracy_above_blind",
            measure=f"lead over {plain(condition)}",
            control=condition,
            floor_advice=_GAIN_ADVICE,
        )
        for condition in _blind_conditions(run, against)
    ]

    def judge(task: TaskFilter) -> Decide:
        above = [gap_above(x, run, floor, task=task, missing=missing) for x in leads]
        return listing_parts("leads", above)

    return settle(judge, run, task=task, per_task=per_task, confidence=confidence)


def _blind_conditions(run: Run, against: str | Sequence[str] | None) -> tuple[str, ...]:
    if against is not None:
        names = (against,) if isinstance(against, str) else tuple(against)
        if not names or "original" in names:
            raise ValueError(
                f"against must name blind conditions, e.g. 'text_only', got {against!r}"
            )
        return names
    present = tuple(c for c in BLIND if c in run.conditions)
    if not present:
        with first_words():
            raise CouldNotBeJudged(
                f"slice {plain(run.slice_name)} holds no blind condition (ran: "
                f"{', '.join(plain(c) for c in run.conditions)}). It takes a run made "
                "with conditions=[..., 'text_only'], by the test's marker or otherwise"
            )
    return present


_GAIN_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "open the questions listed below: they are answered without the video. If "
        "the text gives them away, choose another slice; if it does not, the "
        "checkpoint does not look"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "lower the floor"),
}
_GAIN = Delta(
    claim="assert_visual_gain_above",
    measure="visual gain",
    control="text_only",
    floor_advice=_GAIN_ADVICE,
)
