"""Checks of the assertions' arguments: one place, one wording.

Apart from the assertions so that a floor given in percent, or a NaN that
would pass every comparison, is refused in the same words by all of them.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import get_args

from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run


def fraction(name: str, value: object, *, low: float, high: float) -> float:
    """Return *value* as a float, or raise `ValueError` with what to type."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite fraction, got {value!r}")
    if not low <= number <= high:
        hint = ""
        if low <= number / 100 <= high:
            hint = f" Fractions, not percent: {name}={number / 100:g}"
        raise ValueError(
            f"{name} must lie in [{low:g}, {high:g}], got {value!r}.{hint}"
        )
    return number


def confidence_level(value: float) -> float:
    """Return a confidence strictly between one half and one.

    At one half a one-sided bound is the estimate, and below it is not a bound.
    """
    number = fraction("confidence", value, low=0.0, high=1.0)
    if not 0.5 < number < 1:
        raise ValueError(f"confidence must lie between 0.5 and 1, got {value!r}")
    return number


def one_of(name: str, value: str, known: tuple[str, ...]) -> str:
    """Return *value*, or raise `ValueError` naming the *known* ones."""
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    return value


def policy(missing: Missing) -> Missing:
    """Return *missing*, where no pair is made that would check it."""
    one_of("missing", missing, get_args(Missing))
    return missing


def a_run(name: str, value: object) -> Run:
    """Return *value* if it is a `Run`, or say where runs come from."""
    if not isinstance(value, Run):
        raise TypeError(
            f"{name} must be a Run, got {value!r}. Take it from the fixture "
            "vdg_run, vdg_baseline or vdg.evaluate(...)"
        )
    return value


def a_number_of(name: str, value: object, *, least: int = 1) -> int:
    """Return *value* as a whole number of at least *least*."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}")
    return int(value)


def a_condition(name: str, value: str, base: tuple[str, ...], why: str) -> str:
    """Return *value* if it is one of the conditions *base*, any argument.

    Anything else is refused with *why*: a claim of that name would measure
    something else.
    """
    if value.split(":", 1)[0] in base:
        return value
    raise ValueError(f"{name}={value!r}: {why} (known: {', '.join(base)})")


def not_original(name: str, value: str) -> str:
    """Return *value*, a condition to compare ``original`` with."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a condition, got {value!r}")
    if value == "original":
        raise ValueError(f"{name}='original' compares the real video with itself")
    return value
