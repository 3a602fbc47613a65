"""Do two models agree on which single questions need the video?

Apart from `stability` because two models may rank the tasks alike and yet hardly
agree on any question; both are called agreement, and only one is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _inputs, _validate, counted
from pytest_vdg.stats.proportion import Proportion


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Result of `agreement`: three measures that are often taken for each other."""

    same: Proportion
    """Share of questions with equal scores: exact agreement."""
    expected: float
    """Share expected if both had their scores but on unrelated questions."""
    kappa: float | None
    """Cohen's kappa: (same - expected) / (1 - expected); None where expected
    is 1, as both give one and the same score throughout."""
    pearson: float | None
    """Pearson's correlation of the scores, which is *not* a share of agreement;
    None where one side's scores are all equal."""
    n: int
    """Questions."""


def agreement(
    *,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> Agreement:
    """Compare the scores of two models question by question.

    Parameters
    ----------
    first, second : array_like of int or bool, shape (n,)
        A score for each question in {-2, ..., 2}, e.g. its gap. Row ``i`` of
        both is the same question.
    clusters : iterable of hashable, length n, optional
        The video of each question; None takes questions for independent.
    confidence : float
        Of the interval of `same`.
    questions : iterable of hashable, length n, optional
        Which question each row is an asking of, see `clusters.design_effect`.

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20:37-46.

    Examples
    --------
    >>> found = agreement(first=[1, 1, 0, 0], second=[1, 0, 0, 0])
    >>> f"{found.same.estimate} {found.kappa:.2f} {found.pearson:.2f}"
    '0.75 0.50 0.58'
    """
    one, two = _validate.scores(first, "first"), _validate.scores(second, "second")
    if one.size != two.size:
        raise ValueError(
            f"first and second must have equal lengths, got {one.size} and {two.size}"
        )
    equal = one == two
    codes = _inputs.clusters_or_none(clusters, one.size)
    asked = _inputs.clusters_or_none(questions, one.size)
    same = counted.share(equal, codes, confidence, asked)
    shares = [np.bincount(side + 2, minlength=5) / side.size for side in (one, two)]
    expected = float(shares[0] @ shares[1])
    return Agreement(
        same=same,
        expected=expected,
        kappa=(same.estimate - expected) / (1 - expected) if expected < 1 else None,
        pearson=correlation(one, two),
        n=one.size,
    )


def correlation(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """Return Pearson's correlation, or None where one side does not vary.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        Finite, of equal length.

    Examples
    --------
    >>> correlation([1, 2, 3], [2, 4, 6])
    1.0
    """
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if one.ndim != 1 or one.shape != two.shape:
        raise ValueError(
            f"x and y must have one shape (n,), got {one.shape} and {two.shape}"
        )
    if one.size == 0:
        raise ValueError("nothing to compare: x is empty")
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise ValueError("x and y must be finite, got NaN or infinity")
    if (one == one[0]).all() or (two == two[0]).all():
        return None
    one, two = one - one.mean(), two - two.mean()
    found = float(one @ two / np.sqrt((one @ one) * (two @ two)))
    return min(1.0, max(-1.0, found))


@dataclass(frozen=True, kw_only=True)
class SharedCore:
    """Result of `shared_core`: questions on which all models are alike."""

    all_gain: Proportion
    """Every model right with the video only: the one-for-all core."""
    all_still: Proportion
    """No model's correctness changed without the video."""
    all_equal: Proportion
    """Every model has the same score, whichever."""
    n: int
    """Questions."""
    n_models: int


def shared_core(
    scores: npt.ArrayLike,
    *,
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> SharedCore:
    """Count the questions on which all models are alike.

    Parameters
    ----------
    scores : array_like of int, shape (n_models, n)
        The gap of each question for each model, in {-1, 0, 1}; at least two
        models. Column ``i`` is the same question for all.
    clusters : iterable of hashable, length n, optional
        The video of each question; None takes questions for independent.
    confidence : float
        Of each interval.
    questions : iterable of hashable, length n, optional
        Which question each row is an asking of, see `clusters.design_effect`.

    Examples
    --------
    >>> found = shared_core([[1, 1, 0, 0], [1, 0, 0, -1]])
    >>> [share.successes for share in (found.all_gain, found.all_still)]
    [1, 1]
    """
    table = np.asarray(scores)
    if table.ndim != 2 or table.shape[0] < 2:
        raise ValueError(
            "scores must have shape (n_models, n) with two models or more, got shape "
            f"{table.shape}"
        )
    gaps = np.stack([_validate.scores(row, "scores") for row in table])
    codes = _inputs.clusters_or_none(clusters, gaps.shape[1])
    asked = _inputs.clusters_or_none(questions, gaps.shape[1])
    return SharedCore(
        all_gain=counted.share((gaps == 1).all(axis=0), codes, confidence, asked),
        all_still=counted.share((gaps == 0).all(axis=0), codes, confidence, asked),
        all_equal=counted.share(
            (gaps == gaps[0]).all(axis=0), codes, confidence, asked
        ),
        n=gaps.shape[1],
        n_models=gaps.shape[0],
    )
