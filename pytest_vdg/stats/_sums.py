"""What the mean of a score and its variances are made of, in whole numbers.

Apart from `clusters` because resampling and equivalence start from the same
sums, and because what asking a question again is worth is decided here once.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _validate
from pytest_vdg.stats._limits import Sample


@dataclass(frozen=True, kw_only=True)
class Sums:
    """What a mean, its variances and its limits are made of, in whole numbers.

    Whole, so that independent questions have a design effect of 1.0 and equal
    ones a variance of 0.0 exactly, whatever the order they come in.
    """

    n: int
    questions: int
    question_squares: int
    """Sum over questions of the square of its askings."""
    n_clusters: int
    size_squares: int
    """Sum over clusters of the square of its askings."""
    gained: int
    """Sum of the positive scores."""
    lost: int
    """Minus the sum of the negative scores."""
    squares: int
    largest: int
    """Largest size of a score."""
    within: int
    """Sum over askings of (n v - sum)²."""
    between: int
    """Sum over clusters of (sum over its askings of n v - sum)²."""

    @classmethod
    def of(
        cls,
        scores: npt.NDArray[np.int64],
        clusters: Iterable[Hashable],
        questions: Iterable[Hashable] | None = None,
    ) -> Sums:
        """Sum *scores* by video, and count the askings of each question."""
        codes = _validate.cluster_codes(clusters, scores.size)
        askings = _askings(questions, scores.size)
        residuals = scores.size * scores - scores.sum()
        by_cluster = np.zeros(int(codes.max()) + 1, dtype=np.int64)
        np.add.at(by_cluster, codes, residuals)
        sizes = np.bincount(codes)
        return cls(
            n=scores.size,
            questions=askings.size,
            question_squares=int(askings @ askings),
            n_clusters=by_cluster.size,
            size_squares=int(sizes @ sizes),
            gained=int(scores[scores > 0].sum()),
            lost=-int(scores[scores < 0].sum()),
            squares=int((scores * scores).sum()),
            largest=int(np.abs(scores).max()),
            # Python's integers: those of numpy would overflow silently here.
            within=sum(r * r for r in residuals.tolist()),
            between=sum(r * r for r in by_cluster.tolist()),
        )

    @property
    def sd(self) -> float:
        """Standard deviation of the scores over questions."""
        free = self.within * self.questions / (max(self.questions - 1, 1) * self.n)
        return math.sqrt(free) / self.n

    @property
    def df(self) -> float:
        """Degrees of freedom, see `clusters.worth`."""
        even = self.size_squares * self.n_clusters == self.n * self.n
        if self.n_clusters == 1 or (even and self.n_clusters == self.questions):
            return math.inf
        return self.n * self.n / self.size_squares - 1

    @property
    def design_effect(self) -> float:
        """As from `clusters.design_effect`."""
        if 1 in (self.n_clusters, self.questions):
            return float(self.n)
        least = self.question_squares / self.n
        if self.within == 0:
            return least
        robust = self.n_clusters * (self.questions - 1) * self.between
        plain = (self.n_clusters - 1) * self.questions * self.within
        return max(robust / plain, least)

    @property
    def sample(self) -> Sample:
        """The same as what limits are made of."""
        return Sample(
            gained=self.gained,
            lost=self.lost,
            squares=self.squares,
            largest=self.largest,
            n=self.n,
            questions=self.questions,
            design_effect=self.design_effect,
            df=self.df,
        )


def _askings(questions: Iterable[Hashable] | None, n: int) -> npt.NDArray[np.int64]:
    """Return how often each question was asked."""
    if questions is None:
        return np.ones(n, dtype=np.int64)
    codes = _validate.cluster_codes(questions, n, "questions")
    return np.bincount(codes).astype(np.int64)
