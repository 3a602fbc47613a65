"""In which order questions are drawn: by task, by hash, never by chance.

Apart from ``slices.py`` because a draw is arithmetic over names and sizes,
whatever was asked for; how many of them a slice takes plays no part, and that
is why smaller slices are beginnings of larger ones.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from pytest_vdg.benchmarks.schema import Question


def draw_order(pool: Iterable[Question], seed: int, at_least: int = 1) -> list[str]:
    """Return all ids in the order in which growing slices take them.

    Question number r (from 0) of a task of size s stands at (2r + 1) / 2s of
    the way, so that the tasks fill up evenly: Sainte-Lague's rule. The largest
    remainder would now and then take a question back from a task as the slice
    grows, and slices would not nest. Every first question goes ahead of all
    second ones, and so on up to *at_least*, those of large tasks first. With
    tasks ``a`` of 5 and ``b`` of 2::

        a   0.1       0.3   0.5   0.7        0.9
        b       0.25                  0.75          ->  a b a a a b a

    Order within a task, and between tasks at equal marks, is by hash.
    """
    placed: list[tuple[tuple[int, Fraction, str], str]] = []
    for task, members in _strata(pool, seed).items():
        size = len(members)
        for rank, question in enumerate(members):
            mark = Fraction(2 * rank + 1, 2 * size)
            tie = _hash(seed, f"{rank}:{task}")
            placed.append(((min(rank, at_least), mark, tie), question.id))
    return [question_id for _, question_id in sorted(placed)]


def one_per_video(
    pool: Sequence[Question], seed: int, at_least: int = 1
) -> list[Question]:
    """Return one question about each video.

    Small tasks choose first, one question each in turn, until all have
    *at_least*; the other videos go along `draw_order`.
    """
    strata = _strata(pool, seed)
    small_first = sorted(strata, key=lambda task: (len(strata[task]), task))
    taken: dict[str, Question] = {}
    for _ in range(at_least):
        for task in small_first:
            free = (q for q in strata[task] if q.video not in taken)
            chosen = next(free, None)
            if chosen is not None:
                taken[chosen.video] = chosen
    by_id = {q.id: q for q in pool}
    for question_id in draw_order(pool, seed, at_least):
        question = by_id[question_id]
        taken.setdefault(question.video, question)
    return list(taken.values())


def _strata(pool: Iterable[Question], seed: int) -> dict[str, list[Question]]:
    """Return the questions of each task in the order that their hashes give."""
    strata: dict[str, list[Question]] = defaultdict(list)
    for question in pool:
        strata[question.task].append(question)
    for members in strata.values():
        members.sort(key=lambda q: _hash(seed, q.id))
    return strata


def _hash(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed}:{text}".encode()).hexdigest()
