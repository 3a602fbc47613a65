"""`Regularity`: how often one baseline is right, against chance.

Apart from the baselines because all are judged by one rule: over the questions
that a baseline speaks of, by video, and adjusted for how many were tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from pytest_vdg.audits._items import Item
from pytest_vdg.audits._picks import NONE
from pytest_vdg.spelling import count
from pytest_vdg.stats import counted
from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.proportion import pvalue_above
from pytest_vdg.stats.shortcut import AboveChance, blind_gap

FEW_VIDEOS = 10
"""Below this many videos a baseline is not judged."""
WORDS = {
    "longest": "the longest option",
    "shortest": "the shortest option",
    "odd length": "the option whose length is unlike the others'",
    "overlap": "the option that shares most words with the question",
    "named": "the option that the question names",
    "frequent text": "the option that is the answer most often",
    "frequent label": "the label that is the answer most often",
    "option words": "the words of the options (classifier)",
    "question words": "the words of question and options (classifier)",
    "all together": "words, lengths and labels together (classifier)",
}
"""Baseline to what it picks."""
LEARNT = (
    "frequent text",
    "frequent label",
    "option words",
    "question words",
    "all together",
)
"""Baselines that are judged forwards, fold after fold."""


@dataclass(frozen=True, kw_only=True)
class Regularity:
    """One baseline over all questions, or within a task; fractions."""

    name: str
    """One of `WORDS`."""
    task: str | None
    """None for all questions."""
    askings: int
    """How many it speaks of."""
    of: int
    """How many there are."""
    n: int
    """Distinct questions that it speaks of."""
    n_videos: int
    gap: AboveChance | None
    """Accuracy against chance over these; None where there are too few."""
    right: int = 0
    """Askings of which it picks the answer."""
    pvalue: float | None = None
    """One-sided: of "right as often as chance, or less"."""
    adjusted: float | None = None
    """The same, by Holm over all baselines and tasks."""
    shown: bool = False
    """Whether it is shown to be right more often than chance."""
    detail: str = ""
    """What is most frequent, of the rules that go by frequency."""
    reason: str = ""
    """Why it was not judged; empty where it was."""

    @property
    def words(self) -> str:
        """What it picks."""
        return WORDS[self.name]

    @property
    def worth(self) -> float | None:
        """Points above chance that it earns over *all* questions, guessing the rest."""
        return None if self.gap is None else self.gap.estimate * self.askings / self.of

    def to_dict(self) -> dict[str, object]:
        """Return all of it as plain values."""
        return {**asdict(self), "words": self.words, "worth": self.worth}


def regularity(
    items: Sequence[Item],
    picks: Sequence[int],
    *,
    name: str,
    task: str | None,
    confidence: float,
    detail: str = "",
) -> Regularity:
    """Judge the *picks* of a baseline, one an item; not adjusted yet."""
    pairs = zip(items, picks, strict=True)
    spoken = [(item, pick) for item, pick in pairs if pick != NONE]
    chosen = [item for item, _ in spoken]
    videos = [item.video for item in chosen]
    found = Regularity(
        name=name,
        task=task,
        askings=len(chosen),
        of=len(items),
        n=len({item.of for item in chosen}),
        n_videos=len(set(videos)),
        gap=None,
        detail=detail,
    )
    if not chosen:
        return replace(found, reason="it prefers no option of any question")
    if found.n_videos < FEW_VIDEOS:
        where = "questions on fewer than" if found.of > found.askings else "fewer than"
        return replace(found, reason=f"{where} {count(FEW_VIDEOS, 'video')}")
    right = np.array([item.answer == pick for item, pick in spoken])
    asked = [item.of for item in chosen]
    gap = blind_gap(
        correct=right,
        options=[len(item.labels) for item in chosen],
        clusters=videos,
        confidence=confidence,
        questions=asked,
    )
    share = counted.share(right, videos, confidence, asked)
    return replace(
        found, gap=gap, right=int(right.sum()), pvalue=pvalue_above(share, gap.chance)
    )


def adjusted(found: Sequence[Regularity], *, alpha: float) -> list[Regularity]:
    """Return *found* with their p-values adjusted for all that was tried."""
    raw = {str(i): r.pvalue for i, r in enumerate(found) if r.pvalue is not None}
    if not raw:
        return list(found)
    held = holm(raw)
    return [
        replace(each, adjusted=held[str(i)], shown=held[str(i)] < alpha)
        if each.pvalue is not None
        else each
        for i, each in enumerate(found)
    ]
