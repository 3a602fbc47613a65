"""Is a judge kin to a model that filtered: does it guess as that one does?

Apart from the filters because it cannot be enforced, only told: a held-out model
of the same family has the same habits when blind, so that a filter which removed
the luck of one removed the luck of the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vdg.audits.filters import Filtered
from pytest_vdg.audits.panel import TEXT_ONLY, Member, Panel
from pytest_vdg.spelling import count
from pytest_vdg.stats import counted
from pytest_vdg.stats.proportion import Proportion

MORE = 0.25
"""How far beyond chance two models must be shown to choose the same wrong option."""


@dataclass(frozen=True, kw_only=True)
class Kin:
    """A filtering model that is wrong without the video as the judge is."""

    name: str
    same: Proportion
    """Share with the same wrong option, of the questions both answer wrongly."""
    expected: float
    """That share if wrong options were chosen at random."""

    @property
    def words(self) -> str:
        """What people should hear of it."""
        asked = count(self.same.n, "question")
        return (
            f"{self.name} filtered, and without the video the judge chooses the same "
            f"wrong option on {self.same.successes} of {asked} ({self.expected:.0%} by "
            "chance): its blind gap on what stays lies too low. Judge by a model of "
            "another family"
        )


def kin(panel: Panel, found: Filtered, judge: str) -> list[Kin]:
    """Return the models of *found* that guess as *judge* does."""
    own = panel.member(judge)
    pairs = (_kin(panel, own, panel.member(name)) for name in found.used)
    return [
        each
        for each in pairs
        if each is not None and each.same.lower_bound > each.expected + MORE
    ]


def _kin(panel: Panel, judge: Member, other: Member) -> Kin | None:
    same, videos, asked, chances = [], [], [], []
    for question in panel.questions:
        mine = judge.run.cells[question.id, TEXT_ONLY].choice
        theirs = other.run.cells[question.id, TEXT_ONLY].choice
        wrong = None not in (mine, theirs) and question.answer not in (mine, theirs)
        if wrong and len(question.labels) > 2:
            same.append(mine == theirs)
            videos.append(question.video)
            asked.append(question.question)
            chances.append(1 / (len(question.labels) - 1))
    if not same:
        return None
    return Kin(
        name=other.name,
        same=counted.share(same, videos, questions=asked),
        expected=sum(chances) / len(chances),
    )
