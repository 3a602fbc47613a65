"""The claim that answers do not lean towards a position among the options.

Apart from accuracy because always answering B is right as often as the key
says B: it looks like skill on a skewed benchmark, and without any video.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

from pytest_vdg.assertions import check
from pytest_vdg.assertions._decide import below_ceiling
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import detectable, power_evidence
from pytest_vdg.assertions._explain import Statement
from pytest_vdg.assertions._family import all_of, each_time, settle
from pytest_vdg.assertions._losses import losses
from pytest_vdg.assertions._words import (
    count,
    percent,
    percent_span,
    plain,
    pp,
    pvalue,
    span,
)
from pytest_vdg.assertions.judge import FIRST_WORDS, require_judgeable
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.runs import AskedQuestion, CellResult, Outcome, Run, TaskFilter
from pytest_vdg.stats.positions import LabelDistribution, Positions, positions
from pytest_vdg.verdicts import Finding, Verdict


def assert_no_position_bias(
    run: Run,
    ceiling: float = 0.10,
    *,
    condition: str = "original",
    task: TaskFilter = None,
    per_task: bool = False,
    confidence: float = 0.95,
) -> Finding:
    """Claim that no label is answered much more often than it is right.

    The excess of a label is its share among the answers less its share in the
    key, over the same questions. A model that is always right has none, however
    skewed the key; one that always answers A has the share of all others.

    Parameters
    ----------
    run : Run
        Holds *condition*, with the options that were chosen.
    ceiling : float
        A fraction in [0, 1] below which every label's excess must be shown to
        be.
    condition : str
        ``original``, or a blind one, where a bias shows most.
    task, per_task, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; the level of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.
        Its numbers are those of the label with the largest excess.

    Raises
    ------
    ClaimFailed
        ``ABOVE CEILING`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When *run* allows no verdict, see `require_judgeable`; when it does not
        hold which option was chosen; or when only one label is offered.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ====================================================  ================
    excess, of each label                                 verdict
    ====================================================  ================
    every one-sided upper bound < ceiling                 ``ok``
    some one-sided lower bound >= ceiling, at the         ``ABOVE CEILING``
    confidence shared out among the labels
    anything else                                         ``INCONCLUSIVE``
    ====================================================  ================

    The bounds are Tango's with the design effect of the videos. Questions
    without a choice count for no label, those that failed are left out.
    """
    __tracebackhide__ = True
    ceiling = check.fraction("ceiling", ceiling, low=0, high=1)

    return settle(
        each_time(partial(_unbiased, run, condition, ceiling)),
        run,
        task=task,
        per_task=per_task,
        confidence=confidence,
    )


def _unbiased(
    run: Run, condition: str, ceiling: float, task: TaskFilter, confidence: float
) -> Statement:
    require_judgeable(run, (condition,), task)
    questions = _answered(run, condition, task)
    asked = _Asked(
        run=run,
        condition=condition,
        ceiling=ceiling,
        task=task,
        extent=Extent.over(questions),
    )

    @cache
    def labels(confidence: float) -> list[Statement]:
        found = positions(
            answers=[run.cells[q.id, condition].choice for q in questions],
            key=[q.answer for q in questions],
            options=[q.labels for q in questions],
            clusters=[q.video for q in questions],
            confidence=confidence,
            questions=[q.question for q in questions],
        )
        return _each_label(asked, found, confidence)

    def one(number: int, confidence: float) -> Statement:
        return labels(confidence)[number]

    offered = {label for q in questions for label in q.labels}
    return all_of([partial(one, i) for i in range(len(offered))], confidence)


def _answered(run: Run, condition: str, task: TaskFilter) -> list[AskedQuestion]:
    """Return the judged questions, refusing runs that do not hold the choices."""

    def cell(question: AskedQuestion) -> CellResult:
        return run.cells[question.id, condition]

    judged = [q for q in run.selected(task) if cell(q).outcome.judged]
    unknown = [
        q.id
        for q in judged
        if cell(q).outcome is not Outcome.UNPARSED and cell(q).choice is None
    ]
    if unknown:
        raise CouldNotBeJudged(
            f"{FIRST_WORDS}the run on slice {plain(run.slice_name)} does not hold "
            f"which option was chosen, only whether it was right "
            f"({count(len(unknown), 'question')}, first: {plain(unknown[0])})"
        )
    if len({label for q in judged for label in q.labels}) < 2:
        raise CouldNotBeJudged(
            f"{FIRST_WORDS}slice {plain(run.slice_name)} offers one label only, which "
            "is answered as often as it is right"
        )
    return judged


@dataclass(frozen=True, kw_only=True)
class _Asked:
    run: Run
    condition: str
    ceiling: float
    task: TaskFilter
    extent: Extent


def _each_label(asked: _Asked, found: Positions, confidence: float) -> list[Statement]:
    evidence = _evidence(asked, found)
    statements = []
    for label, excess in found.excess.items():
        decision = below_ceiling(excess, asked.ceiling, confidence=confidence)
        smallest = detectable(excess, rise=True)
        power = power_evidence(
            smallest, excess.design_effect, asked.extent.n_videos, what="rise"
        )
        measure = f"excess of label {plain(label)}"
        statements.append(
            Statement(
                claim="assert_no_position_bias",
                verdict=decision.verdict,
                measure=measure,
                said_measure=measure,
                interval=excess,
                confidence=confidence,
                bound=asked.ceiling,
                bound_is="ceiling",
                versus=f"ceiling {pp(asked.ceiling)}",
                run=asked.run,
                task=asked.task,
                **asked.extent._asdict(),
                smallest_detectable=smallest,
                accuracies=((asked.condition, found.accuracy),),
                decided=decision.words,
                evidence=(*evidence, power),
                next_step=_ADVICE[decision.verdict],
            )
        )
    return statements


def _evidence(asked: _Asked, found: Positions) -> tuple[tuple[str, str], ...]:
    floor = found.floor
    constant = (
        f"always answering {plain(found.key.mode)} is right in "
        f"{percent(floor.estimate)} {percent_span(floor.low, floor.high)}; "
        f"{plain(asked.condition)} in {percent(found.accuracy)}, chance "
        f"{percent(found.chance)}"
    )
    if found.explained is not None:
        constant += f"; the most frequent answer alone explains {found.explained:.0%}"
        constant += " of what is above chance"
    excess = " | ".join(
        f"{plain(label)} {pp(d.estimate)} {span(d.low, d.high)}"
        for label, d in found.excess.items()
    )
    return (
        ("excess", excess),
        ("answers", _distribution(found.answers) if found.answers else "none"),
        ("key", _distribution(found.key)),
        ("fit", f"answers against the key p{pvalue(found.homogeneity.pvalue)}"),
        ("constant", constant),
        *losses(asked.run, (asked.condition,), asked.task, n=found.n),
    )


def _distribution(labels: LabelDistribution) -> str:
    shares = " ".join(
        f"{plain(label)} {percent(number / labels.n)}"
        for label, number in labels.counts.items()
    )
    return (
        f"{shares} | entropy {labels.entropy:.2f} bits, {labels.evenness:.0%} of most"
    )


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.ABOVE_CEILING: (
        "shuffle the options and ask again: a bias stays with the label, knowledge "
        "moves with the text. Read accuracy on this slice beside the constant answer "
        "above"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "raise the ceiling"),
}
