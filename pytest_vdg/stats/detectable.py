"""How small a drop a slice of this size could have shown.

Apart from the intervals because it looks at the design, not at the result: a
verdict of "no change" means little where no change could have been seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri

from pytest_vdg.stats import _validate
from pytest_vdg.stats._limits import HALF, Limit, Sample, lower_limit
from pytest_vdg.stats.proportion import share_limit


def smallest_detectable_difference(
    *,
    sd: float,
    n: int,
    mean: float = 0.0,
    size: float = 1.0,
    confidence: float = 0.95,
    power: float = 0.8,
    design_effect: float = 1.0,
    df: float = math.inf,
    questions: int | None = None,
) -> float:
    """Return the drop below *mean* that a slice like this rules out with *power*.

    By how much the lower bound of `clusters.cluster_mean`, or of
    `paired.paired_difference`, lies below the true mean in the unluckiest but
    1 - *power* of samples. A margin as large is held with that power where
    nothing was lost, and a floor as far below where the mean is what it seems.

    Parameters
    ----------
    sd : float
        Standard deviation of the per-question score, e.g. of treated minus
        control.
    n : int
        Questions, at least 1; askings where some were asked several times.
    mean : float
        The mean that is dropped from; 0 for a change.
    size : float
        Size of a score that is not 0, see `clusters.ClusterMean.size`.
    confidence : float
        Of the one-sided bound that the verdict rests on.
    power : float
        How often the difference would be found, between 0.5 and 1.
    design_effect, df : float
        See `clusters.worth`.
    questions : int, optional
        Distinct questions, as for `paired.paired_difference`.

    Returns
    -------
    float
        A positive fraction. Never 0: a sample without variation does not show
        that there is none, so *sd* counts for at least the square root of
        z² / (m + z²), m = n / design_effect, which is the largest share of
        changed questions (each by one) that a sample of that size without
        any is compatible with. Above the range of the score, no difference
        could have been found.

    Notes
    -----
    The mean of the unlucky sample is t_power standard errors below the truth,
    with as many changed questions; its bound is the verdict's own, half a
    question and Student's t included. Never less than the textbook's
    (t_confidence + t_power) * sd / sqrt(m) and half a question, with which it
    agrees on large slices.

    References
    ----------
    Miller (2024), Adding Error Bars to Evals, arXiv:2411.00640 (its power
    analysis, one-sided). For the floor: Wilson (1927) at zero successes.

    Examples
    --------
    >>> f"{smallest_detectable_difference(sd=0.65, n=1050):.3f}"
    '0.050'
    """
    design = _Design.of(
        n,
        confidence=confidence,
        power=power,
        design_effect=design_effect,
        df=df,
        questions=questions,
    )
    spread = max(_validate.standard_deviation(sd), design.least_sd)
    # Scores with this mean and deviation, all changes of one size.
    square = spread * spread + mean * mean
    one = max(_validate.standard_deviation(size, "size"), math.sqrt(square))
    changed, net = design.n * square / one, design.n * mean
    sample = design.sample((changed + net) / 2, (changed - net) / 2, one)
    by = design.unlucky(sample, spread) * design.n
    gained = max(sample.gained - by / 2, 0.0)
    lost = min(gained - (net - by), one * design.n)
    return design.drop(
        sample, spread, lower_limit, unlucky=design.sample(gained, lost, one)
    )


def smallest_detectable_paired_difference(
    *,
    treated_only: int,
    control_only: int,
    n: int,
    confidence: float = 0.95,
    power: float = 0.8,
    design_effect: float = 1.0,
    df: float = math.inf,
    questions: int | None = None,
) -> float:
    """Return the difference of two accuracies found with *power*.

    `smallest_detectable_difference` with the standard deviation of treated
    minus control, whose square is (b + c)/n - ((b - c)/n)²: what matters is
    how many questions are discordant, not how many there are.

    References
    ----------
    Connor (1987), Biometrics 43:207-211.

    Examples
    --------
    >>> few = smallest_detectable_paired_difference
    >>> f"{few(treated_only=9, control_only=9, n=300):.3f}"
    '0.039'
    """
    b, c, total = _validate.pair_counts(treated_only, control_only, n)
    net = (b - c) / total
    return smallest_detectable_difference(
        sd=math.sqrt(max((b + c) / total - net * net, 0.0)),
        n=total,
        mean=net,
        confidence=confidence,
        power=power,
        design_effect=design_effect,
        df=df,
        questions=questions,
    )


def smallest_detectable_share(
    *,
    successes: int,
    n: int,
    confidence: float = 0.95,
    power: float = 0.8,
    design_effect: float = 1.0,
    df: float = math.inf,
    questions: int | None = None,
) -> float:
    """Return the drop of a proportion found with *power*, by `proportion.wilson`.

    For a rise, give the failures as *successes*.

    Parameters
    ----------
    successes, n : int
        As for `proportion.wilson`.
    confidence, power, design_effect, df, questions
        As for `smallest_detectable_difference`.

    Examples
    --------
    >>> f"{smallest_detectable_share(successes=180, n=300):.3f}"
    '0.073'
    """
    total = _validate.questions(n)
    right = _validate.count(successes, "successes")
    if right > total:
        raise ValueError(f"successes must not exceed n, got {right} > {total}")
    design = _Design.of(
        total,
        confidence=confidence,
        power=power,
        design_effect=design_effect,
        df=df,
        questions=questions,
    )
    p = right / total
    spread = max(math.sqrt(p * (1 - p)), design.least_sd)
    sample = design.sample(right, 0.0, 1.0)
    fewer = max(right - design.unlucky(sample, spread) * total, 0.0)
    return design.drop(
        sample, spread, share_limit, unlucky=design.sample(fewer, 0.0, 1.0)
    )


@dataclass(frozen=True, kw_only=True)
class _Design:
    """What a sample is worth, and what is asked of it."""

    n: int
    questions: int
    design_effect: float
    df: float
    confidence: float
    power: float

    @classmethod
    def of(
        cls,
        n: int,
        *,
        confidence: float,
        power: float,
        design_effect: float,
        df: float,
        questions: int | None,
    ) -> _Design:
        total = _validate.questions(n)
        asked = _validate.distinct(questions, total)
        return cls(
            n=total,
            questions=asked,
            design_effect=max(_validate.design_effect(design_effect), total / asked),
            df=_validate.degrees_of_freedom(df),
            confidence=_validate.confidence(confidence),
            power=_validate.power(power),
        )

    @property
    def effective(self) -> float:
        return self.n / self.design_effect

    @property
    def least_sd(self) -> float:
        zz = float(ndtri(self.confidence)) ** 2
        return math.sqrt(zz / (self.effective + zz))

    def sample(self, gained: float, lost: float, size: float) -> Sample:
        """Return a sample whose changes all have this *size*."""
        return Sample(
            gained=gained,
            lost=lost,
            squares=(gained + lost) * size,
            largest=size,
            n=self.n,
            questions=self.questions,
            design_effect=self.design_effect,
            df=self.df,
        )

    def unlucky(self, sample: Sample, sd: float) -> float:
        """Return how far the mean of an unlucky sample is below the true one."""
        return sample.quantile(self.power) * sd / math.sqrt(self.effective)

    def drop(
        self, sample: Sample, sd: float, limit: Limit, *, unlucky: Sample
    ) -> float:
        """Return how far the bound of an *unlucky* sample is below the true mean."""
        textbook = self.unlucky(sample, sd) + HALF * sample.size / self.effective
        textbook += sample.quantile(self.confidence) * sd / math.sqrt(self.effective)
        return max(textbook, sample.mean - limit(unlucky, self.confidence, HALF))
