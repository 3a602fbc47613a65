"""Shortcuts of a benchmark: what text alone earns above chance, what video adds.

Apart from the visual dependency gap because taking the video away altogether is
another question than showing a black one: a black clip still looks like a video.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _inputs, _validate, counted
from pytest_vdg.stats.paired import PairedDifference


@dataclass(frozen=True, kw_only=True)
class AboveChance:
    """Result of `blind_gap`; fractions in [-1, 1]."""

    estimate: float
    """Accuracy minus chance."""
    low: float
    """Lower end of the two-sided interval at `confidence`."""
    high: float
    """Upper end of the two-sided interval at `confidence`."""
    lower_bound: float
    """One-sided lower bound at `confidence`."""
    upper_bound: float
    """One-sided upper bound at `confidence`."""
    accuracy: float
    chance: float
    """Mean of 1/K over the questions."""
    n: int
    """Questions."""
    confidence: float


def blind_gap(
    *,
    correct: npt.NDArray[np.bool_],
    options: npt.ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> AboveChance:
    """Return how far an accuracy lies above chance.

    Parameters
    ----------
    correct : bool ndarray, shape (n,)
        Whether each question was answered correctly without the video.
    options : array_like of int, shape (n,)
        How many options each question has, K, at least 2.
    clusters : iterable of hashable, length n, optional
        The video of each question; None takes questions for independent.
    confidence : float
        Of the two-sided interval and, separately, of each one-sided bound.
    questions : iterable of hashable, length n, optional
        Which question each row is an asking of, see `clusters.design_effect`.

    Notes
    -----
    Chance is known, so that the ends are Wilson's for the accuracy less
    chance. Questions with different K make the accuracy vary less than Wilson
    takes it to, so that the interval is then a little too wide.

    References
    ----------
    Traffic paper, section 3.1 (blind gap).

    Examples
    --------
    >>> gap = blind_gap(correct=np.array([True, True, False, False]), options=[4] * 4)
    >>> gap.estimate
    0.25
    """
    right = _validate.correctness(correct, "correct")
    guessed = chance(options, n=right.size)
    codes = _inputs.clusters_or_none(clusters, right.size)
    asked = _inputs.clusters_or_none(questions, right.size)
    accuracy = counted.share(right, codes, confidence, asked)
    return AboveChance(
        estimate=accuracy.estimate - guessed,
        low=accuracy.low - guessed,
        high=accuracy.high - guessed,
        lower_bound=accuracy.lower_bound - guessed,
        upper_bound=accuracy.upper_bound - guessed,
        accuracy=accuracy.estimate,
        chance=guessed,
        n=right.size,
        confidence=accuracy.confidence,
    )


def chance(options: npt.ArrayLike, *, n: int | None = None) -> float:
    """Return the mean of 1/K, the accuracy of guessing.

    Parameters
    ----------
    options : array_like of int, shape (n,)
        How many options each question has, at least 2.
    n : int, optional
        How many questions there must be.

    Examples
    --------
    >>> chance([2, 4])
    0.375
    """
    counts = np.asarray(options)
    if counts.ndim != 1 or counts.size == 0 or counts.dtype.kind not in "iu":
        raise ValueError(
            "options must be integers of shape (n,), at least one, got "
            f"{counts.dtype} of shape {counts.shape}"
        )
    if n is not None and counts.size != n:
        raise ValueError(f"{n} questions need as many options, got {counts.size}")
    if counts.min() < 2:
        raise ValueError(f"a question needs two options at least, got {counts.min()}")
    return float(np.mean(1 / counts))


def visual_gain(
    *,
    video: npt.NDArray[np.bool_],
    text_only: npt.NDArray[np.bool_],
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> PairedDifference:
    """Return what the video adds to the accuracy of text alone.

    Parameters
    ----------
    video, text_only : bool ndarray, shape (n,)
        Whether each question was answered correctly with the video and with
        text only. Row ``i`` of both is the same question.
    clusters : iterable of hashable, length n, optional
        The video of each question; None takes questions for independent.
    confidence : float
        See `paired_difference`.
    questions : iterable of hashable, length n, optional
        Which question each row is an asking of, see `clusters.design_effect`.

    References
    ----------
    Traffic paper, section 3.1 (visual gain).

    Examples
    --------
    >>> gain = visual_gain(
    ...     video=np.array([True, True, False]),
    ...     text_only=np.array([False, True, False]),
    ... )
    >>> f"{gain.estimate:.3f}"
    '0.333'
    """
    sighted, blind = _inputs.paired(video=video, text_only=text_only)
    scores = sighted.astype(np.int64) - blind.astype(np.int64)
    codes = _inputs.clusters_or_none(clusters, scores.size)
    asked = _inputs.clusters_or_none(questions, scores.size)
    return counted.difference(scores, codes, confidence, asked)
