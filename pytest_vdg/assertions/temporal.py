"""The claim that the order of the frames is worth something, or still is.

Apart from VDG because a model can look at every frame and yet treat a video
as a heap of pictures: accuracy and VDG stay, only this falls.
"""

from __future__ import annotations

from pytest_vdg.assertions import _check
from pytest_vdg.assertions._change import (
    Change,
    change_evidence,
    margin_text,
    measure_change,
    nothing_to_lose,
    only_one_video,
)
from pytest_vdg.assertions._decide import Decision, no_loss
from pytest_vdg.assertions._evidence import arm_accuracies, flips
from pytest_vdg.assertions._explain import Statement, conclude
from pytest_vdg.assertions._gap_claim import gap_above
from pytest_vdg.assertions._words import plain
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
    confidence : float
        Of the two-sided interval that is shown, and of each one-sided bound.

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
    A baseline with nothing to lose is an error rather than a pass with a
    remark, because nobody reads remarks of green tests: the suite would look
    as if it guarded the use of order, every night, and could never go red. It
    is not ``INCONCLUSIVE`` either, as more questions need not help. Choose
    questions that need order, or delete the test.
    """
    __tracebackhide__ = True
    confidence = _check.confidence_level(confidence)
    control = _order_condition(against)
    _check.a_run("run", run)
    if (floor is None) == (baseline is None):
        raise ValueError(
            "assert_temporal_delta needs either a floor or a baseline, got "
            f"floor={floor!r} and "
            f"{'no baseline' if baseline is None else 'a baseline'}"
        )
    if baseline is not None:
        margin = _check.fraction("margin", margin, low=0, high=1)
        change = measure_change(
            run,
            _check.a_run("baseline", baseline),
            control=control,
            task=task,
            confidence=confidence,
        )
        return conclude(_not_lost(change, margin))
    return conclude(
        gap_above(
            run,
            _check.fraction("floor", floor, low=-1, high=1),
            claim=_CLAIM,
            measure=_measure(control),
            control=control,
            task=task,
            confidence=confidence,
            advice=_FLOOR_ADVICE,
        )
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


def _not_lost(change: Change, margin: float) -> Statement:
    measure = _measure(change.arms[1])
    decision = only_one_video(
        change, no_loss(change.change, margin, confidence=change.change.confidence)
    )
    vacuous = nothing_to_lose(change, margin, "temporal delta")
    versus = f"baseline {plain(change.baseline.slice_name)}"
    if vacuous and decision.verdict is Verdict.PASS:
        decision = Decision(verdict=Verdict.COULD_NOT_BE_JUDGED, words=vacuous)
        versus += ", which itself has none to lose"
    evidence = change_evidence(change)
    if vacuous and decision.verdict is not Verdict.COULD_NOT_BE_JUDGED:
        evidence.append(("note", vacuous))
    return Statement(
        claim=_CLAIM,
        verdict=decision.verdict,
        measure=f"{measure} change",
        said_measure=measure,
        interval=change.change,
        confidence=change.change.confidence,
        bound=-margin,
        versus=versus,
        margin=margin_text(margin),
        run=change.run,
        task=change.task,
        baseline=change.baseline,
        n=change.runs.now.n,
        n_videos=change.runs.now.n_videos,
        smallest_detectable=change.smallest_detectable,
        accuracies=arm_accuracies(change.runs.now),
        decided=decision.words,
        evidence=tuple(evidence),
        next_step=_CHANGE_ADVICE[decision.verdict],
        flipped=flips(change.run, change.baseline, change.runs),
    )


_MORE = (
    "undecided, not refuted: ask more questions that need order, on more videos, or "
    "widen the {}"
)
_FLOOR_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "most benchmarks hold few questions that need order: restrict the claim to "
        "such tasks (task=...). If these do need it, the checkpoint treats the video "
        "as a set of pictures"
    ),
    Verdict.INCONCLUSIVE: _MORE.format("floor downwards"),
}
_CHANGE_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.REGRESSION: (
        "open the flipped questions, and look at what changed in position encoding, "
        "frame packing, frame sampling and in the training mix"
    ),
    Verdict.INCONCLUSIVE: _MORE.format("margin"),
    Verdict.COULD_NOT_BE_JUDGED: (
        "choose tasks that need order (task=...), a baseline that uses it or a "
        "smaller margin; or delete this test, which protects nothing"
    ),
}
