"""Tests of one proportion and of its Wilson interval."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from pytest_vdg.stats.proportion import pvalue_above, wilson
from tests.stats.strategies import effects, levels


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int]:
    """Draw successes and n, both corners included."""
    n = draw(st.integers(1, 500))
    return draw(st.integers(0, n)), n


# Newcombe (1998), Statistics in Medicine 17:857-872, table I, score method
# without continuity correction: 81 of 263, 15 of 148, 0 of 20. For his fourth
# example, 1 of 29, ours is wider, see below.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
    ],
)
def test_agrees_with_newcombe(successes: int, n: int, low: float, high: float) -> None:
    """The interval is the one that Newcombe prints for his examples."""
    result = wilson(successes=successes, n=n)
    assert result.low == pytest.approx(low, abs=5e-5)
    assert result.high == pytest.approx(high, abs=5e-5)


# The same table, score method with continuity correction (method 4): each end of
# a 95 % interval is a one-sided bound at 97.5 %.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2535, 0.3682),
        (15, 148, 0.0598, 0.1644),
        (0, 20, 0.0, 0.2005),
        (1, 29, 0.0018, 0.1963),
    ],
)
def test_bounds_agree_with_newcombe(
    successes: int, n: int, low: float, high: float
) -> None:
    """Bounds are those of the score method with continuity correction."""
    result = wilson(successes=successes, n=n, confidence=0.975)
    assert result.lower_bound == pytest.approx(low, abs=5e-5)
    assert result.upper_bound == pytest.approx(high, abs=5e-5)


@given(shares(), levels)
def test_agrees_with_statsmodels(share: tuple[int, int], confidence: float) -> None:
    """The interval is that of statsmodels, but never ends inside its own bounds."""
    k, n = share
    low, high = proportion_confint(k, n, alpha=1 - confidence, method="wilson")
    result = wilson(successes=k, n=n, confidence=confidence)
    assert result.low == pytest.approx(min(low, result.lower_bound), abs=1e-9)
    assert result.high == pytest.approx(max(high, result.upper_bound), abs=1e-9)


def test_an_interval_does_not_exclude_what_its_bound_allows() -> None:
    """1 of 29: Wilson's lower end of .0061 lies inside the bound, which counts."""
    result = wilson(successes=1, n=29)
    # Wilson's limit for half a success: z = 1.6449, n = 29.
    p, zz = 0.5 / 29, 1.6449**2
    spread = math.sqrt(zz * p * (1 - p) / 29 + (zz / 58) ** 2)
    bound = (p + zz / 58 - spread) / (1 + zz / 29)
    assert result.low == result.lower_bound == pytest.approx(bound, abs=1e-6)
    assert bound < 0.0061


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


@given(shares(), levels, st.floats(2, 60))
def test_few_videos_are_never_surer(
    share: tuple[int, int], confidence: float, df: float
) -> None:
    """A design effect that is an estimate costs certainty on all sides."""
    k, n = share
    known = wilson(successes=k, n=n, confidence=confidence)
    guessed = wilson(successes=k, n=n, confidence=confidence, df=df)
    assert guessed.low <= known.low
    assert guessed.lower_bound <= known.lower_bound
    assert guessed.upper_bound >= known.upper_bound
    assert guessed.high >= known.high


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


@settings(deadline=None)
@given(
    st.integers(0, 60),
    st.integers(60, 80),
    st.floats(0.05, 0.95),
    st.sampled_from([1.0, 2.5]),
    st.sampled_from([math.inf, 12.0]),
)
def test_the_pvalue_is_that_of_the_lower_bound(
    right: int, n: int, known: float, effect: float, df: float
) -> None:
    """At the confidence of its p-value the bound is what it is tested against."""
    found = wilson(successes=right, n=n, design_effect=effect, df=df)
    pvalue = pvalue_above(found, known)
    if not 1e-6 < pvalue < 0.49:
        return
    again = wilson(
        successes=right, n=n, design_effect=effect, df=df, confidence=1 - pvalue
    )
    assert again.lower_bound == pytest.approx(known, abs=1e-6)


@pytest.mark.parametrize("known", [0.0, 1.0, math.nan])
def test_a_pvalue_needs_a_proportion_to_test(known: float) -> None:
    """Nothing is right always or never by chance."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        pvalue_above(wilson(successes=1, n=2), known)
