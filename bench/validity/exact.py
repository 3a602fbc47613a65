"""How often intervals hold the truth for independent questions, without chance.

Apart from the simulation because nothing needs to be drawn here: the shares
are sums over all tables of counts that can come, so they have no Monte-Carlo
error, and an interval that is too narrow in one place only is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

from bench.validity.arrays import HALF, Sides, score_sides
from bench.validity.worlds import Floats

_FORGOTTEN = 1e-8
"""Probability of the tables that are left out on each side of a sum."""


@dataclass(frozen=True, kw_only=True)
class Misses:
    """How often an interval lies wholly on one side of the truth."""

    above: float
    """Lower limit above the truth: the effect is overstated."""
    below: float
    """Upper limit below the truth: the effect is understated."""
    replicates: int | None = None
    """Slices drawn; None where the shares are exact."""

    @property
    def held(self) -> float:
        """How often the interval holds the truth."""
        return 1 - self.above - self.below

    @property
    def error(self) -> float:
        """Standard error of `held` by simulation; 0 where it is exact."""
        return self.error_of(self.above + self.below)

    def error_of(self, share: float) -> float:
        """Return the standard error of a simulated *share*; 0 if exact."""
        if self.replicates is None:
            return 0.0
        # One more miss and hit each: no miss among some is no proof of none.
        smoothed = (share * self.replicates + 1) / (self.replicates + 2)
        return float(np.sqrt(smoothed * (1 - smoothed) / self.replicates))


def paired(
    *, treated_only: float, control_only: float, n: int, confidence: float
) -> tuple[Misses, Misses]:
    """Return the misses of the interval and of the bounds of `paired_difference`.

    Parameters
    ----------
    treated_only, control_only : float
        True probabilities of the two kinds of discordant question.
    """
    gained, lost, weights = paired_tables(
        treated_only=treated_only, control_only=control_only, n=n
    )

    def at(level: float, half: float) -> Sides:
        return score_sides(
            gained=gained,
            lost=lost,
            n=np.full_like(gained, n),
            value=np.full_like(gained, treated_only - control_only),
            quantile=np.full_like(gained, ndtri(level)),
            half=half,
        )

    return _weighed(at, weights, confidence)


def paired_tables(
    *, treated_only: float, control_only: float, n: int
) -> tuple[Floats, Floats, Floats]:
    """Return gained, lost and probability of every table that can come."""
    gained = _likely(n, treated_only)
    lost = _likely(n, control_only)
    b, c = (grid.ravel() for grid in np.meshgrid(gained, lost))
    possible = b + c <= n
    b, c = b[possible], c[possible]
    rest = min(control_only / (1 - treated_only), 1.0)
    weights = binom.pmf(b, n, treated_only) * binom.pmf(c, n - b, rest)
    # Tables that hardly ever come cost time and no digit.
    kept = weights > 1e-14
    return b[kept].astype(float), c[kept].astype(float), weights[kept]


def proportion(
    *, probability: float, n: int, confidence: float
) -> tuple[Misses, Misses]:
    """Return the misses of the interval and of the bounds of `wilson`."""
    right = _likely(n, probability)
    distance = right - n * probability
    spread = np.sqrt(n * probability * (1 - probability))

    def at(level: float, half: float) -> Sides:
        allowed = float(ndtri(level)) * spread + half
        return Sides(above=distance > allowed, below=distance < -allowed)

    return _weighed(at, binom.pmf(right, n, probability), confidence)


def _likely(n: int, probability: float) -> Floats:
    low = float(binom.ppf(_FORGOTTEN, n, probability))
    high = float(binom.ppf(1 - _FORGOTTEN, n, probability))
    return np.arange(max(low - 1, 0), min(high + 1, n) + 1)


def _weighed(
    at: Callable[[float, float], Sides], weights: Floats, confidence: float
) -> tuple[Misses, Misses]:
    total = weights.sum()
    if not np.isclose(total, 1, atol=1e-5):
        raise ArithmeticError(f"the tables summed have probability {total}, not 1")
    bounds = at(confidence, HALF)
    interval = at((1 + confidence) / 2, 0.0) & bounds
    return _missed(interval, weights), _missed(bounds, weights)


def _missed(sides: Sides, weights: Floats) -> Misses:
    return Misses(
        above=float(weights[sides.above].sum()), below=float(weights[sides.below].sum())
    )
