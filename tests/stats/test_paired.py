"""Tests of the paired difference and of its score interval."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import xlogy

from pytest_vdg.stats.paired import PairedDifference, paired_difference
from tests.stats.strategies import Table, effects, levels, tables


def difference(table: Table, confidence: float = 0.95) -> PairedDifference:
    """Return the result for *table*, given as treated only, control only, n."""
    b, c, n = table
    return paired_difference(treated_only=b, control_only=c, n=n, confidence=confidence)


# Output of `scoreci.mp` in R 4.6.1, package PropCIs 0.3.0, which implements
# Tango (1998) by bisection to 1e-6 and estimates (c - b)/n, so was called with
# the two counts exchanged.
@pytest.mark.parametrize(
    ("table", "confidence", "low", "high"),
    [
        ((7, 0, 14), 0.95, 0.177034, 0.732008),
        ((0, 7, 14), 0.95, -0.732008, -0.177034),
        ((3, 2, 14), 0.95, -0.261078, 0.388996),
        ((1, 0, 14), 0.95, -0.159262, 0.314687),
        ((5, 5, 16), 0.95, -0.367507, 0.367507),
        ((14, 0, 14), 0.95, 0.569378, 1.0),
        ((0, 14, 14), 0.95, -1.0, -0.569378),
        ((2, 9, 20), 0.95, -0.601632, -0.027414),
        ((10, 3, 50), 0.95, -0.001498, 0.285475),
        ((25, 12, 200), 0.95, 0.005636, 0.126941),
        ((7, 0, 14), 0.90, 0.257068, 0.701218),
        ((10, 3, 50), 0.90, 0.023381, 0.260745),
        ((25, 12, 200), 0.90, 0.015476, 0.116447),
    ],
)
def test_agrees_with_r_propcis(
    table: Table, confidence: float, low: float, high: float
) -> None:
    """The interval is the one that R's PropCIs gives for the same counts."""
    result = difference(table, confidence)
    assert result.low == pytest.approx(low, abs=2e-6)
    assert result.high == pytest.approx(high, abs=2e-6)


# The same command for tables of which very little varies.
@pytest.mark.parametrize(
    ("table", "high"),
    [((0, 0, 14), 0.215311), ((13, 1, 14), 0.974556), ((1, 1, 2), 0.810938)],
)
def test_an_interval_does_not_exclude_what_its_bound_allows(
    table: Table, high: float
) -> None:
    """Where Tango's interval ends inside the one-sided bound, ours ends there."""
    result = difference(table)
    assert result.high == result.upper_bound > high


# Fagerland, Lydersen & Laake, Statistical Analysis of Contingency Tables
# (2017), ch. 8: complete response before and after consolidation (Cavo 2012),
# printed by their R package contingencytables as -0.0621 (-0.1240 to -0.0054),
# and airway hyper-responsiveness (Bentur 2009), -0.517 to -0.026.
@pytest.mark.parametrize(
    ("table", "low", "high", "digits"),
    [((6, 16, 161), -0.1240, -0.0054, 4), ((1, 7, 21), -0.517, -0.026, 3)],
)
def test_agrees_with_a_textbook(
    table: Table, low: float, high: float, digits: int
) -> None:
    """The interval is the one printed for two published crossover studies."""
    result = difference(table)
    assert round(result.low, digits) == low
    assert round(result.high, digits) == high


def test_nothing_discordant_gives_the_closed_form() -> None:
    """No change among n questions leaves z²/(n + z²) possible on both sides."""
    zz = 1.959963984540054**2
    result = difference((0, 0, 300))
    assert result.estimate == 0
    assert result.high == pytest.approx(zz / (300 + zz), rel=1e-12)
    assert result.low == -result.high


def test_one_question_proves_little() -> None:
    """A single question that changed leaves nearly the whole range possible."""
    result = difference((1, 0, 1))
    assert (result.estimate, result.high) == (1.0, 1.0)
    # At b = n the variance is n (1 - d²): d is where 1 - d - ½ = z sqrt(1 - d²),
    # which squared is d² (1 + z²) - d + ¼ - z² = 0, with z² = 2.7055.
    root = -math.sqrt(1 - 4 * 3.7055 * (0.25 - 2.7055))
    assert result.low == pytest.approx((1 + root) / (2 * 3.7055), abs=1e-4)


def test_all_gained_gives_the_closed_form() -> None:
    """Where every question was gained, the lower end is (n - z²)/(n + z²)."""
    result = difference((50, 0, 50))
    assert result.low == pytest.approx((50 - 3.8415) / (50 + 3.8415), abs=1e-5)


def score(delta: float, table: Table, nearer: float = 0.0) -> float:
    """Return the score statistic by a search for the nuisance parameter.

    The sample is taken to lie nearer to *delta* by so many questions.
    """
    b, c, n = table

    def negative_log_likelihood(q: float) -> float:
        p = (max(q + delta, 0.0), q, max(1 - 2 * q - delta, 0.0))
        counts = (b, c, n - b - c)
        return -sum(float(xlogy(k, p)) for k, p in zip(counts, p, strict=True))

    lowest, highest = max(0.0, -delta), (1 - delta) / 2
    q = minimize_scalar(
        negative_log_likelihood,
        bounds=(lowest, highest),
        method="bounded",
        options={"xatol": 1e-12},
    ).x
    deviation = b - c - n * delta
    deviation -= math.copysign(nearer, deviation)
    return deviation / math.sqrt(n * (2 * q + delta - delta * delta))


@pytest.mark.parametrize(
    "table", [(12, 2, 50), (3, 9, 30), (1, 1, 40), (212, 29, 600), (5, 0, 20)]
)
def test_the_ends_are_where_the_score_test_turns(table: Table) -> None:
    """At both ends a score test, maximised by search, has p = 1 - confidence."""
    result = difference(table)
    assert score(result.low, table) == pytest.approx(1.96, abs=2e-3)
    assert score(result.high, table) == pytest.approx(-1.96, abs=2e-3)


@pytest.mark.parametrize(
    "table", [(12, 2, 50), (3, 9, 30), (1, 1, 40), (212, 29, 600), (5, 0, 20)]
)
def test_the_bounds_are_where_half_a_question_less_turns(table: Table) -> None:
    """The same test, one-sided, of a sample half a question nearer to the bound."""
    result = difference(table)
    lower, upper = result.lower_bound, result.upper_bound
    assert score(lower, table, nearer=0.5) == pytest.approx(1.6449, abs=2e-3)
    assert score(upper, table, nearer=0.5) == pytest.approx(-1.6449, abs=2e-3)


@given(tables(), levels)
def test_swapping_the_conditions_mirrors_the_interval(
    table: Table, confidence: float
) -> None:
    """Which condition is called treated is a label: it only mirrors the result."""
    b, c, n = table
    one, other = difference((b, c, n), confidence), difference((c, b, n), confidence)
    assert one.estimate == -other.estimate
    assert (one.low, one.high) == (-other.high, -other.low)
    assert (one.lower_bound, one.upper_bound) == (
        -other.upper_bound,
        -other.lower_bound,
    )


@given(tables(), levels, effects)
def test_every_interval_is_an_interval(
    table: Table, confidence: float, design_effect: float
) -> None:
    """Ends are numbers in [-1, 1] around the estimate, and never coincide."""
    b, c, n = table
    result = paired_difference(
        treated_only=b,
        control_only=c,
        n=n,
        confidence=confidence,
        design_effect=design_effect,
    )
    ends = (result.low, result.lower_bound, result.upper_bound, result.high)
    assert all(math.isfinite(end) for end in ends)
    assert -1 <= result.low <= result.lower_bound <= result.estimate
    assert result.estimate <= result.upper_bound <= result.high <= 1
    assert result.low < result.high
    assert result.lower_bound < result.upper_bound


@given(tables())
def test_more_confidence_is_wider(table: Table) -> None:
    """Who wants to err less often must claim less."""
    results = [difference(table, level) for level in (0.8, 0.9, 0.95, 0.99)]
    for less, more in pairwise(results):
        assert more.low <= less.low
        assert more.high >= less.high
        assert more.high - more.low > less.high - less.low


@given(tables(), st.integers(2, 5))
def test_more_questions_are_narrower(table: Table, times: int) -> None:
    """The same shares among more independent questions say more."""
    b, c, n = table
    few, many = difference(table), difference((times * b, times * c, times * n))
    assert few.estimate == pytest.approx(many.estimate)
    assert many.high - many.low < few.high - few.low


@given(tables(), st.integers(2, 9))
def test_questions_asked_twice_add_nothing(table: Table, times: int) -> None:
    """Counts repeated k times over with design effect k give the interval of once."""
    b, c, n = table
    once = difference(table)
    again = paired_difference(
        treated_only=times * b,
        control_only=times * c,
        n=times * n,
        design_effect=times,
    )
    assert again.low == pytest.approx(once.low, abs=1e-9)
    assert again.high == pytest.approx(once.high, abs=1e-9)
    assert again.lower_bound == pytest.approx(once.lower_bound, abs=1e-9)
    assert again.upper_bound == pytest.approx(once.upper_bound, abs=1e-9)


@given(tables(), levels, st.floats(2, 60))
def test_few_videos_are_never_surer(table: Table, level: float, df: float) -> None:
    """A design effect that is an estimate costs certainty on all sides."""
    b, c, n = table
    known = difference(table, level)
    guessed = paired_difference(
        treated_only=b, control_only=c, n=n, confidence=level, df=df
    )
    assert guessed.low <= known.low
    assert guessed.lower_bound <= known.lower_bound
    assert guessed.upper_bound >= known.upper_bound
    assert guessed.high >= known.high


def test_the_estimate_ignores_the_design_effect() -> None:
    """Clustering makes a difference less certain, not smaller."""
    result = paired_difference(
        treated_only=30, control_only=10, n=100, design_effect=2.5
    )
    assert result.estimate == 0.2
    assert (result.n, result.treated_only, result.control_only) == (100, 30, 10)


def test_no_question_is_nothing_to_compare() -> None:
    """An empty slice has no difference, not one of zero."""
    with pytest.raises(ValueError, match="nothing to compare"):
        difference((0, 0, 0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"treated_only": -1}, "treated_only must be a nonnegative integer, got -1"),
        ({"treated_only": 8, "control_only": 3}, "must not exceed n, got 8 . 3 > 10"),
        ({"confidence": 95}, "confidence must lie between 0.5 and 1.*got 95"),
        ({"confidence": 0.05}, "confidence must lie between 0.5 and 1.*got 0.05"),
        ({"confidence": math.nan}, "confidence must lie.*got nan"),
        ({"design_effect": 0.5}, "design_effect must be finite and at least 1"),
        ({"design_effect": math.inf}, "design_effect must be finite"),
        ({"df": 0}, "df must be above 0, got 0"),
        ({"df": math.nan}, "df must be above 0, got nan"),
    ],
)
def test_impossible_arguments_are_named(
    arguments: dict[str, float], message: str
) -> None:
    """The error says which argument cannot be, and shows the value."""
    given_ = {"treated_only": 1, "control_only": 1, "n": 10} | arguments
    with pytest.raises(ValueError, match=message):
        paired_difference(**given_)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1.5, "3", None, True])
def test_counts_are_whole_numbers(value: object) -> None:
    """A count that is no integer is a mistake of type."""
    with pytest.raises(TypeError, match="control_only must be a nonnegative integer"):
        paired_difference(
            treated_only=1,
            control_only=value,  # type: ignore[arg-type]
            n=10,
        )
