"""The claim that a checkpoint uses the video as much as its baseline did.

Apart from accuracy tests because it finds what they cannot: a checkpoint
whose score held, or rose, while it stopped looking.
"""

from __future__ import annotations

from pytest_vdg.assertions import check
from pytest_vdg.assertions._change import Change, change_line, measure_change
from pytest_vdg.assertions._decide import Decision
from pytest_vdg.assertions._delta import not_lost
from pytest_vdg.assertions._explain import Decide
from pytest_vdg.assertions._family import settle
from pytest_vdg.assertions._gap_claim import Delta
from pytest_vdg.assertions._words import apart, pp, size
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict


def assert_no_dissociation_regression(
    run: Run,
    baseline: Run,
    *,
    accuracy_margin: float = 0.02,
    vdg_margin: float = 0.05,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that VDG has not fallen since *baseline* by more than a margin.

    Question by question: the change of correct(original) - correct(black),
    over the questions judged in both conditions of both runs.

    Parameters
    ----------
    run, baseline : Run
        Hold ``original`` and ``black`` over the same questions.
    accuracy_margin : float
        A fraction in [0, 1]. A fall of VDG is called ``DISSOCIATION`` when
        accuracy(original) is shown not to have fallen by more.
    vdg_margin : float
        A fraction in [0, 1]: the fall of VDG that is acceptable.
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
        ``REGRESSION``, ``DISSOCIATION`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When a run allows no verdict, see `require_judgeable`; when the two are
        not comparable; or when the claim would hold but the baseline shows no
        VDG to lose (its own one-sided lower bound is not above zero, or its
        estimate is not above *vdg_margin*): such a test could never go red.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ===============================================  =====================
    change of VDG                                    verdict
    ===============================================  =====================
    one-sided lower bound > -vdg_margin              ``ok``
    estimate < -vdg_margin, whole two-sided
    interval below zero                              ``REGRESSION``, or
                                                     ``DISSOCIATION``
    anything else                                    ``INCONCLUSIVE``
    ===============================================  =====================

    A regression is a dissociation when either

    * the one-sided lower bound of the change of accuracy(original) is above
      -*accuracy_margin*: accuracy is *shown* not to have fallen. That it was
      not shown to have fallen would not do; or
    * accuracy(original) did not fall in the sample while accuracy(black) rose
      with its whole interval above zero: the gain comes from answering without
      the video.

    The change of VDG and both accuracy changes have one rule: each limit is the
    farther of the score test's (Tango) with the design effect of the videos and,
    where videos are shared, the cluster-robust t test's; see
    `stats.clusters.cluster_mean`. McNemar p-values of both arms are shown,
    Holm-adjusted, and decide nothing.
    """
    __tracebackhide__ = True
    accuracy_margin = check.fraction("accuracy_margin", accuracy_margin, low=0, high=1)
    vdg_margin = check.fraction("vdg_margin", vdg_margin, low=0, high=1)
    check.a_run("baseline", baseline)

    def judge(task: TaskFilter) -> Decide:
        at = measure_change(run, baseline, control="black", task=task, missing=missing)
        return lambda confidence: not_lost(
            at(confidence),
            vdg_margin,
            _VDG,
            rename=lambda c, d: _name_it(c, d, accuracy_margin),
        )

    return settle(judge, run, task=task, per_task=per_task, confidence=confidence)


def _name_it(change: Change, decision: Decision, margin: float) -> Decision:
    """Return the regression, called a dissociation where accuracy held."""
    real, blind = change.treated_change, change.control_change
    if real.lower_bound > -margin:
        bound, held = apart(real.lower_bound, -margin)
        words = (
            f"{decision.words}; accuracy is shown not to have fallen by more than "
            f"{size(margin)}: {change_line(real)} ({bound} is above {held})"
        )
        return Decision(verdict=Verdict.DISSOCIATION, words=words)
    if real.estimate >= 0 and blind.low > 0:
        words = (
            f"{decision.words}; accuracy rose or held ({pp(real.estimate)}) while "
            f"the gain comes from black frames: {change_line(blind)}"
        )
        return Decision(verdict=Verdict.DISSOCIATION, words=words)
    words = (
        f"{decision.words}; accuracy is not shown to have held: {change_line(real)}, "
        f"accuracy margin {size(margin)}"
    )
    return Decision(verdict=Verdict.REGRESSION, words=words)


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.REGRESSION: (
        "open the flipped questions: those that lost grounding are answered no better "
        "with the video than without. Look first at the vision encoder, the projector "
        "and the frame sampling"
    ),
    Verdict.DISSOCIATION: (
        "do not trust the unchanged score: open the flipped questions, and look for "
        "training data that gives these answers away in the text. "
        "`vdg ladder CHECKPOINT` shows which kind of evidence is "
        "still used"
    ),
    Verdict.INCONCLUSIVE: (
        "undecided, not refuted: ask more questions on more videos, or widen "
        "vdg_margin to the loss that you could accept"
    ),
    Verdict.COULD_NOT_BE_JUDGED: (
        "choose questions that need the video, a baseline that uses it or a smaller "
        "vdg_margin; or delete this test, which protects nothing"
    ),
}
_VDG = Delta(
    claim="assert_no_dissociation_regression",
    measure="VDG",
    lost="VDG",
    control="black",
    change_advice=_ADVICE,
)
