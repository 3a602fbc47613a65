"""The package's intervals over arrays: does each of them hold a value?

Apart from the package because only a simulation asks millions of times. An
interval holds a value exactly where the test at that value does not refuse
it, so no limit is solved for. `crosscheck` holds every answer given here
against the public functions on a sample of each cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from bench.validity.worlds import Floats, Ints

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Totals:
    """Sums over a slice, one entry a replicate, for one score an outcome."""

    n: Floats
    """Questions judged."""
    videos: Floats
    """Videos with a judged question."""
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
        effect = np.where(self.videos == 1, self.n, effect)
        return np.where(still, 1.0, np.maximum(effect, 1.0))


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
        gained=(by_outcome @ gained).astype(float),
        lost=(by_outcome @ lost).astype(float),
        squares=(by_outcome @ scores**2).astype(float),
        largest=np.where(by_outcome > 0, np.abs(scores), 0).max(axis=1).astype(float),
        within=(by_outcome * (scores - mean[:, None]) ** 2).sum(axis=1),
        between=((sums - mean[:, None] * sizes) ** 2).sum(axis=1),
    )


def score_statistic(gained: Floats, lost: Floats, n: Floats, value: Floats) -> Floats:
    """Return Tango's score statistic of the difference *value*, in [-1, 1].

    Positive where the sample lies above it. Where nothing varies, it is 0 if
    sample and *value* agree and infinite if not.
    """
    linear = -gained - lost + (2 * n - gained + lost) * value
    constant = -lost * value * (1 - value)
    root = np.sqrt(np.maximum(linear * linear - 8 * n * constant, 0.0))
    control_only = (root - linear) / (4 * n)
    variance = np.maximum(n * (2 * control_only + value * (1 - value)), 0.0)
    distance = gained - lost - n * value
    close = np.abs(distance) <= 1e-9 * n
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = distance / np.sqrt(variance)
    return np.where(close, 0.0, statistic)


def paired_statistic(sums: Totals, value: float) -> Floats:
    """Return the statistic behind `paired_difference` with its design effect."""
    effect = sums.design_effect
    return score_statistic(
        sums.gained / effect,
        sums.lost / effect,
        sums.n / effect,
        np.full_like(sums.n, value),
    )


def wilson_statistic(sums: Totals, value: float) -> Floats:
    """Return the statistic behind `wilson` with its design effect."""
    effective = sums.n / sums.design_effect
    return (sums.mean - value) / np.sqrt(value * (1 - value) / effective)


@dataclass(frozen=True, eq=False, kw_only=True)
class Sides:
    """On which side of a value an interval lies; neither where it holds it."""

    above: Bools
    """The lower limit is above the value."""
    below: Bools
    """The upper limit is below the value."""


def normal_sides(statistic: Floats, level: float) -> Sides:
    """Return where limits at the one-sided *level* leave the tested value."""
    z = float(ndtri(level))
    return Sides(above=statistic > z, below=statistic < -z)


def mean_sides(sums: Totals, value: float, level: float) -> Sides:
    """Return where the limits of `cluster_mean` leave *value*."""
    t = np.asarray(stdtrit(np.maximum(sums.videos - 1, 1), level), dtype=np.float64)
    robust, alone = _robust_sides(sums, value, t)
    changed = sums.gained + sums.lost
    size = np.where(changed > 0, sums.squares / np.maximum(changed, 1), 1.0)
    scale = size * sums.design_effect
    scaled = value / size
    statistic = score_statistic(
        sums.gained / scale,
        sums.lost / scale,
        sums.n / sums.design_effect,
        np.clip(scaled, -1, 1),
    )
    quantile = np.where(alone, float(ndtri(level)), t)
    return Sides(
        above=robust.above & ((statistic > quantile) | (scaled < -1)),
        below=robust.below & ((statistic < -quantile) | (scaled > 1)),
    )


def _robust_sides(sums: Totals, value: float, t: Floats) -> tuple[Sides, Bools]:
    """Return the sides by t and CR1, and where only the score method is left."""
    alone = (sums.videos == 1) | (sums.within <= 1e-9)
    few = np.maximum(sums.videos - 1, 1)
    half = t * np.sqrt(sums.videos / few * sums.between) / sums.n
    half = np.where(sums.videos == 1, 0.0, half)
    low = np.maximum(sums.mean - half, -sums.largest)
    high = np.minimum(sums.mean + half, sums.largest)
    still = half <= 1e-12
    low, high = np.where(still, sums.mean, low), np.where(still, sums.mean, high)
    # What rounds to the value is not beyond it.
    return Sides(above=low > value + 1e-12, below=high < value - 1e-12), alone
