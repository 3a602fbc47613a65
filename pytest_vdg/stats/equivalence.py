"""Equivalence: is a difference shown to be too small to matter?

Apart from the tests of difference because "not significant" is no evidence of
"equal": whether two runs are equivalent is a claim of its own, with its own
burden of proof, and may also end undecided.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy.typing as npt

from pytest_vdg.stats import _validate
from pytest_vdg.stats._limits import Sample, pvalue
from pytest_vdg.stats._sums import Sums
from pytest_vdg.stats.clusters import ClusterMean, cluster_mean
from pytest_vdg.stats.paired import PairedDifference, paired_difference

Outcome = Literal["equivalent", "different", "inconclusive"]


@dataclass(frozen=True, kw_only=True)
class Equivalence:
    """Result of `tost_paired` and `tost_cluster_mean`."""

    outcome: Outcome
    """"equivalent": [`low`, `high`] lies inside the margins. "different": it does
    not, and the two-sided interval at `confidence` excludes zero. Else
    "inconclusive": the sample shows neither."""
    estimate: float
    """Treated minus control, a fraction."""
    low: float
    """One-sided lower bound at `confidence`."""
    high: float
    """One-sided upper bound at `confidence`."""
    margin_below: float
    """By how much the treated side may fall short, a positive fraction."""
    margin_above: float
    """By how much the treated side may exceed, a positive fraction."""
    p_lower: float
    """p-value of "the treated side falls short by `margin_below` or more"."""
    p_upper: float
    """p-value of "the treated side exceeds by `margin_above` or more"."""
    confidence: float
    n: int
    """Questions; where some were asked several times, askings."""

    @property
    def pvalue(self) -> float:
        """Of equivalence: both one-sided tests must refuse, so the larger."""
        return max(self.p_lower, self.p_upper)

    @property
    def beyond_margin(self) -> bool:
        """Whether the difference is shown to exceed a margin, not only zero."""
        return self.low > self.margin_above or self.high < -self.margin_below


def tost_paired(
    *,
    treated_only: int,
    control_only: int,
    n: int,
    margin: float,
    margin_below: float | None = None,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    df: float = math.inf,
    questions: int | None = None,
) -> Equivalence:
    """Test whether two accuracies on the same questions are equivalent.

    Two one-sided tests (Schuirmann 1987), those of the bounds of
    `paired_difference`, so that verdict and bounds agree.

    Parameters
    ----------
    treated_only, control_only, n : int
        As for `paired_difference`.
    margin : float
        Differences below it do not matter; strictly between 0 and 1, fixed
        before the data are seen.
    margin_below : float, optional
        Another margin for the treated side falling short; *margin* if None.
    confidence : float
        Of each of the two one-sided tests, and of the two-sided interval that
        tells "different" from "inconclusive".
    design_effect, df : float
        See `clusters.worth`.
    questions : int, optional
        As for `paired_difference`.

    Raises
    ------
    ValueError
        For a margin of 0, which no sample can show to hold, or of 1 and more,
        which every sample does.

    References
    ----------
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics
    15:657-680. Lakens (2017), Social Psychological and Personality Science
    8:355-362 (on when a result is inconclusive).

    Examples
    --------
    >>> tost_paired(treated_only=9, control_only=8, n=500, margin=0.05).outcome
    'equivalent'
    >>> tost_paired(treated_only=9, control_only=8, n=50, margin=0.05).outcome
    'inconclusive'
    """
    margins = _margins(margin, margin_below, largest=1.0)
    pair = paired_difference(
        treated_only=treated_only,
        control_only=control_only,
        n=n,
        confidence=confidence,
        design_effect=design_effect,
        df=df,
        questions=questions,
    )
    sample = Sample.of_ones(
        gained=pair.treated_only,
        lost=pair.control_only,
        n=pair.n,
        questions=pair.questions,
        design_effect=pair.design_effect,
        df=pair.df,
    )
    return _decide(pair, sample, margins)


def tost_cluster_mean(
    values: npt.ArrayLike,
    clusters: Iterable[Hashable],
    *,
    margin: float,
    margin_below: float | None = None,
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> Equivalence:
    """Test whether the mean of a clustered score is equivalent to zero.

    For differences of differences, e.g. the change of a gap between two runs.

    Parameters
    ----------
    values : array_like of int, shape (n,)
        Scores in {-2, ..., 2}, as for `cluster_mean`.
    clusters : iterable of hashable, length n
        The video of each question.
    margin, margin_below, confidence : float
        As for `tost_paired`; margins strictly between 0 and 2.
    questions : iterable of hashable, length n, optional
        As for `cluster_mean`.

    Notes
    -----
    The verdict is that of `cluster_mean`'s one-sided bounds, each the farther
    of a t and a score limit; each p-value is the larger of the two tests'.

    Examples
    --------
    >>> tost_cluster_mean([0] * 200, range(200), margin=0.05).outcome
    'equivalent'
    """
    margins = _margins(margin, margin_below, largest=2.0)
    scores = _validate.scores(values)
    videos = list(clusters)
    asked = None if questions is None else list(questions)
    mean = cluster_mean(scores, videos, confidence=confidence, questions=asked)
    return _decide(mean, Sums.of(scores, videos, asked).sample, margins)


def _margins(
    margin: float, margin_below: float | None, *, largest: float
) -> tuple[float, float]:
    """Return the margins below and above, both as positive fractions."""
    below = margin if margin_below is None else margin_below
    for value, name in ((margin, "margin"), (below, "margin_below")):
        if not 0 < value < largest:  # also catches NaN
            raise ValueError(
                f"{name} must lie between 0 and {largest:g}, both excluded, got "
                f"{value!r}. No sample shows a difference of exactly 0, and every "
                f"sample one below {largest:g}; five points are 0.05"
            )
    return float(below), float(margin)


def _decide(
    interval: PairedDifference | ClusterMean,
    sample: Sample,
    margins: tuple[float, float],
) -> Equivalence:
    below, above = margins
    outcome: Outcome = "inconclusive"
    if -below < interval.lower_bound and interval.upper_bound < above:
        outcome = "equivalent"
    elif interval.low > 0 or interval.high < 0:
        outcome = "different"
    return Equivalence(
        outcome=outcome,
        estimate=interval.estimate,
        low=interval.lower_bound,
        high=interval.upper_bound,
        margin_below=below,
        margin_above=above,
        p_lower=pvalue(sample, -below),
        p_upper=pvalue(sample.mirrored(), -above),
        confidence=interval.confidence,
        n=interval.n,
    )
