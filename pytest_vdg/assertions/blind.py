"""The claim that a slice gives little away to who cannot see.

Apart from the gaps because it is about one condition alone and compares with
chance: it judges the questions as much as the model.
"""

from __future__ import annotations

from functools import partial
from itertools import compress

from pytest_vdg.assertions import check
from pytest_vdg.assertions._bounds import less
from pytest_vdg.assertions._decide import below_ceiling
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import (
    condition_accuracy,
    detectable_share,
    power_evidence,
    share_text,
)
from pytest_vdg.assertions._explain import Statement
from pytest_vdg.assertions._family import each_time, settle
from pytest_vdg.assertions._losses import losses
from pytest_vdg.assertions._words import percent, plain, pp
from pytest_vdg.assertions.gain import BLIND
from pytest_vdg.assertions.judge import require_judgeable
from pytest_vdg.outcomes import Missing
from pytest_vdg.outcomes.columns import counted_in_all
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict


def assert_blind_gap_below(
    run: Run,
    ceiling: float,
    *,
    condition: str = "text_only",
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that *run* is hardly better than chance without the video.

    The blind gap is accuracy(text_only) - chance, chance the mean of 1/K over
    the questions judged, each with K options. A large one says that this slice
    gives answers away in its text, to this model.

    Parameters
    ----------
    run : Run
        Holds *condition*.
    ceiling : float
        A fraction in [-1, 1] below which the blind gap must be shown to be.
    condition : str
        A blind one: ``text_only``, or ``black``.
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.

    Raises
    ------
    ClaimFailed
        ``ABOVE CEILING`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When *run* allows no verdict, see `require_judgeable`.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    =============================================  ==================
    one-sided bounds of the blind gap (Wilson)     verdict
    =============================================  ==================
    upper < ceiling                                ``ok``
    lower >= ceiling                               ``ABOVE CEILING``
    anything else                                  ``INCONCLUSIVE``
    =============================================  ==================
    """
    __tracebackhide__ = True
    ceiling = check.fraction("ceiling", ceiling, low=-1, high=1)
    missing = check.policy(missing)
    why = "the blind gap is of a condition that shows nothing"
    condition = check.a_condition("condition", condition, BLIND, why)

    count = partial(_gap_below, run, ceiling, condition=condition, missing=missing)
    return settle(
        each_time(count), run, task=task, per_task=per_task, confidence=confidence
    )


def _gap_below(
    run: Run,
    ceiling: float,
    task: TaskFilter,
    confidence: float,
    *,
    condition: str,
    missing: Missing,
) -> Statement:
    require_judgeable(run, (condition,), task)
    share, extent = condition_accuracy(
        run, condition, task, confidence=confidence, missing=missing
    )
    chance = chance_of_judged(run, condition, task, missing)
    interval = less(share, chance)
    decision = below_ceiling(interval, ceiling, confidence=confidence)
    alone = share_text(condition, share)
    measure = "blind gap" if condition == "text_only" else f"blind gap ({condition})"
    smallest = detectable_share(share, rise=True)
    return Statement(
        claim="assert_blind_gap_below",
        verdict=decision.verdict,
        measure=measure,
        said_measure=plain(measure),
        interval=interval,
        confidence=confidence,
        bound=ceiling,
        bound_is="ceiling",
        versus=f"ceiling {pp(ceiling)}",
        missing=missing,
        run=run,
        task=task,
        **extent._asdict(),
        smallest_detectable=smallest,
        accuracies=((condition, share.estimate),),
        decided=decision.words,
        evidence=(
            ("accuracy", f"{alone} | chance {percent(chance)}"),
            power_evidence(smallest, share.design_effect, extent.n_videos, what="rise"),
            *losses(run, (condition,), task, n=share.n, missing=missing),
        ),
        next_step=_BLIND_ADVICE[decision.verdict],
    )


def chance_of_judged(
    run: Run, condition: str, task: TaskFilter, missing: Missing
) -> float:
    """Return the mean of 1/K over the questions judged under *condition*."""
    counted = counted_in_all(run, (condition,), task, missing)
    shares = [1 / len(q.labels) for q in compress(run.selected(task), counted)]
    return sum(shares) / len(shares)


_BLIND_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.ABOVE_CEILING: (
        "read the questions that are right without the video: what gives the answer "
        "away may be its wording, its length, one option that fits, or a skewed key. "
        "Accuracy on this slice is no evidence of sight"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "raise the ceiling"),
}
