"""The verdicts' arithmetic for many samples at once.

Apart from `paired` and `clusters`, which find the ends of one interval: to
know on which side of a bound an end lies, the end itself is not needed. That
both agree, sample by sample, is tested.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from pytest_vdg.stats._drawn import Floats, Sums

Bools = npt.NDArray[np.bool_]


def mirrored(sums: Sums) -> Sums:
    """Return the sums of the negated scores: an upper end becomes a lower one."""
    return replace(
        sums,
        gained=sums.lost,
        lost=sums.gained,
        video_products=-sums.video_products,
    )


def gap_above(sums: Sums, bound: float, *, level: float) -> Bools:
    """Return where the lower end of `paired_difference` is above *bound*."""
    effect = sums.design_effect
    return _score_above(
        gained=sums.gained / effect,
        lost=sums.lost / effect,
        n=sums.n / effect,
        bound=bound,
        quantile=float(ndtri(level)),
    )


def mean_above(sums: Sums, bound: float, *, level: float) -> Bools:
    """Return where the lower end of `cluster_mean` is above *bound*."""
    t = float(stdtrit(sums.n_videos - 1, level))
    changed = sums.gained + sums.lost
    size = np.divide(
        sums.squares, changed, out=np.ones_like(changed), where=changed > 0
    )
    divisor = size * sums.design_effect
    by_score = _score_above(
        gained=sums.gained / divisor,
        lost=sums.lost / divisor,
        n=sums.n / sums.design_effect,
        bound=bound / size,
        quantile=np.where(sums.within > 0, t, float(ndtri(level))),
    )
    by_variance: Bools = sums.mean - t * sums.se > bound
    return by_score & by_variance


def _score_above(
    *,
    gained: Floats,
    lost: Floats,
    n: float | Floats,
    bound: float | Floats,
    quantile: float | Floats,
) -> Bools:
    """Return where Tango's lower limit is above *bound*.

    Where the score statistic of a true difference of *bound* is above the
    quantile: it falls from minus one to the estimate, so the limit, where it
    equals the quantile, is further to the right.
    """
    net = gained - lost
    linear = -gained - lost + (2 * n - net) * bound
    constant = -lost * bound * (1 - bound)
    root = np.sqrt(np.maximum(linear * linear - 8 * n * constant, 0.0))
    q = (root - linear) / (4 * n)
    sd = np.sqrt(np.maximum(n * (2 * q + bound * (1 - bound)), 0.0))
    above: Bools = net - n * bound > quantile * sd
    return above
