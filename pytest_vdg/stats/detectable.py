"""How small a drop a slice of this size could have shown.

Apart from the intervals because it looks at the design, not at the result: a
verdict of "no change" means little where no change could have been seen.
"""

from __future__ import annotations

import math

from scipy.special import ndtri

from pytest_vdg.stats import _validate


def smallest_detectable_difference(
    *,
    sd: float,
    n: int,
    confidence: float = 0.95,
    power: float = 0.8,
    design_effect: float = 1.0,
) -> float:
    """Return the difference that a one-sided test finds with *power*.

    (z_confidence + z_power) * sd / sqrt(n / design_effect), the normal
    approximation.

    Parameters
    ----------
    sd : float
        Standard deviation of the per-question score, e.g. of treated minus
        control.
    n : int
        Questions, at least 1.
    confidence : float
        Of the one-sided bound that the verdict rests on.
    power : float
        How often the difference would be found, between 0.5 and 1.
    design_effect : float
        See `clusters.design_effect`.

    Returns
    -------
    float
        A positive fraction. Never 0: a sample without variation does not show
        that there is none, so *sd* counts for at least the square root of
        z² / (m + z²), m = n / design_effect, which is the largest share of
        changed questions (each by one) that a sample of that size without
        any is compatible with. Above the range of the score, no difference
        could have been found.

    References
    ----------
    Miller (2024), Adding Error Bars to Evals, arXiv:2411.00640 (its power
    analysis, one-sided). For the floor: Wilson (1927) at zero successes.

    Examples
    --------
    >>> f"{smallest_detectable_difference(sd=0.65, n=1050):.3f}"
    '0.050'
    """
    spread = _validate.standard_deviation(sd)
    total = _validate.questions(n)
    z_confidence = float(ndtri(_validate.confidence(confidence)))
    z_power = float(ndtri(_validate.power(power)))
    effective = total / _validate.design_effect(design_effect)
    zz = z_confidence * z_confidence
    spread = max(spread, math.sqrt(zz / (effective + zz)))
    return (z_confidence + z_power) * spread / math.sqrt(effective)


def smallest_detectable_paired_difference(
    *,
    treated_only: int,
    control_only: int,
    n: int,
    confidence: float = 0.95,
    power: float = 0.8,
    design_effect: float = 1.0,
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
    '0.035'
    """
    b, c, total = _validate.pair_counts(treated_only, control_only, n)
    net = (b - c) / total
    return smallest_detectable_difference(
        sd=math.sqrt(max((b + c) / total - net * net, 0.0)),
        n=total,
        confidence=confidence,
        power=power,
        design_effect=design_effect,
    )
