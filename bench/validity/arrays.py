"""The package's intervals over arrays: does each of them hold a value?

Apart from the package because only a simulation asks millions of times. An
interval holds a value exactly where the test at that value does not refuse
it, so no limit is solved for. `crosscheck` holds every answer given here
against the public functions on a sample of each cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from bench.validity.worlds import Floats, Ints

Bools = npt.NDArray[np.bool_]

HALF = 0.5
"""Of an effective question: the continuity correction of one-sided bounds."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Totals:
    """Sums over a slice, one entry a replicate, for one score an outcome."""

    n: Floats
    """Questions judged."""
    videos: Floats
    """Videos with a judged question."""
    size_squares: Floats
    """Sum over videos of the square of its questions."""
    gained: Floats
    """Sum of the positive scores."""
    lost: Floats
    """Minus the sum of the negative scores."""
    squares: Floats
    largest: Floats
    """Largest size of a score."""
    within: Floats
    """Sum over questions of the squared distance from the mean."""
    between: Floats
    """Sum over videos of the square of the summed distances."""

    @property
    def mean(self) -> Floats:
        """Mean score."""
        return (self.gained - self.lost) / self.n

    @property
    def design_effect(self) -> Floats:
        """As `clusters.design_effect`."""
        still = self.within <= 1e-9
        scale = np.where(still, 1, (self.videos - 1) * self.n * self.within)
        effect = self.videos * (self.n - 1) * self.between / np.maximum(scale, 1e-12)
        effect = np.where(still, 1.0, np.maximum(effect, 1.0))
        return np.where(self.videos == 1, self.n, effect)

    @property
    def se(self) -> Floats:
        """As `ClusterMean.se`, but a number for one video too."""
        plain = self.within / np.maximum(self.n - 1, 1) / self.n
        return np.sqrt(self.design_effect * plain)

    @property
    def df(self) -> Floats:
        """As `clusters.worth`."""
        alone = (self.videos == 1) | (self.videos == self.n)
        return np.where(alone, np.inf, self.n**2 / self.size_squares - 1)


def totals(counts: Ints, scores: Ints) -> Totals:
    """Sum *counts*, shape ``(replicates, videos, K)``, with these *scores*."""
    sizes = counts.sum(axis=2)
    sums = counts @ scores
    by_outcome = counts.sum(axis=1)
    n = by_outcome.sum(axis=1).astype(float)
    mean = sums.sum(axis=1) / n
    gained, lost = np.maximum(scores, 0), np.maximum(-scores, 0)
    return Totals(
        n=n,
        videos=(sizes > 0).sum(axis=1).astype(float),
        size_squares=(sizes**2).sum(axis=1).astype(float),
        gained=(by_outcome @ gained).astype(float),
        lost=(by_outcome @ lost).astype(float),
        squares=(by_outcome @ scores**2).astype(float),
        largest=np.where(by_outcome > 0, np.abs(scores), 0).max(axis=1).astype(float),
        within=(by_outcome * (scores - mean[:, None]) ** 2).sum(axis=1),
        between=((sums - mean[:, None] * sizes) ** 2).sum(axis=1),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Sides:
    """On which side of a value an interval lies; neither where it holds it."""

    above: Bools
    """The lower limit is above the value."""
    below: Bools
    """The upper limit is below the value."""

    def __and__(self, other: Sides) -> Sides:
        """Return the sides of the wider of two intervals."""
        return Sides(above=self.above & other.above, below=self.below & other.below)


Test = Callable[[Totals, float, float, float], Sides]
"""From sums, a value, a one-sided level and `HALF` or 0 to the sides on which the
limits leave the value."""


def interval_and_bounds(
    test: Test, sums: Totals, value: float, confidence: float
) -> tuple[Sides, Sides]:
    """Return the sides of the two-sided interval and those of the bounds."""
    bounds = test(sums, value, confidence, HALF)
    return test(sums, value, (1 + confidence) / 2, 0.0) & bounds, bounds


def score_sides(
    *,
    gained: Floats,
    lost: Floats,
    n: Floats,
    value: Floats,
    quantile: Floats,
    half: float,
) -> Sides:
    """Return where Tango's limits leave the difference *value*, in [-1, 1].

    Where nothing varies, they do not if sample and *value* agree.
    """
    linear = -gained - lost + (2 * n - gained + lost) * value
    constant = -lost * value * (1 - value)
    root = np.sqrt(np.maximum(linear * linear - 8 * n * constant, 0.0))
    control_only = (root - linear) / (4 * n)
    variance = np.maximum(n * (2 * control_only + value * (1 - value)), 0.0)
    distance = gained - lost - n * value
    distance = np.where(np.abs(distance) <= 1e-9 * n, 0.0, distance)
    allowed = quantile * np.sqrt(variance) + half
    return Sides(above=distance > allowed, below=distance < -allowed)


def share_sides(sums: Totals, value: float, level: float, half: float) -> Sides:
    """Return where the limits of `counted.share` leave *value*."""
    effective, quantile = sums.n / sums.design_effect, _quantile(sums.df, level)
    distance = effective * (sums.mean - value)
    allowed = quantile * np.sqrt(effective * value * (1 - value)) + half
    by_score = Sides(above=distance > allowed, below=distance < -allowed)
    return by_score & _t_sides(sums, value, quantile)


def mean_sides(sums: Totals, value: float, level: float, half: float) -> Sides:
    """Return where the limits of `cluster_mean` leave *value*.

    Those of `counted.difference` are the same.
    """
    changed = sums.gained + sums.lost
    size = np.where(changed > 0, sums.squares / np.maximum(changed, 1), 1.0)
    scale, scaled = size * sums.design_effect, value / size
    quantile = _quantile(sums.df, level)
    within = score_sides(
        gained=sums.gained / scale,
        lost=sums.lost / scale,
        n=sums.n / sums.design_effect,
        value=np.clip(scaled, -1, 1),
        quantile=quantile,
        half=half,
    )
    by_score = Sides(
        above=within.above | (scaled < -1), below=within.below | (scaled > 1)
    )
    return by_score & _t_sides(sums, value, quantile)


def _quantile(df: Floats, level: float) -> Floats:
    finite = np.isfinite(df)
    t = stdtrit(np.where(finite, df, 1.0), level)
    return np.where(finite, t, float(ndtri(level)))


def _t_sides(sums: Totals, value: float, quantile: Floats) -> Sides:
    """Return the sides by the t test; by the mean alone where there is none."""
    half = np.where(np.isfinite(sums.df), quantile * sums.se, 0.0)
    low = np.maximum(sums.mean - half, -sums.largest)
    high = np.minimum(sums.mean + half, sums.largest)
    # What rounds to the value is not beyond it.
    return Sides(above=low > value + 1e-12, below=high < value - 1e-12)
