"""Tests of equivalence: small, different, or not decided."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2

from pytest_vdg.stats.clusters import cluster_mean
from pytest_vdg.stats.equivalence import tost_cluster_mean, tost_paired
from pytest_vdg.stats.paired import paired_difference
from tests.stats.strategies import Table, alike, clustered, effects, levels, tables

margins = st.sampled_from([0.01, 0.05, 0.1, 0.3, 0.9])


def test_p_values_match_a_score_test_by_hand() -> None:
    """With nothing discordant the squared statistic is (n m - ½)² / n m (1 - m)."""
    # Tango's variance at delta = -m with b = c = 0: q = m, so n (m - m²) = 4.75;
    # the sample lies n m = 5 questions above it, less half a one.
    found = tost_paired(treated_only=0, control_only=0, n=100, margin=0.05)
    z_squared = (100 * 0.05 - 0.5) ** 2 / (100 * 0.05 * 0.95)
    assert found.p_lower == pytest.approx(chi2.sf(z_squared, 1) / 2)
    assert found.p_upper == pytest.approx(found.p_lower)
    assert found.pvalue == found.p_upper


def test_a_passed_lower_bound_alone_is_not_equivalence() -> None:
    """An interval of -0.16 to +0.36 with margins -0.4 and +0.3 is undecided."""
    # The reported case (jamovi 1593): only "falls short" is refused, and a tool
    # had the two p-values swapped. The bounds here are farther by half a question
    # of 28, which is 1.8 points.
    found = tost_paired(
        treated_only=12, control_only=9, n=28, margin=0.3, margin_below=0.4
    )
    assert (found.low, found.high) == pytest.approx((-0.178, 0.378), abs=0.004)
    assert found.p_lower < 0.05 < found.p_upper
    assert found.outcome == "inconclusive"


def test_not_significant_is_not_equivalent() -> None:
    """The VDG paper's "equal accuracy" of two models leaves 8 points possible."""
    # 547 common questions of Video-MME, original clips: 66 against 88.
    found = tost_paired(treated_only=66, control_only=88, n=547, margin=0.05)
    assert found.outcome == "inconclusive"
    assert found.pvalue > 0.05


def test_different_from_zero_is_not_yet_beyond_the_margin() -> None:
    """A difference may be real without being shown to matter."""
    # The same models on black clips: 61 against 105, 8 points.
    found = tost_paired(treated_only=61, control_only=105, n=547, margin=0.05)
    assert (found.outcome, found.beyond_margin) == ("different", False)
    far = tost_paired(treated_only=10, control_only=200, n=547, margin=0.05)
    assert (far.outcome, far.beyond_margin) == ("different", True)


def test_small_and_certain_is_equivalent_even_if_not_zero() -> None:
    """Half a point shown beyond doubt lies within a margin of five."""
    found = tost_paired(treated_only=60, control_only=10, n=10_000, margin=0.05)
    assert found.low > 0
    assert found.outcome == "equivalent"


@given(tables(), margins, levels, effects)
def test_the_p_value_and_the_interval_agree(
    table: Table, margin: float, confidence: float, effect: float
) -> None:
    """Equivalence is p below a, which is the 1 - 2a interval inside the margins."""
    found = tost_paired(
        treated_only=table[0],
        control_only=table[1],
        n=table[2],
        margin=margin,
        confidence=confidence,
        design_effect=effect,
    )
    assume(abs(found.pvalue - (1 - confidence)) > 1e-6)
    inside = -margin < found.low and found.high < margin
    assert inside == (found.pvalue < 1 - confidence)
    assert inside == (found.outcome == "equivalent")


@given(tables(), margins)
def test_swapping_the_conditions_swaps_the_two_tests(
    table: Table, margin: float
) -> None:
    """Which condition is called treated is a label: it only mirrors the result."""
    b, c, n = table
    one = tost_paired(treated_only=b, control_only=c, n=n, margin=margin)
    other = tost_paired(treated_only=c, control_only=b, n=n, margin=margin)
    assert (one.p_lower, one.p_upper) == pytest.approx((other.p_upper, other.p_lower))
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert one.outcome == other.outcome


@given(tables())
def test_a_wider_margin_is_easier(table: Table) -> None:
    """Who calls more differences small is never less sure of equivalence."""
    b, c, n = table
    small, large = (
        tost_paired(treated_only=b, control_only=c, n=n, margin=m).pvalue
        for m in (0.05, 0.2)
    )
    assert large <= small + 1e-12


@given(alike(), effects)
def test_clustering_never_makes_equivalence_surer(table: Table, effect: float) -> None:
    """Questions that share videos show less, where equivalence was shown at all."""
    b, c, n = table
    plain = tost_paired(treated_only=b, control_only=c, n=n, margin=0.1)
    assert plain.outcome == "equivalent"
    shared = tost_paired(
        treated_only=b, control_only=c, n=n, margin=0.1, design_effect=effect
    )
    assert shared.pvalue >= plain.pvalue - 1e-12


def test_a_cluster_mean_without_clusters_is_nearly_the_pair() -> None:
    """For changes by one on single videos both forms decide alike."""
    values = [1] * 9 + [-1] * 8 + [0] * 483
    pair = tost_paired(treated_only=9, control_only=8, n=500, margin=0.05)
    mean = tost_cluster_mean(values, range(500), margin=0.05)
    assert mean.outcome == pair.outcome == "equivalent"
    assert mean.estimate == pair.estimate
    assert mean.low == pytest.approx(pair.low, abs=1e-3)


@given(clustered(), st.sampled_from([0.05, 0.3, 1.5]))
def test_clustered_p_values_agree_with_their_bounds(
    sample: tuple[list[int], list[int]], margin: float
) -> None:
    """The farther of two limits is the larger of two p-values."""
    found = tost_cluster_mean(*sample, margin=margin)
    assert 0 <= found.pvalue <= 1
    assume(abs(found.pvalue - 0.05) > 1e-6)
    assert (found.outcome == "equivalent") == (found.pvalue < 0.05)


@given(clustered(), levels)
def test_at_its_own_bound_a_p_value_is_what_the_bound_errs(
    sample: tuple[list[int], list[int]], confidence: float
) -> None:
    """A bound at 95 % is the difference whose test gives p = .05, whichever is farther.

    Bounds at the end of the scale are there because there is nothing beyond.
    """
    mean = cluster_mean(*sample, confidence=confidence)
    assume(0.01 < mean.upper_bound < mean.size - 0.01)
    found = tost_cluster_mean(
        *sample, margin=mean.upper_bound, margin_below=1.9, confidence=confidence
    )
    assert found.p_upper == pytest.approx(1 - confidence, abs=1e-6)


def test_one_video_shows_no_equivalence() -> None:
    """Twenty equal answers on one clip tell nothing of other clips."""
    found = tost_cluster_mean([0, 1, -1, 0, 0, 0, 1, -1], ["clip"] * 8, margin=0.05)
    assert found.outcome == "inconclusive"


@pytest.mark.parametrize("margin", [0.0, -0.05, 1.0, 5, math.nan])
def test_a_margin_that_decides_nothing_is_refused(margin: float) -> None:
    """Zero can never be shown, one always; five points are not 5."""
    with pytest.raises(ValueError, match="margin must lie between 0 and 1"):
        tost_paired(treated_only=1, control_only=1, n=10, margin=margin)


def test_the_bounds_are_those_of_the_paired_interval() -> None:
    """The 1 - 2a interval is the pair of one-sided bounds, not another method."""
    pair = paired_difference(treated_only=12, control_only=7, n=90, confidence=0.9)
    found = tost_paired(
        treated_only=12, control_only=7, n=90, margin=0.1, confidence=0.9
    )
    assert (found.low, found.high) == (pair.lower_bound, pair.upper_bound)
