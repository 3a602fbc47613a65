"""Tests of resampling videos."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.stats import _resampling
from pytest_vdg.stats.bootstrap import (
    bootstrap_mean,
    percentile_interval,
    video_bootstrap,
)
from pytest_vdg.stats.clusters import cluster_mean
from pytest_vdg.stats.paired import paired_difference
from tests.stats.strategies import clustered


def by_hand(
    values: np.ndarray, videos: list[int], resamples: int, seed: int
) -> np.ndarray:
    """Resample videos the slow way: gather the questions of each drawn video."""
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(np.array(videos) == v) for v in sorted(set(videos))]
    means = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(groups), len(groups))
        rows = np.concatenate([groups[g] for g in drawn])
        means.append(values[rows].mean())
    return np.array(means)


@pytest.mark.parametrize("binomial_cost", [0, 10**9], ids=["binomial", "draws"])
def test_agrees_with_resampling_by_hand(
    binomial_cost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways of drawing spread as a loop over videos does."""
    monkeypatch.setattr(_resampling, "_BINOMIAL_COST", binomial_cost)
    rng = np.random.default_rng(2)
    videos = rng.integers(0, 40, 200).tolist()
    values = (rng.random(200) < 0.4).astype(float)
    slow = by_hand(values, videos, 3000, seed=1)
    fast = video_bootstrap(values, videos, seed=1, resamples=3000)[:, 0]
    # Standard errors over 3000 resamples: of the mean 1/55, of the sd 1/77.
    assert fast.mean() == pytest.approx(slow.mean(), abs=0.08 * slow.std())
    assert fast.std() == pytest.approx(slow.std(), rel=0.08)


def test_many_resamples_have_the_cluster_robust_error() -> None:
    """The spread is the cluster-robust standard error without its small factor."""
    rng = np.random.default_rng(5)
    videos = np.repeat(np.arange(200), 3).tolist()
    values = np.repeat(rng.integers(-1, 2, 200), 3)
    error = cluster_mean(values, videos).se
    assert error is not None
    drawn = video_bootstrap(values, videos, seed=0, resamples=4000)
    # Videos have equal sizes, so the ratio is a mean; sd known to 1/sqrt(8000).
    assert drawn.std() == pytest.approx(error * math.sqrt(199 / 200), rel=0.04)


def test_columns_are_resampled_together() -> None:
    """A video drawn twice counts twice in every column, so differences are paired."""
    values = np.array([[1, 0], [0, 1], [1, 0], [0, 1]])
    drawn = video_bootstrap(values, "abcd", seed=3, resamples=50)
    assert np.allclose(drawn.sum(axis=1), 1)


def test_a_statistic_gets_sums_and_numbers_of_questions() -> None:
    """A ratio of sums is computed for all resamples at once."""
    values = np.array([[2.0, 1.0], [2.0, 1.0], [4.0, 2.0]])
    drawn = video_bootstrap(
        values,
        "aab",
        seed=0,
        resamples=30,
        statistic=lambda sums, counts: np.column_stack(
            [sums[:, 0] / sums[:, 1], counts]
        ),
    )
    assert drawn.shape == (30, 2)
    assert (drawn[:, 0] == 2).all()
    # Two draws among a video of two questions and one of one.
    assert set(drawn[:, 1].tolist()) == {2.0, 3.0, 4.0}


@settings(max_examples=30)
@given(clustered(), st.randoms(use_true_random=False))
def test_order_and_names_change_no_resample(
    sample: tuple[list[int], list[int]], order: random.Random
) -> None:
    """The same seed gives the same resamples in any order of questions, bit for bit."""
    values, videos = sample
    pairs = [(v / 3, f"video {c}") for v, c in zip(values, videos, strict=True)]
    order.shuffle(pairs)
    one = video_bootstrap([v / 3 for v in values], videos, seed=7, resamples=20)
    other = video_bootstrap(
        [v for v, _ in pairs], [c for _, c in pairs], seed=7, resamples=20
    )
    assert (one == other).all()


@settings(max_examples=30)
@given(clustered(), st.integers(2, 10))
def test_more_questions_on_the_same_videos_add_no_certainty(
    sample: tuple[list[int], list[int]], times: int
) -> None:
    """Asking all of it ten times over leaves every resample where it was."""
    values, videos = sample
    once = video_bootstrap(values, videos, seed=1, resamples=20)
    again = video_bootstrap(values * times, videos * times, seed=1, resamples=20)
    assert np.allclose(once, again)


def test_more_resamples_than_fit_at_once_are_drawn_in_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Memory is bounded whatever is asked for."""
    monkeypatch.setattr(_resampling, "_AT_ONCE", 10)
    drawn = video_bootstrap([0, 1, 0], "abc", seed=0, resamples=25)
    assert drawn.shape == (25, 1)
    assert len(np.unique(drawn)) > 2


@pytest.mark.parametrize("n", [1, 20, 300])
def test_no_change_has_the_interval_of_the_score_method(n: int) -> None:
    """Resampling nothing but zeros is no certainty."""
    found = bootstrap_mean([0] * n, range(n), seed=0)
    score = paired_difference(treated_only=0, control_only=0, n=n)
    assert (found.low, found.high) == (score.low, score.high)
    assert (found.lower_bound, found.upper_bound) == (
        score.lower_bound,
        score.upper_bound,
    )


@settings(max_examples=50)
@given(clustered())
def test_every_interval_is_an_interval(sample: tuple[list[int], list[int]]) -> None:
    """Ends are numbers around the estimate, and never coincide."""
    found = bootstrap_mean(*sample, seed=0, resamples=100)
    assert found.low <= found.lower_bound <= found.estimate + 1e-12
    assert found.estimate - 1e-12 <= found.upper_bound <= found.high
    assert found.lower_bound < found.upper_bound


def test_percentiles_are_those_of_numpy() -> None:
    """Ends are the linear percentiles, as in the papers' code."""
    drawn = np.random.default_rng(0).random(2000)
    found = percentile_interval(drawn)
    assert (found.low, found.high) == pytest.approx(np.percentile(drawn, [2.5, 97.5]))
    assert found.lower_bound == pytest.approx(np.percentile(drawn, 5))


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_an_undefined_statistic_has_no_interval(wrong: float) -> None:
    """Leaving out resamples where it is undefined would hide that it is."""
    with pytest.raises(ValueError, match="undefined in 1 of 3 resamples"):
        percentile_interval([0.1, wrong, 0.2])


@pytest.mark.parametrize(
    ("values", "videos", "error", "message"),
    [
        ([], [], ValueError, "nothing to compare"),
        ([0.5, math.nan], "ab", ValueError, "values must be finite"),
        ([0, 1], "abc", ValueError, "2 questions need as many videos, got 3"),
        (["x"], "a", TypeError, "values must be numbers"),
        ([[[1]]], "a", ValueError, r"shape \(n,\) or \(n, n_columns\)"),
    ],
)
def test_impossible_arguments_are_named(
    values: object, videos: object, error: type[Exception], message: str
) -> None:
    """The error says which argument cannot be, and shows the value."""
    with pytest.raises(error, match=message):
        video_bootstrap(values, videos, seed=0)  # type: ignore[arg-type]


def test_no_resample_is_no_bootstrap() -> None:
    """Zero resamples and an empty result are refused."""
    with pytest.raises(ValueError, match="resamples is 0"):
        video_bootstrap([1], "a", seed=0, resamples=0)
    with pytest.raises(ValueError, match="at least one"):
        percentile_interval([])
