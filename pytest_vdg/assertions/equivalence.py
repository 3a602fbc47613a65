"""The claim that two runs are as good as equal, which is not "no difference".

Apart from the claims of no loss because both sides count: a faster kernel or a
new frame reader should change nothing, not even for the better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pytest_vdg.assertions import _check
from pytest_vdg.assertions._bounds import mirrored
from pytest_vdg.assertions._change import change_evidence, measure_change
from pytest_vdg.assertions._decide import Decision
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import (
    arm_accuracies,
    detectable,
    excluded_line,
    gap,
    power_evidence,
    runs_table,
    table_evidence,
    unmatched_evidence,
)
from pytest_vdg.assertions._explain import Decide, Interval, Statement, one_sided
from pytest_vdg.assertions._family import settle
from pytest_vdg.assertions._flipped import flips, moved
from pytest_vdg.assertions._judge import first_words, require_judgeable
from pytest_vdg.assertions._words import apart, plain, pp, pvalue, size, span
from pytest_vdg.comparable import require_comparable
from pytest_vdg.outcomes import Missing, pair_answers
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.stats.equivalence import (
    Equivalence,
    tost_cluster_mean,
    tost_paired,
)
from pytest_vdg.verdicts import Finding, Verdict


def assert_equivalent(
    run: Run,
    baseline: Run,
    margin: float = 0.05,
    *,
    condition: str = "original",
    against: str | None = None,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that *run* and *baseline* differ by less than *margin*, either way.

    What may not differ is the accuracy under *condition*, or with *against* the
    gap between the two conditions, e.g. VDG with ``against="black"``.

    Parameters
    ----------
    run, baseline : Run
        Hold *condition*, and *against*, over the same questions.
    margin : float
        A fraction between 0 and 1, both excluded.
    condition : str
        Whose accuracy it is about.
    against : str, optional
        Compare the gap accuracy(*condition*) - accuracy(*against*) instead.
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
        Where the run is the better one, the difference is told as baseline -
        run, so that less than minus the margin is too much in both cases.

    Raises
    ------
    ClaimFailed
        ``REGRESSION``, ``BELOW FLOOR`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When a run allows no verdict, see `require_judgeable`, or the two are
        not comparable.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    =================================================  ====================
    difference                                         verdict
    =================================================  ====================
    both one-sided bounds within the margin (TOST)     ``ok``
    estimate beyond the margin, and the whole          ``REGRESSION`` if the
    two-sided interval on that side of zero            run is worse, else
                                                       ``BELOW FLOOR``
    anything else                                      ``INCONCLUSIVE``
    =================================================  ====================

    "Not significantly different" is never called equivalent: a small slice
    shows neither. Accuracies have Tango's interval with the design effect of
    the videos, gaps a cluster-robust one.
    """
    __tracebackhide__ = True
    margin = _check.fraction("margin", margin, low=0, high=1)
    if not 0 < margin < 1:
        raise ValueError(
            f"margin must lie between 0 and 1, both excluded, got {margin!r}: no "
            "sample shows a difference of exactly 0"
        )
    if against == condition:
        raise ValueError(f"against={against!r} compares a condition with itself")

    asked = _Asked(
        run=_check.a_run("run", run),
        baseline=_check.a_run("baseline", baseline),
        condition=condition,
        against=against,
        margin=margin,
        missing=missing,
    )

    def judge(task: TaskFilter) -> Decide:
        compare = (_accuracies if against is None else _gaps)(asked, task)
        return lambda confidence: _statement(asked, compare(confidence), task)

    return settle(
        judge,
        run,
        task=task,
        per_task=per_task,
        confidence=_check.confidence_level(confidence),
    )


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The claim's arguments, checked."""

    run: Run
    baseline: Run
    condition: str
    against: str | None
    margin: float
    missing: Missing


@dataclass(frozen=True, kw_only=True)
class _Found:
    """A difference between two runs, with what the message tells of it."""

    what: str
    interval: Interval
    tost: Equivalence
    n: int
    n_videos: int
    smallest: float
    accuracies: tuple[tuple[str, float], ...]
    evidence: tuple[tuple[str, str], ...]
    flipped: tuple[tuple[str, str], ...]


def _accuracies(asked: _Asked, task: TaskFilter) -> Callable[[float], _Found]:
    run, baseline, condition = asked.run, asked.baseline, asked.condition
    with first_words():
        require_comparable(run, baseline)
    require_judgeable(run, (condition,), task)
    require_judgeable(baseline, (condition,), task, caps=run.caps, name="baseline")
    with first_words():
        paired = pair_answers(
            run, baseline, condition=condition, task=task, missing=asked.missing
        )
    questions = len(run.selected(task))
    left = questions - paired.n
    now, then = (
        excluded_line(each, (condition,), task, left=left, missing=asked.missing)
        for each in (run, baseline)
    )
    table = runs_table(condition, paired.treated, paired.control)
    flipped = moved(run, baseline, paired, condition)

    def at(confidence: float) -> _Found:
        difference = gap(paired, confidence=confidence)
        smallest, effect = detectable(difference), difference.design_effect
        return _Found(
            what=f"{plain(condition)} accuracy",
            interval=difference,
            tost=tost_paired(
                treated_only=paired.treated_only,
                control_only=paired.control_only,
                n=paired.n,
                margin=asked.margin,
                confidence=confidence,
                design_effect=effect,
            ),
            n=paired.n,
            n_videos=paired.n_videos,
            smallest=smallest,
            accuracies=((condition, float(np.mean(paired.treated))),),
            evidence=(
                table_evidence({"": table}, effect=effect),
                power_evidence(smallest, effect, paired.n_videos),
                ("excluded", f"now {now}\nbaseline {then}"),
                *unmatched_evidence(paired, of=questions),
            ),
            flipped=flipped,
        )

    return at


def _gaps(asked: _Asked, task: TaskFilter) -> Callable[[float], _Found]:
    treated, control = asked.condition, str(asked.against)
    measured = measure_change(
        asked.run,
        asked.baseline,
        treated=treated,
        control=control,
        task=task,
        missing=asked.missing,
    )
    vdg = (treated, control) == ("original", "black")

    def at(confidence: float) -> _Found:
        change = measured(confidence)
        now = change.runs.now
        return _Found(
            what="VDG" if vdg else f"{plain(treated)} - {plain(control)}",
            interval=change.change,
            tost=tost_cluster_mean(
                change.runs.changes,
                now.video_ids,
                margin=asked.margin,
                confidence=confidence,
            ),
            n=now.n,
            n_videos=now.n_videos,
            smallest=change.smallest_detectable,
            accuracies=arm_accuracies(now),
            evidence=tuple(change_evidence(change)),
            flipped=flips(asked.run, asked.baseline, change.runs),
        )

    return at


def _decide(found: _Found, margin: float) -> Decision:
    interval, tost = found.interval, found.tost
    called = one_sided(tost.confidence)
    bounds = span(interval.lower_bound, interval.upper_bound)
    if found.n_videos == 1:
        words = "all questions share one video, which says nothing of other videos"
        return Decision(verdict=Verdict.INCONCLUSIVE, words=words)
    if tost.outcome == "equivalent":
        words = (
            f"the {called} bounds {bounds} lie within {size(margin)} either way "
            f"(TOST p{pvalue(tost.pvalue)})"
        )
        return Decision(verdict=Verdict.PASS, words=words)
    if tost.outcome == "different" and abs(interval.estimate) > margin:
        number, held = apart(abs(interval.estimate), margin)
        fell = interval.estimate < 0
        words = (
            f"the difference of {number[1:]} exceeds {held[1:]}, and its whole "
            f"interval is {'below' if fell else 'above'} zero"
        )
        verdict = Verdict.REGRESSION if fell else Verdict.BELOW_FLOOR
        return Decision(verdict=verdict, words=words)
    words = (
        f"the {called} bounds {bounds} are not both within {size(margin)}, nor is a "
        "larger difference shown: neither equivalent nor too different"
    )
    return Decision(verdict=Verdict.INCONCLUSIVE, words=words)


def _statement(asked: _Asked, found: _Found, task: TaskFilter) -> Statement:
    decision = _decide(found, asked.margin)
    better = found.interval.estimate > 0
    interval = mirrored(found.interval) if better else found.interval
    order = "baseline - run" if better else "run - baseline"
    number = f"{pp(found.interval.estimate)} "
    number += span(found.interval.low, found.interval.high)
    return Statement(
        claim="assert_equivalent",
        verdict=decision.verdict,
        measure=f"{found.what} {'then-now' if better else 'now-then'}",
        said_measure=f"{found.what}, {order},",
        interval=interval,
        confidence=found.tost.confidence,
        bound=-asked.margin,
        versus=f"baseline {plain(asked.baseline.slice_name)}",
        margin=f"margin {size(asked.margin)} either way",
        missing=asked.missing,
        run=asked.run,
        task=task,
        baseline=asked.baseline,
        n=found.n,
        n_videos=found.n_videos,
        smallest_detectable=found.smallest,
        accuracies=found.accuracies,
        decided=decision.words,
        evidence=(
            ("differs", f"{number}, run - baseline"),
            *found.evidence,
        ),
        next_step=_ADVICE[decision.verdict],
        flipped=found.flipped,
    )


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.REGRESSION: (
        "open the flipped questions listed below, and look at what differs between "
        "the two runs: weights, versions, frames, prompt"
    ),
    Verdict.BELOW_FLOOR: (
        "the run is better than its baseline by more than the margin. If that is "
        "meant, record a new baseline; if nothing should have changed, something did"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "widen the margin"),
}
