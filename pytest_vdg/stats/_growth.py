"""How a slice grows: the videos that more questions would lie on.

Apart from the planner because how many questions are worth how many depends
on it alone, and because it is a decision: more videos, or more questions on
the videos that are there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from pytest_vdg.stats import _validate

Growth = Literal["videos", "questions"]

_UNLIKE = 0.99
"""Largest correlation drawn: at one, all questions on a video are one."""


@dataclass(frozen=True, kw_only=True)
class Videos:
    """How questions lie on videos, and how alike those on one video are."""

    sizes: tuple[int, ...]
    """Questions of each video of the slice that is known; at least two."""
    correlation: float
    """In [0, 1): correlation of the scores of two questions on one video."""
    growth: Growth = "videos"
    """What more questions mean: more such "videos", so that the design effect
    stays, or more "questions" on these, so that it grows with each."""

    def __post_init__(self) -> None:
        """Refuse a single video: of how videos differ it says nothing."""
        if len(self.sizes) < 2 or min(self.sizes) < 1:
            raise ValueError(
                "a plan needs at least two videos with a question each, got "
                f"{len(self.sizes)}"
            )
        if not 0 <= self.correlation < 1:
            raise ValueError(
                f"correlation must lie in [0, 1), got {self.correlation!r}"
            )
        if self.growth not in get_args(Growth):
            known = ", ".join(get_args(Growth))
            raise ValueError(f"growth must be one of {known}, got {self.growth!r}")

    @classmethod
    def like(
        cls,
        clusters: Iterable[Hashable],
        *,
        design_effect: float,
        growth: Growth = "videos",
    ) -> Videos:
        """Return the videos of a slice whose design effect was measured.

        The correlation is what makes that design effect of these videos:
        design effect = 1 + correlation * (sum of squared sizes / n - 1), which
        for m questions on each is the textbook's 1 + (m - 1) * correlation
        (Kish 1965, Survey Sampling, 5.4).
        """
        sizes = tuple(sorted(Counter(clusters).values(), reverse=True))
        excess = _validate.design_effect(design_effect) - 1
        shared = _shared(sizes)
        correlation = min(excess / shared, _UNLIKE) if shared else 0.0
        return cls(sizes=sizes, correlation=correlation, growth=growth)

    def of(self, n: int) -> tuple[tuple[int, int], ...]:
        """Return (questions, videos) of a slice of exactly *n* questions."""
        total = _validate.questions(n)
        if self.growth == "videos":
            return _more_videos(self.sizes, total)
        return _more_questions(self.sizes, total)

    def design_effect(self, n: int) -> float:
        """Return the true design effect of a slice of *n* questions."""
        sizes = [size for size, videos in self.of(n) for _ in range(videos)]
        return 1 + self.correlation * _shared(sizes)


def _shared(sizes: Iterable[int]) -> float:
    """Return how many other questions share a question's video, on average."""
    squares = total = 0
    for size in sizes:
        squares += size * size
        total += size
    return squares / total - 1


def _more_videos(sizes: tuple[int, ...], n: int) -> tuple[tuple[int, int], ...]:
    """Keep the mix of sizes; what does not fill a video is a smaller one."""
    total = sum(sizes)
    exact = {size: videos * n / total for size, videos in Counter(sizes).items()}
    found = {size: math.floor(videos) for size, videos in exact.items()}
    left = n - sum(size * videos for size, videos in found.items())
    for size in sorted(exact, key=lambda s: (found[s] - exact[s], -s)):
        if size <= left and exact[size] > found[size]:
            found[size] += 1
            left -= size
    if left:
        found[left] = found.get(left, 0) + 1
    return _two_at_least({s: v for s, v in found.items() if v})


def _more_questions(sizes: tuple[int, ...], n: int) -> tuple[tuple[int, int], ...]:
    """Keep the videos; each has its part of the questions."""
    exact = [size * n / sum(sizes) for size in sizes]
    found = [math.floor(size) for size in exact]
    order = sorted(range(len(sizes)), key=lambda i: (found[i] - exact[i], i))
    for i in order[: n - sum(found)]:
        found[i] += 1
    return _two_at_least(Counter(size for size in found if size))


def _two_at_least(found: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    if sum(found.values()) == 1 and min(found) > 1:
        (size,) = found
        found = Counter([size // 2, size - size // 2])
    return tuple(sorted(found.items()))
