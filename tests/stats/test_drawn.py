"""Tests of drawn samples: their moments, their intervals, their verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_vdg.stats import _drawn
from pytest_vdg.stats._drawn import Sums, draw
from pytest_vdg.stats._ruled import mean_above, mirrored
from pytest_vdg.stats.clusters import cluster_mean
from pytest_vdg.stats.counted import difference
from tests.stats.strategies import levels, spread

SHARES = (0.3, 0.1, 0.6)
SCORES = ((1, -1, 0), (2, 0, -1))

bounds = st.integers(-999, 999).map(lambda thousandths: thousandths / 1000)


def one(values: list[int], videos: list[int]) -> Sums:
    """Return the sums of a single sample."""
    scores = np.array(values, dtype=np.float64)
    names = sorted(set(videos))
    sizes = np.array([videos.count(v) for v in names], dtype=np.float64)
    sums = np.array([scores[np.array(videos) == v].sum() for v in names])

    def alone(number: float) -> _drawn.Floats:
        return np.array([number])

    return Sums(
        n=len(values),
        n_videos=len(names),
        size_squares=int((sizes**2).sum()),
        gained=alone(scores[scores > 0].sum()),
        lost=alone(-scores[scores < 0].sum()),
        squares=alone((scores**2).sum()),
        video_squares=alone((sums**2).sum()),
        video_products=alone((sizes * sums).sum()),
    )


@given(spread(), levels, bounds)
def test_a_gap_is_decided_as_by_its_interval(
    sample: tuple[list[int], list[int]], level: float, bound: float
) -> None:
    """On whichever side of a bound the end lies, it is found there."""
    values, videos = [int(np.sign(v)) for v in sample[0]], sample[1]
    sums = one(values, videos)
    interval = difference(values, videos, level)
    assume(abs(interval.lower_bound - bound) > 1e-6)
    assume(abs(interval.upper_bound + bound) > 1e-6)
    assert mean_above(sums, bound, level=level)[0] == (interval.lower_bound > bound)
    above = mean_above(mirrored(sums), bound, level=level)[0]
    assert above == (-interval.upper_bound > bound)


@given(spread(), levels, bounds)
def test_a_change_is_decided_as_by_its_interval(
    sample: tuple[list[int], list[int]], level: float, bound: float
) -> None:
    """The farther of both ends decides, with no change at all as well."""
    values, videos = sample
    interval = cluster_mean(values, videos, confidence=level)
    assume(abs(interval.lower_bound - bound) > 1e-6)
    sums = one(values, videos)
    assert mean_above(sums, bound, level=level)[0] == (interval.lower_bound > bound)
    assume(abs(interval.low - bound) > 1e-6)
    found = mean_above(sums, bound, level=level, two_sided=True)[0]
    assert found == (interval.low > bound)


@given(spread())
def test_sums_give_the_published_design_effect(
    sample: tuple[list[int], list[int]],
) -> None:
    """Standard error and design effect are those of `cluster_mean`."""
    values, videos = sample
    found, known = one(values, videos), cluster_mean(values, videos)
    assert found.design_effect[0] == pytest.approx(known.design_effect)
    assert found.se[0] == pytest.approx(known.se, abs=1e-9)
    assert found.mean[0] == pytest.approx(known.estimate)


@pytest.mark.parametrize("way", ["by pattern", "pattern by video", "answers by video"])
@pytest.mark.parametrize("correlation", [0.0, 0.25])
def test_moments_are_those_asked_for(
    way: str, correlation: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mean, variance and likeness within videos, by each way to draw.

    Kish: the variance of the mean is that of independent questions times
    1 + (m - 1) * correlation.
    """
    videos = {"by pattern": 40, "pattern by video": 4, "answers by video": 4}[way]
    if way == "answers by video":
        monkeypatch.setattr(_drawn, "_MOST_PATTERNS", 0)
    draws, size = 6000, 4
    gap, other = draw(
        shares=SHARES,
        scores=SCORES,
        sizes=((size, videos),),
        correlation=correlation,
        draws=draws,
        seed=(len(way),),
    )
    for sums, mean, square in ((gap, 0.2, 0.4), (other, 0.0, 1.8)):
        variance = (square - mean**2) / (size * videos)
        variance *= 1 + (size - 1) * correlation
        assert sums.mean.mean() == pytest.approx(
            mean, abs=4 * (variance / draws) ** 0.5
        )
        assert sums.mean.var() == pytest.approx(variance, rel=0.08)
        assert sums.squares.mean() / sums.n == pytest.approx(square, rel=0.03)
    # What a question gains in one score is what it gains in the other.
    assert np.all(2 * gap.gained == other.gained)


def test_a_sample_too_large_for_memory_is_drawn_in_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cut in parts, there are as many samples, of the same size."""
    monkeypatch.setattr(_drawn, "_AT_ONCE", 100)
    (sums,) = draw(
        shares=SHARES,
        scores=SCORES[:1],
        sizes=((2, 5), (3, 1)),
        correlation=0.1,
        draws=101,
        seed=(9,),
    )
    assert sums.gained.shape == (101,)
    assert (sums.n, sums.n_videos, sums.size_squares) == (13, 6, 29)
    assert np.all(sums.gained + sums.lost <= 13)
