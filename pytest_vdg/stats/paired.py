"""Difference of two paired proportions, with Tango's score interval.

Apart from the tests of significance because a verdict rests on an interval: it
says how large an effect may be, where a p-value only says that there is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pytest_vdg.stats import _validate
from pytest_vdg.stats._limits import Sample, ends


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
    """Questions answered under both conditions (copied from the input); where
    some were asked several times, askings."""
    questions: int
    """Distinct questions (copied)."""
    treated_only: int
    """Questions right under the treated condition only (copied)."""
    control_only: int
    """Questions right under the control condition only (copied)."""
    design_effect: float
    """By what the counts were divided for the interval."""
    df: float
    """Degrees of freedom of the interval (copied)."""


def paired_difference(
    *,
    treated_only: int,
    control_only: int,
    n: int,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    df: float = math.inf,
    questions: int | None = None,
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
        independent ones, at least 1 (see `clusters.worth`). All counts
        are divided by it before the interval is computed (Rao & Scott 1992);
        the estimate is not affected.
    df : float
        How well the design effect is known (see `clusters.worth`): degrees of
        freedom of Student's t, with which each limit is the farther of the
        score and of the t test's (as `clusters.cluster_mean` explains);
        infinite where no video is shared.
    questions : int, optional
        Distinct questions, where *n* counts askings of which several are of
        one: the design effect is then at least n / questions. None for *n*.

    Returns
    -------
    PairedDifference
        No interval has zero width: with no discordant question its ends are
        -z²/(n + z²) and z²/(n + z²).

    Raises
    ------
    ValueError
        When there is nothing to compare (n = 0) or the counts cannot be.

    Notes
    -----
    The bounds are those of a score test with a continuity correction: counted
    in effective questions, the sample is taken to be half a question nearer to
    what is tested. The two-sided interval has none, so that it is Tango's, but
    never ends inside a bound, which it could where very few questions are
    discordant.

    References
    ----------
    Tango (1998), Statistics in Medicine 17:891-908. Rao & Scott (1992),
    Biometrics 48:577-585. For bounds and half a question: Yates (1934),
    Supplement to the Journal of the Royal Statistical Society 1:217-235.

    Examples
    --------
    >>> vdg = paired_difference(treated_only=212, control_only=29, n=600)
    >>> f"{vdg.estimate:.3f} [{vdg.low:.3f}, {vdg.high:.3f}]"
    '0.305 [0.260, 0.349]'
    """
    b, c, total = _validate.pair_counts(treated_only, control_only, n)
    asked = _validate.distinct(questions, total)
    sample = Sample.of_ones(
        gained=b,
        lost=c,
        n=total,
        questions=asked,
        design_effect=max(_validate.design_effect(design_effect), total / asked),
        df=_validate.degrees_of_freedom(df),
    )
    level = _validate.confidence(confidence)
    return PairedDifference(
        estimate=sample.mean,
        **ends(sample, level)._asdict(),
        confidence=level,
        n=total,
        questions=asked,
        treated_only=b,
        control_only=c,
        design_effect=sample.design_effect,
        df=sample.df,
    )
