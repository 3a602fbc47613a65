"""Intervals seen from the other side, for claims that something is small.

Apart from the statistics because only the messages need it: a finding counts
more use of the video as positive and is held against a floor, so "the blind gap
is below 5 points" is told as "chance - text_only is above -5 points".
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vdg.assertions._explain import Interval


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The ends of an interval, wherever they come from."""

    estimate: float
    low: float
    high: float
    lower_bound: float
    upper_bound: float


def mirrored(interval: Interval, *, about: float = 0.0) -> Bounds:
    """Return the interval of *about* minus what *interval* is of."""
    return Bounds(
        estimate=about - interval.estimate,
        low=about - interval.high,
        high=about - interval.low,
        lower_bound=about - interval.upper_bound,
        upper_bound=about - interval.lower_bound,
    )
