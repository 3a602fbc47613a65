"""The ordinary claim: the model is right often enough.

Apart from the others, and deliberately plain, because it is what every suite
already has, and what stays green when a checkpoint stops looking.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from pytest_vdg.assertions import check
from pytest_vdg.assertions._decide import (
    above_floor,
    estimate_above_floor,
    percents_apart,
)
from pytest_vdg.assertions._evidence import (
    condition_accuracy,
    detectable_share,
    excluded_evidence,
    excluded_line,
    power_evidence,
)
from pytest_vdg.assertions._explain import Statement
from pytest_vdg.assertions._family import each_time, settle
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
    task : str, collection of str, optional
        Restrict the claim to these tasks.
    per_task : bool
        Claim it of each task by itself, with Holm's adjustment over the tasks:
        one finding a task, and the claim fails where any does.
    missing : {"drop", "wrong"}
        Whether a question with a failed cell leaves or counts as not
        correct. The caps hold under both.
    confidence : float
        Of the two-sided interval that is shown, and of each one-sided bound.
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
        each_time(count),
        run,
        task=task,
        per_task=per_task,
        confidence=confidence,
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
    if by_estimate:
        decision = estimate_above_floor(share, floor, write=percents_apart)
    else:
        decision = above_floor(
            share, floor, confidence=confidence, write=percents_apart
        )
    smallest = detectable_share(share)
    left = len(run.selected(task)) - share.n
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
            *excluded_evidence(
                excluded_line(run, (condition,), task, left=left, missing=missing)
            ),
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
