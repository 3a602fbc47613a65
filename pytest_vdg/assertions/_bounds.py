"""Intervals of a measure that is another one less a known number.

Apart from the statistics because only one message needs it: the blind gap is
an accuracy less chance, and chance is no estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vdg.stats.interval import Interval


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The ends of an interval, wherever they come from."""

    estimate: float
    low: float
    high: float
    lower_bound: float
    upper_bound: float


def less(interval: Interval, known: float) -> Bounds:
    """Return the interval of what *interval* is of, less a *known* number."""
    return Bounds(
        estimate=interval.estimate - known,
        low=interval.low - known,
        high=interval.high - known,
        lower_bound=interval.lower_bound - known,
        upper_bound=interval.upper_bound - known,
    )
