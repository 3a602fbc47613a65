"""Argument checks of the package, with one wording for one mistake.

Apart from the functions that use them so that each names its arguments in the
same way, shows the value that came, and computes nothing from a wrong one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Iterable

import numpy as np
import numpy.typing as npt


def count(value: object, name: str) -> int:
    """Return *value* as a nonnegative int, or say which argument is not one."""
    message = f"{name} must be a nonnegative integer, got {value!r}"
    if isinstance(value, bool):
        raise TypeError(message)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(message) from None
    if number < 0:
        raise ValueError(message)
    return number


def questions(value: object, name: str = "n") -> int:
    """Return *value* as a number of questions, of which there is at least one."""
    number = count(value, name)
    if number == 0:
        raise ValueError(f"nothing to compare: {name} is 0 questions")
    return number


def distinct(value: int | None, n: int) -> int:
    """Return *value* as a number of questions among *n* askings; all if None."""
    if value is None:
        return n
    found = questions(value, "questions")
    if found > n:
        raise ValueError(f"questions must not exceed n, got {found} > {n}")
    return found


def pair_counts(
    treated_only: object, control_only: object, n: object
) -> tuple[int, int, int]:
    """Return the three counts of a pair, or say which cannot be."""
    b = count(treated_only, "treated_only")
    c = count(control_only, "control_only")
    total = questions(n)
    if b + c > total:
        raise ValueError(
            f"treated_only + control_only must not exceed n, got {b} + {c} > {total}"
        )
    return b, c, total


def confidence(value: float) -> float:
    """Return *value* as a confidence level strictly between one half and one.

    One half is the limit because a one-sided bound below it lies on the wrong
    side of the estimate; it also catches 95 and 0.05 meant as 0.95.
    """
    return _between(value, 0.5, 1.0, "confidence")


def power(value: float) -> float:
    """Return *value* as a power strictly between one half and one."""
    return _between(value, 0.5, 1.0, "power")


def _between(value: float, low: float, high: float, name: str) -> float:
    if not low < value < high:  # also catches NaN
        raise ValueError(
            f"{name} must lie between {low:g} and {high:g}, both excluded, "
            f"got {value!r}"
        )
    return float(value)


def design_effect(value: float) -> float:
    """Return *value* as a design effect: finite, at least one."""
    if not (math.isfinite(value) and value >= 1):
        raise ValueError(f"design_effect must be finite and at least 1, got {value!r}")
    return float(value)


def degrees_of_freedom(value: float) -> float:
    """Return *value* as degrees of freedom: above zero, infinite for the normal."""
    if not value > 0:  # also catches NaN
        raise ValueError(f"df must be above 0, got {value!r}")
    return float(value)


def probability(value: float, name: str) -> float:
    """Return *value* as a number in [0, 1]."""
    if not 0 <= value <= 1:  # also catches NaN
        raise ValueError(f"{name} must lie in [0, 1], got {value!r}")
    return float(value)


def standard_deviation(value: float, name: str = "sd") -> float:
    """Return *value* as a finite standard deviation, zero allowed."""
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{name} must be finite and at least 0, got {value!r}")
    return float(value)


def scores(values: npt.ArrayLike, name: str = "values") -> npt.NDArray[np.int64]:
    """Return *values* as whole scores in [-2, 2], one a question."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have shape (n,), got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"nothing to compare: {name} is empty")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numbers, got dtype {array.dtype}")
    wrong = ~np.isin(array, (-2, -1, 0, 1, 2))
    if wrong.any():
        raise ValueError(
            f"{name} must be whole numbers in [-2, 2], got {array[wrong][0].item()!r} "
            f"at position {int(np.flatnonzero(wrong)[0])}"
        )
    return array.astype(np.int64)


def correctness(values: npt.ArrayLike, name: str) -> npt.NDArray[np.bool_]:
    """Return *values* as a bool vector; 0 and 1 are not taken for answers."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have shape (n,), got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"nothing to compare: {name} is empty")
    if array.dtype != np.bool_:
        raise TypeError(f"{name} must be booleans, got dtype {array.dtype}")
    return array


def cluster_codes(
    clusters: Iterable[Hashable], n: int, name: str = "clusters"
) -> npt.NDArray[np.intp]:
    """Return a number for each of *n* questions, equal within a cluster."""
    seen: dict[Hashable, int] = {}
    codes = [seen.setdefault(cluster, len(seen)) for cluster in clusters]
    if len(codes) != n:
        raise ValueError(f"{n} questions need as many {name}, got {len(codes)}")
    return np.array(codes, dtype=np.intp)
