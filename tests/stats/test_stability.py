"""Tests of rankings over halves and over models."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from pytest_vdg.stats.stability import rank_agreement, spearman, split_half

# VDG paper, Table 1 (missing answers dropped): the gap of each task.
TASKS = ("Attribute", "Object", "OCR", "Recognition", "Reasoning", "Temporal")
GAPS = {
    "Qwen2-VL": (0.400, 0.250, 26 / 81, 0.210, 18 / 80, 0.000),
    "LLaVA-Video": (0.460, 0.480, 0.330, 0.320, 0.160, 0.080),
    "InternVL2": (0.380, 0.380, 0.230, 0.250, 0.180, 0.090),
}

values = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=30
)


def test_task_ranks_of_three_models_are_the_printed_ones() -> None:
    """Rank correlations are .771, .667 and .928, with a mean of .789."""
    # VDG paper, section 4.1.
    gaps = {model: dict(zip(TASKS, row, strict=True)) for model, row in GAPS.items()}
    found = rank_agreement(gaps)
    pairs = [f"{rho:.3f}" for rho in found.pairs.values() if rho is not None]
    assert pairs == ["0.771", "0.667", "0.928"]
    assert found.mean is not None
    assert f"{found.mean:.3f}" == "0.789"


@given(values)
def test_ranks_agree_with_scipy(pairs: list[tuple[int, int]]) -> None:
    """Spearman's correlation is scipy's, ties included, where scipy has one."""
    x, y = zip(*pairs, strict=True)
    found = spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(spearmanr(x, y).statistic)


def test_a_model_that_ranks_nothing_has_no_correlation() -> None:
    """Equal gaps in all tasks are no ranking, and never NaN."""
    found = rank_agreement({"a": {"x": 0.1, "y": 0.2}, "b": {"x": 0.3, "y": 0.3}})
    assert found.pairs == {("a", "b"): None}
    assert found.mean is None


def made_up(per_task: int, spread: float) -> tuple[list[int], list[str]]:
    """Return gaps of five tasks whose means lie *spread* apart."""
    rng = np.random.default_rng(4)
    scores, groups = [], []
    for i, task in enumerate("abcde"):
        drawn = rng.random(per_task) < 0.1 + spread * i
        scores += drawn.astype(int).tolist()
        groups += [task] * per_task
    return scores, groups


def test_tasks_far_apart_rank_alike_in_every_half() -> None:
    """Where tasks differ by far more than noise, each half gives the same ranking."""
    scores, groups = made_up(400, 0.2)
    found = split_half(values=scores, groups=groups, seed=0, halves=200)
    assert (found.mean, found.low, found.high) == (1.0, 1.0, 1.0)


def test_tasks_alike_rank_by_chance() -> None:
    """Where tasks do not differ, halves disagree: what one has the other lacks."""
    scores, groups = made_up(400, 0.0)
    found = split_half(values=scores, groups=groups, seed=0, halves=400)
    assert found.mean < 0.5
    assert found.low < 0


def test_more_questions_rank_more_reliably() -> None:
    """The correlation of halves grows with the number of questions."""
    means = [
        split_half(values=v, groups=g, seed=0, halves=200).mean
        for v, g in (made_up(n, 0.03) for n in (20, 200, 2000))
    ]
    assert all(less < more for less, more in pairwise(means))


def test_videos_are_split_whole() -> None:
    """Ten equal questions on a video do not speak for both halves."""
    rng = np.random.default_rng(0)
    by_video = rng.integers(0, 2, 50)
    scores = np.repeat(by_video, 10)
    groups = np.repeat(list("abcde"), 100).tolist()
    videos = np.repeat(np.arange(50), 10).tolist()
    naive = split_half(values=scores, groups=groups, seed=0, halves=300)
    whole = split_half(
        values=scores, groups=groups, clusters=videos, seed=0, halves=300
    )
    assert whole.mean < naive.mean


@settings(max_examples=20)
@given(st.randoms(use_true_random=False), st.integers(0, 5))
def test_order_and_seed(order: random.Random, seed: int) -> None:
    """The same seed gives the same halves in any order of questions."""
    scores, groups = made_up(20, 0.1)
    pairs = list(zip(scores, groups, strict=True))
    order.shuffle(pairs)
    one = split_half(values=scores, groups=groups, seed=seed, halves=50)
    other = split_half(
        values=[v for v, _ in pairs], groups=[g for _, g in pairs], seed=seed, halves=50
    )
    assert one == other


def test_halves_that_tie_are_counted_and_left_out() -> None:
    """Splits in which one half ranks nothing are left out and said to be."""
    # Task "a" falls into (1, 0) and (1, 0), and ranks first in both halves, or
    # into (1, 1) and (0, 0), and ties with "b" in one.
    found = split_half(values=[1, 1, 0, 0, 0, 0], groups="aaaabb", seed=0, halves=300)
    assert found.undefined == pytest.approx(300 / 3, abs=30)
    assert found.mean == pytest.approx(1.0)


def test_nothing_to_rank_is_an_error() -> None:
    """One task, one question a task, ties in all halves, and NaN are refused."""
    with pytest.raises(ValueError, match="nothing to rank: 1 groups"):
        split_half(values=[0, 1], groups="aa", seed=0)
    with pytest.raises(ValueError, match="group 'b' cannot be split"):
        split_half(values=[0, 1, 1], groups="aab", seed=0)
    with pytest.raises(ValueError, match="tie in every half"):
        split_half(values=[0, 0, 0, 0], groups="aabb", seed=0)
    with pytest.raises(ValueError, match="values must be finite"):
        split_half(values=[0, float("nan"), 0, 0], groups="aabb", seed=0)
    with pytest.raises(ValueError, match="1 models, two are needed"):
        rank_agreement({"a": {"x": 0.1, "y": 0.2}})
    with pytest.raises(ValueError, match="same tasks"):
        rank_agreement({"a": {"x": 0.1, "y": 0.2}, "b": {"x": 0.1}})
    with pytest.raises(ValueError, match="1 tasks, two are needed"):
        rank_agreement({"a": {"x": 0.1}, "b": {"x": 0.1}})
    with pytest.raises(ValueError, match="x and y must have one shape"):
        spearman([1, 2], [1])
    with pytest.raises(ValueError, match="finite"):
        spearman([1, float("inf")], [1, 2])
