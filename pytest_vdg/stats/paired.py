"""Difference of two paired proportions, with Tango's score interval.

Apart from the tests of significance because a verdict rests on an interval: it
says how large an effect may be, where a p-value only says that there is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.optimize import brentq
from scipy.special import ndtri

from pytest_vdg.stats import _validate


@dataclass(frozen=True, kw_only=True)
class PairedDifference:
    """Result of `paired_difference`; fractions in [-1, 1]."""

    estimate: float
    """Accuracy under the treated condition minus that under the control."""
    low: float
    """Lower end of the two-sided interval at `confidence`."""
    high: float
    """Upper end of the two-sided interval at `confidence`."""
    lower_bound: float
    """One-sided lower bound at `confidence`."""
    upper_bound: float
    """One-sided upper bound at `confidence`."""
    confidence: float
    n: int
    """Questions answered under both conditions (copied from the input)."""
    treated_only: int
    """Questions right under the treated condition only (copied)."""
    control_only: int
    """Questions right under the control condition only (copied)."""
    design_effect: float
    """By what the counts were divided for the interval (copied)."""


def paired_difference(
    *,
    treated_only: int,
    control_only: int,
    n: int,
    confidence: float = 0.95,
    design_effect: float = 1.0,
) -> PairedDifference:
    """Compare the accuracies of the same questions under two conditions.

    Parameters
    ----------
    treated_only, control_only : int
        Questions right under one condition only. Those right or wrong under
        both carry no information on the difference but count in *n*.
    n : int
        All questions, at least 1.
    confidence : float
        Of the two-sided interval and, separately, of each one-sided bound;
        between 0.5 and 1.
    design_effect : float
        By what factor questions that share videos are worth less than
        independent ones, at least 1 (see `clusters.design_effect`). All counts
        are divided by it before the interval is computed (Rao & Scott 1992);
        the estimate is not affected.

    Returns
    -------
    PairedDifference
        No interval has zero width: with no discordant question its ends are
        -z²/(n + z²) and z²/(n + z²).

    Raises
    ------
    ValueError
        When there is nothing to compare (n = 0) or the counts cannot be.

    References
    ----------
    Tango (1998), Statistics in Medicine 17:891-908. Rao & Scott (1992),
    Biometrics 48:577-585.

    Examples
    --------
    >>> vdg = paired_difference(treated_only=212, control_only=29, n=600)
    >>> f"{vdg.estimate:.3f} [{vdg.low:.3f}, {vdg.high:.3f}]"
    '0.305 [0.260, 0.349]'
    """
    b, c, total = _validate.pair_counts(treated_only, control_only, n)
    level = _validate.confidence(confidence)
    divisor = _validate.design_effect(design_effect)
    gained, lost, size = b / divisor, c / divisor, total / divisor
    two_sided, one_sided = float(ndtri((1 + level) / 2)), float(ndtri(level))
    low, high = score_limits(gained=gained, lost=lost, n=size, z=two_sided)
    lower, upper = score_limits(gained=gained, lost=lost, n=size, z=one_sided)
    return PairedDifference(
        estimate=(b - c) / total,
        low=low,
        high=high,
        lower_bound=lower,
        upper_bound=upper,
        confidence=level,
        n=total,
        treated_only=b,
        control_only=c,
        design_effect=divisor,
    )


def score_limits(
    *, gained: float, lost: float, n: float, z: float
) -> tuple[float, float]:
    """Return the differences that a score test at quantile *z* does not refuse.

    The counts may be fractional: effective counts after a design effect.
    """
    return _lower_limit(gained, lost, n, z), -_lower_limit(lost, gained, n, z)


def _lower_limit(b: float, c: float, n: float, z: float) -> float:
    """Solve |score statistic| = z for its lower root.

    The score statistic falls from infinity at -1 to 0 at the estimate, so the
    two bracket exactly one root; but at three corners it is 0/0 at the
    estimate itself, where the root is known in closed form.
    """
    estimate = (b - c) / n
    if c == n:
        return -1.0
    if b == c == 0:
        return -z * z / (n + z * z)
    if b == n:
        return (n - z * z) / (n + z * z)

    def excess(delta: float) -> float:
        return n * (estimate - delta) - z * _score_sd(delta, b, c, n)

    return float(brentq(excess, -1.0, estimate, xtol=1e-13))


def _score_sd(delta: float, b: float, c: float, n: float) -> float:
    """Return the standard deviation of b - c if the true difference is *delta*.

    The nuisance parameter q, the probability of a control-only question, is
    its maximum-likelihood estimate under that difference: the larger root of
    2n q² + (-b - c + (2n - b + c) delta) q - c delta (1 - delta) = 0.
    """
    linear = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    root = math.sqrt(max(linear * linear - 8 * n * constant, 0.0))
    q = (root - linear) / (4 * n)
    return math.sqrt(max(n * (2 * q + delta * (1 - delta)), 0.0))
