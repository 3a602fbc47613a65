"""By how much two resamplings of the same answers may differ.

Apart from the checks because it decides what "within noise" means: three
standard errors of the difference between two independent resamplings, ours and
the paper's, of as many resamples each.
"""

from __future__ import annotations

import math

from scipy.special import ndtri

_TIMES = 3 * math.sqrt(2)


def of_mean(sd: float, resamples: int) -> float:
    """Return the noise of a mean over resamples."""
    return _TIMES * sd / math.sqrt(resamples)


def of_percentiles(
    low: float, high: float, *, resamples: int, confidence: float = 0.95
) -> float:
    """Return the noise of either end of a percentile interval.

    A sample quantile q of a normal distribution has the standard error
    sd * sqrt(q (1 - q) / resamples) / density at q; the sd is read off the
    interval's width.
    """
    tail = (1 - confidence) / 2
    z = float(ndtri(1 - tail))
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    sd = (high - low) / (2 * z)
    return _TIMES * sd * math.sqrt(tail * (1 - tail) / resamples) / density


def of_share(share: float, resamples: int) -> float:
    """Return the noise of a share of resamples."""
    return _TIMES * math.sqrt(share * (1 - share) / resamples)
