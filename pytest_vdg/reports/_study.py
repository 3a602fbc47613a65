"""One assumption of a plan, asked for power, bounds and losses.

Apart from ``forecast`` because it knows nothing of runs: it turns a function
from questions to power into the numbers that a plan shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_vdg.stats.planning import Answers, Outlook

CHANGE_RATES = (0.06, 0.02, 0.12)
"""Between near-identical checkpoints: 2 to 6 % of the answers under one
condition turn right or wrong (answers of one model to clips that were
compressed a little, github.com/JaeLee18/accuracy-without-grounding), and twice
that where both conditions' do."""
ANEW = 0.65
"""Between different checkpoints: the mean squared change of the gap over that
of two which have nothing in common, 2 * variance of the gap. On the published
answers of three 7B models .65² / (2 * .57²)."""
_ROWS = (50, 75, 100, 150, 200, 300, 500, 750)


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """A truth that is assumed, and what follows from it."""

    name: str
    """What is assumed, for tables."""
    needed: int | None
    """Judged questions from which the claim has its power; None where no
    number of questions is enough."""
    now: Outlook
    """How the claim would fare on another slice as large as the stored one."""
    shows: float | None
    """At that size: the highest floor, or smallest margin, shown with power."""
    finds: float | None = None
    """At that size: the smallest loss called a regression with power."""
    sd: float | None = None
    """Standard deviation of a question's change; None for a floor."""
    curve: tuple[tuple[int, float], ...]
    """(questions, power), rising in questions."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """One assumption on its way to its numbers."""

    name: str
    at: Callable[..., Outlook]
    bound: float
    argument: Literal["floor", "margin"]
    answers: Answers | None = None

    def outlook(self, n: int, bound: float | None = None) -> Outlook:
        """Return how the claim fares on *n* questions."""
        held = self.bound if bound is None else bound
        return self.at(n=n, **{self.argument: held})

    def power_at(self, n: int) -> float:
        """Return the power of the claim on *n* questions."""
        return self.outlook(n).passes

    def assumption(
        self, *, present: int, needed: int | None, sizes: Sequence[int], power: float
    ) -> Assumption:
        """Return what follows for a slice of *present* and of other *sizes*."""
        return Assumption(
            name=self.name,
            needed=needed,
            now=self.outlook(present),
            shows=self._shows(present, power),
            finds=self._finds(present, power),
            sd=None if self.answers is None else self.answers.mean_square**0.5,
            curve=tuple((n, self.power_at(n)) for n in sizes),
        )

    def _shows(self, n: int, power: float) -> float | None:
        """Return the strictest bound that is shown with *power*."""
        if self.argument == "floor":
            highest = edge(lambda floor: self.outlook(n, -floor).passes >= power, -1.0)
            return None if highest is None else -highest

        def ruled_out(margin: float) -> bool:
            found = self.outlook(n, margin)
            return found.passes + (found.vacuous or 0.0) >= power

        margin = edge(ruled_out, 0.0)
        if margin is None or self.outlook(n, margin).passes < power:
            return None
        return margin

    def _finds(self, n: int, power: float) -> float | None:
        """Return the smallest loss that is called a regression with *power*."""
        if self.answers is None or self.answers.gap <= 0:
            return None
        answers = self.answers

        def seen(share: float) -> bool:
            lost = answers.blinded(share)
            return self.at(n=n, margin=self.bound, answers=lost).against >= power

        share = edge(seen, 0.0, halvings=8)  # each draws anew
        return None if share is None else share * answers.gap


def assumed_changes(
    *, gained: float, lost: float, rate: float | None, different: bool
) -> list[tuple[str, Answers]]:
    """Return named assumptions on what changes, the one asked for first.

    One run with these shares does not tell: near-identical checkpoints at
    *rate*, or at the `CHANGE_RATES`, and different ones, see `ANEW`.
    """
    variance = gained + lost - (gained - lost) ** 2

    def answers(mean_square: float) -> Answers:
        return Answers.unchanged(gained=gained, lost=lost, mean_square=mean_square)

    other = [("checkpoints differ", answers(2 * variance * ANEW))]
    if different:
        return other
    rates = CHANGE_RATES if rate is None else (rate,)
    return [(f"{100 * r:g}% of answers change", answers(r)) for r in rates] + other


def edge(
    holds: Callable[[float], bool], low: float, halvings: int = 12
) -> float | None:
    """Return the smallest number from *low* to one for which *holds*."""
    high = 1.0
    if not holds(high):
        return None
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def rows(present: int, needed: Sequence[int | None]) -> list[int]:
    """Return questions to show power at: round ones, the present, the needed."""
    wanted = [n for n in needed[:1] if n is not None]
    last = 1.5 * max([present, *(n for n in needed if n is not None)])
    round_ones = [row * 10**power for power in range(3) for row in _ROWS]
    small = [10, 20, 30] if min([present, *wanted]) < 50 else []
    shown = [row for row in small + round_ones if row <= last]
    return sorted({*shown, present, *wanted})
