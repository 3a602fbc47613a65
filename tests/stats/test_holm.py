"""Tests of Holm's adjustment."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.mcnemar import mcnemar

families = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(
    lambda values: {f"task {i}": p for i, p in enumerate(values)}
)


def test_by_hand() -> None:
    """The smallest of three counts threefold, and no later one falls below it."""
    adjusted = holm({"action": 0.01, "count": 0.04, "order": 0.03})
    # 3 * 0.01, then 2 * 0.03, then max(0.06, 1 * 0.04)
    assert adjusted == pytest.approx({"action": 0.03, "count": 0.06, "order": 0.06})


@given(families)
@settings(max_examples=15)  # statsmodels takes a tenth of a second for each
def test_agrees_with_statsmodels(pvalues: dict[str, float]) -> None:
    """The adjustment is that of statsmodels, name by name."""
    expected = multipletests(list(pvalues.values()), method="holm")[1]
    assert list(holm(pvalues).values()) == pytest.approx(list(expected))


@given(families)
def test_adjusting_never_helps_and_never_reorders(pvalues: dict[str, float]) -> None:
    """Adjusted values are at least the raw ones, at most 1, and rank alike."""
    adjusted = holm(pvalues)
    assert list(adjusted) == list(pvalues)
    for name, raw in pvalues.items():
        assert raw <= adjusted[name] <= 1
    by_raw = sorted(pvalues, key=pvalues.__getitem__)
    ranked = [adjusted[name] for name in by_raw]
    assert ranked == sorted(ranked)


def test_a_family_of_one_is_left_alone() -> None:
    """One claim needs no adjustment."""
    assert holm({"vdg": 0.04}) == {"vdg": 0.04}


def test_a_night_without_a_change_stays_quiet() -> None:
    """Twelve tasks of a model against itself raise few alarms: 5 % of nights."""
    rng = np.random.default_rng(20240611)
    alarms = 0
    for _ in range(400):
        flips = rng.binomial(30, 0.5, size=12)
        family = {
            str(task): mcnemar(treated_only=int(b), control_only=30 - int(b)).pvalue
            for task, b in enumerate(flips)
        }
        alarms += min(holm(family).values()) <= 0.05
    assert alarms <= 20  # 5 % of 400


def test_an_empty_family_is_an_error() -> None:
    """No claim at all must not look like no claim refused."""
    with pytest.raises(ValueError, match="nothing to compare"):
        holm({})


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_what_is_no_probability_is_named(value: float) -> None:
    """The error names the claim whose p-value cannot be."""
    with pytest.raises(ValueError, match=r"order must lie in \[0, 1\], got"):
        holm({"count": 0.5, "order": value})
