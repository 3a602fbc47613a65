"""`Level`: one number of a past run, with its interval.

Apart from the history's file because its numbers are checked here, before they
are written and after they are read: a NaN in a trend looks like a gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

DIGITS = 6
"""Digits of a fraction that are kept: more than any sample can tell."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """An accuracy or an effect, as a fraction in [-1, 1]."""

    name: str
    """Of the condition, or of the effect."""
    estimate: float
    low: float
    """Lower end of the two-sided interval."""
    high: float
    """Upper end of the two-sided interval."""
    n: int
    """Distinct questions behind it."""

    def __post_init__(self) -> None:
        """Refuse numbers that no one could draw."""
        if not self.name:
            raise ValueError("a level needs a name")
        numbers = (self.low, self.estimate, self.high)
        if not all(math.isfinite(number) for number in numbers):
            raise ValueError(f"{self.name}: numbers must be finite, got {numbers}")
        if not self.low <= self.estimate <= self.high:
            raise ValueError(f"{self.name}: {numbers} is no interval")
        if self.n < 1:
            raise ValueError(f"{self.name}: at least one question, got {self.n}")


def level_to(level: Level) -> list[Any]:
    """Return *level* as JSON values; no digit that matters to a trend is lost."""
    # float(): numpy's numbers are none of JSON's.
    given = (level.estimate, level.low, level.high)
    numbers = [round(float(number), DIGITS) for number in given]
    return [level.name, *numbers, int(level.n)]


def level_from(values: Sequence[Any]) -> Level:
    """Return the level that `level_to` wrote; errors are those of `from_record`."""
    name, estimate, low, high, n = values
    for number in (estimate, low, high):
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise TypeError(f"{name}: a number was expected, got {number!r}")
    return Level(name=str(name), estimate=estimate, low=low, high=high, n=n)
