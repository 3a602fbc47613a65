"""What the classifiers know of an option: its words, those it meets, its place.

Apart from the learning because here it is decided what counts as text: nothing
that a person could not read off the question.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from scipy import sparse

from pytest_vdg.audits._items import Item
from pytest_vdg.audits._words import ASKING, STOP, holds, telling

Feature = tuple[str, Hashable]
"""Family of a feature, and what it is of."""
WORDING, FIT = "wording", "fit"
SURFACE = ("length", "named", "label")
FAMILIES = {
    "option words": (WORDING,),
    "question words": (WORDING, FIT),
    "all together": (WORDING, FIT, *SURFACE),
}
"""Classifier to the families of features that it sees."""
_LEAST = 2
"""Options that have a feature at least; what only one has can teach nothing."""
_WEIGHT_OF_FIT = 3.0
"""Pairs of words are rarer than words, and would hardly be learnt otherwise."""


class Table:
    """The features of every option of some items, row by row."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Take the texts of *items* apart; the key plays no part."""
        rows = [dict(row) for item in items for row in _rows(item)]
        often = Counter(name for row in rows for name in row)
        kept = sorted(
            (name for name, times in often.items() if times >= _LEAST), key=repr
        )
        place = {name: i for i, name in enumerate(kept)}
        where, values, ends = [], [], [0]
        for row in rows:
            held = [
                (place[name], value) for name, value in row.items() if name in place
            ]
            where += [i for i, _ in held]
            values += [value for _, value in held]
            ends.append(len(where))
        self.families = np.array([family for family, _ in kept], dtype=np.str_)
        self.matrix = sparse.csr_matrix(
            (np.array(values, dtype=np.float64), where, ends),
            shape=(len(rows), len(kept)),
        )
        sizes = [len(item.labels) for item in items]
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def of(self, families: Sequence[str]) -> sparse.csr_matrix:
        """Return only the columns of *families*."""
        return self.matrix[:, np.flatnonzero(np.isin(self.families, families))]


def _rows(item: Item) -> Iterator[Iterator[tuple[Feature, float]]]:
    asked = telling(item.words) | (frozenset(item.words) & ASKING)
    lengths = [len(text) for text in item.texts]
    for place, own in enumerate(item.option_words):
        yield _features(item, place, frozenset(own), asked, lengths)


def _features(
    item: Item,
    place: int,
    own: frozenset[str],
    asked: frozenset[str],
    lengths: Sequence[int],
) -> Iterator[tuple[Feature, float]]:
    words = 1 / math.sqrt(max(1, len(own)))
    pairs = _WEIGHT_OF_FIT * words / math.sqrt(max(1, len(asked)))
    for word in sorted(own):
        yield (WORDING, word), words
    for word in sorted(own - STOP):
        for other in sorted(asked):
            yield (FIT, (other, word)), pairs
    yield ("length", "log"), math.log1p(lengths[place])
    yield ("length", "longest"), float(lengths[place] == max(lengths))
    yield ("length", "shortest"), float(lengths[place] == min(lengths))
    yield ("named", "shared"), float(len(own & asked))
    yield ("named", "whole"), float(holds(item.words, item.option_words[place]))
    yield ("label", item.labels[place]), 1.0
