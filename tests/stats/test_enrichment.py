"""Tests of Fisher's exact test and of the odds ratio's interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from scipy.stats.contingency import odds_ratio
from statsmodels.stats.contingency_tables import Table2x2

from pytest_vdg.stats.enrichment import Enrichment, enrichment, enrichment_among

cells = st.tuples(*[st.integers(0, 40)] * 4).filter(lambda four: sum(four) > 0)


def of(a: int, b: int, c: int, d: int, **more: object) -> Enrichment:
    """Return the enrichment of four counts, row by row."""
    return enrichment(
        flipped_marked=a,
        flipped_other=b,
        stable_marked=c,
        stable_other=d,
        **more,  # type: ignore[arg-type]
    )


def test_the_papers_odds_ratio_needs_other_cells_and_one_side() -> None:
    """3.76 and p = .006 come from 11/7/155/371, one-sided; not from 11/7/87/439."""
    # VDG paper, footnote 4, prints the second and the results of the first.
    found = of(11, 7, 155, 371, alternative="greater")
    assert found.odds_ratio is not None
    assert f"{found.odds_ratio:.2f} {found.pvalue:.3f}" == "3.76 0.006"
    printed = of(11, 7, 87, 439)
    assert printed.odds_ratio == pytest.approx(7.93, abs=0.005)
    # 11/18 = 61.1 % of the flipped ones; of the stable 155/526 = 29.5 %.
    assert found.flipped_share == pytest.approx(0.611, abs=5e-4)
    assert found.stable_share == pytest.approx(0.295, abs=5e-4)


def test_the_printed_interval_is_neither_exact_nor_woolfs() -> None:
    """Exact is [1.3, 11.6] and Woolf's [1.4, 9.9]; the paper prints [1.3, 10.8]."""
    found = of(11, 7, 155, 371)
    # scipy 1.17: odds_ratio(kind="conditional") 1.29994, 11.6359; statsmodels
    # 0.15: Table2x2(...).oddsratio_confint() 1.43157, 9.88239.
    assert (found.low, found.high) == pytest.approx((1.29994, 11.6359), rel=1e-4)
    assert (found.woolf_low, found.woolf_high) == pytest.approx(
        (1.43157, 9.88239), rel=1e-5
    )


@settings(max_examples=60, deadline=None)
@given(cells, st.sampled_from(["two-sided", "greater", "less"]))
def test_p_values_agree_with_scipy(
    four: tuple[int, int, int, int], alternative: str
) -> None:
    """Fisher's exact test is scipy's, for all three alternatives."""
    reference = fisher_exact([four[:2], four[2:]], alternative=alternative).pvalue
    assert of(*four, alternative=alternative).pvalue == pytest.approx(
        reference, abs=1e-9
    )


@settings(max_examples=25, deadline=None)
@given(st.tuples(*[st.integers(1, 30)] * 4))
def test_intervals_agree_with_scipy_and_statsmodels(
    four: tuple[int, int, int, int],
) -> None:
    """Exact ends are scipy's conditional ones, Woolf's are those of statsmodels."""
    table = np.array([four[:2], four[2:]])
    found = of(*four)
    exact = odds_ratio(table, kind="conditional").confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), rel=1e-5)
    woolf = Table2x2(table).oddsratio_confint(0.05)
    assert (found.woolf_low, found.woolf_high) == pytest.approx(woolf)


@given(cells)
def test_every_table_has_an_interval(four: tuple[int, int, int, int]) -> None:
    """Ends are numbers or infinity around the ratio, whatever cell is empty."""
    found = of(*four)
    assert 0 <= found.low < found.high
    assert math.isfinite(found.low)
    assert 0 <= found.pvalue <= 1
    if found.odds_ratio is not None:
        assert found.low <= found.odds_ratio <= found.high


@given(cells)
def test_swapping_rows_inverts_the_ratio(four: tuple[int, int, int, int]) -> None:
    """Enriched among the flipped is depleted among the stable."""
    a, b, c, d = four
    one, other = of(a, b, c, d), of(c, d, a, b)
    assert one.pvalue == pytest.approx(other.pvalue)
    if one.low > 0:
        assert one.low == pytest.approx(1 / other.high, rel=1e-6)


def test_nothing_flipped_says_nothing() -> None:
    """With an empty margin the ratio is undefined and the interval all there is."""
    found = of(0, 0, 30, 70)
    assert (found.odds_ratio, found.flipped_share) == (None, None)
    assert (found.low, found.high, found.pvalue) == (0.0, math.inf, 1.0)
    assert found.woolf_low is None


def test_cells_are_counted_over_questions() -> None:
    """Four cells follow from who flipped and who is marked."""
    flipped = np.array([True, True, False, False, False])
    marked = np.array([True, False, True, False, False])
    assert enrichment_among(flipped=flipped, marked=marked) == of(1, 1, 1, 2)


def test_impossible_arguments_are_named() -> None:
    """The error says which argument cannot be, and shows the value."""
    with pytest.raises(ValueError, match="flipped_other must be a nonnegative"):
        of(1, -1, 0, 0)
    with pytest.raises(ValueError, match="the sum of the four counts is 0"):
        of(0, 0, 0, 0)
    with pytest.raises(ValueError, match="alternative must be one of"):
        of(1, 1, 1, 1, alternative="larger")
    with pytest.raises(ValueError, match="flipped and marked must have equal lengths"):
        enrichment_among(flipped=np.array([True]), marked=np.array([True, False]))
