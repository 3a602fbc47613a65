"""The claim that a slice gives little away to who cannot see.

Apart from the gaps because it is about one condition alone and compares with
chance: it judges the questions as much as the model.
"""

from __future__ import annotations

from functools import partial

from pytest_vdg.assertions import _check
from pytest_vdg.assertions._bounds import mirrored
from pytest_vdg.assertions._decide import above_floor
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import (
    condition_accuracy,
    detectable_line,
    detectable_share,
    excluded_line,
    judged_in_all,
)
from pytest_vdg.assertions._explain import Decide, Statement
from pytest_vdg.assertions._family import settle
from pytest_vdg.assertions._judge import require_judgeable
from pytest_vdg.assertions._words import percent, percent_span, plain, pp, span
from pytest_vdg.assertions.gain import BLIND
from pytest_vdg.outcomes import Missing
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
    task : str, collection of str, optional
        Restrict the claim to these tasks.
    per_task : bool
        Claim it of each task by itself, with Holm's adjustment over the tasks:
        one finding a task, and the claim fails where any does.
    missing : {"drop", "wrong"}
        Whether a question with a failed cell leaves the pair or counts as not
        correct. The caps hold under both.
    confidence : float
        Of the two-sided interval that is shown, and of each one-sided bound.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.
        Its measure is *chance - condition*, minus the blind gap, and its bound
        minus the ceiling: in findings more is better.

    Raises
    ------
    ClaimFailed
        ``BELOW FLOOR`` or ``INCONCLUSIVE``, see Notes.
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
    lower >= ceiling                               ``BELOW FLOOR``
    anything else                                  ``INCONCLUSIVE``
    =============================================  ==================
    """
    __tracebackhide__ = True
    ceiling = _check.fraction("ceiling", ceiling, low=-1, high=1)
    missing = _check.policy(missing)
    why = "the blind gap is of a condition that shows nothing"
    condition = _check.a_condition("condition", condition, BLIND, why)

    def judge(task: TaskFilter) -> Decide:
        return partial(
            _gap_below,
            run,
            ceiling,
            condition=condition,
            task=task,
            missing=missing,
        )

    return settle(
        judge,
        _check.a_run("run", run),
        task=task,
        per_task=per_task,
        confidence=_check.confidence_level(confidence),
    )


def _gap_below(
    run: Run,
    ceiling: float,
    confidence: float,
    *,
    condition: str,
    task: TaskFilter,
    missing: Missing,
) -> Statement:
    require_judgeable(run, (condition,), task)
    share, videos = condition_accuracy(
        run, condition, task, confidence=confidence, missing=missing
    )
    chance = _chance_of_judged(run, condition, task, missing)
    interval = mirrored(share, about=chance)
    decision = above_floor(interval, -ceiling, confidence=confidence)
    gap = f"{pp(-interval.estimate)} {span(-interval.high, -interval.low)}"
    alone = f"{plain(condition)} {percent(share.estimate)} "
    alone += percent_span(share.low, share.high)
    smallest = detectable_share(share)
    asked = len(run.selected(task))
    return Statement(
        claim="assert_blind_gap_below",
        verdict=decision.verdict,
        measure=f"chance - {condition}",
        said_measure=f"chance - {plain(condition)}",
        interval=interval,
        confidence=confidence,
        bound=-ceiling,
        versus=f"floor {pp(-ceiling)}",
        margin=f"blind gap {pp(-interval.estimate)}, ceiling {pp(ceiling)}",
        missing=missing,
        run=run,
        task=task,
        n=share.n,
        n_videos=videos,
        smallest_detectable=smallest,
        accuracies=((condition, share.estimate),),
        decided=decision.words,
        evidence=(
            ("blind gap", f"{gap} | {alone} | chance {percent(chance)}"),
            (
                "power",
                detectable_line(smallest, effect=share.design_effect, n_videos=videos),
            ),
            (
                "excluded",
                excluded_line(
                    run, (condition,), task, left=asked - share.n, missing=missing
                ),
            ),
        ),
        next_step=_BLIND_ADVICE[decision.verdict],
    )


def _chance_of_judged(
    run: Run, condition: str, task: TaskFilter, missing: Missing
) -> float:
    questions = run.selected(task)
    judged = judged_in_all(run, (condition,), [q.id for q in questions], missing)
    shares = [1 / len(q.labels) for q in questions if q.id in judged]
    return sum(shares) / len(shares)


_BLIND_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "read the questions that are right without the video: what gives the answer "
        "away may be its wording, its length, one option that fits, or a skewed key. "
        "Accuracy on this slice is no evidence of sight"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "raise the ceiling"),
}
