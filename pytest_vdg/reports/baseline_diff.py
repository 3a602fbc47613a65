"""What differs between two stored runs of a slice, question by question.

Apart from a claim because it judges nothing: whoever is to take a run as the
new baseline reads here what that changes. Two runs that are not comparable are
shown side by side as well, with what makes them so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pytest_vdg.comparable import require_comparable
from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.outcomes import PairedRuns, pair_answers, pair_runs
from pytest_vdg.reports.compare import compare_runs
from pytest_vdg.reports.comparison import ConditionTest
from pytest_vdg.runs import AskedQuestion, Run
from pytest_vdg.stats import counted
from pytest_vdg.stats.clusters import cluster_mean
from pytest_vdg.store._parse import Recorded


@dataclass(frozen=True, kw_only=True)
class Field:
    """One value that differs; None where one side has none."""

    name: str
    old: str | None
    new: str | None


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An estimate and its two-sided interval; fractions."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A question whose gap changed, and what was chosen under each condition."""

    question_id: str
    choices: tuple[tuple[str, str, str], ...]
    """(condition, old, new) of the choices that differ."""


@dataclass(frozen=True, kw_only=True)
class GapDiff:
    """VDG of both runs over the questions judged in both conditions of both."""

    n: int
    old: Interval
    new: Interval
    change: Interval
    lost: tuple[Moved, ...]
    """Questions that lost grounding."""
    gained: tuple[Moved, ...]


@dataclass(frozen=True, kw_only=True)
class BaselineDiff:
    """Result of `diff_recorded`."""

    slice_name: str
    names: tuple[str, str]
    """What people call the old and the new one, e.g. their paths."""
    fields: tuple[Field, ...]
    """What the headers say otherwise, but for numbers."""
    only_old: tuple[str, ...]
    """Questions that the new one lacks."""
    only_new: tuple[str, ...]
    altered: tuple[str, ...]
    """Questions of one id that ask something else; they are not paired."""
    not_comparable: tuple[str, ...]
    """Why a claim would be refused; empty where it would not."""
    conditions: tuple[ConditionTest, ...]
    """The conditions of both, over the questions judged in both."""
    gap: GapDiff | None
    """None where one of them lacks ``original`` or ``black``."""
    confidence: float

    @property
    def alike(self) -> bool:
        """Whether nothing differs that anyone would take note of."""
        told = any(f.name not in _NO_NEWS for f in self.fields)
        moved = any(test.flipped for test in self.conditions)
        lists = self.only_old or self.only_new or self.altered or self.not_comparable
        return not (told or moved or lists)


_NO_NEWS = ("created", "reason")


def diff_recorded(
    old: Recorded,
    new: Recorded,
    *,
    names: tuple[str, str] = ("baseline", "candidate"),
    confidence: float = 0.95,
) -> BaselineDiff:
    """Compare *new* with *old*, paired over the questions that both asked alike.

    Raises `CouldNotBeJudged` where they share no question.
    """
    before, after = _alike(old.run, new.run)
    ids = {q.id for q in after.questions}
    held = {q.id for q in old.run.questions}, {q.id for q in new.run.questions}
    return BaselineDiff(
        slice_name=new.run.slice_name,
        names=names,
        fields=_fields(old, new),
        only_old=tuple(sorted(held[0] - held[1])),
        only_new=tuple(sorted(held[1] - held[0])),
        altered=tuple(sorted((held[0] & held[1]) - ids)),
        not_comparable=_problems(new.run, old.run),
        conditions=_conditions(before, after, confidence),
        gap=_gap(before, after, confidence),
        confidence=confidence,
    )


def _alike(old: Run, new: Run) -> tuple[Run, Run]:
    """Return both at the questions they share, as if asked in the same way."""
    then = {q.id: q for q in old.questions}
    shared = [q for q in new.questions if q.id in then and _same(q, then[q.id])]
    if not shared:
        raise CouldNotBeJudged(
            f"slice {new.slice_name!r}: the two runs share no question, so nothing "
            "can be compared"
        )
    comparable = new.fingerprint.comparable
    before, after = (_at(run, shared, comparable) for run in (old, new))
    return before, after


def _same(one: AskedQuestion, other: AskedQuestion) -> bool:
    asked = [(q.labels, q.answer, q.question, q.video) for q in (one, other)]
    return asked[0] == asked[1]


def _at(
    run: Run, questions: Sequence[AskedQuestion], comparable: Mapping[str, str]
) -> Run:
    ids = {q.id for q in questions}
    return replace(
        run,
        questions=tuple(questions),
        planned=None,
        cells={key: cell for key, cell in run.cells.items() if key[0] in ids},
        fingerprint=replace(run.fingerprint, comparable=comparable),
    )


def _problems(new: Run, old: Run) -> tuple[str, ...]:
    try:
        require_comparable(new, old, advice="")
    except NotComparable as error:
        return tuple(line.strip() for line in str(error).strip().splitlines()[1:])
    return ()


def _fields(old: Recorded, new: Recorded) -> tuple[Field, ...]:
    sides = _header(old), _header(new)
    order = list(dict.fromkeys([*sides[0], *sides[1]]))
    found = ((name, sides[0].get(name), sides[1].get(name)) for name in order)
    return tuple(Field(name=n, old=a, new=b) for n, a, b in found if a != b)


def _header(recorded: Recorded) -> dict[str, str]:
    run = recorded.run
    prints = run.fingerprint
    values: dict[str, str | None] = {
        "slice": run.slice_name,
        "checkpoint": run.checkpoint,
        "created": run.created or None,
        "reason": recorded.reason or None,
        "environment": recorded.environment,
        "questions": str(len(run.questions)),
        "conditions": ", ".join(run.conditions),
        "planned": None if run.planned is None else str(sum(run.planned.values())),
    }
    # The checkpoint's name is told already; its weights are not.
    subject = {k: v for k, v in prints.subject.items() if k != "checkpoint"}
    for part in (subject, prints.comparable, prints.informative):
        values |= {name: str(part[name]) for name in sorted(part)}
    values |= {f"cap {name}": f"{value:g}" for name, value in vars(run.caps).items()}
    for each in recorded.criteria:
        of = f"margin of {each.claim} ({each.measure}"
        of += f", {each.task})" if each.task else ")"
        sure = "" if each.confidence is None else f" at {100 * each.confidence:g}%"
        why = f" ({each.reason})" if each.reason else ""
        values[of] = f"{each.margin:g}{sure}{why}"
    return {name: value for name, value in values.items() if value is not None}


def _conditions(old: Run, new: Run, confidence: float) -> tuple[ConditionTest, ...]:
    common = [c for c in old.conditions if c in new.conditions]
    judged = [c for c in common if _any_judged(old, new, c)]
    if not judged:
        return ()
    found = compare_runs([old, new], conditions=judged, confidence=confidence)
    return found.tests


def _any_judged(old: Run, new: Run, condition: str) -> bool:
    try:
        pair_answers(new, old, condition=condition)
    except CouldNotBeJudged:
        return False
    return True


def _gap(old: Run, new: Run, confidence: float) -> GapDiff | None:
    if any(not {"original", "black"} <= set(run.conditions) for run in (old, new)):
        return None
    try:
        runs = pair_runs(new, old, control="black")
    except CouldNotBeJudged:
        return None
    videos, asked = runs.now.video_ids, runs.now.asked_ids
    then, now = (
        counted.difference(side.differences, videos, confidence, asked)
        for side in (runs.then, runs.now)
    )
    change = cluster_mean(runs.changes, videos, confidence=confidence, questions=asked)
    lost, gained = (_moved(runs, old, new, sign) for sign in (-1, 1))
    return GapDiff(
        n=runs.now.extent.n,
        old=Interval(estimate=then.estimate, low=then.low, high=then.high),
        new=Interval(estimate=now.estimate, low=now.low, high=now.high),
        change=Interval(estimate=change.estimate, low=change.low, high=change.high),
        lost=lost,
        gained=gained,
    )


def _moved(runs: PairedRuns, old: Run, new: Run, sign: int) -> tuple[Moved, ...]:
    ids = sorted(
        question
        for question, change in zip(
            runs.now.question_ids, runs.changes.tolist(), strict=True
        )
        if change * sign > 0
    )
    return tuple(
        Moved(
            question_id=question,
            choices=tuple(
                (c, *choices)
                for c in ("original", "black")
                for choices in [(_choice(old, question, c), _choice(new, question, c))]
                if choices[0] != choices[1]
            ),
        )
        for question in ids
    )


def _choice(run: Run, question: str, condition: str) -> str:
    cell = run.cells[question, condition]
    return cell.choice if cell.choice is not None else cell.outcome.value


def to_json(diff: BaselineDiff) -> dict[str, Any]:
    """Return *diff* as JSON values; effects are fractions."""
    return {
        "slice": diff.slice_name,
        "old": diff.names[0],
        "new": diff.names[1],
        "alike": diff.alike,
        "fields": [asdict(each) for each in diff.fields],
        "only_old": list(diff.only_old),
        "only_new": list(diff.only_new),
        "altered": list(diff.altered),
        "not_comparable": list(diff.not_comparable),
        "confidence": diff.confidence,
        "vdg": None if diff.gap is None else asdict(diff.gap),
        "conditions": {test.condition: _test(test) for test in diff.conditions},
    }


def _test(test: ConditionTest) -> dict[str, Any]:
    found = test.difference
    return {
        "n": test.n,
        "old": test.first_accuracy,
        "new": test.second_accuracy,
        "change": {
            "estimate": found.estimate,
            "low": found.low,
            "high": found.high,
        },
        "flipped": [asdict(each) for each in test.flipped],
    }
