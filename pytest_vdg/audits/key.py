"""The answer key by itself: is a label right more often than options allow?

Apart from the panel because it takes no model: a key that prefers a label pays
every model that does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vdg.runs import AskedQuestion
from pytest_vdg.stats import counted
from pytest_vdg.stats.positions import LabelDistribution, positions
from pytest_vdg.stats.proportion import Proportion


@dataclass(frozen=True, kw_only=True)
class LabelShare:
    """How often one label is the answer, of the questions that offer it."""

    label: str
    right: int
    """Askings of questions that it is the answer to."""
    offered: int
    """Askings of questions that offer it."""
    chance: float
    """Mean of 1/K over these: its share of a key that prefers none."""
    share: Proportion

    @property
    def expected(self) -> float:
        """How often it would be the answer in a key that prefers no label."""
        return self.chance * self.offered

    @property
    def too_often(self) -> bool:
        """Whether it is shown to be the answer more often than its share."""
        return self.share.lower_bound > self.chance

    @property
    def too_seldom(self) -> bool:
        """Whether it is shown to be the answer less often than its share."""
        return self.share.upper_bound < self.chance


@dataclass(frozen=True, kw_only=True)
class KeyBalance:
    """The key of some questions, label by label."""

    task: str | None
    """None for all together."""
    n: int
    """Askings: questions, each order of options by itself."""
    labels: tuple[LabelShare, ...]
    """Sorted by label, shorter ones first."""
    distribution: LabelDistribution
    """Counts, entropy and fit."""
    floor: Proportion
    """What always answering the most frequent label earns: the majority floor."""
    chance: float


def key_balance(
    questions: Sequence[AskedQuestion],
    *,
    task: str | None = None,
    confidence: float = 0.95,
) -> KeyBalance:
    """Count the key of *questions*, of which there is one at least.

    Parameters
    ----------
    questions
        Those of *task*, which is only named here.
    confidence : float
        Of each interval and each one-sided bound, not adjusted.
    """
    found = positions(
        answers=[None] * len(questions),
        key=[q.answer for q in questions],
        options=[q.labels for q in questions],
        clusters=[q.video for q in questions],
        confidence=confidence,
        questions=[q.question for q in questions],
    )
    labels = {label for q in questions for label in q.labels}
    return KeyBalance(
        task=task,
        n=len(questions),
        labels=tuple(
            _share(label, questions, confidence)
            for label in sorted(labels, key=lambda name: (len(name), name))
        ),
        distribution=found.key,
        floor=found.floor,
        chance=found.chance,
    )


def _share(
    label: str, questions: Sequence[AskedQuestion], confidence: float
) -> LabelShare:
    offering = [q for q in questions if label in q.labels]
    share = counted.share(
        [q.answer == label for q in offering],
        [q.video for q in offering],
        confidence,
        [q.question for q in offering],
    )
    return LabelShare(
        label=label,
        right=share.successes,
        offered=len(offering),
        chance=sum(1 / len(q.labels) for q in offering) / len(offering),
        share=share,
    )
