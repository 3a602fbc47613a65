"""Is the ranking of tasks a property of the benchmark: over halves, over models?

Apart from the spectrum because a spectrum can have narrow intervals and still
rank its tasks by chance, where their gaps lie close together.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _inputs, _validate
from pytest_vdg.stats._resampling import FloatArray
from pytest_vdg.stats.agreement import correlation
from pytest_vdg.stats.bootstrap import percentile_interval


@dataclass(frozen=True, kw_only=True)
class RankAgreement:
    """Result of `rank_agreement`; rank correlations in [-1, 1]."""

    pairs: Mapping[tuple[str, str], float | None]
    """By pair of models; None where one ranks all tasks alike."""
    mean: float | None
    """Over the pairs that have one; None where none has."""
    tasks: tuple[str, ...]
    """That were ranked, sorted."""


@dataclass(frozen=True, kw_only=True)
class SplitHalf:
    """Result of `split_half`; rank correlations in [-1, 1]."""

    mean: float
    low: float
    """Lower percentile over the halves; no interval of the mean."""
    high: float
    """Upper percentile over the halves."""
    confidence: float
    halves: int
    undefined: int
    """Splits in which all groups of one half tied; left out of the three above."""
    groups: tuple[str, ...]
    """That were ranked, sorted."""
    seed: int


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """Return Spearman's rank correlation, or None where one side does not vary.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        Finite, of equal length. Equal values share the mean of their ranks.

    References
    ----------
    Spearman (1904), American Journal of Psychology 15:72-101.

    Examples
    --------
    >>> f"{spearman([0.40, 0.25, 0.00], [0.46, 0.48, 0.08]):.1f}"
    '0.5'
    """
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if one.shape != two.shape or one.ndim != 1:
        return correlation(one, two)  # which says what is wrong
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise ValueError("x and y must be finite, got NaN or infinity")
    return correlation(_ranks(one[None])[0], _ranks(two[None])[0])


def rank_agreement(gaps: Mapping[str, Mapping[str, float]]) -> RankAgreement:
    """Compare how each pair of models ranks the same tasks.

    Parameters
    ----------
    gaps : mapping of str to (mapping of str to float)
        For each model, at least two, the gap of each task. All must have the
        same tasks, at least two.

    Examples
    --------
    >>> found = rank_agreement(
    ...     {
    ...         "first": {"colour": 0.40, "count": 0.25, "order": 0.00},
    ...         "second": {"colour": 0.46, "count": 0.33, "order": 0.08},
    ...     }
    ... )
    >>> f"{found.mean:.1f}"
    '1.0'
    """
    if len(gaps) < 2:
        raise ValueError(f"nothing to compare: {len(gaps)} models, two are needed")
    tasks = sorted(next(iter(gaps.values())))
    for model, by_task in gaps.items():
        if sorted(by_task) != tasks:
            raise ValueError(
                f"all models must have the same tasks, got {tasks} and, for "
                f"{model}, {sorted(by_task)}"
            )
    if len(tasks) < 2:
        raise ValueError(f"nothing to rank: {len(tasks)} tasks, two are needed")
    rows = {model: [by_task[t] for t in tasks] for model, by_task in gaps.items()}
    pairs = {(a, b): spearman(rows[a], rows[b]) for a, b in combinations(rows, 2)}
    known = [rho for rho in pairs.values() if rho is not None]
    return RankAgreement(
        pairs=pairs,
        mean=sum(known) / len(known) if known else None,
        tasks=tuple(tasks),
    )


def split_half(
    *,
    values: npt.ArrayLike,
    groups: Iterable[str],
    seed: int,
    clusters: Iterable[Hashable] | None = None,
    halves: int = 1000,
    confidence: float = 0.95,
) -> SplitHalf:
    """Rank the groups by each of two random halves and compare the rankings.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        A score for each question, e.g. its gap, or its mean gap over models.
    groups : iterable of str, length n
        The task of each question; at least two, of at least two questions.
    seed : int
        The result does not depend on the order of questions.
    clusters : iterable of hashable, length n, optional
        The video of each question; videos are then split, not questions, so
        that no video speaks for both halves.
    halves : int
        Random splits, each within every group.
    confidence : float
        Share of the splits between `low` and `high`.

    Notes
    -----
    Each half has half the questions, so the whole ranks more reliably than
    this says; and percentiles over splits of one sample say nothing of another
    sample.

    References
    ----------
    VDG paper, section 5.2, which does not say what was split: its printed value
    is that of the mean gap over models, of questions that all answered. Spearman
    (1910), British Journal of Psychology
    3:271-295.
    """
    total = _validate.questions(halves, "halves")
    names, columns = _halved(values, groups, clusters, total, seed)
    # Rounded, since sums in another order make ties differ in the last digit.
    first, second = (
        np.column_stack([column[side] for column in columns]).round(12)
        for side in (0, 1)
    )
    rho = _row_correlations(_ranks(first), _ranks(second))
    known = rho[np.isfinite(rho)]
    if known.size == 0:
        raise ValueError("all groups tie in every half, so that none can be ranked")
    ends = percentile_interval(known, confidence=confidence)
    return SplitHalf(
        mean=float(known.mean()),
        low=ends.low,
        high=ends.high,
        confidence=ends.confidence,
        halves=total,
        undefined=total - known.size,
        groups=tuple(names),
        seed=seed,
    )


def _halved(
    values: npt.ArrayLike,
    groups: Iterable[str],
    clusters: Iterable[Hashable] | None,
    halves: int,
    seed: int,
) -> tuple[list[str], list[tuple[FloatArray, FloatArray]]]:
    """Return the groups, and the means of both halves of each."""
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise ValueError(
            f"values must be finite, of shape (n,), got shape {scores.shape}"
        )
    names, codes = _inputs.group_codes(groups, scores.size)
    if len(names) < 2:
        raise ValueError(f"nothing to rank: {len(names)} groups, two are needed")
    units = _validate.cluster_codes(
        _inputs.clusters_or_none(clusters, scores.size), scores.size
    )
    rng = np.random.default_rng(seed)
    return names, [
        _half_means(name, scores[codes == i], units[codes == i], halves, rng)
        for i, name in enumerate(names)
    ]


def _half_means(
    name: str,
    scores: FloatArray,
    units: npt.NDArray[np.intp],
    halves: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Return the mean score of both halves, each of shape (halves,)."""
    _, place = np.unique(units, return_inverse=True)
    sums, counts = np.bincount(place, scores), np.bincount(place)
    if sums.size < 2:
        raise ValueError(f"group {name!r} cannot be split: it has one unit only")
    order = np.lexsort((counts, sums))
    sums, counts = sums[order], counts[order]
    tickets = np.tile(np.arange(sums.size), (halves, 1))
    chosen = rng.permuted(tickets, axis=1)[:, : sums.size // 2]
    taken, size = sums[chosen].sum(axis=1), counts[chosen].sum(axis=1)
    return taken / size, (sums.sum() - taken) / (counts.sum() - size)


def _ranks(rows: FloatArray) -> FloatArray:
    """Return the ranks within each row, equal values sharing their mean rank."""
    left, right = rows[:, :, None], rows[:, None, :]
    below = (right < left).sum(axis=2)
    equal = (right == left).sum(axis=2)
    return np.asarray(below + (equal + 1) / 2, dtype=np.float64)


def _row_correlations(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Pearson's correlation of each row, NaN where one does not vary."""
    a, b = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    spread = (a * a).sum(axis=1) * (b * b).sum(axis=1)
    found = np.full(x.shape[0], np.nan)
    vary = spread > 0
    found[vary] = (a * b).sum(axis=1)[vary] / np.sqrt(spread[vary])
    return found
