"""From intervals to verdicts: the decision tables, and nothing else.

Apart from the assertions so that every rule can be read, and tested, as
arithmetic on bounds. Each comparison is written so that a NaN fails it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_vdg.assertions._explain import one_sided
from pytest_vdg.assertions._words import apart, percent
from pytest_vdg.stats.interval import Interval
from pytest_vdg.verdicts import Verdict


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A verdict, and the comparison that made it in words."""

    verdict: Verdict
    words: str


def above_floor(
    interval: Interval,
    floor: float,
    *,
    confidence: float,
    write: Callable[[float, float], tuple[str, str]] = apart,
) -> Decision:
    """Decide whether a measure is above *floor*, by its one-sided bounds.

    =============================  ==============
    bounds                         verdict
    =============================  ==============
    lower > floor                  ``ok``
    upper <= floor                 ``BELOW FLOOR``
    lower <= floor < upper         ``INCONCLUSIVE``
    =============================  ==============
    """
    called = one_sided(confidence)
    if interval.lower_bound > floor:
        number, held = write(interval.lower_bound, floor)
        words = f"{called} lower bound {number} is above the floor {held}"
        return Decision(verdict=Verdict.PASS, words=words)
    number, held = write(interval.upper_bound, floor)
    if interval.upper_bound <= floor:
        words = f"even the {called} upper bound {number} is not above the floor {held}"
        return Decision(verdict=Verdict.BELOW_FLOOR, words=words)
    below, _ = write(interval.lower_bound, floor)
    words = (
        f"the floor {held} lies between the {called} bounds {below} and {number}: "
        "neither shown to be above it nor below"
    )
    return Decision(verdict=Verdict.INCONCLUSIVE, words=words)


def below_ceiling(
    interval: Interval,
    ceiling: float,
    *,
    confidence: float,
    write: Callable[[float, float], tuple[str, str]] = apart,
) -> Decision:
    """Decide whether a measure is below *ceiling*, by its one-sided bounds.

    ================================  =================
    bounds                            verdict
    ================================  =================
    upper < ceiling                   ``ok``
    lower >= ceiling                  ``ABOVE CEILING``
    lower < ceiling <= upper          ``INCONCLUSIVE``
    ================================  =================
    """
    called = one_sided(confidence)
    if interval.upper_bound < ceiling:
        number, held = write(interval.upper_bound, ceiling)
        words = f"{called} upper bound {number} is below the ceiling {held}"
        return Decision(verdict=Verdict.PASS, words=words)
    number, held = write(interval.lower_bound, ceiling)
    if interval.lower_bound >= ceiling:
        words = (
            f"even the {called} lower bound {number} is not below the ceiling {held}"
        )
        return Decision(verdict=Verdict.ABOVE_CEILING, words=words)
    above, _ = write(interval.upper_bound, ceiling)
    words = (
        f"the ceiling {held} lies between the {called} bounds {number} and {above}: "
        "neither shown to be below it nor above"
    )
    return Decision(verdict=Verdict.INCONCLUSIVE, words=words)


def estimate_above_floor(
    interval: Interval,
    floor: float,
    *,
    write: Callable[[float, float], tuple[str, str]] = apart,
    reached: bool = False,
) -> Decision:
    """Decide by the estimate alone: a description, not evidence.

    With *reached* an estimate at the floor passes too.
    """
    number, held = write(interval.estimate, floor)
    if interval.estimate > floor or (reached and interval.estimate == floor):
        verdict, what = Verdict.PASS, "is at or above" if reached else "is above"
    else:
        verdict, what = Verdict.BELOW_FLOOR, "is below" if reached else "is not above"
    words = (
        f"the estimate {number} {what} the floor {held} "
        "(evidence='estimate': the interval was not asked)"
    )
    return Decision(verdict=verdict, words=words)


def above_floor_by(
    interval: Interval,
    floor: float,
    *,
    by_estimate: bool,
    confidence: float,
    write: Callable[[float, float], tuple[str, str]] = apart,
    reached: bool = False,
) -> Decision:
    """Decide by the estimate, as `estimate_above_floor`, or as `above_floor`."""
    if by_estimate:
        return estimate_above_floor(interval, floor, write=write, reached=reached)
    return above_floor(interval, floor, confidence=confidence, write=write)


def no_loss(interval: Interval, margin: float, *, confidence: float) -> Decision:
    """Decide whether a change is no loss beyond *margin*.

    =================================================  ==============
    change                                             verdict
    =================================================  ==============
    lower bound > -margin                              ``ok``
    estimate < -margin, and the whole two-sided
    interval below zero                                ``REGRESSION``
    anything else                                      ``INCONCLUSIVE``
    =================================================  ==============

    The first two exclude each other, as no lower bound exceeds its estimate.
    """
    called = one_sided(confidence)
    low, held = apart(interval.lower_bound, -margin)
    if interval.lower_bound > -margin:
        words = f"{called} lower bound {low} of the change is above {held}"
        return Decision(verdict=Verdict.PASS, words=words)
    if interval.estimate < -margin and interval.high < 0:
        number, held = apart(interval.estimate, -margin)
        end, _ = apart(interval.high, 0.0)
        words = (
            f"the change {number} is below {held}, and its whole interval is below "
            f"zero (upper end {end})"
        )
        return Decision(verdict=Verdict.REGRESSION, words=words)
    words = (
        f"{called} lower bound {low} of the change does not exclude a loss of more "
        f"than {held[1:]}, nor is such a loss shown"
    )
    return Decision(verdict=Verdict.INCONCLUSIVE, words=words)


def percents_apart(value: float, bound: float) -> tuple[str, str]:
    """Return two shares in percent, with the digits that tell them apart."""
    number, held = apart(value, bound)
    if number == held or not (0 <= value <= 1 and 0 <= bound <= 1):
        return percent(value), percent(bound)
    return f"{number[1:-2]}%", f"{held[1:-2]}%"
