"""The claim that two runs are as good as equal, which is not "no difference".

Apart from the claims of no loss because both sides count: a faster kernel or a
new frame reader should change nothing, not even for the better.
"""

from __future__ import annotations

from pytest_vdg.assertions import check
from pytest_vdg.assertions._decide import Decision
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._difference import Difference, TwoRuns, measure_difference
from pytest_vdg.assertions._explain import Decide, Statement, one_sided
from pytest_vdg.assertions._family import settle
from pytest_vdg.assertions._words import apart, plain, pvalue, size, span
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
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
    task, per_task, missing, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; what a failed cell counts as; the level
        of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.
        Its bound is the end of the margin that the difference is nearer to.

    Raises
    ------
    ClaimFailed
        ``REGRESSION``, ``ABOVE CEILING`` or ``INCONCLUSIVE``, see Notes.
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
                                                       ``ABOVE CEILING``
    anything else                                      ``INCONCLUSIVE``
    =================================================  ====================

    "Not significantly different" is never called equivalent: a small slice
    shows neither. Accuracies and gaps have one rule: each limit is the farther of
    the score test's (Tango) with the design effect of the videos and, where videos
    are shared, the cluster-robust t test's; see `stats.clusters.cluster_mean`.
    """
    __tracebackhide__ = True
    margin = check.fraction("margin", margin, low=0, high=1)
    if not 0 < margin < 1:
        raise ValueError(
            f"margin must lie between 0 and 1, both excluded, got {margin!r}: no "
            "sample shows a difference of exactly 0"
        )
    if against == condition:
        raise ValueError(f"against={against!r} compares a condition with itself")

    asked = TwoRuns(
        run=check.a_run("run", run),
        baseline=check.a_run("baseline", baseline),
        condition=condition,
        against=against,
        margin=margin,
        missing=missing,
    )

    def judge(task: TaskFilter) -> Decide:
        differs = measure_difference(asked, task)
        return lambda confidence: _statement(asked, differs(confidence), task)

    return settle(judge, run, task=task, per_task=per_task, confidence=confidence)


def _decide(found: Difference, margin: float) -> Decision:
    interval, tost = found.interval, found.tost
    called = one_sided(tost.confidence)
    bounds = span(interval.lower_bound, interval.upper_bound)
    if found.extent.n_videos == 1:
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
        verdict = Verdict.REGRESSION if fell else Verdict.ABOVE_CEILING
        return Decision(verdict=verdict, words=words)
    words = (
        f"the {called} bounds {bounds} are not both within {size(margin)}, nor is a "
        "larger difference shown: neither equivalent nor too different"
    )
    return Decision(verdict=Verdict.INCONCLUSIVE, words=words)


def _statement(asked: TwoRuns, found: Difference, task: TaskFilter) -> Statement:
    decision = _decide(found, asked.margin)
    better = found.interval.estimate > 0
    return Statement(
        claim="assert_equivalent",
        verdict=decision.verdict,
        measure=f"{found.what} now-then",
        said_measure=f"{found.what}, run - baseline,",
        interval=found.interval,
        confidence=found.tost.confidence,
        bound=asked.margin if better else -asked.margin,
        bound_is="ceiling" if better else "floor",
        versus=f"baseline {plain(asked.baseline.slice_name)}",
        margin=f"margin {size(asked.margin)} either way",
        missing=asked.missing,
        run=asked.run,
        task=task,
        baseline=asked.baseline,
        **found.extent._asdict(),
        smallest_detectable=found.smallest,
        accuracies=found.accuracies,
        decided=decision.words,
        evidence=found.evidence,
        next_step=_ADVICE[decision.verdict],
        flipped=found.flipped,
    )


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.REGRESSION: (
        "open the flipped questions listed below, and look at what differs between "
        "the two runs: weights, versions, frames, prompt"
    ),
    Verdict.ABOVE_CEILING: (
        "the run is better than its baseline by more than the margin. If that is "
        "meant, record a new baseline; if nothing should have changed, something did"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "widen the margin"),
}
