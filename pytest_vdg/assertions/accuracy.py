"""The ordinary claim: the model is right often enough.

Apart from the others, and deliberately plain, because it is what every suite
already has, and what stays green when a checkpoint stops looking.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from pytest_vdg.assertions import _check
from pytest_vdg.assertions._decide import (
    above_floor,
    estimate_above_floor,
    percents_apart,
)
from pytest_vdg.assertions._evidence import accuracy, detectable_line, excluded_line
from pytest_vdg.assertions._explain import Statement, conclude
from pytest_vdg.assertions._judge import require_judgeable
from pytest_vdg.assertions._words import percent
from pytest_vdg.runs import Outcome, Run, TaskFilter
from pytest_vdg.stats.detectable import smallest_detectable_difference
from pytest_vdg.stats.proportion import Proportion
from pytest_vdg.verdicts import Finding, Verdict


def assert_accuracy_above(
    run: Run,
    floor: float,
    *,
    condition: str = "original",
    task: TaskFilter = None,
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
    """
    __tracebackhide__ = True
    _check.a_run("run", run)
    floor = _check.fraction("floor", floor, low=0, high=1)
    confidence = _check.confidence_level(confidence)
    by_estimate = (
        _check.one_of("evidence", evidence, ("bound", "estimate")) == "estimate"
    )
    require_judgeable(run, (condition,), task)
    judged = [
        q for q in run.selected(task) if run.cells[q.id, condition].outcome.judged
    ]
    correct = np.array(
        [run.cells[q.id, condition].outcome is Outcome.CORRECT for q in judged],
        dtype=bool,
    )
    videos = [q.video for q in judged]
    share = accuracy(correct, videos, confidence=confidence)
    if by_estimate:
        decision = estimate_above_floor(share, floor, write=percents_apart)
    else:
        decision = above_floor(
            share, floor, confidence=confidence, write=percents_apart
        )
    smallest = _detectable(share)
    lost = len(run.selected(task)) - len(judged)
    statement = Statement(
        claim="assert_accuracy_above",
        verdict=decision.verdict,
        measure="accuracy" if condition == "original" else f"accuracy {condition}",
        said_measure="accuracy" if condition == "original" else f"{condition} accuracy",
        interval=share,
        confidence=confidence,
        bound=floor,
        versus=f"floor {percent(floor)}" + (" by estimate only" if by_estimate else ""),
        is_share=True,
        run=run,
        task=task,
        n=share.n,
        n_videos=len(set(videos)),
        smallest_detectable=smallest,
        accuracies=((condition, share.estimate),),
        decided=decision.words,
        evidence=(
            ("chance", f"{percent(run.chance(task))} by guessing among the options"),
            (
                "power",
                detectable_line(
                    smallest, effect=share.design_effect, n_videos=len(set(videos))
                ),
            ),
            ("excluded", excluded_line(run, (condition,), task, left=lost)),
        ),
        next_step=_ADVICE[decision.verdict],
    )
    return conclude(statement)


def _detectable(share: Proportion) -> float:
    p = share.estimate
    return smallest_detectable_difference(
        sd=float(np.sqrt(p * (1 - p))),
        n=share.n,
        confidence=share.confidence,
        design_effect=share.design_effect,
    )


_ADVICE = {
    Verdict.PASS: "nothing to do; accuracy does not tell whether the video was used",
    Verdict.BELOW_FLOOR: (
        "compare with the accuracy under other conditions: "
        "`python -m pytest_vdg ladder CHECKPOINT`"
    ),
    Verdict.INCONCLUSIVE: (
        "undecided, not refuted: ask more questions on more videos, or lower the floor"
    ),
}
