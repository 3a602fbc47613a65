"""One proportion, such as an accuracy, with Wilson's score interval.

Apart from paired differences because an accuracy alone has no pair; the same
kind of interval is used so that both agree on what no variation means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtr, stdtr

from pytest_vdg.stats import _validate
from pytest_vdg.stats._limits import HALF, Sample, low_end, t_limit


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
    questions: int
    """Distinct questions among them (copied)."""
    design_effect: float
    """By what the counts were divided for the interval."""
    df: float
    """Degrees of freedom of the interval (copied)."""


def wilson(
    *,
    successes: int,
    n: int,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    df: float = math.inf,
    questions: int | None = None,
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
    df : float
        How well the design effect is known, as for `paired.paired_difference`.
    questions : int, optional
        Distinct questions among *n* askings, as there.

    Returns
    -------
    Proportion
        No interval has zero width, not even at 0 of n or n of n.

    Notes
    -----
    The bounds have a continuity correction of half an effective question, and
    the interval never ends inside them, as in `paired.paired_difference`.

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22:209-212.
    With the correction: Newcombe (1998), Statistics in Medicine 17:857-872,
    method 4.

    Examples
    --------
    >>> p = wilson(successes=0, n=20)
    >>> f"{p.estimate:.3f} [{p.low:.3f}, {p.high:.3f}]"
    '0.000 [0.000, 0.161]'
    """
    total = _validate.questions(n)
    right = _validate.count(successes, "successes")
    if right > total:
        raise ValueError(f"successes must not exceed n, got {right} > {total}")
    level = _validate.confidence(confidence)
    asked = _validate.distinct(questions, total)
    divisor = max(_validate.design_effect(design_effect), total / asked)
    freedom = _validate.degrees_of_freedom(df)

    def low(counted: int) -> tuple[float, float]:
        sample = Sample.of_ones(
            gained=counted,
            lost=0,
            n=total,
            questions=asked,
            design_effect=divisor,
            df=freedom,
        )
        return low_end(sample, level, share_limit)

    (low_right, bound_right), (low_wrong, bound_wrong) = low(right), low(total - right)
    return Proportion(
        estimate=right / total,
        low=low_right,
        high=1.0 - low_wrong,
        lower_bound=bound_right,
        upper_bound=1.0 - bound_wrong,
        confidence=level,
        successes=right,
        n=total,
        questions=asked,
        design_effect=divisor,
        df=freedom,
    )


def share_limit(sample: Sample, level: float, half: float) -> float:
    """Return the farther of Wilson's limit and that of the t test."""
    n, z = sample.n / sample.design_effect, sample.quantile(level)
    p, zz = sample.mean - half / n, z * z
    if p <= 0:
        return 0.0  # exactly, where rounding would give 1e-17
    middle = p + zz / (2 * n)
    spread = z * math.sqrt(p * (1 - p) / n + zz / (4 * n * n))
    return max(min((middle - spread) / (1 + zz / n), t_limit(sample, level)), 0.0)


def pvalue_above(share: Proportion, known: float) -> float:
    """Return the p-value of "the proportion is *known* or less".

    That of `Proportion.lower_bound`: at most 1 - confidence where the bound is
    at least *known*.

    Parameters
    ----------
    share : Proportion
        What was counted.
    known : float
        Strictly between 0 and 1, e.g. chance.

    Examples
    --------
    >>> f"{pvalue_above(wilson(successes=60, n=100), 0.5):.4f}"  # (60 - 50.5) / 5
    '0.0287'
    """
    if not 0 < known < 1:  # also catches NaN
        raise ValueError(f"known must lie between 0 and 1, got {known!r}")

    def beyond(statistic: float) -> float:
        if math.isinf(share.df):
            return float(ndtr(-statistic))
        return float(stdtr(share.df, -statistic))

    n = share.n / share.design_effect
    excess = n * (share.estimate - known)
    found = [beyond((excess - HALF) / math.sqrt(n * known * (1 - known)))]
    spread = Sample.of_ones(
        gained=share.successes,
        lost=0,
        n=share.n,
        questions=share.questions,
        design_effect=share.design_effect,
        df=share.df,
    ).se
    if spread and not math.isinf(share.df):
        found.append(beyond((share.estimate - known) / spread))
    return max(found)
