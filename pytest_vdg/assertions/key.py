"""The claim that no label is the answer much more often than its share.

Apart from position bias, which is a model's: this is the key's, takes no model,
and pays every model that has the habit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pytest_vdg.assertions import check
from pytest_vdg.assertions._bounds import less
from pytest_vdg.assertions._decide import below_ceiling
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import detectable_share, power_evidence
from pytest_vdg.assertions._explain import Statement
from pytest_vdg.assertions._family import all_of, each_time, settle
from pytest_vdg.assertions._words import count, percent, plain, pp, span
from pytest_vdg.assertions.judge import FIRST_WORDS
from pytest_vdg.audits.audit import asked_of
from pytest_vdg.audits.key import LabelShare, key_balance
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.runs import AskedQuestion, Fingerprint, Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict

_CLAIM = "assert_balanced_key"


def assert_balanced_key(
    run: Run | Slice | Benchmark | Sequence[Question],
    margin: float = 0.10,
    *,
    task: TaskFilter = None,
    per_task: bool = False,
    confidence: float = 0.95,
) -> Finding:
    """Claim that no label holds the key by more than *margin* above its share.

    The share of a label is 1/K of the questions with K options. Questions are
    grouped by their number of options: in each group that is more than *margin* of
    all questions, and so could carry as much by itself, every label's part of the
    key is held against 1/K. It is about the questions alone: no answer is read.

    Parameters
    ----------
    run : Run, Slice, Benchmark or sequence of Question
        Whose key it is, e.g. the fixture ``vdg_slice``, for which no checkpoint is
        needed.
    margin : float
        A fraction in [0, 1]: 0.10 lets a label of four be the answer to 35 of 100.
    task, per_task, confidence : see `assert_vdg_above`
        Of which tasks, and of each by itself; the level of the bounds.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.
        Its numbers are those of the label that is the answer too often, or comes
        nearest to it. Its checkpoint is empty where *run* is no run.

    Raises
    ------
    ClaimFailed
        ``ABOVE CEILING`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When there is no question.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ====================================================  ================
    share of the key - 1/K, of each label (Wilson)        verdict
    ====================================================  ================
    every one-sided upper bound < margin                  ``ok``
    some one-sided lower bound >= margin, at the          ``ABOVE CEILING``
    confidence shared out among the labels
    anything else                                         ``INCONCLUSIVE``
    ====================================================  ================

    The bounds have the design effect of the videos. A key that was balanced by
    design varies less than they take it to, so that they are on the side of
    caution: with four options and the default margin, 150 questions decide.
    """
    __tracebackhide__ = True
    margin = check.fraction("margin", margin, low=0, high=1)
    asked = _as_run(run)
    return settle(
        each_time(partial(_balanced, asked, margin)),
        asked,
        task=task,
        per_task=per_task,
        confidence=confidence,
    )


def _as_run(source: object) -> Run:
    """Return the questions of *source* as a run under no condition."""
    if isinstance(source, Run):
        return source
    if isinstance(source, Slice | Benchmark):
        return _without_cells(source.name, source.questions)
    if isinstance(source, Sequence) and all(isinstance(q, Question) for q in source):
        return _without_cells("these questions", source)
    raise TypeError(
        "run must be a Run, a Slice, a Benchmark or a sequence of Question, got "
        f"{source!r}. Take it from the fixture vdg_slice or vdg_run, or from "
        "load_benchmark(...)"
    )


def _without_cells(name: str, questions: Sequence[Question]) -> Run:
    return Run(
        checkpoint="",
        slice_name=name,
        questions=tuple(asked_of(questions)),
        conditions=(),
        cells={},
        fingerprint=Fingerprint(comparable={}, subject={}, informative={}),
    )


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What all parts of the claim are about."""

    run: Run
    margin: float
    task: TaskFilter
    evidence: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class _Group:
    """Questions with the same number of options."""

    options: int
    asked: Sequence[AskedQuestion]
    judged: bool
    """Whether they are enough of all to carry the margin."""


def _balanced(
    run: Run, margin: float, task: TaskFilter, confidence: float
) -> Statement:
    asked = run.selected(task)
    if not asked:
        raise CouldNotBeJudged(
            f"{FIRST_WORDS}slice {plain(run.slice_name)} holds no question, and has no "
            "key"
        )
    groups = _groups(asked, margin)
    evidence = tuple(("key", _group_line(group)) for group in groups)
    about = _Asked(run=run, margin=margin, task=task, evidence=evidence)
    parts = [
        partial(_label, about, group, label)
        for group in groups
        if group.judged
        for label in _labels(group)
    ]
    return all_of(parts, confidence)


def _groups(asked: Sequence[AskedQuestion], margin: float) -> list[_Group]:
    sizes = Counter(len(q.labels) for q in asked)
    largest = max(sizes.values())
    return [
        _Group(
            options=options,
            asked=[q for q in asked if len(q.labels) == options],
            # The largest in any case: where all are small, none would be judged.
            judged=size > margin * len(asked) or size == largest,
        )
        for options, size in sorted(sizes.items())
    ]


def _labels(group: _Group) -> list[str]:
    labels = {label for q in group.asked for label in q.labels}
    return sorted(labels, key=lambda name: (len(name), name))


def _label(asked: _Asked, group: _Group, label: str, confidence: float) -> Statement:
    """Say what *label* holds of the key of *group* above its share."""
    run, margin, task = asked.run, asked.margin, asked.task
    held = _shares(group, confidence)[label]
    interval = less(held.share, held.chance)
    decision = below_ceiling(interval, margin, confidence=confidence)
    smallest = detectable_share(held.share, rise=True)
    extent = Extent.over(group.asked)
    measure = f"key share of {plain(label)}"
    return Statement(
        claim=_CLAIM,
        verdict=decision.verdict,
        measure=measure,
        said_measure=f"{measure} - chance",
        interval=interval,
        confidence=confidence,
        bound=margin,
        bound_is="ceiling",
        versus=f"margin {pp(margin)}",
        margin=_among(group, of=len(run.selected(task))),
        run=run,
        task=task,
        **Extent.over(run.selected(task))._asdict(),
        smallest_detectable=smallest,
        accuracies=(),
        decided=f"label {plain(label)}: {decision.words}",
        evidence=(
            *asked.evidence,
            ("label", _told(group, held)),
            power_evidence(
                smallest, held.share.design_effect, extent.n_videos, what="rise"
            ),
        ),
        next_step=_ADVICE[decision.verdict],
    )


def _told(group: _Group, held: LabelShare) -> str:
    return (
        f"{plain(held.label)} is the answer to {held.right} of {held.offered} that "
        f"offer it among {group.options} options, {held.expected:.1f} by its share"
    )


def _among(group: _Group, *, of: int) -> str:
    """Return which questions the number is of, for the brackets of the first line."""
    there = len(group.asked)
    few = f"{there} with " if there < of else ""
    return f"{few}{group.options} options"


def _shares(group: _Group, confidence: float) -> Mapping[str, LabelShare]:
    found = key_balance(group.asked, confidence=confidence)
    return {each.label: each for each in found.labels}


def _group_line(group: _Group) -> str:
    found = key_balance(group.asked)
    shares = " | ".join(
        f"{plain(each.label)} {percent(each.share.estimate)} "
        f"{span(each.share.low - each.chance, each.share.high - each.chance)}"
        for each in found.labels
    )
    spread = found.distribution
    text = (
        f"{group.options} options, {count(len(group.asked), 'question')}: {shares}; "
        f"entropy {spread.entropy:.2f} bits, {spread.evenness:.0%} of most"
    )
    return text if group.judged else f"{text} (too few to carry the margin)"


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.ABOVE_CEILING: (
        "place the options anew by a seeded draw, or ask each question under several "
        "orders ('rotate' in vdg.yaml). Until then always answering that label earns "
        "what stands above"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "raise the margin"),
}
