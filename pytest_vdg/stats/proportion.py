"""One proportion, such as an accuracy, with Wilson's score interval.

Apart from paired differences because an accuracy alone has no pair; the same
kind of interval is used so that both agree on what no variation means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri

from pytest_vdg.stats import _validate


@dataclass(frozen=True, kw_only=True)
class Proportion:
    """Result of `wilson`; fractions in [0, 1]."""

    estimate: float
    """Successes over n."""
    low: float
    """Lower end of the two-sided interval at `confidence`."""
    high: float
    """Upper end of the two-sided interval at `confidence`."""
    lower_bound: float
    """One-sided lower bound at `confidence`."""
    upper_bound: float
    """One-sided upper bound at `confidence`."""
    confidence: float
    successes: int
    """Copied from the input."""
    n: int
    """Copied from the input."""
    design_effect: float
    """By what the counts were divided for the interval (copied)."""


def wilson(
    *,
    successes: int,
    n: int,
    confidence: float = 0.95,
    design_effect: float = 1.0,
) -> Proportion:
    """Estimate a proportion from *successes* among *n* questions.

    Parameters
    ----------
    successes, n : int
        Counts, n at least 1.
    confidence : float
        Of the two-sided interval and, separately, of each one-sided bound;
        between 0.5 and 1.
    design_effect : float
        By what factor questions that share videos are worth less than
        independent ones, at least 1.

    Returns
    -------
    Proportion
        No interval has zero width, not even at 0 of n or n of n.

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22:209-212.

    Examples
    --------
    >>> p = wilson(successes=0, n=10)
    >>> f"{p.estimate:.3f} [{p.low:.3f}, {p.high:.3f}]"
    '0.000 [0.000, 0.278]'
    """
    total = _validate.questions(n)
    right = _validate.count(successes, "successes")
    if right > total:
        raise ValueError(f"successes must not exceed n, got {right} > {total}")
    level = _validate.confidence(confidence)
    divisor = _validate.design_effect(design_effect)
    low, high = _limits(right, total, divisor, float(ndtri((1 + level) / 2)))
    lower, upper = _limits(right, total, divisor, float(ndtri(level)))
    return Proportion(
        estimate=right / total,
        low=low,
        high=high,
        lower_bound=lower,
        upper_bound=upper,
        confidence=level,
        successes=right,
        n=total,
        design_effect=divisor,
    )


def _limits(right: int, total: int, divisor: float, z: float) -> tuple[float, float]:
    upper = -_lower_limit(total - right, total, divisor, z) + 1.0
    return _lower_limit(right, total, divisor, z), upper


def _lower_limit(right: int, total: int, divisor: float, z: float) -> float:
    if right == 0:
        return 0.0  # exactly, where rounding would give 1e-17
    p, n, zz = right / total, total / divisor, z * z
    middle = p + zz / (2 * n)
    spread = z * math.sqrt(p * (1 - p) / n + zz / (4 * n * n))
    return max((middle - spread) / (1 + zz / n), 0.0)
