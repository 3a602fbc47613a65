"""The claim that answers stay as they are where the video's meaning does.

Apart from accuracy under a condition because a flat accuracy hides flips:
twenty answers broken and twenty mended are no loss, and no stability.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pytest_vdg.assertions import check
from pytest_vdg.assertions._decide import above_floor, no_loss, percents_apart
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import (
    accuracy,
    accuracy_line,
    arm_accuracies,
    detectable,
    detectable_share,
    gap,
    gap_text,
    power_evidence,
)
from pytest_vdg.assertions._explain import Decide, Statement
from pytest_vdg.assertions._family import all_of, settle
from pytest_vdg.assertions._flipped import broken_and_mended
from pytest_vdg.assertions._losses import pair_losses
from pytest_vdg.assertions._tables import arms_evidence
from pytest_vdg.assertions._words import percent, percent_span, plain, pvalue, size
from pytest_vdg.assertions.judge import first_words, require_judgeable
from pytest_vdg.outcomes import Missing, Paired, pair
from pytest_vdg.runs import Outcome, Run, TaskFilter
from pytest_vdg.stats.enrichment import enrichment_among
from pytest_vdg.stats.proportion import Proportion
from pytest_vdg.verdicts import Finding, Verdict

_CLAIM = "assert_stable_under"


def assert_stable_under(
    run: Run,
    condition: str,
    floor: float,
    *,
    margin: float = 0.03,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that *condition* flips few answers, and costs no accuracy.

    For conditions that leave the meaning of a video alone: compression, another
    frame rate. An answer is stable if it is right under both ``original`` and
    *condition*, or wrong under both.

    Parameters
    ----------
    run : Run
        Holds ``original`` and *condition*.
    condition : str
        E.g. ``compressed:28`` or ``fps:2``.
    floor : float
        A fraction in [0, 1] that the share of stable answers must be shown to
        exceed. Published 7B models keep 90 to 91 % at CRF 38.
    margin : float
        A fraction in [0, 1]: the loss of accuracy that is acceptable.
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.
        Its numbers are those of the part that fails, or comes nearest to it:
        the stable share or the net change of accuracy.

    Raises
    ------
    ClaimFailed
        ``BELOW FLOOR``, ``REGRESSION`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When *run* allows no verdict, see `require_judgeable`.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ====================================================  ================
    stable share (Wilson) and net change (Tango)          verdict
    ====================================================  ================
    lower bound of the share > floor, and lower bound     ``ok``
    of the change > -margin
    upper bound of the share <= floor                     ``BELOW FLOOR``
    estimated change < -margin, and its whole two-sided   ``REGRESSION``
    interval below zero
    anything else                                         ``INCONCLUSIVE``
    ====================================================  ================

    Both have the design effect of the videos. The evidence against is held to
    the confidence shared out among the two parts.
    """
    __tracebackhide__ = True
    check.not_original("condition", condition)
    floor = check.fraction("floor", floor, low=0, high=1)
    margin = check.fraction("margin", margin, low=0, high=1)

    def judge(task: TaskFilter) -> Decide:
        require_judgeable(run, ("original", condition), task)
        with first_words():
            paired = pair(
                run, treated=condition, control="original", task=task, missing=missing
            )
        counted = _counted(run, paired, task)
        parts = [
            partial(_stable_share, counted, floor),
            partial(_net_change, counted, margin),
        ]
        return lambda confidence: all_of(parts, confidence)

    return settle(judge, run, task=task, per_task=per_task, confidence=confidence)


@dataclass(frozen=True, kw_only=True)
class _Counted:
    """What both parts rest on and show, whatever the confidence."""

    run: Run
    paired: Paired
    task: TaskFilter
    flips: tuple[tuple[str, str], ...]
    lost: tuple[tuple[str, str], ...]
    flipped: tuple[tuple[str, str], ...]


def _counted(run: Run, paired: Paired, task: TaskFilter) -> _Counted:
    return _Counted(
        run=run,
        paired=paired,
        task=task,
        flips=_enriched(run, paired),
        lost=pair_losses(run, paired, task),
        flipped=broken_and_mended(run, paired),
    )


def _stable_share(counted: _Counted, floor: float, confidence: float) -> Statement:
    share = _same(counted.paired, confidence)
    decision = above_floor(share, floor, confidence=confidence, write=percents_apart)
    return replace(
        _net_change(counted, 1.0, confidence),
        verdict=decision.verdict,
        measure="stable share",
        said_measure="stable share",
        interval=share,
        bound=floor,
        versus=f"floor {percent(floor)}",
        margin=f"under {plain(counted.paired.treated_name)}",
        is_share=True,
        smallest_detectable=detectable_share(share),
        decided=decision.words,
        next_step=_ADVICE[decision.verdict],
    )


def _net_change(counted: _Counted, margin: float, confidence: float) -> Statement:
    paired = counted.paired
    difference = gap(paired, confidence=confidence)
    decision = no_loss(difference, margin, confidence=confidence)
    smallest = detectable(difference)
    share = _same(paired, confidence)
    stable = f"{percent(share.estimate)} {percent_span(share.low, share.high)}"
    return Statement(
        claim=_CLAIM,
        verdict=decision.verdict,
        measure="net change",
        said_measure=f"accuracy under {plain(paired.treated_name)}",
        interval=difference,
        confidence=confidence,
        bound=-margin,
        versus="original",
        margin=f"margin {size(margin)}",
        missing=paired.missing,
        run=counted.run,
        task=counted.task,
        **paired.extent._asdict(),
        smallest_detectable=smallest,
        accuracies=arm_accuracies(paired),
        decided=decision.words,
        evidence=(
            ("stable", f"{stable} of answers | net change {gap_text(difference)}"),
            ("accuracy", accuracy_line(paired, confidence=confidence)),
            arms_evidence(paired, effect=difference.design_effect),
            *counted.flips,
            power_evidence(smallest, difference.design_effect, paired.n_videos),
            *counted.lost,
        ),
        next_step=_ADVICE[decision.verdict],
        flipped=counted.flipped,
    )


def _same(paired: Paired, confidence: float) -> Proportion:
    same = paired.treated == paired.control
    return accuracy(same, paired.video_ids, paired.asked_ids, confidence=confidence)


def _enriched(run: Run, paired: Paired) -> tuple[tuple[str, str], ...]:
    """Return whether the flips fall on questions that need the video.

    Each question counts under the first of its orders: the test takes what it
    counts for independent.
    """
    if "black" not in run.conditions:
        return ()
    _, first = np.unique(paired.asked_ids, return_index=True)
    once = paired.at(sorted(first.tolist()))
    marked = np.array([_needs_video(run, q) for q in once.question_ids], dtype=bool)
    found = enrichment_among(flipped=once.treated != once.control, marked=marked)
    shares = (found.flipped_share, found.stable_share)
    if None in shares or found.odds_ratio is None:
        return ()
    moved, still = (percent(s) for s in shares if s is not None)
    text = (
        f"{moved} of the flipped and {still} of the stable questions need the video "
        f"(right under original, not under black): Fisher p{pvalue(found.pvalue)}"
    )
    return (("flips", text),)


def _needs_video(run: Run, question: str) -> bool:
    black = run.cells[question, "black"].outcome
    right = run.cells[question, "original"].outcome is Outcome.CORRECT
    return right and black.judged and black is not Outcome.CORRECT


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "open the flipped questions listed below. Where the model is as unsure "
        "without the condition (sampled decoding, near ties), it is not the "
        "condition that flips them"
    ),
    Verdict.REGRESSION: (
        "open the broken questions listed below: what they need is lost under this "
        "condition. Choose a milder one for production, or train on it"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "lower the floor"),
}
