"""The questions of a report as data for the page's script: small, and complete.

Apart from the page because what a filter finds is decided here, where it is
tested: a script that judged answers would be a second judge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_vdg.comparable import require_comparable
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.reports.album import Pictures, Shown
from pytest_vdg.reports.results import QuestionText, RunResult
from pytest_vdg.runs import AskedQuestion, CellResult, Outcome, Run

LONGEST = (4000, 1000, 300, 100)
"""Characters of a reply or a reason that the page keeps: the first that fits."""
TEXT_ROOM = 5 << 20
"""Bytes that all questions may take together."""
FILTERS = {
    "lost": "lost grounding",
    "gained": "gained grounding",
    "wrong": "wrong with the video",
    "blind": "right without the video",
    "silent": "unparsed or failed",
}
"""What questions can be looked for, and what it is called."""
_NO_PICTURES = Pictures(reason="frames were not made for this report")
_BLIND = ("text_only", "black")


def run_data(
    result: RunResult, *, keys: Mapping[str, int], longest: int
) -> dict[str, Any]:
    """Return the questions of one run as plain values.

    Parameters
    ----------
    result
        The run, its baseline, texts and pictures.
    keys
        Number of each picture that the page holds.
    longest
        Characters of a reply that are kept.
    """
    run = result.run
    then, why = _then(result)
    marks = flags(run, then)
    pictures = result.pictures or _NO_PICTURES
    writer = _Writer(keys=keys, longest=longest, pictures=pictures, then=then)
    return {
        "checkpoint": run.checkpoint,
        "slice": run.slice_name,
        "conditions": list(run.conditions),
        "baseline": None if then is None else then.checkpoint,
        "without": why,
        "pictures": pictures.reason,
        "questions": [
            {
                "id": q.id,
                "task": q.task,
                "video": q.video,
                **_said(q, result.texts.get(q.id)),
                "key": q.answer,
                "marks": marks[q.id],
                "cells": [
                    writer.cell(q, c, run.cells[q.id, c]) for c in run.conditions
                ],
            }
            for q in run.questions
        ],
    }


def flags(run: Run, then: Run | None) -> dict[str, list[str]]:
    """Return which of `FILTERS` find each question of *run*, by id.

    Grounding is lost where original minus black fell since *then*, and gained
    where it rose, among the questions judged in all four cells: these are the
    questions that a change of VDG is made of.
    """
    return {q.id: _flags(run, then, q.id) for q in run.questions}


def _flags(run: Run, then: Run | None, question: str) -> list[str]:
    outcomes = [run.cells[question, c].outcome for c in run.conditions]
    right = {c for c in run.conditions if _is(run, question, c, Outcome.CORRECT)}
    found = []
    now, before = _gap(run, question), None if then is None else _gap(then, question)
    if now is not None and before is not None and now != before:
        found.append("lost" if now < before else "gained")
    if _is(run, question, "original", Outcome.WRONG, Outcome.UNPARSED):
        found.append("wrong")
    if right & set(_BLIND):
        found.append("blind")
    if {Outcome.UNPARSED, Outcome.FAILED} & set(outcomes):
        found.append("silent")
    return found


def telling(result: RunResult) -> set[str]:
    """Return the questions of a run that are looked at first: wrong, or changed."""
    marks = flags(result.run, _then(result)[0])
    wanted = {"lost", "gained", "wrong"}
    return {question for question, found in marks.items() if wanted & set(found)}


def _gap(run: Run, question: str) -> int | None:
    """Return right with the video minus right with black; None where not judged."""
    cells = [run.cells.get((question, c)) for c in ("original", "black")]
    if any(cell is None or not cell.outcome.judged for cell in cells):
        return None
    sighted, blind = (c is not None and c.outcome is Outcome.CORRECT for c in cells)
    return int(sighted) - int(blind)


def _is(run: Run, question: str, condition: str, *outcomes: Outcome) -> bool:
    cell = run.cells.get((question, condition))
    return cell is not None and cell.outcome in outcomes


def _then(result: RunResult) -> tuple[Run | None, str]:
    """Return the baseline if the questions are the same, else why there is none."""
    if result.baseline is None:
        return None, "no claim compared this run with a baseline"
    try:
        require_comparable(result.run, result.baseline)
    except CouldNotBeJudged as error:
        return None, f"the baseline is not comparable: {error}"
    return result.baseline, ""


def _said(question: AskedQuestion, text: QuestionText | None) -> dict[str, Any]:
    if text is None:
        return {"text": None, "options": [[label, None] for label in question.labels]}
    return {"text": text.text, "options": [list(option) for option in text.options]}


@dataclass(frozen=True, kw_only=True)
class _Writer:
    """Writes cells; fields that say nothing are left out."""

    keys: Mapping[str, int]
    longest: int
    pictures: Pictures
    then: Run | None

    def cell(
        self, question: AskedQuestion, condition: str, cell: CellResult
    ) -> dict[str, Any]:
        """Return one cell as plain values."""
        given = cell.probabilities
        values = {
            "outcome": cell.outcome.value,
            "choice": cell.choice,
            "reply": None if cell.reply == cell.choice else self._cut(cell.reply),
            "why": self._cut(cell.reason),
            "p": given and [_rounded(given.get(label)) for label in question.labels],
            "mass": _rounded(cell.label_mass),
            "then": self._before(question.id, condition),
            **self._frames(self.pictures.cells.get((question.id, condition))),
        }
        return {name: value for name, value in values.items() if value is not None}

    def _cut(self, text: str | None) -> str | None:
        if text is None or len(text) <= self.longest:
            return text
        return f"{text[: self.longest]} [... {len(text)} characters in all]"

    def _before(self, question: str, condition: str) -> list[str | None] | None:
        cell = None if self.then is None else self.then.cells.get((question, condition))
        return None if cell is None else [cell.outcome.value, cell.choice]

    def _frames(self, shown: Shown | None) -> dict[str, Any]:
        if shown is None:
            return {}
        if shown.reason:
            return {"blank": shown.reason}
        numbers = [self.keys.get(key) for key in shown.frames]
        if None in numbers:  # all or none: a strip with holes is not what was seen
            return {"frames": shown.total}
        return {"frames": shown.total, "shown": numbers, "times": list(shown.times_s)}


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


def longest_that_fits(runs: Sequence[RunResult]) -> int:
    """Return how many characters of a reply may stay, so that all take `TEXT_ROOM`."""
    lengths = [
        len(text)
        for result in runs
        for cell in result.run.cells.values()
        for text in (cell.reply, cell.reason)
        if text
    ]
    return next((n for n in LONGEST if _bytes(lengths, n) <= TEXT_ROOM), LONGEST[-1])


def _bytes(lengths: Collection[int], longest: int) -> int:
    return sum(min(length, longest) for length in lengths)
