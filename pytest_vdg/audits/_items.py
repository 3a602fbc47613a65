"""A question as the baselines see it: words, lengths, fold; and nothing of the video.

Apart from the baselines so that each text is taken apart once, and so that what
may be learnt from is decided in one place: never from a question about the same
video, under whatever order of its options.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vdg.audits._words import words
from pytest_vdg.benchmarks.constant import folded
from pytest_vdg.benchmarks.rotation import turned_from
from pytest_vdg.benchmarks.schema import Question


@dataclass(frozen=True, kw_only=True)
class Item:
    """One asking of one question."""

    id: str
    of: str
    """Id of the question, the same under every order of its options."""
    video: str
    task: str
    fold: int
    words: tuple[str, ...]
    """Of the question's text."""
    labels: tuple[str, ...]
    texts: tuple[str, ...]
    """Of the options, without regard to case and space."""
    option_words: tuple[tuple[str, ...], ...]
    answer: int
    """Place of the right option."""


def items_of(questions: Sequence[Question], *, seed: int, folds: int) -> list[Item]:
    """Return *questions* taken apart, by id, so that their order changes nothing."""
    videos = Counter(q.video for q in questions)
    fold = _fold_of(videos, seed, folds)
    return [_item(q, fold[q.video]) for q in sorted(questions, key=lambda q: q.id)]


def draw(seed: int, *names: str) -> bytes:
    """Return what decides between equals: a number that no order changes."""
    text = "\0".join((str(seed), *names))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _fold_of(videos: Counter[str], seed: int, folds: int) -> dict[str, int]:
    """Deal the videos, in a drawn order, into folds of about as many questions."""
    total, before = videos.total(), 0
    found = {}
    for video in sorted(videos, key=lambda name: (draw(seed, "fold", name), name)):
        # The middle of its questions decides, so that no fold is left empty.
        found[video] = (2 * before + videos[video]) * folds // (2 * total)
        before += videos[video]
    return found


def _item(question: Question, fold: int) -> Item:
    return Item(
        id=question.id,
        of=turned_from(question) or question.id,
        video=question.video,
        task=question.task,
        fold=fold,
        words=words(question.text),
        labels=question.labels,
        texts=tuple(folded(option.text) for option in question.options),
        option_words=tuple(words(option.text) for option in question.options),
        answer=question.labels.index(question.answer),
    )
