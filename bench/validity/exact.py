"""How often intervals hold the truth for independent questions, without chance.

Apart from the simulation because nothing needs to be drawn here: the shares
are sums over all tables of counts that can come, so they have no Monte-Carlo
error, and an interval that is too narrow in one place only is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

from bench.validity.arrays import score_statistic
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


def paired(*, treated_only: float, control_only: float, n: int, level: float) -> Misses:
    """Return the misses of `paired_difference` at the one-sided *level*.

    Parameters
    ----------
    treated_only, control_only : float
        True probabilities of the two kinds of discordant question.
    """
    gained, lost, weights = paired_tables(
        treated_only=treated_only, control_only=control_only, n=n
    )
    value = np.full_like(gained, treated_only - control_only)
    statistic = score_statistic(gained, lost, np.full_like(gained, n), value)
    return _weighed(statistic, weights, level)


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


def proportion(*, probability: float, n: int, level: float) -> Misses:
    """Return the misses of `wilson` at the one-sided *level*."""
    right = _likely(n, probability)
    spread = np.sqrt(probability * (1 - probability) / n)
    return _weighed(
        (right / n - probability) / spread, binom.pmf(right, n, probability), level
    )


def _likely(n: int, probability: float) -> Floats:
    low = float(binom.ppf(_FORGOTTEN, n, probability))
    high = float(binom.ppf(1 - _FORGOTTEN, n, probability))
    return np.arange(max(low - 1, 0), min(high + 1, n) + 1)


def _weighed(statistic: Floats, weights: Floats, level: float) -> Misses:
    total = weights.sum()
    if not np.isclose(total, 1, atol=1e-5):
        raise ArithmeticError(f"the tables summed have probability {total}, not 1")
    z = float(ndtri(level))
    return Misses(
        above=float(weights[statistic > z].sum()),
        below=float(weights[statistic < -z].sum()),
    )
