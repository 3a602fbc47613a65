"""Samples of a slice that was not asked yet, drawn in numbers of questions.

Apart from the planner because nothing here knows of claims: it answers what a
slice of so many questions on so many videos could hold if shares and
likeness of the answers were these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

Floats = npt.NDArray[np.float64]

_AT_ONCE = 2_000_000
"""Numbers held in memory at once, not counting those made from them."""

_MOST_PATTERNS = 300_000

_ALIKE = 1e-6
"""Below this correlation, questions on one video are drawn as independent."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Sums:
    """What the interval of one score is made of, for many drawn samples.

    The same sums as in `clusters`, as whole numbers in floats.
    """

    n: int
    n_videos: int
    size_squares: int
    """Sum over videos of the square of its questions."""
    gained: Floats
    """Shape ``(draws,)``: sum of the positive scores; so all below."""
    lost: Floats
    """Minus the sum of the negative scores."""
    squares: Floats
    """Sum of the squared scores."""
    video_squares: Floats
    """Sum over videos of the square of the sum of its scores."""
    video_products: Floats
    """Sum over videos of its questions times the sum of its scores."""

    @property
    def total(self) -> Floats:
        """Sum of the scores."""
        return self.gained - self.lost

    @property
    def mean(self) -> Floats:
        """Mean score."""
        return self.total / self.n

    @property
    def within(self) -> Floats:
        """Sum over questions of (n v - sum)²."""
        return self.n * (self.n * self.squares - self.total**2)

    @property
    def between(self) -> Floats:
        """Sum over videos of (sum over its questions of n v - sum)²."""
        mixed = 2 * self.n * self.total * self.video_products
        spread = self.n**2 * self.video_squares - mixed
        return np.maximum(spread + self.total**2 * self.size_squares, 0.0)

    @property
    def se(self) -> Floats:
        """Standard error of the mean: that of independent questions, widened."""
        plain = self.within / max(self.n - 1, 1) / self.n
        return np.sqrt(self.design_effect * plain) / self.n

    @property
    def df(self) -> float:
        """Effective number of videos less one; infinite where none is shared."""
        if self.n_videos == self.n:
            return math.inf
        return self.n**2 / self.size_squares - 1

    @property
    def design_effect(self) -> Floats:
        """Design effect as the assertions estimate it, at least 1."""
        robust = self.n_videos * (self.n - 1) * self.between
        plain = (self.n_videos - 1) * self.n * self.within
        ratio = np.divide(robust, plain, out=np.ones_like(plain), where=plain > 0)
        return np.maximum(ratio, 1.0)


@lru_cache(maxsize=8)
def draw(
    *,
    shares: tuple[float, ...],
    scores: tuple[tuple[int, ...], ...],
    sizes: tuple[tuple[int, int], ...],
    correlation: float,
    draws: int,
    seed: tuple[int, ...],
) -> tuple[Sums, ...]:
    """Draw samples of questions of several kinds; one `Sums` for each score.

    Parameters
    ----------
    shares : tuple of float, length K
        How likely each kind of question is; positive, sums to one.
    scores : tuple of tuples of int, each of length K
        For each score, what a question of each kind contributes.
    sizes : tuple of (questions, videos)
        How many videos have how many questions; at least two videos.
    correlation : float
        In [0, 1): how alike questions on one video are. The shares of each
        video are drawn from a Dirichlet distribution around *shares*, whose
        intraclass correlation this is, for every score alike.
    draws : int
        Samples.
    seed : tuple of int
        Equal arguments give equal samples.
    """
    rng = np.random.default_rng(seed)
    columns = np.array(scores, dtype=np.float64).T
    totals = np.zeros((len(scores), 5, draws))
    for size, videos in sizes:
        population = _Videos(
            size=size,
            videos=videos,
            shares=np.array(shares),
            correlation=correlation if size > 1 else 0.0,
        )
        totals += population.totals(columns, draws, rng)
    n = sum(size * videos for size, videos in sizes)
    names = ("gained", "lost", "squares", "video_squares", "video_products")
    return tuple(
        Sums(
            n=n,
            n_videos=sum(videos for _, videos in sizes),
            size_squares=sum(size * size * videos for size, videos in sizes),
            **dict(zip(names, rows, strict=True)),
        )
        for rows in totals
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Videos:
    """Videos of equal size."""

    size: int
    videos: int
    shares: Floats
    correlation: float

    def totals(self, columns: Floats, draws: int, rng: np.random.Generator) -> Floats:
        """Return sums of shape ``(scores, 5, draws)``, in the order of `Sums`."""
        kinds, squares = self._kinds_and_squares(columns, draws, rng)
        gained = kinds @ np.maximum(columns, 0)
        lost = kinds @ np.maximum(-columns, 0)
        sums = (gained, lost, kinds @ columns**2, squares, self.size * (gained - lost))
        return np.stack(sums).transpose(2, 0, 1)

    def _kinds_and_squares(
        self, columns: Floats, draws: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Return questions of each kind, and squared sums of each score.

        Three ways give the same samples; which is fastest depends on how many
        patterns of answers a video can show.
        """
        kinds = len(self.shares)
        patterns = math.comb(self.size + kinds - 1, kinds - 1)
        if patterns <= 3 * self.videos:
            way, width = self._by_pattern, patterns
        elif patterns <= _MOST_PATTERNS:
            way, width = self._pattern_by_video, self.videos * kinds
        else:
            way, width = self._answers_by_video, self.videos * kinds
        step = max(_AT_ONCE // width, 1)
        parts = [
            way(columns, min(step, draws - start), rng)
            for start in range(0, draws, step)
        ]
        first, second = zip(*parts, strict=True)
        return np.concatenate(first), np.concatenate(second)

    def _by_pattern(
        self, columns: Floats, draws: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Draw how many videos show each pattern."""
        table, chances = self._patterns()
        videos = rng.multinomial(self.videos, chances, draws).astype(np.float64)
        return videos @ table, videos @ (table @ columns) ** 2

    def _pattern_by_video(
        self, columns: Floats, draws: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Draw which pattern each video shows."""
        table, chances = self._patterns()
        edges = np.cumsum(chances)[:-1]
        shown = np.searchsorted(edges, rng.random((draws, self.videos)))
        return _sums_of(table[shown], columns)

    def _answers_by_video(
        self, columns: Floats, draws: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Draw the shares of each video, then its answers."""
        odds = np.broadcast_to(self.shares, (draws, self.videos, len(self.shares)))
        if self.correlation > _ALIKE:
            odds = rng.dirichlet(self._alphas, (draws, self.videos))
        return _sums_of(rng.multinomial(self.size, odds).astype(np.float64), columns)

    def _patterns(self) -> tuple[Floats, Floats]:
        """Return all patterns, shape ``(patterns, kinds)``, and their chances."""
        table = _patterns(self.size, len(self.shares))
        return table, self._chances(table)

    @property
    def _alphas(self) -> Floats:
        return self.shares * (1 / self.correlation - 1)

    def _chances(self, table: Floats) -> Floats:
        """Return how likely each pattern is: Dirichlet-multinomial."""
        logs = -gammaln(table + 1).sum(axis=1)
        if self.correlation > _ALIKE:
            alphas = self._alphas
            logs += (gammaln(table + alphas) - gammaln(alphas)).sum(axis=1)
        else:
            logs += table @ np.log(self.shares)
        weights = np.exp(logs - logs.max())
        chances: Floats = weights / weights.sum()
        return chances


def _sums_of(answers: Floats, columns: Floats) -> tuple[Floats, Floats]:
    """Sum over *answers*, shape ``(draws, videos, kinds)``."""
    kinds: Floats = answers.sum(axis=1)
    squares: Floats = ((answers @ columns) ** 2).sum(axis=1)
    return kinds, squares


@lru_cache(maxsize=32)
def _patterns(size: int, kinds: int) -> Floats:
    """Return all ways to divide *size* questions among *kinds*.

    Stars and bars: ``**|*|`` is (2, 1, 0).
    """
    found = []
    for bars in combinations(range(size + kinds - 1), kinds - 1):
        edges = (-1, *bars, size + kinds - 1)
        found.append([right - left - 1 for left, right in pairwise(edges)])
    return np.array(found, dtype=np.float64)
