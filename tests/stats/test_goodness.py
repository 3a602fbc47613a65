"""Tests of goodness of fit and of equal margins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare
from statsmodels.stats.contingency_tables import SquareTable

from pytest_vdg.stats.goodness import goodness_of_fit, marginal_homogeneity

square = st.lists(
    st.lists(st.integers(1, 30), min_size=3, max_size=3), min_size=3, max_size=3
)


def test_two_labels_are_the_binomial_test() -> None:
    """The exact test of two labels is scipy's binomial test."""
    found = goodness_of_fit({"A": 14, "B": 5})
    assert found.method == "exact"
    assert found.pvalue == pytest.approx(binomtest(14, 19, 0.5).pvalue)


def test_three_labels_by_hand() -> None:
    """Three questions fall on one label in 3 of 27 ways."""
    assert goodness_of_fit({"A": 3, "B": 0, "C": 0}).pvalue == pytest.approx(3 / 27)


def test_expected_shares_may_differ() -> None:
    """Against 1:3 the exact test is the binomial one with p = 1/4."""
    found = goodness_of_fit({"A": 6, "B": 6}, {"A": 3.0, "B": 9.0})
    assert found.pvalue == pytest.approx(binomtest(6, 12, 0.25).pvalue)


def test_many_questions_are_scipys_chi_square() -> None:
    """Where tables cannot be listed, Pearson's chi-square takes over."""
    counts = {"A": 186, "B": 128, "C": 162, "D": 124}
    found = goodness_of_fit(counts)
    reference = chisquare(list(counts.values()))
    assert found.method == "chi-square"
    assert (found.statistic, found.df) == (pytest.approx(reference.statistic), 3)
    assert found.pvalue == pytest.approx(reference.pvalue)


def test_exact_and_chi_square_meet() -> None:
    """At the change from one to the other the two hardly differ."""
    counts = {"A": 37, "B": 25, "C": 24, "D": 18}
    exact = goodness_of_fit(counts)
    assert exact.method == "exact"
    assert exact.pvalue == pytest.approx(
        chisquare(list(counts.values())).pvalue, abs=0.01
    )


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=2, max_size=4).filter(any))
def test_names_do_not_matter(counts: list[int]) -> None:
    """Labels are only names: any order has the same p-value."""
    one = goodness_of_fit({str(i): c for i, c in enumerate(counts)})
    other = goodness_of_fit({str(i): c for i, c in enumerate(reversed(counts))})
    assert one.pvalue == pytest.approx(other.pvalue)
    assert 0 < one.pvalue <= 1


def test_one_label_fits() -> None:
    """With one label there is nothing to deviate from."""
    assert goodness_of_fit({"A": 7}).pvalue == 1.0


@settings(max_examples=40, deadline=None)
@given(square)
def test_equal_margins_agree_with_statsmodels(table: list[list[int]]) -> None:
    """Statistic and p-value are those of Stuart and Maxwell in statsmodels."""
    found = marginal_homogeneity(np.array(table))
    reference = SquareTable(np.array(table)).homogeneity(method="stuart_maxwell")
    assert found.df == reference.df
    assert found.statistic == pytest.approx(reference.statistic, abs=1e-8)
    assert found.pvalue == pytest.approx(reference.pvalue, abs=1e-8)


def test_a_label_that_never_comes_costs_no_degree_of_freedom() -> None:
    """An unused label changes neither statistic nor p-value."""
    three = [[5, 4, 1], [2, 9, 3], [6, 0, 8]]
    four = [[*row, 0] for row in three] + [[0, 0, 0, 0]]
    one, other = marginal_homogeneity(three), marginal_homogeneity(four)
    assert one.df == other.df == 2
    assert one.statistic == pytest.approx(other.statistic)


def test_all_on_the_diagonal_is_equal() -> None:
    """Answers that are all right are distributed as the key."""
    found = marginal_homogeneity([[4, 0], [0, 6]])
    assert (found.pvalue, found.df) == (1.0, 0)


def test_impossible_arguments_are_named() -> None:
    """The error says which argument cannot be, and shows the value."""
    with pytest.raises(ValueError, match="the sum of counts is 0"):
        goodness_of_fit({"A": 0})
    with pytest.raises(ValueError, match="expected must have the labels of counts"):
        goodness_of_fit({"A": 1, "B": 1}, {"A": 2.0})
    with pytest.raises(ValueError, match="sum to 2"):
        goodness_of_fit({"A": 1, "B": 1}, {"A": 1.0, "B": math.nan})
    with pytest.raises(ValueError, match=r"table must have shape \(k, k\)"):
        marginal_homogeneity([[1, 2]])
    with pytest.raises(ValueError, match="nonnegative integers"):
        marginal_homogeneity([[1.5, 0], [0, 1]])
