"""Tests of the checks of arrays and groups."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytest_vdg.stats import _inputs


def test_arrays_of_one_length_come_back_in_order() -> None:
    """Names are for messages; the arrays keep the order they were given in."""
    first, second = np.array([True, False]), np.array([False, False])
    found = _inputs.paired(treated=first, control=second)
    assert found[0] is first
    assert found[1] is second


def test_numbers_are_no_correctness() -> None:
    """Zeros and ones might be answers or counts; booleans are neither."""
    with pytest.raises(TypeError, match="control must be booleans, got dtype int64"):
        _inputs.paired(treated=np.array([True]), control=np.array([1]))


def test_unequal_lengths_are_named_in_order() -> None:
    """The error shows each length beside its name."""
    with pytest.raises(
        ValueError, match="a and b must have equal lengths, got 2 and 1"
    ):
        _inputs.paired(a=np.array([True, False]), b=np.array([True]))


def test_without_clusters_each_question_is_its_own() -> None:
    """No clusters means independent questions, as many as there are."""
    assert list(_inputs.clusters_or_none(None, 3)) == [0, 1, 2]
    assert list(_inputs.clusters_or_none("aab", 3)) == ["a", "a", "b"]


def test_groups_are_numbered_by_name() -> None:
    """Numbers do not depend on which group came first."""
    names, codes = _inputs.group_codes(["order", "colour", "order"], 3)
    assert names == ["colour", "order"]
    assert codes.tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="2 questions need as many groups, got 1"):
        _inputs.group_codes(["order"], 2)


@pytest.mark.parametrize("value", [0.0, 0.5, 5, math.nan])
def test_a_level_that_is_none_is_refused(value: float) -> None:
    """A level of 5 was meant as 0.05."""
    with pytest.raises(ValueError, match=r"alpha must lie between 0 and 0\.5"):
        _inputs.alpha(value)
