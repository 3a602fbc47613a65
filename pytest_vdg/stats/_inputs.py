"""Checks of arguments that several of the newer statistics share.

Apart from `_validate` because these are about arrays of equal length and about
groups of questions, not about single numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _validate

BoolArray = npt.NDArray[np.bool_]


def paired(**arrays: npt.ArrayLike) -> list[BoolArray]:
    """Return bool vectors of one length, or say which of the names is not.

    Examples
    --------
    >>> [array.size for array in paired(treated=[True], control=[False])]
    [1, 1]
    """
    checked = [_validate.correctness(values, name) for name, values in arrays.items()]
    lengths = [array.size for array in checked]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"{' and '.join(arrays)} must have equal lengths, got "
            f"{' and '.join(map(str, lengths))}"
        )
    return checked


def clusters_or_none(clusters: Iterable[Hashable] | None, n: int) -> Sequence[Hashable]:
    """Return the cluster of each question; without any, each its own."""
    return range(n) if clusters is None else list(clusters)


def group_codes(
    groups: Iterable[str], n: int, name: str = "groups"
) -> tuple[list[str], npt.NDArray[np.intp]]:
    """Return the distinct *groups*, sorted, and the place of each question's."""
    given = list(groups)
    if len(given) != n:
        raise ValueError(f"{n} questions need as many {name}, got {len(given)}")
    names = sorted(set(given))
    place: Mapping[str, int] = {group: i for i, group in enumerate(names)}
    return names, np.array([place[group] for group in given], dtype=np.intp)


def alpha(value: float, name: str = "alpha") -> float:
    """Return *value* as a level of significance between 0 and one half."""
    if not 0 < value < 0.5:  # also catches NaN
        raise ValueError(
            f"{name} must lie between 0 and 0.5, both excluded, got {value!r}"
        )
    return float(value)
