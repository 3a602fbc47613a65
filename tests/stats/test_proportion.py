"""Tests of one proportion and of its Wilson interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from pytest_vdg.stats.proportion import wilson
from tests.stats.strategies import effects, levels


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int]:
    """Draw successes and n, both corners included."""
    n = draw(st.integers(1, 500))
    return draw(st.integers(0, n)), n


# Newcombe (1998), Statistics in Medicine 17:857-872, table I, score method
# without continuity correction: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_agrees_with_newcombe(successes: int, n: int, low: float, high: float) -> None:
    """The interval is the one that Newcombe prints for his four examples."""
    result = wilson(successes=successes, n=n)
    assert result.low == pytest.approx(low, abs=5e-5)
    assert result.high == pytest.approx(high, abs=5e-5)


@given(shares(), levels)
def test_agrees_with_statsmodels(share: tuple[int, int], confidence: float) -> None:
    """The interval is that of statsmodels at every level."""
    k, n = share
    low, high = proportion_confint(k, n, alpha=1 - confidence, method="wilson")
    result = wilson(successes=k, n=n, confidence=confidence)
    assert result.low == pytest.approx(low, abs=1e-9)
    assert result.high == pytest.approx(high, abs=1e-9)


@given(shares(), levels, effects)
def test_every_interval_is_an_interval(
    share: tuple[int, int], confidence: float, design_effect: float
) -> None:
    """Ends lie in [0, 1] around the estimate and never coincide."""
    k, n = share
    p = wilson(successes=k, n=n, confidence=confidence, design_effect=design_effect)
    assert 0 <= p.low <= p.lower_bound <= p.estimate
    assert p.estimate <= p.upper_bound <= p.high <= 1
    assert p.lower_bound < p.upper_bound


@given(shares())
def test_counting_failures_mirrors_the_interval(share: tuple[int, int]) -> None:
    """The share of wrong answers is one minus the share of right ones."""
    k, n = share
    right, wrong = wilson(successes=k, n=n), wilson(successes=n - k, n=n)
    assert right.low == pytest.approx(1 - wrong.high, abs=1e-12)
    assert right.lower_bound == pytest.approx(1 - wrong.upper_bound, abs=1e-12)


@given(shares())
def test_a_one_sided_bound_is_an_end_at_twice_the_error(
    share: tuple[int, int],
) -> None:
    """A bound at 95 % is the end of the two-sided interval at 90 %."""
    k, n = share
    bound, interval = wilson(successes=k, n=n), wilson(successes=k, n=n, confidence=0.9)
    assert bound.lower_bound == pytest.approx(interval.low, abs=1e-9)
    assert bound.upper_bound == pytest.approx(interval.high, abs=1e-9)


def test_all_right_is_not_certainty() -> None:
    """Fifty of fifty leaves room below 1: n/(n + z²)."""
    result = wilson(successes=50, n=50)
    assert (result.estimate, result.high) == (1.0, 1.0)
    assert result.low == pytest.approx(50 / (50 + 1.959964**2), abs=1e-6)


def test_a_design_effect_counts_as_fewer_questions() -> None:
    """Hundred questions at design effect 2 are as good as fifty."""
    clustered = wilson(successes=40, n=100, design_effect=2)
    independent = wilson(successes=20, n=50)
    assert clustered.low == pytest.approx(independent.low)
    assert clustered.high == pytest.approx(independent.high)


def test_impossible_counts_are_refused() -> None:
    """No question is nothing to compare; more right than asked cannot be."""
    with pytest.raises(ValueError, match="nothing to compare"):
        wilson(successes=0, n=0)
    with pytest.raises(ValueError, match="successes must not exceed n, got 3 > 2"):
        wilson(successes=3, n=2)
