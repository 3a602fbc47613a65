"""From a power that can be computed to the number of questions that has it.

Apart from the planner because it asks no more of a claim than its power, and
because power does not simply rise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pytest_vdg.stats import _validate

AT_MOST = 50_000
"""Largest number of questions that a plan looks at."""

_SLACK = 0.01
"""By how much a promised power may be missed: drawing is that uncertain."""
_SAW = 1.25
"""How far beyond the first number of questions the power must hold."""
_NO_TEETH = 500
"""From so many questions on, the teeth are smaller than what drawing can tell."""


def questions_needed(
    power_at: Callable[[int], float],
    *,
    power: float = 0.8,
    at_most: int = AT_MOST,
) -> int | None:
    """Return from how many questions on a claim has *power*, or None.

    Parameters
    ----------
    power_at : callable
        From questions to power, e.g. of `floor_outlook`.
    power : float
        What is asked for, between 0.5 and 1.
    at_most : int
        None is returned where these are not enough.

    Notes
    -----
    Counts are whole, so power does not rise evenly but like a saw: it can be
    enough at 60 questions and too little at 70. The number returned is one
    from which it holds up to a quarter more, missed by a point at most. It is
    a round number, of steps of about two percent.
    """
    wanted = _validate.power(power)
    steps = list(_round_numbers(at_most))

    def enough(step: int, slack: float = 0.0) -> bool:
        return power_at(steps[step]) >= wanted - slack

    low, high = -1, min(31, len(steps) - 1)
    while not enough(high):
        # Doubled rather than halved from above: large slices take long to draw.
        if high == len(steps) - 1:
            return None
        low, high = high, min(2 * high + 1, len(steps) - 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    later = high + 1
    while later < len(steps) and steps[later] <= _SAW * steps[high] <= _NO_TEETH:
        if not enough(later, _SLACK):
            high = later + 1
        later += 1
    return steps[min(high, len(steps) - 1)]


def _round_numbers(at_most: int) -> Iterator[int]:
    """Yield whole numbers up to *at_most* in steps of one to two percent."""
    n = 2
    while n < at_most:
        yield n
        magnitude = 10 ** max(len(str(n)) - 3, 0)
        n += magnitude * (1 if n < 200 * magnitude else 2 if n < 500 * magnitude else 5)
    yield at_most
