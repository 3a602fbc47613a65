"""`Flaw`: something that an audit found, in words, with the number that says so.

Apart from the numbers because a flaw is claimed only where its interval says so:
each kind is looked for at a confidence that leaves it, over all tasks, labels and
models together, one chance in twenty of crying wolf on a benchmark without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pytest_vdg.audits.key import KeyBalance, key_balance
from pytest_vdg.audits.measures import measure
from pytest_vdg.audits.panel import ORIGINAL, TEXT_ONLY, Panel
from pytest_vdg.runs import AskedQuestion
from pytest_vdg.spelling import points, span

FlawKind = Literal["text", "key", "blind", "unused video"]
ALPHA = 0.05
"""Chance of one kind of flaw being claimed of a benchmark without it."""
UNUSED = 0.05
"""Visual gain below which the video is called unused: five points."""


@dataclass(frozen=True, kw_only=True)
class Flaw:
    """One thing that is wrong with a benchmark; fractions."""

    kind: FlawKind
    words: str
    """What people read, e.g. ``skewed key: B in 79 of 80 (20.0 expected)``."""
    task: str | None
    """None for all tasks together."""
    estimate: float
    low: float
    """Lower end of the interval that the claim rests on: of bounds, each of which
    is off as seldom as the claim may be."""
    high: float
    bound: float
    """What the interval lies beyond, e.g. chance."""
    n: int
    """Questions, or askings of them."""
    questions: tuple[str, ...] = field(default=(), repr=False)
    """Ids of those that carry it; empty where they cannot be told apart."""


def shared(tests: int, alpha: float = ALPHA) -> float:
    """Return the confidence of each of so many *tests* (Bonferroni).

    >>> shared(1), shared(5)
    (0.95, 0.99)
    """
    return 1 - alpha / max(1, tests)


def key_flaws(
    questions: Sequence[AskedQuestion], *, among: str = "", tasks: bool = True
) -> list[Flaw]:
    """Return where the key of *questions* prefers labels.

    Over all questions first; single *tasks* only where nothing is found over all,
    as one skew would be told once for each of them. *among* says which questions
    these are, where they are not all.
    """
    names = list(dict.fromkeys(q.task for q in questions)) if tasks else []
    scopes: list[str | None] = [None, *(names if len(names) > 1 else [])]
    parts = {t: [q for q in questions if t is None or q.task == t] for t in scopes}
    tests = 2 * sum(len({x for q in part for x in q.labels}) for part in parts.values())
    found: list[Flaw] = []
    for task, part in parts.items():
        if found and task is not None and found[0].task is None:
            break
        balance = key_balance(part, task=task, confidence=shared(tests))
        found += _of_key(balance, part, among)
    return found


def _of_key(
    balance: KeyBalance, asked: Sequence[AskedQuestion], among: str
) -> Iterator[Flaw]:
    """Yield labels that are the answer too often; if none is, too seldom."""
    often = [each for each in balance.labels if each.too_often]
    for each in often or [each for each in balance.labels if each.too_seldom]:
        share = each.share
        words = (
            f"skewed key: {each.label} in {each.right} of {each.offered}{among} "
            f"({each.expected:.1f} expected)"
        )
        carriers = [q.id for q in asked if q.answer == each.label]
        yield Flaw(
            kind="key",
            words=words,
            task=balance.task,
            estimate=share.estimate,
            low=share.lower_bound,
            high=share.upper_bound,
            bound=each.chance,
            n=each.offered,
            questions=tuple(carriers) if often else (),
        )


def blind_flaws(panel: Panel) -> list[Flaw]:
    """Return which models answer above chance without a video, and where.

    All tasks together first; single tasks of a model only where it is not above
    chance over all. A key that always says B is found here, too, if a model
    has the habit: what a model answers blindly need not be language.
    """
    tasks = panel.tasks if len(panel.tasks) > 1 else ()
    tests = len(panel.members) * (1 + len(tasks))
    found = []
    for member in panel.members:
        for task in (None, *tasks):
            seen = measure(panel, [member], task=task, confidence=shared(tests)).blind
            if seen is None or seen.lower_bound <= 0:
                continue
            right = round(seen.accuracy * seen.n)
            words = (
                f"answered without the video: {member.name} is right on {right} of "
                f"{seen.n} ({seen.chance * seen.n:.1f} by chance), blind gap "
                f"{points(seen.estimate)} "
                f"{span(points(seen.lower_bound), points(seen.upper_bound))}"
            )
            found.append(
                Flaw(
                    kind="blind",
                    words=words,
                    task=task,
                    estimate=seen.estimate,
                    low=seen.lower_bound,
                    high=seen.upper_bound,
                    bound=0.0,
                    n=seen.n,
                    questions=_blindly_right(panel, member.name, task),
                )
            )
            if task is None:
                break
    return found


def _blindly_right(panel: Panel, name: str, task: str | None) -> tuple[str, ...]:
    cells = panel.member(name).run.cells
    asked = [q for q in panel.questions if task is None or q.task == task]
    return tuple(q.id for q in asked if cells[q.id, TEXT_ONLY].choice == q.answer)


def unused_flaws(panel: Panel) -> list[Flaw]:
    """Return where the video is worth less than `UNUSED` to *every* video model.

    To every one: that one model does not look says nothing of the questions.
    All claims of a place must hold, so that models do not share the error.
    """
    members = panel.of("video")
    if not members:
        return []
    tasks = panel.tasks if len(panel.tasks) > 1 else ()
    level = shared(1 + len(tasks))
    found = []
    for task in (None, *tasks):
        gains = {
            m.name: measure(panel, [m], task=task, confidence=level).gain
            for m in members
        }
        known = {name: gain for name, gain in gains.items() if gain is not None}
        if len(known) < len(members):
            continue
        name, best = max(known.items(), key=lambda item: item[1].upper_bound)
        if best.upper_bound >= UNUSED:
            continue
        who = "every model of the panel" if len(members) > 1 else name
        words = (
            f"video not used: {ORIGINAL} is worth less than {100 * UNUSED:g} points "
            f"over {TEXT_ONLY} to {who} (at most {points(best.upper_bound)}, {name})"
        )
        found.append(
            Flaw(
                kind="unused video",
                words=words,
                task=task,
                estimate=best.estimate,
                low=best.lower_bound,
                high=best.upper_bound,
                bound=UNUSED,
                n=best.n,
            )
        )
        if task is None:
            break
    return found
