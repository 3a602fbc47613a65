"""What a run file says of a run and of its cells, in both directions.

Apart from reading and writing so that the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import pair
from pytest_vdg.runs import AskedQuestion, CellResult, Outcome, Run
from pytest_vdg.store.records import cell_from_record

FORMAT = "pytest-vdg run"
VERSION = 1
WITH_EXTRAS = 2
"""Version of a file that says what readers of version 1 would have to ignore:
an environment, or criteria. Whoever cannot hold to them must not judge by it."""
VERSIONS = (VERSION, WITH_EXTRAS)
MAX_TEXT = 200
"""Characters of an unparsed reply, or of a reason, that a baseline keeps."""
SECTIONS = ("comparable", "subject", "informative", "caps", "counts", "vdg")
"""Header lines after the first, each an object of that one key."""
CRITERIA = "criteria"
"""One more header line, where there are any."""

_LOST = (Outcome.UNPARSED, Outcome.FAILED, Outcome.NOT_APPLICABLE)


def counts_of(run: Run) -> dict[str, dict[str, float | None]]:
    """Return counts and accuracy (4 places) of each condition of *run*."""
    counts = {c: run.counts(c) for c in run.conditions}
    return {
        c: {**vars(n), "accuracy": None if n.accuracy is None else round(n.accuracy, 4)}
        for c, n in counts.items()
    }


def vdg_of(run: Run) -> dict[str, float | int] | None:
    """Return VDG with its 2x2 table; None where it is undefined."""
    try:
        paired = pair(run, control="black")
    except CouldNotBeJudged:
        return None
    gap = (paired.treated_only - paired.control_only) / paired.n
    return {
        "estimate": round(gap, 4),
        "n": paired.n,
        "both": paired.both,
        "original_only": paired.treated_only,
        "black_only": paired.control_only,
        "neither": paired.neither,
    }


def compact(cell: CellResult, answer: str) -> str | dict[str, str]:
    """Return the label chosen, or an object naming what happened instead."""
    if cell.outcome in _LOST:
        unparsed = cell.outcome is Outcome.UNPARSED
        text = (cell.reply if unparsed else cell.reason) or ""
        return {cell.outcome.value: text[:MAX_TEXT]}
    if cell.choice is None or (cell.choice == answer) != (
        cell.outcome is Outcome.CORRECT
    ):
        raise ValueError(
            f"question {cell.question_id!r}, condition {cell.condition!r}: choice "
            f"{cell.choice!r} is called {cell.outcome.value}, the answer is {answer!r}"
        )
    return cell.choice


def expand(value: object, question: AskedQuestion, condition: str) -> CellResult:
    """Return the cell that *value* stands for, compact or whole.

    Raises ``ValueError``, ``KeyError`` or ``TypeError`` for anything else.
    """
    if isinstance(value, str):
        return _chosen(value, question, condition)
    if not isinstance(value, Mapping):
        raise TypeError(f"cell {condition!r} must be a label or an object")
    if "outcome" in value:
        return _whole(value, question, condition)
    (name, text), *rest = value.items()
    outcome = Outcome(name)
    if rest or outcome not in _LOST or not isinstance(text, str):
        raise ValueError(f"cell {condition!r} is neither a label nor one outcome")
    if outcome is Outcome.UNPARSED:
        return CellResult(
            question_id=question.id,
            condition=condition,
            outcome=outcome,
            reply=text,
            reason="reply chose no option",
        )
    return CellResult(
        question_id=question.id, condition=condition, outcome=outcome, reason=text
    )


def _chosen(label: str, question: AskedQuestion, condition: str) -> CellResult:
    if label not in question.labels:
        raise ValueError(f"{label!r} is none of the labels {question.labels}")
    right = label == question.answer
    return CellResult(
        question_id=question.id,
        condition=condition,
        outcome=Outcome.CORRECT if right else Outcome.WRONG,
        choice=label,
    )


def _whole(
    value: Mapping[str, Any], question: AskedQuestion, condition: str
) -> CellResult:
    cell = cell_from_record(value)
    if (cell.question_id, cell.condition) != (question.id, condition):
        raise ValueError(
            f"cell of {cell.question_id!r}, {cell.condition!r} stands under "
            f"{question.id!r}, {condition!r}"
        )
    if cell.outcome not in _LOST:
        compact(cell, question.answer)  # raises if choice and outcome disagree
        _chosen(str(cell.choice), question, condition)  # or it is no option
    return cell
