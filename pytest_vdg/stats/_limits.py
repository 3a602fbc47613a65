"""Limits of a mean of scores: the values that its tests do not refuse.

Apart from `paired`, `clusters` and `equivalence` because a gap, its change and
an equivalence are the same mean, so that what one of them calls shown the
others do too. Whatever an interval does about few videos or few counts, it
does here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtr, stdtrit

HALF = 0.5
"""By how much of a question a one-sided test takes a sample to be nearer to what
it tests. Counts are whole, so that a bound jumps over its level: near 0 and 1 it
would err in up to 8 of 100 samples. A two-sided interval needs none of it: where
one of its ends errs too often, the other errs too seldom."""

_Number = TypeVar("_Number", float, npt.NDArray[np.float64])


class Ends(NamedTuple):
    """A two-sided interval and the two one-sided bounds, none of them inside it."""

    low: float
    high: float
    lower_bound: float
    upper_bound: float


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What the scores of a slice sum to, and what its videos make of them."""

    gained: float
    """Sum of the positive scores; whole but for samples that are imagined."""
    lost: float
    """Minus the sum of the negative scores."""
    squares: float
    """Sum of the squared scores."""
    largest: float
    """Largest size of a score."""
    n: int
    """Askings: as many as questions where each was asked once."""
    questions: int
    design_effect: float
    df: float
    """Of Student's t; infinite where the normal distribution is meant."""

    @classmethod
    def of_ones(
        cls,
        *,
        gained: int,
        lost: int,
        n: int,
        questions: int,
        design_effect: float,
        df: float,
    ) -> Sample:
        """Return counts of scores of size one."""
        return cls(
            gained=gained,
            lost=lost,
            squares=gained + lost,
            largest=1,
            n=n,
            questions=questions,
            design_effect=design_effect,
            df=df,
        )

    def mirrored(self) -> Sample:
        """Return the negated scores: an upper end becomes a lower one."""
        return replace(self, gained=self.lost, lost=self.gained)

    @property
    def mean(self) -> float:
        """Mean score."""
        return (self.gained - self.lost) / self.n

    @property
    def size(self) -> float:
        """The one size of change that keeps the variance of those that came."""
        changed = self.gained + self.lost
        return self.squares / changed if changed else 1.0

    @property
    def se(self) -> float:
        """Standard error of the mean: that of independent questions, widened."""
        spread = self.n * self.squares - (self.gained - self.lost) ** 2
        # One less than the questions: asking them again frees no more.
        free = spread * self.questions / (max(self.questions - 1, 1) * self.n)
        return math.sqrt(max(self.design_effect * free, 0.0)) / self.n

    def quantile(self, level: float) -> float:
        """Return by how many standard errors a limit at *level* is off."""
        if math.isinf(self.df):
            return float(ndtri(level))
        return float(stdtrit(self.df, level))


Limit = Callable[[Sample, float, float], float]
"""From a sample, a one-sided level and `HALF` or 0 to a lower limit."""


def ends(sample: Sample, confidence: float, limit: Limit | None = None) -> Ends:
    """Return the interval and the bounds of the mean, by default `lower_limit`'s."""
    low, lower = low_end(sample, confidence, limit or lower_limit)
    high, upper = low_end(sample.mirrored(), confidence, limit or lower_limit)
    return Ends(low=low, high=-high, lower_bound=lower, upper_bound=-upper)


def low_end(sample: Sample, confidence: float, limit: Limit) -> tuple[float, float]:
    """Return the lower end of the interval, and the lower bound.

    Where half a question is worth more than the step from one side to two, the
    bound is the end: an interval must not exclude what its own bound does not.
    """
    bound = limit(sample, confidence, HALF)
    return min(limit(sample, (1 + confidence) / 2, 0.0), bound), bound


def lower_limit(sample: Sample, level: float, half: float) -> float:
    """Return the smallest mean that the score test or the t test allows.

    The t test has no say where videos are not shared, see `clusters`.
    """
    return min(score_limit(sample, level, half), t_limit(sample, level))


def score_limit(sample: Sample, level: float, half: float) -> float:
    """Return the smallest mean that Tango's test allows, in effective counts."""
    unit = sample.size * sample.design_effect
    return sample.size * _root(
        sample.gained / unit,
        sample.lost / unit,
        sample.n / sample.design_effect,
        sample.quantile(level),
        half,
    )


def t_limit(sample: Sample, level: float) -> float:
    """Return the smallest mean that the t test allows; the mean without one."""
    if math.isinf(sample.df):
        return sample.mean
    half_width = sample.quantile(level) * sample.se
    return max(sample.mean - half_width, -float(sample.largest))


def pvalue(sample: Sample, delta: float) -> float:
    """Return the p-value of "the mean is *delta* or less", so of the bound.

    The farther of two limits is the larger of two p-values. Beyond the largest
    score there is no limit, and so no p-value but zero.
    """

    def beyond(statistic: float) -> float:
        if math.isinf(sample.df):
            return float(ndtr(-statistic))
        return float(stdtr(sample.df, -statistic))

    found = [0.0]
    if abs(delta) < sample.size:
        unit = sample.size * sample.design_effect
        b, c, n = (x / unit for x in (sample.gained, sample.lost, sample.n))
        n, at = n * sample.size, delta / sample.size
        found.append(beyond((b - c - n * at - HALF) / score_sd(at, b, c, n)))
    if sample.se and not math.isinf(sample.df) and abs(delta) < sample.largest:
        found.append(beyond((sample.mean - delta) / sample.se))
    return max(found)


def _root(b: float, c: float, n: float, z: float, half: float) -> float:
    """Solve (b - c - n delta - half) = z * sd for delta.

    The left side less the right falls from above zero at -1 to zero or less at
    the estimate, so the two bracket exactly one root; but at three corners both
    are zero at the estimate itself, where the root is known in closed form.
    """
    estimate = (b - c) / n
    if c == n:
        return -1.0
    if half == 0:
        if b == c == 0:
            return -z * z / (n + z * z)
        if b == n:
            return (n - z * z) / (n + z * z)

    def excess(delta: float) -> float:
        return n * (estimate - delta) - half - z * score_sd(delta, b, c, n)

    if excess(-1.0) <= 0:
        return -1.0
    return float(brentq(excess, -1.0, estimate, xtol=1e-13))


def score_sd(delta: _Number, b: _Number, c: _Number, n: _Number) -> _Number:
    """Return the standard deviation of b - c if the true difference is *delta*.

    The nuisance parameter q, the probability of a control-only question, is
    its maximum-likelihood estimate under that difference: the larger root of
    2n q² + (-b - c + (2n - b + c) delta) q - c delta (1 - delta) = 0.
    """
    linear = -b - c + (2 * n - b + c) * delta
    rest = delta * (1 - delta)
    # No less than zero but for rounding, as is the variance.
    root = abs(linear * linear + 8 * n * c * rest) ** 0.5
    q = (root - linear) / (4 * n)
    sd: _Number = abs(n * (2 * q + rest)) ** 0.5
    return sd
