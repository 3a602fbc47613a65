"""The claim that a change to the video mends about as much as it breaks.

Apart from the net loss because a condition can break many answers for each
that it mends and yet cost little, where few answers changed at all.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import compress

from pytest_vdg.assertions import check
from pytest_vdg.assertions._decide import below_ceiling, percents_apart
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import (
    accuracy_line,
    arm_accuracies,
    detectable_share,
    power_evidence,
)
from pytest_vdg.assertions._explain import Statement
from pytest_vdg.assertions._family import each_time, settle
from pytest_vdg.assertions._flipped import broken_and_mended
from pytest_vdg.assertions._losses import pair_losses
from pytest_vdg.assertions._tables import arms_evidence
from pytest_vdg.assertions._words import count, percent, plain
from pytest_vdg.assertions.judge import first_words, require_judgeable
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import Missing, Paired, pair
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.stats import counted
from pytest_vdg.stats.categories import Ratio, destructive_ratio
from pytest_vdg.verdicts import Finding, Verdict


def assert_destructive_ratio_below(
    run: Run,
    ceiling: float,
    *,
    against: str,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that *against* breaks at most *ceiling* answers for each it mends.

    The destructive ratio D:C divides the questions that are right under
    ``original`` only by those that are right under *against* only. It is 1 for a
    change that does no harm, however many answers it moves. Under ``black`` a
    large one is a good sign; this claim is for what should not matter, such as
    compression or a lower frame rate.

    Parameters
    ----------
    run : Run
        Holds ``original`` and *against*.
    ceiling : float
        A positive ratio that D:C must be shown to be below.
    against : str
        The condition that should do no harm, e.g. ``compressed:28``.
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.
        Its measure is the share D / (D + C) *broken among changed*, and its
        bound ceiling / (1 + ceiling): a share survives zero counts.

    Raises
    ------
    ClaimFailed
        ``ABOVE CEILING`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When *run* allows no verdict, see `require_judgeable`, or no answer
        changed, so that there is no ratio.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ==================================================  ==================
    one-sided bounds of the ratio                       verdict
    ==================================================  ==================
    upper < ceiling                                     ``ok``
    lower >= ceiling                                    ``ABOVE CEILING``
    anything else                                       ``INCONCLUSIVE``
    ==================================================  ==================

    The bounds are Wilson's for the share among the changed questions, with
    the design effect of their videos.
    """
    __tracebackhide__ = True
    ceiling = check.fraction("ceiling", ceiling, low=0, high=1e6)
    if ceiling == 0:
        raise ValueError("ceiling must be a positive ratio, got 0")
    check.not_original("against", against)

    count = partial(_ratio_below, run, ceiling, against=against, missing=missing)
    return settle(
        each_time(count), run, task=task, per_task=per_task, confidence=confidence
    )


def _ratio_below(
    run: Run,
    ceiling: float,
    task: TaskFilter,
    confidence: float,
    *,
    against: str,
    missing: Missing,
) -> Statement:
    require_judgeable(run, ("original", against), task)
    with first_words():
        paired = pair(run, control=against, task=task, missing=missing)
        _require_changes(paired, run.slice_name)
    changed = paired.treated != paired.control
    videos = list(compress(paired.video_ids, changed))
    questions = list(compress(paired.asked_ids, changed))
    share = counted.share(paired.treated[changed], videos, confidence, questions)
    ratio = destructive_ratio(
        gained=paired.treated_only,
        lost=paired.control_only,
        confidence=confidence,
        design_effect=share.design_effect,
        df=share.df,
        questions=share.questions,
    )
    most = ceiling / (1 + ceiling)
    decision = below_ceiling(share, most, confidence=confidence, write=percents_apart)
    smallest, effect = detectable_share(share, rise=True), share.design_effect
    return Statement(
        claim="assert_destructive_ratio_below",
        verdict=decision.verdict,
        measure="broken share",
        said_measure="broken among changed",
        interval=share,
        confidence=confidence,
        bound=most,
        bound_is="ceiling",
        versus=f"ceiling {percent(most)}",
        margin=f"destructive ratio {_number(ratio.estimate)}, ceiling {ceiling:g}",
        missing=missing,
        is_share=True,
        run=run,
        task=task,
        **paired.extent._asdict(),
        smallest_detectable=smallest,
        accuracies=arm_accuracies(paired),
        decided=decision.words,
        evidence=(
            ("ratio", _ratio_line(ratio, against)),
            ("accuracy", accuracy_line(paired, confidence=confidence)),
            arms_evidence(paired, effect=effect),
            power_evidence(smallest, effect, len(set(videos)), what="rise"),
            *pair_losses(run, paired, task),
        ),
        next_step=_ADVICE[decision.verdict],
        flipped=broken_and_mended(run, paired),
    )


def _require_changes(paired: Paired, slice_name: str) -> None:
    if paired.treated_only + paired.control_only:
        return
    raise CouldNotBeJudged(
        f"none of {count(paired.n, 'question')} of slice {plain(slice_name)} became "
        f"right or wrong under {plain(paired.control_name)}, and nothing has no ratio. "
        "That nothing changes is claimed by assert_stable_under"
    )


def _ratio_line(ratio: Ratio, against: str) -> str:
    return (
        f"{_number(ratio.estimate)} [{_number(ratio.low)}, {_number(ratio.high)}]: "
        f"{plain(against)} breaks {ratio.gained} and mends {ratio.lost}"
    )


def _number(ratio: float | None) -> str:
    if ratio is None or not math.isfinite(ratio):
        return "unbounded"
    return f"{ratio:.2f}"


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.ABOVE_CEILING: (
        "open the broken questions listed below: what they need is lost first. Feed "
        "the model clips of better quality, or more of their frames"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "raise the ceiling"),
}
