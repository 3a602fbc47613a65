"""Truths to judge verdicts by: how often which answers come together.

Apart from the draws made of them because the truth of every measure is a sum
over the table held here, exact whatever the table is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# The common factor of all arms, at the middles of as many equal stretches.
_FACTOR = ndtri((np.arange(4000) + 0.5) / 4000)


@dataclass(frozen=True, eq=False, kw_only=True)
class World:
    """A table of outcomes of one question: right or wrong in each arm."""

    patterns: npt.NDArray[np.bool_]
    """Shape ``(K, arms)``: right answers of each outcome."""
    probabilities: Floats
    """Shape ``(K,)``: how often each outcome comes; sums to one."""

    def __post_init__(self) -> None:
        """Refuse a table that is no distribution."""
        if not np.isclose(self.probabilities.sum(), 1) or self.probabilities.min() < 0:
            raise ValueError(f"no distribution: {self.probabilities!r}")

    def scores(self, *weights: float) -> Ints:
        """Return the weighted sum of the arms for each outcome, as whole numbers.

        ``scores(1, -1)`` is treated minus control.
        """
        scores: Ints = (self.patterns @ np.array(weights)).astype(np.int64)
        return scores

    def truth(self, scores: Ints) -> float:
        """Return the true mean of *scores*, one an outcome."""
        return float(self.probabilities @ scores)


def joint(*accuracies: float, alike: float) -> World:
    """Return arms with these accuracies whose answers go together.

    Parameters
    ----------
    *accuracies : float
        Of each arm, between 0 and 1.
    alike : float
        Correlation of the normal variables behind the answers, in [0, 1): at 0
        the arms know nothing of each other, near 1 few questions are
        discordant (at accuracies of one half: acos(alike) / pi of them).
    """
    patterns = _patterns(len(accuracies))
    cuts = ndtri(np.array(accuracies))
    right = ndtr(
        (cuts - np.sqrt(alike) * _FACTOR[:, None]) / np.sqrt(max(1 - alike, 1e-12))
    )
    chances = np.where(patterns[:, None, :], right, 1 - right).prod(axis=2).mean(axis=1)
    return World(patterns=patterns, probabilities=chances / chances.sum())


def two_runs(
    *, original: float, black: float, alike: float, redrawn: float, lost: float = 0.0
) -> World:
    """Return original and black, now and then: four arms in this order.

    Parameters
    ----------
    original, black : float
        Accuracies in the baseline.
    alike : float
        As in `joint`, between the two conditions.
    redrawn : float
        Share of questions answered anew, as if by another training run of
        equal skill; the rest are answered as in the baseline. 0.05 is a
        near-identical checkpoint, 1.0 a different one.
    lost : float
        By how much the gap fell: so many of the questions that needed the
        video (right with it only) are now right under black too. Accuracy
        keeps still, so that this is a dissociation.
    """
    then = joint(original, black, alike=alike)
    keeps = np.eye(len(then.probabilities))
    redraws = np.broadcast_to(then.probabilities, keeps.shape)
    moves = (1 - redrawn) * keeps + redrawn * redraws
    table = _forget(moves.T @ np.diag(then.probabilities), then, lost)
    now_patterns = np.repeat(then.patterns, len(then.patterns), axis=0)
    then_patterns = np.tile(then.patterns, (len(then.patterns), 1))
    return World(
        patterns=np.hstack([now_patterns, then_patterns]), probabilities=table.ravel()
    )


def _forget(table: Floats, world: World, lost: float) -> Floats:
    """Move *lost* of the table's rows (now) from sighted only to both right."""
    sighted = int(np.flatnonzero(world.scores(1, -1) == 1)[0])
    both = int(np.flatnonzero(world.patterns.all(axis=1))[0])
    share = lost / table[sighted].sum()
    if not 0 <= share <= 1:
        raise ValueError(f"cannot lose {lost}: only {table[sighted].sum():.3f} to lose")
    moved = table.copy()
    moved[both] += share * table[sighted]
    moved[sighted] -= share * table[sighted]
    return moved


def _patterns(arms: int) -> npt.NDArray[np.bool_]:
    bits = np.arange(2**arms)[:, None] >> np.arange(arms)[::-1]
    return (bits & 1).astype(bool)
