"""The one wording of all assertions: finding, evidence, next step, flips.

Apart from the assertions so that each of them only decides, and so that the
first line, which is all that a CI summary shows, is built in a single place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pytest_vdg.assertions._words import (
    count,
    labelled,
    percent,
    percent_span,
    plain,
    pp,
    span,
)
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import Missing
from pytest_vdg.outcomes.extent import in_orders, of_wanted, unknown_videos, wanted
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.stats.interval import Interval
from pytest_vdg.verdicts import Finding, Verdict, publish


class ClaimFailed(AssertionError):
    """The evidence does not meet the claim; `finding` holds the numbers."""

    finding: Finding

    def __init__(self, finding: Finding) -> None:
        """Carry the *finding*; its message is the text of the error."""
        super().__init__(finding.message)
        self.finding = finding

    def __reduce__(self) -> tuple[type[ClaimFailed], tuple[Finding]]:
        """Let the error be pickled: it is made from a finding, not a text."""
        return type(self), (self.finding,)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A decided claim with all that its message tells, before it is told."""

    claim: str
    verdict: Verdict
    measure: str
    """What the finding is called in tables, e.g. ``VDG change``."""
    said_measure: str
    """What the first line calls it, e.g. ``VDG`` (then "vs baseline")."""
    interval: Interval
    confidence: float
    bound: float
    bound_is: Literal["floor", "ceiling"] = "floor"
    """Whether the claim holds above the bound or below it."""
    versus: str
    """What it was held against, e.g. ``floor +10.0pp``."""
    margin: str | None = None
    """E.g. ``margin 5.0pp``: goes into the brackets of the first line."""
    missing: Missing = "drop"
    """What became of cells without a reply; said where it is not "drop"."""
    is_share: bool = False
    """Whether the measure is an accuracy and not a difference."""
    run: Run
    task: TaskFilter
    baseline: Run | None = None
    n: int
    """Distinct questions."""
    n_videos: int
    orders: tuple[int, int] = (1, 1)
    """Fewest and most orders of options under which one was asked."""
    smallest_detectable: float
    accuracies: tuple[tuple[str, float], ...]
    decided: str
    """The comparison that made the verdict, in words."""
    evidence: tuple[tuple[str, str], ...]
    """(label, text) of each line; an empty label continues the one before."""
    next_step: str
    flipped: tuple[tuple[str, str], ...] = ()

    @property
    def clearance(self) -> float:
        """How far the estimate is on the bound's good side; the worst has least."""
        above = float(self.interval.estimate) - self.bound
        return above if self.bound_is == "floor" else -above

    def redecided(self, other: Statement, note: str) -> Statement:
        """Return this statement with the verdict that *other* came to, and why.

        For the same claim held to stricter bounds: the numbers shown stay those
        of the claim by itself, so that claims can be compared.
        """
        same = (self.said_measure, self.versus) == (other.said_measure, other.versus)
        return replace(
            self if same else other,
            verdict=other.verdict,
            decided=f"{other.decided} ({note})",
            next_step=other.next_step,
        )


Decide = Callable[[float], Statement]
"""Decide a claim, its counts made, with bounds at a confidence."""


def conclude(statement: Statement) -> Finding:
    """Publish the finding of *statement*, and raise it unless it is a pass.

    Raises
    ------
    ClaimFailed
        When the evidence is against the claim, or does not decide it.
    CouldNotBeJudged
        When the verdict is that there is none.
    """
    __tracebackhide__ = True
    finding = to_finding(statement)
    publish(finding)
    if finding.verdict is Verdict.COULD_NOT_BE_JUDGED:
        raise CouldNotBeJudged(finding.message)
    if finding.verdict is not Verdict.PASS:
        raise ClaimFailed(finding)
    return finding


def to_finding(statement: Statement) -> Finding:
    """Return *statement* as the plain values that cross process borders."""
    return Finding(
        claim=statement.claim,
        verdict=statement.verdict,
        measure=statement.measure,
        estimate=float(statement.interval.estimate),
        low=float(statement.interval.low),
        high=float(statement.interval.high),
        confidence=float(statement.confidence),
        bound=float(statement.bound),
        bound_is=statement.bound_is,
        n=int(statement.n),
        n_planned=_of(statement),
        n_videos=int(statement.n_videos),
        smallest_detectable=float(statement.smallest_detectable),
        slice_name=statement.run.slice_name,
        checkpoint=statement.run.checkpoint,
        task=task_name(statement.task),
        baseline=statement.baseline.slice_name if statement.baseline else None,
        accuracies=tuple((c, float(a)) for c, a in statement.accuracies),
        message="\n".join([first_line(statement), *_body(statement)]),
    )


def task_name(task: TaskFilter) -> str | None:
    """Return the tasks of a filter as one name, sorted; None for all."""
    if task is None or isinstance(task, str):
        return task
    return ", ".join(sorted(set(task)))


def first_line(statement: Statement) -> str:
    """Return verdict, measure, number with interval, bound, n and videos."""
    interval = statement.interval
    if statement.is_share:
        number = percent(interval.estimate)
        ends = percent_span(interval.low, interval.high)
    else:
        number, ends = pp(interval.estimate), span(interval.low, interval.high)
    task = task_name(statement.task)
    inside = [
        *([statement.margin] if statement.margin else []),
        *([f"task {plain(task)}"] if task else []),
        *(["failed counted wrong"] if statement.missing == "wrong" else []),
        f"n={_questions(statement)}{in_orders(statement.orders)}",
        "videos unknown"
        if unknown_videos(statement.run)
        else count(statement.n_videos, "video"),
    ]
    verdict = str(statement.verdict)
    if statement.verdict is Verdict.COULD_NOT_BE_JUDGED:
        verdict += ":"
    return (
        f"{verdict} {statement.said_measure} {number} {ends} "
        f"vs {statement.versus} ({', '.join(inside)})"
    )


def _questions(statement: Statement) -> str:
    """Return how many questions were judged, and of how many where not of all."""
    of = _of(statement)
    if of is None:
        return count(statement.n, "question")
    return f"{statement.n} of {count(of, 'question')}"


def _of(statement: Statement) -> int | None:
    """Return how many questions there should be, where more than were judged."""
    of = wanted(statement.run, statement.task)
    return of if of > statement.n else None


def _body(statement: Statement) -> list[str]:
    task = task_name(statement.task)
    where = (
        f"{statement.claim} on slice {plain(statement.run.slice_name)}, "
        f"{f'task {plain(task)}' if task else 'all tasks'}"
    )
    if statement.run.checkpoint:  # a claim about questions has none
        where += f", checkpoint {plain(statement.run.checkpoint)}"
    lines = [
        *labelled("claim", where),
        *labelled("decided", statement.decided),
    ]
    for label, text in (*statement.evidence, *_extent(statement.run)):
        lines += labelled(label, text)
    lines += labelled("next", statement.next_step)
    for label, text in statement.flipped:
        lines += labelled(label, text)
    return lines


def _extent(run: Run) -> list[tuple[str, str]]:
    """Return what *run* lacks of its slice, and that its videos are not known."""
    lines = []
    if run.planned is not None:
        text = f"the run holds {of_wanted(run)} of its slice, and nothing of the others"
        lines.append(("asked", text))
    unknown = unknown_videos(run)
    return lines if unknown is None else [*lines, ("videos", unknown)]


def one_sided(confidence: float) -> str:
    """Return how a one-sided bound is called, e.g. ``one-sided 95%``."""
    return f"one-sided {100 * confidence:g}%"


def family_finding(
    statement: Statement, aside: str, lines: Sequence[tuple[str, str]]
) -> Finding:
    """Return *statement*, the worst of a family, as the finding of all.

    *aside* closes the brackets of the first line; *lines* tell of the others.
    """
    told = [part for label, text in lines for part in labelled(label, text)]
    first = f"{first_line(statement)[:-1]}; {aside})"
    message = "\n".join([first, *told, *_body(statement)])
    return replace(to_finding(statement), message=message)
