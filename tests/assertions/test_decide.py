"""The decision tables, as arithmetic on bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions._decide import (
    Decision,
    above_floor,
    below_ceiling,
    estimate_above_floor,
    no_loss,
    percents_apart,
)
from pytest_vdg.verdicts import Verdict


@dataclass(frozen=True)
class Bounds:
    """An interval made by hand."""

    low: float
    lower_bound: float
    estimate: float
    upper_bound: float
    high: float


intervals = st.lists(st.floats(-1, 1), min_size=5, max_size=5).map(
    lambda numbers: Bounds(*sorted(numbers))
)
fractions = st.floats(-1, 1)
margins = st.floats(0, 1)


@settings(deadline=None)
@given(intervals, fractions)
def test_a_floor_passes_exactly_above_the_lower_bound(
    interval: Bounds, floor: float
) -> None:
    """The verdict never rests on the estimate."""
    verdict = above_floor(interval, floor, confidence=0.95).verdict
    assert (verdict is Verdict.PASS) == (interval.lower_bound > floor)
    assert (verdict is Verdict.BELOW_FLOOR) == (interval.upper_bound <= floor)


@settings(deadline=None)
@given(intervals, margins)
def test_a_loss_is_neither_shown_nor_excluded_at_once(
    interval: Bounds, margin: float
) -> None:
    """Pass needs a bound, regression a bound and an estimate, the rest is open."""
    verdict = no_loss(interval, margin, confidence=0.95).verdict
    if interval.lower_bound > -margin:
        assert verdict is Verdict.PASS
    elif interval.estimate < -margin and interval.high < 0:
        assert verdict is Verdict.REGRESSION
    else:
        assert verdict is Verdict.INCONCLUSIVE


def test_a_bound_that_meets_the_floor_is_not_above_it() -> None:
    """Ties go against the claim, and at the upper bound against the model."""
    interval = Bounds(0.0, 0.1, 0.2, 0.3, 0.4)
    assert above_floor(interval, 0.1, confidence=0.9).verdict is Verdict.INCONCLUSIVE
    assert above_floor(interval, 0.3, confidence=0.9).verdict is Verdict.BELOW_FLOOR
    assert estimate_above_floor(interval, 0.2).verdict is Verdict.BELOW_FLOOR


@pytest.mark.parametrize(
    "interval",
    [
        Bounds(-0.3, -0.2, -0.1, 0.0, 0.1),  # lower bound at the margin
        Bounds(-0.5, -0.4, -0.2, -0.1, -0.05),  # estimate at the margin
        Bounds(-0.5, -0.4, -0.3, -0.1, 0.0),  # interval up to zero
    ],
)
def test_a_loss_that_meets_a_limit_is_open(interval: Bounds) -> None:
    """At the margin exactly, a loss is neither excluded nor shown."""
    assert no_loss(interval, 0.2, confidence=0.9).verdict is Verdict.INCONCLUSIVE


@settings(deadline=None)
@given(intervals, margins)
def test_a_shown_gain_is_never_a_loss(interval: Bounds, margin: float) -> None:
    """Whatever the margin, more than before passes."""
    if interval.lower_bound > 0:
        assert no_loss(interval, margin, confidence=0.95).verdict is Verdict.PASS


@settings(deadline=None)
@given(intervals, fractions)
def test_a_ceiling_is_a_floor_seen_from_the_other_side(
    interval: Bounds, ceiling: float
) -> None:
    """What is below a ceiling is, with all signs changed, above the floor."""
    ends = (interval.high, interval.upper_bound, interval.estimate)
    ends += (interval.lower_bound, interval.low)
    other = above_floor(Bounds(*(-end for end in ends)), -ceiling, confidence=0.95)
    found = below_ceiling(interval, ceiling, confidence=0.95)
    against = {Verdict.BELOW_FLOOR: Verdict.ABOVE_CEILING}
    assert found.verdict is against.get(other.verdict, other.verdict)


@pytest.mark.parametrize("field", ["lower_bound", "estimate", "upper_bound", "high"])
def test_a_nan_cannot_pass(field: str) -> None:
    """Every comparison with NaN is false, and false never means pass."""
    numbers = {
        "low": 0.1,
        "lower_bound": 0.2,
        "estimate": 0.3,
        "upper_bound": 0.4,
        "high": 0.5,
        field: math.nan,
    }
    decisions: tuple[Callable[[], Decision], ...] = (
        lambda: above_floor(Bounds(**numbers), 0.25, confidence=0.95),
        lambda: below_ceiling(Bounds(**numbers), 0.35, confidence=0.95),
        lambda: estimate_above_floor(Bounds(**numbers), 0.35),
        lambda: no_loss(Bounds(**{**numbers, "lower_bound": -1.0}), 0, confidence=0.9),
    )
    for decide in decisions:
        try:
            verdict = decide().verdict
        except ValueError:
            continue
        assert verdict is not Verdict.PASS


def test_shares_are_told_apart() -> None:
    """Accuracies get the digits that show on which side of the floor they are."""
    assert percents_apart(0.89987, 0.9) == ("89.99%", "90.00%")
    assert percents_apart(0.5, 0.5) == ("50.0%", "50.0%")
