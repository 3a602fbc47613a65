"""The claim that a slice needs the order of frames: without it, chance is left.

Apart from the temporal delta because that is about the model, and any loss will
do. Here the questions are judged: whatever is right without order, or backwards,
did not need it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from pytest_vdg.assertions import check
from pytest_vdg.assertions._bounds import less
from pytest_vdg.assertions._decide import Decision, below_ceiling
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import (
    condition_accuracy,
    detectable_share,
    power_evidence,
    share_text,
)
from pytest_vdg.assertions._explain import Statement, one_sided
from pytest_vdg.assertions._family import all_of, each_time, settle
from pytest_vdg.assertions._losses import losses
from pytest_vdg.assertions._words import apart, percent, plain, pp
from pytest_vdg.assertions.blind import chance_of_judged
from pytest_vdg.assertions.judge import require_judgeable
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict

_UNABLE = {
    Verdict.COULD_NOT_BE_JUDGED: ", which the model is not above in order either"
}
_SHUFFLED = "the order is lost by shuffling"


def assert_needs_order(
    run: Run,
    margin: float = 0.10,
    *,
    shuffled: str = "shuffled",
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Finding:
    """Claim that nothing above chance is left of *run* without the order of frames.

    Accuracy with the frames shuffled, and with the frames reversed, must both be
    shown to be less than *margin* above chance, the mean of 1/K over the questions
    judged. Reversed frames may do worse than chance: on a question about order they
    show the opposite.

    Parameters
    ----------
    run : Run
        Holds ``original``, *shuffled* and ``reversed``; of a model that can do
        these questions, as one that only guesses is at chance everywhere.
    margin : float
        A fraction in [0, 1]: so much above chance does not matter.
    shuffled : str
        ``shuffled`` or ``shuffled:blocks``.
    task : str, collection of str, optional
        Restrict the claim to these tasks: those that are meant to need order.
    per_task, missing, confidence : see `assert_vdg_above`
        Of each task by itself; what a failed cell counts as; the level of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.
        Its numbers are those of the condition that fails, or comes nearest to it.

    Raises
    ------
    ClaimFailed
        ``ABOVE CEILING`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When *run* allows no verdict, see `require_judgeable`; or when the claim
        would hold, but the model is not shown to be more than *margin* above
        chance with the frames in order either.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ====================================================  ================
    accuracy - chance, shuffled and reversed (Wilson)     verdict
    ====================================================  ================
    both one-sided upper bounds < margin                  ``ok``
    some one-sided lower bound >= margin, at the          ``ABOVE CEILING``
    confidence shared out among the two
    anything else                                         ``INCONCLUSIVE``
    ====================================================  ================

    Some of what needs order can be guessed without: who sees a shape on a level
    line knows that it moves left or right, and is right in half the cases. Such
    a question with four options is above chance when shuffled, and the claim says
    so: two of its options could have been left out.

    References
    ----------
    TVBench paper, section 5.3 ("Does time matter?").
    """
    __tracebackhide__ = True
    margin = check.fraction("margin", margin, low=0, high=1)
    missing = check.policy(missing)
    shuffled = check.a_condition("shuffled", shuffled, ("shuffled",), _SHUFFLED)
    count = partial(_without_order, run, margin, shuffled=shuffled, missing=missing)
    return settle(
        each_time(count), run, task=task, per_task=per_task, confidence=confidence
    )


def _without_order(
    run: Run,
    margin: float,
    task: TaskFilter,
    confidence: float,
    *,
    shuffled: str,
    missing: Missing,
) -> Statement:
    asked = _Asked(
        run=run,
        margin=margin,
        task=task,
        missing=missing,
        conditions=("original", shuffled, "reversed"),
    )
    require_judgeable(run, asked.conditions, task)
    parts = [partial(_left, asked, condition) for condition in asked.conditions[1:]]
    return all_of(parts, confidence)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What both parts of the claim are about."""

    run: Run
    margin: float
    task: TaskFilter
    missing: Missing
    conditions: tuple[str, ...]


def _left(asked: _Asked, condition: str, confidence: float) -> Statement:
    """Say what is left above chance under *condition*."""
    run, margin, task, missing = asked.run, asked.margin, asked.task, asked.missing
    share, extent = condition_accuracy(
        run, condition, task, confidence=confidence, missing=missing
    )
    chance = chance_of_judged(run, condition, task, missing)
    interval = less(share, chance)
    decision = below_ceiling(interval, margin, confidence=confidence)
    if decision.verdict is Verdict.PASS:
        decision = _able(run, margin, task, missing, confidence) or decision
    smallest = detectable_share(share, rise=True)
    shares = {
        name: condition_accuracy(
            run, name, task, confidence=confidence, missing=missing
        )[0]
        for name in asked.conditions
    }
    return Statement(
        claim="assert_needs_order",
        verdict=decision.verdict,
        measure=f"{condition} - chance",
        said_measure=f"{plain(condition)} - chance",
        interval=interval,
        confidence=confidence,
        bound=margin,
        bound_is="ceiling",
        versus=f"margin {pp(margin)}" + _UNABLE.get(decision.verdict, ""),
        missing=missing,
        run=run,
        task=task,
        **extent._asdict(),
        smallest_detectable=smallest,
        accuracies=tuple((name, s.estimate) for name, s in shares.items()),
        decided=decision.words,
        evidence=(
            ("chance", f"{percent(chance)} under {plain(condition)}"),
            ("accuracy", " | ".join(share_text(*each) for each in shares.items())),
            power_evidence(smallest, share.design_effect, extent.n_videos, what="rise"),
            *losses(run, asked.conditions, task, n=share.n, missing=missing),
        ),
        next_step=_ADVICE[decision.verdict],
    )


def _able(
    run: Run, margin: float, task: TaskFilter, missing: Missing, confidence: float
) -> Decision | None:
    """Return why nothing can be said by a model that cannot do these questions."""
    share, _ = condition_accuracy(
        run, "original", task, confidence=confidence, missing=missing
    )
    above = less(share, chance_of_judged(run, "original", task, missing))
    if above.lower_bound > margin:
        return None
    number, held = apart(above.lower_bound, margin)
    words = (
        f"the model itself is not shown to be more than {held} above chance with the "
        f"frames in order ({one_sided(confidence)} lower bound {number}): what it "
        "cannot do shows nothing of the questions"
    )
    return Decision(verdict=Verdict.COULD_NOT_BE_JUDGED, words=words)


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.ABOVE_CEILING: (
        "read the questions that are right without order: they may be answered from "
        "one frame, from options that no order allows, or from the text. Restrict the "
        "claim to tasks that are meant to need order (task=...)"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "raise the margin"),
    Verdict.COULD_NOT_BE_JUDGED: (
        "judge these questions by a model that can do them, or choose tasks that this "
        "one can (task=...)"
    ),
}
