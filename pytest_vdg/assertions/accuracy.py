"""The ordinary claim: the model is right often enough.

Apart from the others, and deliberately plain, because it is what every suite
already has, and what stays green when a checkpoint stops looking.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from pytest_vdg.assertions import check
from pytest_vdg.assertions._decide import above_floor_by, percents_apart
from pytest_vdg.assertions._evidence import (
    condition_accuracy,
    detectable_share,
    power_evidence,
)
from pytest_vdg.assertions._explain import Statement
from pytest_vdg.assertions._family import each_time, settle
from pytest_vdg.assertions._losses import losses
from pytest_vdg.assertions._words import percent
from pytest_vdg.assertions.judge import require_judgeable
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict


def assert_accuracy_above(
    run: Run,
    floor: float,
    *,
    condition: str = "original",
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
    evidence: Literal["bound", "estimate"] = "estimate",
) -> Finding:
    """Claim that the accuracy of *run* under *condition* is above *floor*.

    Parameters
    ----------
    run : Run
        Holds *condition*.
    floor : float
        A fraction in [0, 1].
    condition : str
        What was done to the video; "original" for the real one.
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.
    evidence : {"bound", "estimate"}
        "estimate" compares the accuracy itself, as accuracy tests usually do;
        "bound" the one-sided bounds of Wilson's interval.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.

    Raises
    ------
    ClaimFailed
        ``BELOW FLOOR``, or ``INCONCLUSIVE`` where *floor* lies between the
        bounds (only with ``evidence="bound"``).
    CouldNotBeJudged
        When *run* allows no verdict, see `require_judgeable`.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ==========================================  ==================
    "estimate"                                  verdict
    ==========================================  ==================
    accuracy > floor                            ``ok``
    anything else                               ``BELOW FLOOR``
    ==========================================  ==================

    ==========================================  ==================
    "bound": one-sided bounds                   verdict
    ==========================================  ==================
    lower > floor                               ``ok``
    upper <= floor                              ``BELOW FLOOR``
    anything else                               ``INCONCLUSIVE``
    ==========================================  ==================
    """
    __tracebackhide__ = True
    floor = check.fraction("floor", floor, low=0, high=1)
    missing = check.policy(missing)
    by_estimate = (
        check.one_of("evidence", evidence, ("bound", "estimate")) == "estimate"
    )

    count = partial(
        _above,
        run,
        floor,
        condition=condition,
        by_estimate=by_estimate,
        missing=missing,
    )
    return settle(
        each_time(count), run, task=task, per_task=per_task, confidence=confidence
    )


def _above(
    run: Run,
    floor: float,
    task: TaskFilter,
    confidence: float,
    *,
    condition: str,
    by_estimate: bool,
    missing: Missing,
) -> Statement:
    require_judgeable(run, (condition,), task)
    share, extent = condition_accuracy(
        run, condition, task, confidence=confidence, missing=missing
    )
    decision = above_floor_by(
        share,
        floor,
        by_estimate=by_estimate,
        confidence=confidence,
        write=percents_apart,
    )
    smallest = detectable_share(share)
    return Statement(
        claim="assert_accuracy_above",
        verdict=decision.verdict,
        measure="accuracy" if condition == "original" else f"accuracy {condition}",
        said_measure="accuracy" if condition == "original" else f"{condition} accuracy",
        interval=share,
        confidence=confidence,
        bound=floor,
        versus=f"floor {percent(floor)}" + (" by estimate only" if by_estimate else ""),
        missing=missing,
        is_share=True,
        run=run,
        task=task,
        **extent._asdict(),
        smallest_detectable=smallest,
        accuracies=((condition, share.estimate),),
        decided=decision.words,
        evidence=(
            ("chance", f"{percent(run.chance(task))} by guessing among the options"),
            power_evidence(smallest, share.design_effect, extent.n_videos),
            *losses(run, (condition,), task, n=share.n, missing=missing),
        ),
        next_step=_ADVICE[decision.verdict],
    )


_ADVICE = {
    Verdict.PASS: "nothing to do; accuracy does not tell whether the video was used",
    Verdict.BELOW_FLOOR: (
        "compare with the accuracy under other conditions: `vdg ladder CHECKPOINT`"
    ),
    Verdict.INCONCLUSIVE: (
        "undecided, not refuted: ask more questions on more videos, or lower the floor"
    ),
}
