"""Drawing videos with repeats, by kind of video.

Apart from what is done with the draws because this is about speed and memory:
ten thousand resamples of ten thousand questions take a second.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _validate

FloatArray = npt.NDArray[np.float64]

# Both are part of what a seed means, so changing them changes the resamples;
# they decide on memory and speed only.
_AT_ONCE = 500_000  # numbers drawn; their 4 MB stay in the cache
_BINOMIAL_COST = 24  # draws of a video that take as long as one binomial number


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """The distinct sums of videos, and how many videos have each."""

    sums: npt.NDArray[np.floating[Any]]
    """Shape (n_kinds, n_columns + 1); the last column counts questions."""
    videos: npt.NDArray[np.int64]
    """Videos of each kind, shape (n_kinds,)."""

    @classmethod
    def of(cls, values: npt.ArrayLike, videos: Iterable[Hashable]) -> Kinds:
        """Sum *values* by video and count equal sums."""
        table = _table(values)
        codes = _validate.cluster_codes(videos, table.shape[0], "videos")
        # Sorted by video before summing, so that a sum does not depend, not even
        # by rounding, on the order in which the questions came.
        order = np.lexsort((*table.T, codes))
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        sums = np.add.reduceat(table[order], starts, axis=0)
        counts = np.bincount(codes)[codes[order][starts]]
        kinds, amounts = _distinct(np.column_stack([sums, counts]))
        whole = bool(np.all(kinds == np.rint(kinds)))
        # Sums of whole numbers below 2**24 are exact in single precision, which
        # is twice as fast.
        exact = whole and float(np.abs(kinds).max() * amounts.sum()) < 2**24
        return cls(
            sums=kinds.astype(np.float32) if exact else kinds,
            videos=amounts,
        )

    def draw(self, rng: np.random.Generator, resamples: int) -> Iterator[FloatArray]:
        """Yield the sums of *resamples* draws, some at a time.

        Each draw takes as many videos as there are, with repeats.
        """
        kinds, total = self.videos.size, int(self.videos.sum())
        binomial = kinds * _BINOMIAL_COST < total
        owner = np.repeat(np.arange(kinds), self.videos)
        at_once = max(1, _AT_ONCE // (kinds if binomial else total))
        for start in range(0, resamples, at_once):
            rows = min(at_once, resamples - start)
            if binomial:
                yield self._sums(rng.multinomial(total, self.videos / total, size=rows))
                continue
            drawn = owner[rng.integers(0, total, size=(rows, total))]
            drawn += np.arange(rows)[:, None] * kinds
            weights = np.bincount(drawn.ravel(), minlength=rows * kinds)
            yield self._sums(weights.reshape(rows, kinds))

    def _sums(self, weights: npt.NDArray[np.int64]) -> FloatArray:
        product = np.matmul(weights.astype(self.sums.dtype), self.sums)
        return np.asarray(product, dtype=np.float64)


def _table(values: npt.ArrayLike) -> FloatArray:
    """Return *values* as finite floats, shape (n, n_columns)."""
    array = np.asarray(values)
    if array.ndim not in (1, 2):
        raise ValueError(
            f"values must have shape (n,) or (n, n_columns), got shape {array.shape}"
        )
    if array.size == 0:
        raise ValueError("nothing to compare: values is empty")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"values must be numbers, got dtype {array.dtype}")
    table = array.astype(np.float64).reshape(array.shape[0], -1)
    if not np.isfinite(table).all():
        raise ValueError("values must be finite, got NaN or infinity")
    return table


def _distinct(rows: FloatArray) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Return the distinct *rows*, sorted, and how often each comes."""
    ordered = rows[np.lexsort(rows.T)]
    changed = np.any(ordered[1:] != ordered[:-1], axis=1)
    starts = np.flatnonzero(np.concatenate([[True], changed]))
    return ordered[starts], np.diff(np.append(starts, rows.shape[0]))
