"""Filtering of questions: which are kept, and what the rest then measures.

Apart from the scores of `evidence` because a threshold is a choice: the sweep
shows what each would leave, and two simpler rules are there to compare with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _inputs, _validate
from pytest_vdg.stats.shortcut import chance

THRESHOLD = 0.1
"""Of the shortcut score, as in the traffic paper, section 4."""


def shortcut_score(
    *, textual: npt.ArrayLike, visual: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Return S = T - V of each question: high where text does and video does not.

    Parameters
    ----------
    textual, visual : array_like of float, shape (n,)
        From `evidence.textual_evidence` and `evidence.visual_necessity`.

    References
    ----------
    Traffic paper, equation 6.

    Examples
    --------
    >>> shortcut_score(textual=[0.9, 0.0], visual=[0.0, 0.5]).tolist()
    [0.9, -0.5]
    """
    t, v = np.asarray(textual, dtype=np.float64), np.asarray(visual, dtype=np.float64)
    if t.ndim != 1 or t.shape != v.shape:
        raise ValueError(
            f"textual and visual must have one shape (n,), got {t.shape} and {v.shape}"
        )
    if not (np.isfinite(t).all() and np.isfinite(v).all()):
        raise ValueError("textual and visual must be finite, got NaN or infinity")
    return np.asarray(t - v)


def keep_grounded(
    score: npt.ArrayLike, threshold: float = THRESHOLD
) -> npt.NDArray[np.bool_]:
    """Return which questions have a score of at most *threshold*.

    Examples
    --------
    >>> keep_grounded([0.9, 0.1, -0.5]).tolist()
    [False, True, True]
    """
    values = np.asarray(score, dtype=np.float64)
    if not (np.isfinite(values).all() and np.isfinite(threshold)):
        raise ValueError("score and threshold must be finite, got NaN or infinity")
    return np.asarray(values <= threshold)


def keep_unless_blindly_right(
    correct: npt.ArrayLike, *, allowed: int
) -> npt.NDArray[np.bool_]:
    """Return which questions at most *allowed* blind models answered correctly.

    The two rules that the traffic paper compares with: ``allowed=1`` over a
    panel of text-only models is LLM-Inspector, ``allowed=0`` over blind video
    models is B-Clean.

    Parameters
    ----------
    correct : array_like of bool, shape (n_models, n)
        Whether each model answered each question correctly without the video.
    allowed : int
        How many may.

    Examples
    --------
    >>> keep_unless_blindly_right([[True, True], [True, False]], allowed=1).tolist()
    [False, True]
    """
    table = np.asarray(correct)
    if table.ndim != 2 or table.size == 0 or table.dtype != np.bool_:
        raise ValueError(
            "correct must be booleans of shape (n_models, n), got "
            f"{table.dtype} of shape {table.shape}"
        )
    return np.asarray(table.sum(axis=0) <= _validate.count(allowed, "allowed"))


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One threshold of `sweep`: what the questions that it keeps measure."""

    threshold: float
    n: int
    """Questions kept."""
    blind_gap: float | None
    """Accuracy of text only minus chance; None where none is kept."""
    visual_gain: float | None
    """Accuracy with video minus that of text only; None where none is kept."""


def sweep(
    *,
    score: npt.ArrayLike,
    thresholds: Iterable[float],
    text_only: npt.NDArray[np.bool_],
    video: npt.NDArray[np.bool_],
    options: npt.ArrayLike,
) -> tuple[Kept, ...]:
    """Measure what each threshold of a score would leave.

    Parameters
    ----------
    score : array_like of float, shape (n,)
        S, or another score of which small values are kept: T, or -V.
    thresholds : iterable of float
        In the order of the result.
    text_only, video : bool ndarray, shape (n,)
        Whether a model *outside* the panel behind the score answered each
        question correctly; with one inside it, the filter selects its noise.
    options : array_like of int, shape (n,)
        How many options each question has.

    Examples
    --------
    >>> rows = sweep(
    ...     score=[0.9, 0.0],
    ...     thresholds=[0.1, 1.0],
    ...     text_only=np.array([True, False]),
    ...     video=np.array([True, True]),
    ...     options=[2, 2],
    ... )
    >>> [(row.n, row.blind_gap, row.visual_gain) for row in rows]
    [(1, -0.5, 1.0), (2, 0.0, 0.5)]
    """
    blind, sighted = _inputs.paired(text_only=text_only, video=video)
    counts = np.asarray(options)
    chance(counts, n=blind.size)
    rows = []
    for threshold in thresholds:
        kept = keep_grounded(score, threshold)
        if kept.shape != blind.shape:
            raise ValueError(
                f"{blind.size} questions need as many scores, got shape {kept.shape}"
            )
        some = bool(kept.any())
        accuracy = float(blind[kept].mean()) if some else 0.0
        rows.append(
            Kept(
                threshold=float(threshold),
                n=int(kept.sum()),
                blind_gap=accuracy - chance(counts[kept]) if some else None,
                visual_gain=float(sighted[kept].mean()) - accuracy if some else None,
            )
        )
    return tuple(rows)
