"""Answers that flip when only the picture's quality changes.

Apart from paired differences because a flat accuracy hides them: twenty answers
broken and twenty mended are a difference of zero and no robustness.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _inputs, counted
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.proportion import Proportion


@dataclass(frozen=True, kw_only=True)
class Flips:
    """Result of `flips`; counts of questions, then what they show."""

    correct_to_incorrect: int
    incorrect_to_correct: int
    n: int
    stable_share: Proportion
    """Of the questions right before and after, or wrong before and after."""
    change: PairedDifference
    """Accuracy after minus accuracy before."""
    pvalue: float
    """McNemar's exact test of as many flips in one direction as in the other; a
    question that was asked several times counts once, see `counted.signs`."""

    @property
    def net(self) -> int:
        """Questions gained: incorrect to correct less correct to incorrect."""
        return self.incorrect_to_correct - self.correct_to_incorrect

    @property
    def flipped(self) -> int:
        """Questions that flipped in either direction."""
        return self.incorrect_to_correct + self.correct_to_incorrect


def flips(
    *,
    before: npt.NDArray[np.bool_],
    after: npt.NDArray[np.bool_],
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> Flips:
    """Count the answers that changed between two conditions.

    Parameters
    ----------
    before, after : bool ndarray, shape (n,)
        Whether each question was answered correctly, e.g. on the original and
        on the compressed clip. Row ``i`` of both is the same question.
    clusters : iterable of hashable, length n, optional
        The video of each question; the intervals then have its design effect.
        None takes questions for independent.
    confidence : float
        Of both intervals.
    questions : iterable of hashable, length n, optional
        Which question each row is an asking of, see `clusters.design_effect`.

    Examples
    --------
    >>> found = flips(
    ...     before=np.array([True, True, False, False]),
    ...     after=np.array([False, True, True, True]),
    ... )
    >>> found.correct_to_incorrect, found.incorrect_to_correct, found.net
    (1, 2, 1)
    >>> found.stable_share.estimate
    0.25
    """
    first, second = _inputs.paired(before=before, after=after)
    scores = second.astype(np.int64) - first.astype(np.int64)
    codes = _inputs.clusters_or_none(clusters, scores.size)
    asked = _inputs.clusters_or_none(questions, scores.size)
    change = counted.difference(scores, codes, confidence, asked)
    gained, lost = change.treated_only, change.control_only
    better, worse = counted.signs(scores, asked)
    return Flips(
        correct_to_incorrect=lost,
        incorrect_to_correct=gained,
        n=scores.size,
        stable_share=counted.share(scores == 0, codes, confidence, asked),
        change=change,
        pvalue=mcnemar(treated_only=better, control_only=worse).pvalue,
    )
