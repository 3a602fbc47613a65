"""The verdicts' arithmetic for many samples at once.

Apart from `_limits`, which finds the ends of one interval: to know on which
side of a bound an end lies, the end itself is not needed. That both agree,
sample by sample, is tested.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from pytest_vdg.stats._drawn import Sums
from pytest_vdg.stats._limits import HALF, score_sd

Bools = npt.NDArray[np.bool_]


def mirrored(sums: Sums) -> Sums:
    """Return the sums of the negated scores: an upper end becomes a lower one."""
    return replace(
        sums,
        gained=sums.lost,
        lost=sums.gained,
        video_products=-sums.video_products,
    )


def mean_above(
    sums: Sums, bound: float, *, level: float, two_sided: bool = False
) -> Bools:
    """Return where the lower bound of `cluster_mean` is above *bound*.

    It is also that of `counted.difference`. With *two_sided*, the lower end of
    the interval.
    """
    above = _above(sums, bound, level=level, half=HALF)
    if two_sided:
        # As in `_limits.low_end`: no end lies inside its bound.
        above &= _above(sums, bound, level=(1 + level) / 2, half=0.0)
    return above


def _above(sums: Sums, bound: float, *, level: float, half: float) -> Bools:
    """Return where `_limits.lower_limit` is above *bound*.

    Where the score statistic of a true difference of *bound* is above the
    quantile: it falls from minus one to the estimate, so the limit, where it
    equals the quantile, is further to the right.
    """
    normal = math.isinf(sums.df)
    quantile = float(ndtri(level) if normal else stdtrit(sums.df, level))
    changed = sums.gained + sums.lost
    size = np.divide(
        sums.squares, changed, out=np.ones_like(changed), where=changed > 0
    )
    unit = size * sums.design_effect
    b, c, n = sums.gained / unit, sums.lost / unit, sums.n / sums.design_effect
    at = bound / size
    deviation = b - c - n * at - half
    above: Bools = deviation > quantile * score_sd(at, b, c, n)
    if not normal:
        above &= sums.mean - quantile * sums.se > bound
    return above
