"""`Scores`: T, V and S of each question, from the option probabilities of a panel.

Apart from the filters because a score is a measurement and a threshold is not.
T is how surely text-only models are right, V how much video moves video models
to the right answer, S = T - V; the mean over models, each model's part kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pytest_vdg.audits.panel import ORIGINAL, TEXT_ONLY, Member, Panel
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import AskedQuestion
from pytest_vdg.stats.evidence import textual_evidence, visual_necessity
from pytest_vdg.stats.filtering import shortcut_score

FloatArray = npt.NDArray[np.float64]
SCORES = ("S", "T", "-V")
"""Names of scores of which small values are kept."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """Scores of the questions that all scoring models gave probabilities for."""

    ids: tuple[str, ...]
    textual: FloatArray
    """T, shape ``(n,)``, in [0, 1]: mean of `textual_parts`."""
    visual: FloatArray
    """V, shape ``(n,)``: mean of `visual_parts`; 1 from guessing to certainty."""
    textual_parts: Mapping[str, FloatArray] = field(repr=False)
    """By model."""
    visual_parts: Mapping[str, FloatArray] = field(repr=False)
    """By model."""
    unscored: tuple[str, ...]
    """Ids of questions that lack a probability of some model."""
    silent: Mapping[str, str]
    """Models without a part, and why."""

    @property
    def score(self) -> FloatArray:
        """S = T - V, shape ``(n,)``."""
        return shortcut_score(textual=self.textual, visual=self.visual)

    @property
    def used(self) -> tuple[str, ...]:
        """Names of the models that the scores are made of."""
        return (*self.textual_parts, *self.visual_parts)

    def named(self, name: str) -> FloatArray:
        """Return the score called *name*, one of `SCORES`; small is kept."""
        return {"S": self.score, "T": self.textual, "-V": -self.visual}[name]


def shortcut_scores(panel: Panel, *, without: Collection[str] = ()) -> Scores:
    """Return T, V and S by the models of *panel*, except those named in *without*.

    Raises
    ------
    CouldNotBeJudged
        Where no text model, or no video model, gave probabilities: a score
        that lacks one of both is not 0.
    """
    members = [m for m in panel.members if m.name not in without]
    tables = {m.name: _tables(panel, m) for m in members}
    silent = {
        m.name: f"gave no option probabilities ({_scoring(m)})"
        for m in members
        if not _known(tables[m.name]).any()
    }
    heard = [m for m in members if m.name not in silent]
    for kind, score in (("text", "T"), ("video", "V")):
        if not any(m.kind == kind for m in heard):
            raise CouldNotBeJudged(_lacking(kind, score, silent))
    scored = np.ones(len(panel.questions), dtype=bool)
    for member in heard:
        scored &= _known(tables[member.name])
    if not scored.any():
        raise CouldNotBeJudged(
            f"slice {panel.slice_name!r}: no question has the probabilities of all of "
            f"{', '.join(m.name for m in heard)}"
        )
    asked = [q for q, there in zip(panel.questions, scored, strict=True) if there]
    answers = np.array([q.labels.index(q.answer) for q in asked])
    text, video = {}, {}
    for member in heard:
        own = {name: table[scored][None] for name, table in tables[member.name].items()}
        if member.kind == "text":
            text[member.name] = textual_evidence(own[TEXT_ONLY], answers)
        else:
            video[member.name] = visual_necessity(
                video=own[ORIGINAL], blind=own[TEXT_ONLY], answers=answers
            )
    pairs = zip(panel.questions, scored, strict=True)
    return Scores(
        ids=tuple(q.id for q in asked),
        textual=np.mean(list(text.values()), axis=0),
        visual=np.mean(list(video.values()), axis=0),
        textual_parts=text,
        visual_parts=video,
        unscored=tuple(q.id for q, there in pairs if not there),
        silent=silent,
    )


def _tables(panel: Panel, member: Member) -> dict[str, FloatArray]:
    """Return the option probabilities of *member* by condition, ``(n, K)``."""
    names = [TEXT_ONLY] if member.kind == "text" else [ORIGINAL, TEXT_ONLY]
    return {name: _table(panel.questions, member, name) for name in names}


def _table(
    questions: Sequence[AskedQuestion], member: Member, condition: str
) -> FloatArray:
    """Return probabilities that sum to 1; a row is NaN where they are not known."""
    table = np.full((len(questions), max(len(q.labels) for q in questions)), np.nan)
    for row, question in enumerate(questions):
        cell = member.run.cells[question.id, condition]
        given = cell.probabilities
        if given is None or not cell.outcome.judged:
            continue
        values = [given.get(label, 0.0) for label in question.labels]
        if sum(values) > 0:
            table[row, : len(values)] = np.array(values) / sum(values)
    return table


def _known(tables: Mapping[str, FloatArray]) -> npt.NDArray[np.bool_]:
    known = [~np.isnan(table[:, 0]) for table in tables.values()]
    return np.asarray(np.logical_and.reduce(known))


def _scoring(member: Member) -> str:
    how = member.run.fingerprint.comparable.get("scoring", "")
    return f"scoring {how}" if how else "its runs were stored without them"


def _lacking(kind: str, score: str, silent: Mapping[str, str]) -> str:
    told = "".join(f"\n  {name}: {why}" for name, why in silent.items())
    option = "--text-models" if kind == "text" else "--models"
    return (
        f"the score {score} takes option probabilities of a {kind} model, and no model "
        f"of the panel that may filter gave any{told}\n"
        f"Name one with {option}, asked with --scoring choice or option_text; stored "
        "runs keep probabilities where they were saved with save_run(..., full=True)"
    )
