"""Goodness of fit of counts, and equality of two distributions over one set.

Apart from `positions` because both tests know counts only, and each has a
published counterpart to be checked against.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc, gammaln

from pytest_vdg.stats import _validate

FitMethod = Literal["exact", "chi-square"]

_TABLES_AT_MOST = 200_000
"""Beyond so many possible tables the chi-square takes over; with four labels
that is at 105 questions, where each cell expects 26."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Result of `goodness_of_fit`."""

    pvalue: float
    """In [0, 1]."""
    statistic: float
    """Pearson's chi-square, whichever the method."""
    df: int
    """Cells less one."""
    method: FitMethod


def goodness_of_fit(
    counts: Mapping[str, int], expected: Mapping[str, float] | None = None
) -> Fit:
    """Test whether *counts* fall as *expected*.

    Parameters
    ----------
    counts : mapping of str to int
        Questions by label; labels that could have come but did not count 0.
    expected : mapping of str to float, optional
        Expected questions by the same labels, each above 0, of equal sum; None
        for as many of each.

    Returns
    -------
    Fit
        "exact": the probability of all tables that are no more probable than
        the one seen. "chi-square", where there are too many tables to list.
        One label alone fits, with p = 1.

    References
    ----------
    Pearson (1900), Philosophical Magazine 50:157-175. For the exact test:
    Cressie & Read (1989), International Statistical Review 57:19-43.

    Examples
    --------
    >>> f"{goodness_of_fit({'A': 5, 'B': 0}).pvalue:.4f}"  # 2 of 32 ways
    '0.0625'
    """
    seen = np.array([_validate.count(c, label) for label, c in counts.items()])
    total = _validate.questions(int(seen.sum()), "the sum of counts")
    hoped = _expected(counts, expected, total)
    statistic = float(np.sum((seen - hoped) ** 2 / hoped))
    tables = math.comb(total + seen.size - 1, seen.size - 1)
    method: FitMethod = "exact" if tables <= _TABLES_AT_MOST else "chi-square"
    if method == "exact":
        pvalue = _exact(seen, hoped / total)
    else:
        pvalue = float(chdtrc(seen.size - 1, statistic))
    return Fit(pvalue=pvalue, statistic=statistic, df=seen.size - 1, method=method)


def _expected(
    counts: Mapping[str, int], expected: Mapping[str, float] | None, total: int
) -> npt.NDArray[np.float64]:
    if expected is None:
        return np.full(len(counts), total / len(counts))
    if expected.keys() != counts.keys():
        raise ValueError(
            f"expected must have the labels of counts, got {sorted(expected)} for "
            f"{sorted(counts)}"
        )
    hoped = np.array([expected[label] for label in counts], dtype=np.float64)
    if not (hoped > 0).all() or not math.isclose(hoped.sum(), total, rel_tol=1e-9):
        raise ValueError(
            f"expected must be above 0 each and sum to {total}, got {dict(expected)}"
        )
    return hoped


def _exact(seen: npt.NDArray[np.int64], shares: npt.NDArray[np.float64]) -> float:
    tables = _tables(int(seen.sum()), seen.size)

    def log_probability(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.asarray((rows * np.log(shares) - gammaln(rows + 1.0)).sum(axis=-1))

    logs = log_probability(tables)
    weights = np.exp(logs - logs.max())
    # Equal but for rounding counts as equal.
    extreme = logs <= float(log_probability(seen)) + 1e-9
    return min(1.0, float(weights[extreme].sum() / weights.sum()))


def _tables(total: int, cells: int) -> npt.NDArray[np.int64]:
    """Return every way to spread *total* over *cells*, shape (ways, cells)."""
    rows = np.zeros((1, 0), dtype=np.int64)
    left = np.array([total])
    for _ in range(cells - 1):
        sizes = left + 1
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        value = np.arange(int(sizes.sum())) - starts
        rows = np.column_stack([np.repeat(rows, sizes, axis=0), value])
        left = np.repeat(left, sizes) - value
    return np.column_stack([rows, left])


def marginal_homogeneity(table: npt.ArrayLike) -> Fit:
    """Test whether rows and columns of a square table have equal margins.

    The Stuart-Maxwell test: McNemar's for more than two labels. For the
    distribution of answers against that of the key over the same questions.

    Parameters
    ----------
    table : array_like of int, shape (k, k)
        ``table[i, j]``: questions with label i in the one and j in the other.

    Returns
    -------
    Fit
        Chi-square with as many degrees of freedom as margins can differ in;
        p = 1 with 0 where none can, as all lie on the diagonal.

    References
    ----------
    Stuart (1955), Biometrika 42:412-416. Maxwell (1970), British Journal of
    Psychiatry 116:651-655.

    Examples
    --------
    >>> fit = marginal_homogeneity([[20, 10], [2, 30]])
    >>> f"{fit.statistic:.2f}"  # (10 - 2)**2 / (10 + 2)
    '5.33'
    """
    counts = np.asarray(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"table must have shape (k, k), got shape {counts.shape}")
    if counts.dtype.kind not in "iu" or (counts < 0).any():
        raise ValueError("table must hold nonnegative integers")
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    difference = (rows - columns).astype(np.float64)
    covariance = np.diag(rows + columns) - counts - counts.T
    df = int(np.linalg.matrix_rank(covariance)) if covariance.any() else 0
    if df == 0:
        return Fit(pvalue=1.0, statistic=0.0, df=0, method="chi-square")
    # The margins sum to zero, so the covariance is singular; its pseudoinverse
    # gives what leaving one label out gives, whichever is left out.
    statistic = float(
        difference @ np.linalg.pinv(covariance.astype(float)) @ difference
    )
    return Fit(
        pvalue=float(chdtrc(df, statistic)),
        statistic=statistic,
        df=df,
        method="chi-square",
    )
