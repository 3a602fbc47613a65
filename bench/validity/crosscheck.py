"""The public functions on a sample of what was drawn: arrays must agree.

Apart from the arrays because it is what makes their numbers statements about
the package: the bench stops at the first interval that differs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bench.validity.arrays import Sides
from bench.validity.worlds import Ints
from pytest_vdg.stats import counted
from pytest_vdg.stats.clusters import ClusterMean, cluster_mean
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.proportion import Proportion

Interval = ClusterMean | PairedDifference | Proportion


class Disagreement(Exception):
    """The arrays do not compute what the package does."""


def questions(counts: Ints, scores: Ints) -> tuple[Ints, npt.NDArray[np.intp]]:
    """Return a score and a video for each question of ``(videos, K)`` counts."""
    videos, outcomes = np.indices(counts.shape)
    times = counts.ravel()
    return np.repeat(scores[outcomes.ravel()], times), np.repeat(videos.ravel(), times)


def paired_interval(counts: Ints, scores: Ints, confidence: float) -> PairedDifference:
    """Return the gap as the assertions compute it."""
    values, videos = questions(counts, scores)
    return counted.difference(values, videos.tolist(), confidence)


def proportion_interval(counts: Ints, scores: Ints, confidence: float) -> Proportion:
    """Return the accuracy as the assertions compute it."""
    values, videos = questions(counts, scores)
    return counted.share(values, videos.tolist(), confidence)


def mean_interval(counts: Ints, scores: Ints, confidence: float) -> ClusterMean:
    """Return the change as the assertions compute it."""
    values, videos = questions(counts, scores)
    return cluster_mean(values, videos.tolist(), confidence=confidence)


def require_same(
    interval: Interval, value: float, *, sides: Sides, at: int, bounds: bool = False
) -> None:
    """Raise `Disagreement` unless *interval* lies where *sides* say.

    An end within 1e-6 of the value is on either side: limits are solved for
    to some digits only.
    """
    low = interval.lower_bound if bounds else interval.low
    high = interval.upper_bound if bounds else interval.high
    for end, is_beyond, claimed in (
        (low, low > value, sides.above[at]),
        (high, high < value, sides.below[at]),
    ):
        if bool(is_beyond) != bool(claimed) and abs(end - value) > 1e-6:
            raise Disagreement(
                f"{interval} against {value}: the arrays say above="
                f"{sides.above[at]}, below={sides.below[at]}"
            )
