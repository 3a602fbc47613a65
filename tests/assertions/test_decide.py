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
    above_floor_by,
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


@settings(deadline=None)
@given(intervals, fractions, st.booleans(), st.booleans())
def test_an_estimate_decides_only_where_it_is_asked(
    interval: Bounds, floor: float, by_estimate: bool, reached: bool
) -> None:
    """By the estimate the interval has no say, and by the bounds the estimate none."""
    found = above_floor_by(
        interval, floor, by_estimate=by_estimate, confidence=0.95, reached=reached
    )
    if by_estimate:
        assert found == estimate_above_floor(interval, floor, reached=reached)
        assert found.verdict in {Verdict.PASS, Verdict.BELOW_FLOOR}
        passes = interval.estimate > floor
        assert (found.verdict is Verdict.PASS) == passes or interval.estimate == floor
    else:
        assert found == above_floor(interval, floor, confidence=0.95)


@pytest.mark.parametrize(
    ("estimate", "reached", "verdict", "told"),
    [
        (0.1, False, Verdict.BELOW_FLOOR, "is not above the floor"),
        (0.1, True, Verdict.PASS, "is at or above the floor"),
        (0.2, False, Verdict.PASS, "is above the floor"),
        (0.2, True, Verdict.PASS, "is at or above the floor"),
        (0.0, False, Verdict.BELOW_FLOOR, "is not above the floor"),
        (0.0, True, Verdict.BELOW_FLOOR, "is below the floor"),
    ],
)
def test_a_floor_that_may_be_reached_is_passed_at_it(
    estimate: float, reached: bool, verdict: Verdict, told: str
) -> None:
    """Where a floor may be reached, reaching it is enough; words and verdict agree."""
    found = estimate_above_floor(
        Bounds(-1.0, -0.9, estimate, 0.9, 1.0), 0.1, reached=reached
    )
    assert found.verdict is verdict
    assert told in found.words


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


@pytest.mark.parametrize(
    ("confidence", "called"), [(0.95, "one-sided 95%"), (0.975, "one-sided 97.5%")]
)
def test_the_words_say_which_bound_decided(confidence: float, called: str) -> None:
    """Every decision names its confidence, its bound and what it was held to."""
    interval = Bounds(-0.45, -0.4, -0.3, -0.2, 0.1)
    for decision, told in (
        (above_floor(interval, -0.5, confidence=confidence), "lower bound -40.0pp"),
        (above_floor(interval, -0.1, confidence=confidence), "upper bound -20.0pp"),
        (below_ceiling(interval, 0.1, confidence=confidence), "upper bound -20.0pp"),
        (below_ceiling(interval, -0.5, confidence=confidence), "lower bound -40.0pp"),
        (no_loss(interval, 0.5, confidence=confidence), "lower bound -40.0pp"),
        (no_loss(interval, 0.2, confidence=confidence), "lower bound -40.0pp"),
    ):
        assert f"{called} {told}" in decision.words
    assert "a loss of more than 20.0pp," in decision.words


def test_shares_are_told_apart() -> None:
    """Accuracies get the digits that show on which side of the floor they are."""
    assert percents_apart(0.89987, 0.9) == ("89.99%", "90.00%")
    assert percents_apart(0.5, 0.5) == ("50.0%", "50.0%")
    assert percents_apart(0.0, 0.0001) == ("0.00%", "0.01%")
    assert percents_apart(0.99987, 1.0) == ("99.99%", "100.00%")


def test_what_is_no_share_keeps_its_sign() -> None:
    """A bound below zero is not shown as a share above it."""
    assert percents_apart(0.1, -0.1) == ("10.0%", "-10.0%")
    assert percents_apart(-0.1, 0.1) == ("-10.0%", "10.0%")
