"""The claim that the order of the frames is worth something, or still is.

Apart from VDG because a model can look at every frame and yet treat a video
as a heap of pictures: accuracy and VDG stay, only this falls.
"""

from __future__ import annotations

from pytest_vdg.assertions import check
from pytest_vdg.assertions._delta import UNDECIDED, delta_claim
from pytest_vdg.assertions._gap_claim import Delta
from pytest_vdg.assertions._words import plain
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict

_CLAIM = "assert_temporal_delta"
_NO_ORDER = {
    "original": "itself",
    "black": "VDG; use assert_vdg_above",
    "text_only": "the visual gain",
    "single_frame": "order and diversity together",
    "mismatched": "the use of the right video",
}


def assert_temporal_delta(
    run: Run,
    floor: float | None = None,
    *,
    against: str = "shuffled",
    baseline: Run | None = None,
    margin: float = 0.03,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that frame order matters to *run*, absolutely or as it did.

    The temporal delta is accuracy(original) - accuracy(*against*) over the
    questions judged in both. Questions whose clip has no other order (one
    frame, all frames equal) are ``not_applicable``: they leave the pair and
    are counted.

    Parameters
    ----------
    run : Run
        Holds the conditions ``original`` and *against*.
    floor : float, optional
        A fraction in [-1, 1] that the delta must be shown to exceed.
    against : str
        ``shuffled``, ``shuffled:blocks``, ``reversed`` or another condition
        that changes nothing but order.
    baseline : Run, optional
        Claim instead that no more than *margin* of the baseline's delta was
        lost. Exactly one of *floor* and *baseline* is given.
    margin : float
        A fraction in [0, 1]; only with *baseline*.
    task : str, collection of str, optional
        Restrict the claim to these tasks: most benchmarks hold few questions
        that need order.
    per_task, missing, confidence : see `assert_vdg_above`
        Of each task by itself; what a failed cell counts as; the level of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.

    Raises
    ------
    ClaimFailed
        With *floor* as for `assert_vdg_above`. With *baseline*:
        ``REGRESSION`` when the estimated change is below -*margin* and its
        whole interval below zero; ``INCONCLUSIVE`` when neither that is so nor
        the one-sided lower bound of the change is above -*margin*.
    CouldNotBeJudged
        When a run allows no verdict, see `require_judgeable`; when the two are
        not comparable; or when the claim would hold but the baseline shows no
        temporal delta to lose (its own one-sided lower bound is not above
        zero, or its estimate is not above *margin*).
    ValueError
        When an argument is out of range, or not one of *floor* and *baseline*
        is given.

    Notes
    -----
    ===========================================  ==================
    with *floor*: one-sided bounds               verdict
    ===========================================  ==================
    lower > floor                                ``ok``
    upper <= floor                               ``BELOW FLOOR``
    anything else                                ``INCONCLUSIVE``
    ===========================================  ==================

    ===========================================  ==================
    with *baseline*: change of the delta         verdict
    ===========================================  ==================
    one-sided lower bound > -margin              ``ok``
    estimate < -margin, whole two-sided
    interval below zero                          ``REGRESSION``
    anything else                                ``INCONCLUSIVE``
    ===========================================  ==================

    A baseline with nothing to lose is an error rather than a pass with a
    remark, because nobody reads remarks of green tests: the suite would look
    as if it guarded the use of order, every night, and could never go red. It
    is not ``INCONCLUSIVE`` either, as more questions need not help. Choose
    questions that need order, or delete the test.
    """
    __tracebackhide__ = True
    control = _order_condition(against)
    return delta_claim(
        Delta(
            claim=_CLAIM,
            measure=_measure(control),
            lost="temporal delta",
            control=control,
            floor_advice=_FLOOR_ADVICE,
            change_advice=_CHANGE_ADVICE,
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


def _order_condition(against: str) -> str:
    base = against.split(":", 1)[0]
    if base in _NO_ORDER:
        raise ValueError(
            f"against={against!r} measures {_NO_ORDER[base]}, not the use of order. "
            "Use 'shuffled', 'shuffled:blocks' or 'reversed'"
        )
    return against


def _measure(control: str) -> str:
    if control == "shuffled":
        return "temporal delta"
    return f"temporal delta ({plain(control)})"


_FLOOR_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "most benchmarks hold few questions that need order: restrict the claim to "
        "such tasks (task=...). If these do need it, the checkpoint treats the video "
        "as a set of pictures"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format(
        "questions that need order", "lower the floor"
    ),
}
_CHANGE_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.REGRESSION: (
        "open the flipped questions, and look at what changed in position encoding, "
        "frame packing, frame sampling and in the training mix"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format(
        "questions that need order", "widen the margin"
    ),
    Verdict.COULD_NOT_BE_JUDGED: (
        "choose tasks that need order (task=...), a baseline that uses it or a "
        "smaller margin; or delete this test, which protects nothing"
    ),
}
