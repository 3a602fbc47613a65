"""Resampling of videos: intervals for what has no formula.

Apart from the intervals because it needs a seed, and apart from any statistic
because all of them are functions of sums: a resample is a weight a video, and
the sums of all resamples are one matrix product, never a loop over questions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _validate
from pytest_vdg.stats._limits import ends, score_limit
from pytest_vdg.stats._resampling import FloatArray, Kinds
from pytest_vdg.stats._sums import Sums

Statistic = Callable[[FloatArray, FloatArray], npt.ArrayLike]
"""From the column sums of some resamples, shape (r, n_columns), and their numbers
of questions, shape (r,), to the statistic of each, shape (r,) or (r, k)."""


def video_bootstrap(
    values: npt.ArrayLike,
    videos: Iterable[Hashable],
    *,
    seed: int,
    resamples: int = 2000,
    statistic: Statistic | None = None,
) -> FloatArray:
    """Resample videos and return a statistic of each resample.

    Parameters
    ----------
    values : array_like of bool or float, shape (n,) or (n, n_columns)
        What is summed over questions: correctness under each condition, or an
        indicator for each cell of a table. Finite.
    videos : iterable of hashable, length n
        The video of each question. Videos, not questions, are resampled,
        because questions about one video rise and fall together.
    seed : int
        There is no default: an interval that moves between runs turns a
        threshold into a coin toss. The result depends on neither the order of
        questions nor the names of videos.
    resamples : int
        At least 1.
    statistic : callable, optional
        See `Statistic`; None for the mean of each column.

    Returns
    -------
    ndarray of float, shape (resamples, n_columns) or what *statistic* gives

    Notes
    -----
    Videos with equal sums are exchangeable, so that only how often each *kind*
    of video was drawn is needed: ten thousand questions right or wrong under
    six conditions are at most 64 kinds a task.

    References
    ----------
    Field & Welsh (2007), Journal of the Royal Statistical Society B 69:369-390
    (the cluster bootstrap).

    Examples
    --------
    >>> means = video_bootstrap([1, 1, 0, 0], "aabb", seed=0, resamples=4)
    >>> sorted({float(mean) for mean in means[:, 0]}) == [0.0, 0.5, 1.0]
    True
    """
    kinds = Kinds.of(values, videos)
    total = _validate.questions(resamples, "resamples")
    rng = np.random.default_rng(seed)
    parts = []
    for sums in kinds.draw(rng, total):
        columns, counts = sums[:, :-1], sums[:, -1]
        found = (
            columns / counts[:, None]
            if statistic is None
            else statistic(columns, counts)
        )
        parts.append(np.asarray(found, dtype=np.float64))
    return np.concatenate(parts)


@dataclass(frozen=True, kw_only=True)
class Percentiles:
    """Result of `percentile_interval`, in the unit of what was resampled."""

    low: float
    """Lower end of the two-sided interval at `confidence`."""
    high: float
    """Upper end of the two-sided interval at `confidence`."""
    lower_bound: float
    """One-sided lower bound at `confidence`."""
    upper_bound: float
    """One-sided upper bound at `confidence`."""
    confidence: float
    resamples: int


def percentile_interval(
    resampled: npt.ArrayLike, *, confidence: float = 0.95
) -> Percentiles:
    """Return the percentiles that enclose the middle of a resampled statistic.

    Parameters
    ----------
    resampled : array_like of float, shape (resamples,)
        Finite; a statistic that is undefined in some resamples has no
        percentile interval, and saying so is better than leaving them out.
    confidence : float
        Of the two-sided interval and, separately, of each one-sided bound.

    Notes
    -----
    Where no resample differs the interval has zero width, which is no
    certainty. Who reports it must widen it, as `bootstrap_mean` does.

    References
    ----------
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.

    Examples
    --------
    >>> ends = percentile_interval(range(101), confidence=0.9)
    >>> f"{ends.low:.1f} {ends.lower_bound:.1f} {ends.upper_bound:.1f} {ends.high:.1f}"
    '5.0 10.0 90.0 95.0'
    """
    level = _validate.confidence(confidence)
    drawn = np.asarray(resampled, dtype=np.float64)
    if drawn.ndim != 1 or drawn.size == 0:
        raise ValueError(
            f"resampled must have shape (resamples,), at least one, got {drawn.shape}"
        )
    wrong = int(np.sum(~np.isfinite(drawn)))
    if wrong:
        raise ValueError(
            f"the statistic is undefined in {wrong} of {drawn.size} resamples, so that "
            "it has no percentile interval"
        )
    tail = (1 - level) / 2
    found = np.quantile(drawn, [tail, 1 - tail, 1 - level, level])
    low, high, lower, upper = (float(end) for end in found)
    return Percentiles(
        low=low,
        high=high,
        lower_bound=lower,
        upper_bound=upper,
        confidence=level,
        resamples=drawn.size,
    )


@dataclass(frozen=True, kw_only=True)
class BootstrapMean:
    """Result of `bootstrap_mean`; fractions in [-2, 2]."""

    estimate: float
    low: float
    """Lower end of the two-sided interval at `confidence`."""
    high: float
    """Upper end of the two-sided interval at `confidence`."""
    lower_bound: float
    """One-sided lower bound at `confidence`."""
    upper_bound: float
    """One-sided upper bound at `confidence`."""
    confidence: float
    n: int
    """Questions."""
    n_clusters: int
    """Distinct videos."""
    resamples: int
    seed: int


def bootstrap_mean(
    values: npt.ArrayLike,
    videos: Iterable[Hashable],
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> BootstrapMean:
    """Estimate the mean of *values* with a percentile interval over videos.

    Parameters
    ----------
    values : array_like of int, shape (n,)
        A score for each question in {-2, ..., 2}.
    videos, seed, resamples
        As for `video_bootstrap`.
    confidence : float
        Of the two-sided interval and, separately, of each one-sided bound.
    questions : iterable of hashable, length n, optional
        As for `clusters.cluster_mean`.

    Notes
    -----
    Each end is the farther of the percentile and the score limit, for the
    reason given in `clusters.cluster_mean`: where few answers changed,
    resampling what was seen cannot show what was not.

    Examples
    --------
    >>> still = bootstrap_mean([0] * 300, range(300), seed=0)
    >>> f"{still.estimate:.3f} [{still.low:.3f}, {still.high:.3f}]"
    '0.000 [-0.013, 0.013]'
    """
    scores = _validate.scores(values)
    codes = _validate.cluster_codes(videos, scores.size)
    drawn = video_bootstrap(scores, codes.tolist(), seed=seed, resamples=resamples)
    resampled = percentile_interval(drawn[:, 0], confidence=confidence)
    sums = Sums.of(scores, codes.tolist(), questions)
    score = ends(sums.sample, confidence, score_limit)
    return BootstrapMean(
        estimate=sums.sample.mean,
        low=min(score.low, resampled.low),
        high=max(score.high, resampled.high),
        lower_bound=min(score.lower_bound, resampled.lower_bound),
        upper_bound=max(score.upper_bound, resampled.upper_bound),
        confidence=resampled.confidence,
        n=sums.n,
        n_clusters=sums.n_clusters,
        resamples=resampled.resamples,
        seed=seed,
    )
