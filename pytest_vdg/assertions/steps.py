"""The two lower steps of the ladder: one picture, and more than one.

Apart from ``temporal`` because these are about what is seen and not when: a
model that treats a video as a heap of pictures keeps both.
"""

from __future__ import annotations

from pytest_vdg.assertions import check
from pytest_vdg.assertions._delta import UNDECIDED, delta_claim
from pytest_vdg.assertions._gap_claim import Delta
from pytest_vdg.assertions._words import plain
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict


def assert_spatial_delta(
    run: Run,
    floor: float | None = None,
    *,
    treated: str = "single_frame",
    against: str = "black",
    baseline: Run | None = None,
    margin: float = 0.03,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that one picture of the video is worth something to *run*.

    The spatial delta is accuracy(single_frame) - accuracy(black) over the
    questions judged in both.

    Parameters
    ----------
    run : Run
        Holds the conditions *treated* and *against*.
    treated : str
        ``single_frame``, or with an argument, e.g. ``single_frame:middle``.
    against : str
        ``black`` or ``text_only``: what shows nothing.
    floor, baseline, margin : see `assert_temporal_delta`
        What the delta must exceed; or the run whose delta must not be lost, and how
        much of it may be.
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.

    Raises
    ------
    ClaimFailed, CouldNotBeJudged, ValueError
        As for `assert_temporal_delta`, whose claim this is for another step.

    Notes
    -----
    The decision table is that of `assert_temporal_delta`.
    """
    __tracebackhide__ = True
    return delta_claim(
        _delta(
            "assert_spatial_delta",
            "spatial delta",
            check.a_condition("treated", treated, ("single_frame",), _SPATIAL),
            check.a_condition("against", against, ("black", "text_only"), _SPATIAL),
            default=("single_frame", "black"),
        ),
        check.a_run("run", run),
        floor,
        baseline=baseline,
        margin=margin,
        task=task,
        per_task=per_task,
        missing=missing,
        confidence=confidence,
    )


def assert_diversity_delta(
    run: Run,
    floor: float | None = None,
    *,
    treated: str = "shuffled",
    against: str = "single_frame",
    baseline: Run | None = None,
    margin: float = 0.03,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that more pictures than one are worth something to *run*.

    The diversity delta is accuracy(shuffled) - accuracy(single_frame) over the
    questions judged in both: what further pictures add, whatever their order.

    Parameters
    ----------
    run : Run
        Holds the conditions *treated* and *against*.
    treated : str
        ``shuffled`` or ``shuffled:blocks``.
    against : str
        ``single_frame``, or with an argument, e.g. ``single_frame:middle``.
    floor, baseline, margin : see `assert_temporal_delta`
        What the delta must exceed; or the run whose delta must not be lost, and how
        much of it may be.
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.

    Raises
    ------
    ClaimFailed, CouldNotBeJudged, ValueError
        As for `assert_temporal_delta`, whose claim this is for another step.

    Notes
    -----
    The decision table is that of `assert_temporal_delta`.
    """
    __tracebackhide__ = True
    return delta_claim(
        _delta(
            "assert_diversity_delta",
            "diversity delta",
            check.a_condition("treated", treated, ("shuffled",), _DIVERSITY),
            check.a_condition("against", against, ("single_frame",), _DIVERSITY),
            default=("shuffled", "single_frame"),
        ),
        check.a_run("run", run),
        floor,
        baseline=baseline,
        margin=margin,
        task=task,
        per_task=per_task,
        missing=missing,
        confidence=confidence,
    )


def _delta(
    claim: str, measure: str, treated: str, control: str, *, default: tuple[str, str]
) -> Delta:
    arms = (treated, control)
    variant = "" if arms == default else f" ({plain(treated)} - {plain(control)})"
    return Delta(
        claim=claim,
        measure=measure + variant,
        lost=measure,
        treated=treated,
        control=control,
        floor_advice=_FLOOR_ADVICE,
        change_advice=_CHANGE_ADVICE,
    )


_SPATIAL = "the spatial delta is one frame against none"
_DIVERSITY = "the diversity delta is frames without their order against one frame"
_FLOOR_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "compare the steps: `vdg ladder CHECKPOINT` shows whether "
        "another step carries the gap. If none does, the video is not used; if one "
        "does, restrict this claim to tasks that need it (task=...)"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "lower the floor"),
}
_CHANGE_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.REGRESSION: (
        "open the flipped questions, and look at what changed in the vision encoder, "
        "in frame sampling and packing, and in the training mix"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "widen the margin"),
    Verdict.COULD_NOT_BE_JUDGED: (
        "choose tasks that need this step (task=...), a baseline that uses it or a "
        "smaller margin; or delete this test, which protects nothing"
    ),
}
