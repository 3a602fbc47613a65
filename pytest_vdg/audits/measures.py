"""`Measures`: what one model, or several together, say of the questions of a task.

Apart from the audit, which decides whose and of what, because every number is
computed here and nowhere else: over the questions judged, with intervals over
videos. Several models together are their mean: each question stands once for
each of them, and counts as one question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pytest_vdg.audits.panel import (
    CONDITIONS,
    ORIGINAL,
    TEXT_ONLY,
    BoolArray,
    Kind,
    Member,
    Panel,
    Rows,
)
from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.stats import counted
from pytest_vdg.stats.ladder import Ladder, ladder
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.positions import Positions, positions
from pytest_vdg.stats.proportion import Proportion
from pytest_vdg.stats.shortcut import AboveChance, blind_gap, chance
from pytest_vdg.stats.tvbench import right_agreement

_T = TypeVar("_T")
GAINS = {
    "visual gain": (ORIGINAL, TEXT_ONLY),
    "VDG": (ORIGINAL, "black"),
    "shuffled loss": (ORIGINAL, "shuffled"),
    "reversed loss": (ORIGINAL, "reversed"),
}
"""Name of a difference to the conditions that it is between."""
RUNGS = ("black", "single_frame", "shuffled", ORIGINAL)
POSITIONED = (TEXT_ONLY, ORIGINAL)
"""Conditions whose answers are held against the key, label by label."""


@dataclass(frozen=True, kw_only=True)
class Measures:
    """Numbers of one model, or of the mean of several; absent: not judged."""

    who: str
    kind: Kind
    members: int
    """How many models it is the mean of."""
    task: str | None
    """None for all tasks together."""
    n: int
    """Distinct questions."""
    n_videos: int
    chance: float
    above: Mapping[str, AboveChance]
    """By condition: its accuracy against chance. The blind gap is that of
    ``text_only``."""
    gains: Mapping[str, PairedDifference]
    """By name of `GAINS`."""
    ladder: Ladder | None
    """Over the questions judged on all four rungs."""
    agreement: Mapping[str, Proportion]
    """By condition: share of the questions right under it that are right with
    the video, too."""
    positions: Mapping[str, Positions]
    """By condition: labels answered against the key; of one model only."""

    @property
    def blind(self) -> AboveChance | None:
        """The blind gap."""
        return self.above.get(TEXT_ONLY)

    @property
    def gain(self) -> PairedDifference | None:
        """The visual gain."""
        return self.gains.get("visual gain")


def measure(
    panel: Panel,
    members: Sequence[Member],
    *,
    who: str = "",
    task: str | None = None,
    keep: BoolArray | None = None,
    confidence: float = 0.95,
) -> Measures:
    """Measure the questions of *task* by the answers of *members*, of one kind.

    Parameters
    ----------
    panel
        What the members are of.
    members
        One model, or several whose mean is wanted.
    who
        What that is called; by default the name of the one model.
    task
        None for all.
    keep : bool ndarray, shape (n,)
        Only these of the panel's questions.
    confidence : float
        Of each interval and each one-sided bound.
    """
    chosen = panel.of_task(task) if keep is None else panel.of_task(task) & keep
    asked = [q for q, there in zip(panel.questions, chosen, strict=True) if there]
    if not asked:
        raise ValueError(f"no question of task {task!r} is left to measure")
    look = _Look(panel, members, chosen, confidence)
    extent = Extent.over(asked)
    names = [c for c in CONDITIONS if any(m.condition(c) for m in members)]
    return Measures(
        who=who or members[0].name,
        kind=members[0].kind,
        members=len(members),
        task=task,
        n=extent.n,
        n_videos=extent.n_videos,
        chance=chance([len(q.labels) for q in asked]),
        above=_present({name: look.above(name) for name in names}),
        gains=_present({name: look.gain(*arms) for name, arms in GAINS.items()}),
        ladder=look.ladder(),
        agreement=_present(
            {name: look.agreement(name) for name in names if name != ORIGINAL}
        ),
        positions=_present({name: look.positions(name) for name in POSITIONED})
        if len(members) == 1
        else {},
    )


def _present(found: Mapping[str, _T | None]) -> dict[str, _T]:
    return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class _Look:
    """The same questions and models, for each number."""

    panel: Panel
    members: Sequence[Member]
    keep: BoolArray
    confidence: float

    def rows(self, *conditions: str) -> Rows | None:
        return self.panel.rows(conditions, members=self.members, keep=self.keep)

    def above(self, condition: str) -> AboveChance | None:
        rows = self.rows(condition)
        if rows is None:
            return None
        return blind_gap(
            correct=rows.right[condition],
            options=rows.options,
            clusters=rows.videos,
            confidence=self.confidence,
            questions=rows.asked,
        )

    def gain(self, treated: str, control: str) -> PairedDifference | None:
        rows = self.rows(treated, control)
        if rows is None:
            return None
        change = rows.right[treated].astype(int) - rows.right[control].astype(int)
        return counted.difference(change, rows.videos, self.confidence, rows.asked)

    def ladder(self) -> Ladder | None:
        rows = self.rows(*RUNGS)
        if rows is None or len(set(rows.videos)) < 2:
            return None
        return ladder(
            **{name: rows.right[name] for name in RUNGS},
            clusters=rows.videos,
            confidence=self.confidence,
            questions=rows.asked,
        )

    def agreement(self, condition: str) -> Proportion | None:
        rows = self.rows(condition, ORIGINAL)
        if rows is None or not rows.right[condition].any():
            return None
        return right_agreement(
            given=rows.right[condition],
            also=rows.right[ORIGINAL],
            clusters=rows.videos,
            confidence=self.confidence,
            questions=rows.asked,
        )

    def positions(self, condition: str) -> Positions | None:
        (member,) = self.members
        spec = member.condition(condition)
        if spec is None:
            return None
        pairs = zip(self.panel.questions, self.keep, strict=True)
        asked = [q for q, kept in pairs if kept]
        cells = [member.run.cells[q.id, spec] for q in asked]
        judged = [i for i, cell in enumerate(cells) if cell.outcome.judged]
        if not judged:
            return None
        return positions(
            answers=[cells[i].choice for i in judged],
            key=[asked[i].answer for i in judged],
            options=[asked[i].labels for i in judged],
            clusters=[asked[i].video for i in judged],
            confidence=self.confidence,
            questions=[asked[i].question for i in judged],
        )
