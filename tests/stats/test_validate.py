"""Tests of the argument checks that all of `pytest_vdg.stats` shares."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytest_vdg.stats import _validate


def test_numpy_integers_are_counts() -> None:
    """A count summed by numpy is taken, and becomes a plain int."""
    assert type(_validate.count(np.int64(3), "n")) is int


@pytest.mark.parametrize("value", [True, np.float64(3.0), "3"])
def test_what_is_no_integer_is_refused(value: object) -> None:
    """Truth values, floats and text are not counts."""
    with pytest.raises(TypeError, match="n must be a nonnegative integer, got"):
        _validate.count(value, "n")


def test_no_question_is_nothing_to_compare() -> None:
    """Zero questions are an error of their own, not a small number."""
    with pytest.raises(ValueError, match="nothing to compare: n is 0 questions"):
        _validate.questions(0)


@pytest.mark.parametrize("value", [0.5, 1.0, 95, -1, math.nan, math.inf])
def test_confidence_excludes_its_ends(value: float) -> None:
    """A level must leave room for error, and err less than a coin."""
    with pytest.raises(ValueError, match=r"confidence must lie between 0\.5 and 1"):
        _validate.confidence(value)


def test_scores_may_come_as_whole_floats() -> None:
    """A float vector of whole numbers is taken as the integers it holds."""
    found = _validate.scores(np.array([1.0, -2.0, 0.0]))
    assert found.dtype == np.int64
    assert found.tolist() == [1, -2, 0]


def test_clusters_are_told_apart_by_value_and_type() -> None:
    """The names 1 and "1" are two videos, and equal names are one."""
    assert _validate.cluster_codes([1, "1", 1], 3).tolist() == [0, 1, 0]


def test_unequal_lengths_show_both() -> None:
    """A missing cluster name is an error with both counts."""
    with pytest.raises(ValueError, match="3 questions need as many clusters, got 2"):
        _validate.cluster_codes("ab", 3)
