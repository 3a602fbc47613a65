"""Several claims at once: all tasks under Holm, or the parts of one claim.

Apart from the assertions because each has a per-task form, and what twenty
chances of a false alarm cost is decided here once.

Two errors are held to ``1 - confidence`` each, over the family as a whole, as
the rule of each claim holds them for one: that *any* claim is called against
although it holds, and that *any* is called ``ok`` although it does not. Holm
(1979) needs no p-values for that: with k claims still open, each is held to
bounds at ``1 - (1 - confidence) / k``; those decided leave, k falls, and the
rest is asked again until nothing is decided. Both errors step down by
themselves, and what neither decides is ``INCONCLUSIVE``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial

from pytest_vdg.assertions import check
from pytest_vdg.assertions._explain import (
    ClaimFailed,
    Decide,
    Statement,
    conclude,
    family_finding,
    to_finding,
)
from pytest_vdg.assertions._words import count, labelled, listed, plain, pp, span
from pytest_vdg.assertions.judge import FIRST_WORDS
from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict, publish

Judge = Callable[[TaskFilter], Decide]
"""Prepare a claim on the questions of a task; deciding it is asked for after, at
several confidences, so that what takes long is done before."""


def each_time(count: Callable[[TaskFilter, float], Statement]) -> Judge:
    """Return the judge of a claim that is counted anew at each confidence."""
    return lambda task: partial(count, task)


_HELD = (Verdict.PASS, Verdict.COULD_NOT_BE_JUDGED)
_SEVERITY = {
    Verdict.PASS: 0,
    Verdict.INCONCLUSIVE: 1,
    Verdict.COULD_NOT_BE_JUDGED: 2,
}


def settle(
    judge: Judge,
    run: Run,
    *,
    task: TaskFilter,
    per_task: bool,
    confidence: float,
) -> Finding:
    """Judge one claim, or the same claim on each task, and conclude.

    With *per_task* there is one finding a task, each published. The claim holds
    when it does on every task. It fails when it fails on any, whatever the
    others are; else a task that could not be judged makes it an error, and an
    undecided one ``INCONCLUSIVE``.

    Returns
    -------
    Finding
        Of the claim; with *per_task* that of the worst task, its message
        listing all.

    Raises
    ------
    ClaimFailed, CouldNotBeJudged
        See `conclude`; *per_task*'s carry the worst task's numbers.
    ValueError, TypeError
        When *run* is no run, or *confidence* out of range.
    """
    __tracebackhide__ = True
    check.a_run("run", run)
    confidence = check.confidence_level(confidence)
    if not per_task:
        return conclude(judge(task)(confidence))
    tasks = tuple(dict.fromkeys(q.task for q in run.selected(task)))
    if not tasks:
        return conclude(judge(task)(confidence))  # refuses, in the words of all
    statements, refused = _judge_each(judge, tasks, confidence)
    for statement in statements:
        publish(to_finding(statement))
    lines = _table(statements, refused)
    if not statements:
        raise CouldNotBeJudged(_refusal(refused, len(tasks), lines))
    worst = worst_of(statements)
    if refused and _severity(worst) <= _SEVERITY[Verdict.COULD_NOT_BE_JUDGED]:
        raise CouldNotBeJudged(_refusal(refused, len(tasks), lines))
    finding = family_finding(worst, _aside(statements, len(tasks)), lines)
    if finding.verdict is Verdict.COULD_NOT_BE_JUDGED:
        raise CouldNotBeJudged(finding.message)
    if finding.verdict is not Verdict.PASS:
        raise ClaimFailed(finding)
    return finding


def all_of(parts: Sequence[Decide], confidence: float) -> Statement:
    """Return the worst of several parts of a claim that must all hold.

    That all hold is shown where each is, at *confidence* itself: who passes
    falsely had to pass the false part. That one does not hold is shown only at
    the confidence shared out among the parts, as each is a chance to err.
    """
    shown = [decide(confidence) for decide in parts]
    number = len(shown)
    if number == 1:
        return shown[0]
    careful = [decide(shared(confidence, number)) for decide in parts]
    note = f"bounds shared among {number} parts"
    pairs = list(zip(shown, careful, strict=True))
    against = [s.redecided(c, note) for s, c in pairs if _against(c)]
    if against:
        return worst_of(against)
    doubtful = [s.redecided(c, note) for s, c in pairs if s.verdict is not Verdict.PASS]
    return worst_of(doubtful) if doubtful else worst_of(shown)


def listing_parts(label: str, parts: Sequence[Decide]) -> Decide:
    """Return `all_of` *parts* with a line, called *label*, of each one's number."""
    parts = [cache(part) for part in parts]

    def decide(confidence: float) -> Statement:
        texts = [
            f"{s.said_measure} {pp(s.interval.estimate)} "
            f"{span(s.interval.low, s.interval.high)}"
            for s in (part(confidence) for part in parts)
        ]
        worst = all_of(parts, confidence)
        return replace(worst, evidence=((label, " | ".join(texts)), *worst.evidence))

    return decide


def shared(confidence: float, number: int) -> float:
    """Return the confidence at which one of *number* claims is held."""
    return confidence if number == 1 else 1 - (1 - confidence) / number


def worst_of(statements: Sequence[Statement]) -> Statement:
    """Return the statement with the gravest verdict, then the least clearance."""
    return max(statements, key=lambda s: (_severity(s), -s.clearance))


def _severity(statement: Statement) -> int:
    return _SEVERITY.get(statement.verdict, 3)


def _against(statement: Statement) -> bool:
    return statement.verdict not in _SEVERITY


def _judge_each(
    judge: Judge, tasks: Sequence[str], confidence: float
) -> tuple[list[Statement], dict[str, CouldNotBeJudged]]:
    """Return the statements of the tasks that can be judged, and the refusals."""
    decide: dict[str, Decide] = {}
    alone: dict[str, Statement] = {}
    refused: dict[str, CouldNotBeJudged] = {}
    for task in tasks:
        with _kept_apart(task, refused):
            decide[task] = judge(task)
            alone[task] = decide[task](confidence)

    @cache
    def at(task: str, number: int) -> Statement:
        if number == 1:
            return alone[task]
        return decide[task](shared(confidence, number))

    held, open_held = _step_down(list(alone), lambda t, k: at(t, k).verdict in _HELD)
    lost, open_lost = _step_down(list(alone), lambda t, k: _against(at(t, k)))
    # What neither way decided is open at the stricter of both, hence undecided.
    left = max(open_held, open_lost)
    statements = []
    for task, statement in alone.items():
        number = held.get(task) or lost.get(task) or left
        note = f"Holm over {len(alone)} tasks, here {number} open"
        stricter = at(task, number)
        statements.append(
            statement.redecided(stricter, note) if len(alone) > 1 else statement
        )
    return statements, refused


@contextmanager
def _kept_apart(task: str, refused: dict[str, CouldNotBeJudged]) -> Iterator[None]:
    """Keep the refusal of one task, to be told with those of the others."""
    try:
        yield
    except NotComparable:
        raise  # holds for the runs as a whole
    except CouldNotBeJudged as error:
        refused[task] = error


def _step_down(
    names: list[str], decided: Callable[[str, int], bool]
) -> tuple[dict[str, int], int]:
    """Return with how many still open each was decided, and how many stay open."""
    found: dict[str, int] = {}
    remaining = names
    while remaining:
        number = len(remaining)
        now = [name for name in remaining if decided(name, number)]
        if not now:
            break
        found |= dict.fromkeys(now, number)
        remaining = [name for name in remaining if name not in found]
    return found, len(remaining)


def _aside(statements: Sequence[Statement], tasks: int) -> str:
    failing = sum(s.verdict is not Verdict.PASS for s in statements)
    if failing:
        return f"{failing} of {count(tasks, 'task')} not ok, Holm"
    return f"worst of {count(tasks, 'task')}, Holm"


def _table(
    statements: Sequence[Statement], refused: dict[str, CouldNotBeJudged]
) -> list[tuple[str, str]]:
    rows = [
        (
            str(s.verdict),
            plain(str(s.task), 40),
            f"{pp(s.interval.estimate)} {span(s.interval.low, s.interval.high)}",
            f"n={s.n}",
        )
        for s in sorted(statements, key=lambda s: (-_severity(s), s.clearance))
    ]
    rows += [
        (str(Verdict.COULD_NOT_BE_JUDGED), plain(task, 40), _first(error), "")
        for task, error in refused.items()
    ]
    widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
    text = "\n".join(
        f"{verdict:<{widths[0]}}  {task:<{widths[1]}}  {number} {n}".rstrip()
        for verdict, task, number, n in rows
    )
    return [("tasks", text)]


def _first(error: CouldNotBeJudged) -> str:
    return plain(str(error).splitlines()[0].removeprefix(FIRST_WORDS), 160)


def _refusal(
    refused: dict[str, CouldNotBeJudged],
    tasks: int,
    table: Sequence[tuple[str, str]],
) -> str:
    """Return the text where tasks could not be judged: what can be told of all."""
    names = listed([plain(task) for task in refused])
    task, error = next(iter(refused.items()))
    first, *rest = str(error).splitlines()
    summary = (
        f"{FIRST_WORDS}{len(refused)} of {count(tasks, 'task')} ({names}); "
        f"{plain(task)}: {first.removeprefix(FIRST_WORDS)}"
    )
    lines = [summary]
    for label, text in table:
        lines += labelled(label, text)
    return "\n".join([*lines, *rest])
