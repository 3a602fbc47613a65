"""Tests of agreement on single questions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr
from statsmodels.stats.inter_rater import cohens_kappa

from pytest_vdg.stats.agreement import agreement, correlation, shared_core

scores = st.lists(
    st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=2, max_size=60
)


def test_kappa_and_correlation_by_hand() -> None:
    """3 of 4 equal, half expected: kappa is (3/4 - 1/2) / (1/2)."""
    found = agreement(first=[1, 1, 0, 0], second=[1, 0, 0, 0])
    # Expected: .5 * .25 + .5 * .75 = .5.
    assert (found.same.estimate, found.expected, found.kappa) == (0.75, 0.5, 0.5)
    assert found.pearson == pytest.approx(1 / 3**0.5)


@given(scores)
def test_kappa_and_correlation_agree_with_the_references(
    pairs: list[tuple[int, int]],
) -> None:
    """Kappa is statsmodels' and the correlation scipy's, where they have one."""
    first, second = zip(*pairs, strict=True)
    found = agreement(first=first, second=second)
    table = np.zeros((3, 3))
    for a, b in pairs:
        table[a + 1, b + 1] += 1
    if found.kappa is not None:
        assert found.kappa == pytest.approx(cohens_kappa(table, return_results=False))
    if found.pearson is not None:
        assert found.pearson == pytest.approx(pearsonr(first, second).statistic)
        assert -1 <= found.pearson <= 1
    else:
        assert len(set(first)) == 1 or len(set(second)) == 1


@given(scores)
def test_swapping_the_models_changes_nothing(pairs: list[tuple[int, int]]) -> None:
    """Agreement has no direction."""
    first, second = zip(*pairs, strict=True)
    one = agreement(first=first, second=second)
    other = agreement(first=second, second=first)
    assert (one.same, one.n) == (other.same, other.n)
    assert one.kappa == (None if other.kappa is None else pytest.approx(other.kappa))


def test_agreement_and_correlation_are_not_the_same() -> None:
    """Two models that nearly always score 0 agree widely and correlate hardly."""
    first, second = np.zeros(100, dtype=int), np.zeros(100, dtype=int)
    first[:5], second[4:9] = 1, 1
    found = agreement(first=first, second=second)
    assert found.same.estimate == 0.92
    assert found.kappa is not None
    assert found.kappa < 0.2
    assert found.pearson is not None
    assert found.pearson < 0.2


def test_one_score_throughout_has_neither_kappa_nor_correlation() -> None:
    """Where nothing varies nothing is shared beyond chance, and nothing is NaN."""
    found = agreement(first=[0, 0, 0], second=[0, 0, 0])
    assert (found.same.estimate, found.kappa, found.pearson) == (1.0, None, None)


def test_the_core_is_what_all_models_share() -> None:
    """62 of 600 questions need the video for every model: 10.3 %."""
    # VDG paper, section 4.1; the other cells are made up.
    gaps = np.zeros((3, 600), dtype=int)
    gaps[:, :62] = 1
    gaps[0, 62:100] = 1
    found = shared_core(gaps)
    assert (found.all_gain.successes, found.n, found.n_models) == (62, 600, 3)
    assert f"{found.all_gain.estimate:.3f}" == "0.103"
    assert found.all_still.successes == 500
    assert found.all_equal.successes == 562


def test_clusters_widen() -> None:
    """Ten equal questions on each of three videos are not thirty."""
    first = np.repeat([1, 0, 0], 10)
    second = np.repeat([1, 1, 0], 10)
    videos = np.repeat([0, 1, 2], 10).tolist()
    plain = agreement(first=first, second=second)
    shared = agreement(first=first, second=second, clusters=videos)
    assert shared.same.low < plain.same.low
    one, many = (
        shared_core([first, second]),
        shared_core([first, second], clusters=videos),
    )
    assert many.all_gain.high > one.all_gain.high


def test_impossible_arguments_are_named() -> None:
    """The error says which argument cannot be, and shows the value."""
    with pytest.raises(ValueError, match="equal lengths, got 2 and 1"):
        agreement(first=[0, 1], second=[0])
    with pytest.raises(ValueError, match="two models or more"):
        shared_core([[0, 1]])
    with pytest.raises(ValueError, match="x is empty"):
        correlation([], [])
    with pytest.raises(ValueError, match="finite"):
        correlation([1, float("nan")], [1, 2])
    with pytest.raises(ValueError, match="one shape"):
        correlation([1], [1, 2])
