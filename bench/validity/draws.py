"""Many slices at once, drawn from a world: videos, questions, lost answers.

Apart from the worlds because the same truth is drawn with few and many videos;
counts of outcomes a video are all that any interval needs, so no question is
ever a Python object here.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.validity.worlds import Floats, Ints

_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Design:
    """How many questions are asked, on how many videos, and what gets lost."""

    n: int
    """Questions asked."""
    per_video: int = 1
    """Questions on each video; the last video takes what is left."""
    correlation: float = 0.0
    """Of two questions on one video, in every score (0: independent)."""
    missing: float = 0.0
    """Share of questions that leave the pair, whatever their answers."""
    uneven: bool = False
    """Every other video has one question, and its neighbour all the others."""

    @property
    def sizes(self) -> Ints:
        """Questions of each video."""
        if self.uneven:
            pair = [1, 2 * self.per_video - 1]
            sizes = pair * (self.n // sum(pair))
        else:
            sizes = [self.per_video] * (self.n // self.per_video)
        left = self.n - sum(sizes)
        return np.array(sizes + ([left] if left else []), dtype=np.int64)

    @property
    def videos(self) -> int:
        """Videos asked about."""
        return len(self.sizes)


def generator(*names: object, seed: int) -> np.random.Generator:
    """Return randomness that depends on the *names* of a cell and the seed only.

    So a cell gives the same number alone, in the whole table, and on any
    number of processes.
    """
    words = "/".join(str(name) for name in names)
    return np.random.default_rng([seed, zlib.crc32(words.encode())])


def draw(
    probabilities: Floats, design: Design, *, replicates: int, rng: np.random.Generator
) -> Iterator[Ints]:
    """Yield counts of outcomes, shape ``(some replicates, videos, K)``.

    Each video has its own table of probabilities, drawn from a Dirichlet
    distribution around *probabilities*: two questions on one video then have
    the correlation of the design in every score, and the mean over videos is
    still *probabilities*. Outcomes that never come are left in, at zero.
    """
    at_once = max(1, _CELLS_AT_ONCE // (design.videos * len(probabilities)))
    for start in range(0, replicates, at_once):
        some = min(at_once, replicates - start)
        sizes = np.broadcast_to(design.sizes, (some, design.videos))
        if design.missing:
            sizes = rng.binomial(sizes, 1 - design.missing)
        yield _counts(probabilities, sizes, design.correlation, rng)


def _counts(
    probabilities: Floats, sizes: Ints, correlation: float, rng: np.random.Generator
) -> Ints:
    comes = probabilities > 0
    counts = np.zeros((*sizes.shape, len(probabilities)), dtype=np.int64)
    if correlation == 0:
        counts[..., comes] = rng.multinomial(sizes, probabilities[comes])
        return counts
    shapes = probabilities[comes] * (1 - correlation) / correlation
    tables = rng.standard_gamma(shapes, size=(*sizes.shape, len(shapes)))
    tables /= tables.sum(axis=-1, keepdims=True)
    counts[..., comes] = rng.multinomial(sizes, tables)
    return counts
