"""Cells, runs and key parts that the store's tests share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_vdg.runs import AskedQuestion, CellResult, Fingerprint, Outcome, Run
from pytest_vdg.store.keys import KeyParts

OUTCOME = {"A": Outcome.CORRECT, "B": Outcome.WRONG}


def key_parts(**changes: object) -> KeyParts:
    """Return parts of a key, all set, with *changes*."""
    parts: dict[str, Any] = {
        "subject": {"weights": "w1"},
        "environment": {"scoring": "choice", "dtype": "float32"},
        "versions": {"torch": "2.8"},
        "question_id": "q1",
        "prompt": "Which?\nA. red\nB. blue\nAnswer.",
        "instruction": "Answer.",
        "labels": ("A", "B"),
        "option_texts": ("red", "blue"),
        "condition": "shuffled",
        "seed": 0,
        "block": 1,
        "video": "v1",
        "partner": "p1",
        "sampling": "frames=8",
        "size": (64, 64),
        "reader": "auto",
    }
    return KeyParts(**(parts | changes))


def cell(
    question_id: str = "q1",
    condition: str = "original",
    outcome: Outcome = Outcome.CORRECT,
    **changes: object,
) -> CellResult:
    """Return a cell with every field set as a real one has it."""
    values: dict[str, Any] = {
        "choice": {"correct": "A", "wrong": "B"}.get(outcome.value),
        "reply": "A",
        "probabilities": {"A": 0.1 + 0.2, "B": 1 - (0.1 + 0.2)},
        "label_mass": 0.987654321,
        "frames_seen": 3,
        "visual_tokens": 12,
        "times_s": (0.0, 1 / 3, 2 / 3),
        "reader": "pyav-18.1",
        "input_digest": "d" * 64,
    }
    return CellResult(
        question_id=question_id,
        condition=condition,
        outcome=outcome,
        **(values | changes),
    )


def question(question_id: str = "q1", **changes: object) -> AskedQuestion:
    """Return a question with two options whose answer is A."""
    values: dict[str, Any] = {
        "video": f"{question_id}.mp4",
        "task": "colour",
        "labels": ("A", "B"),
        "answer": "A",
        "digest": f"digest of {question_id}",
    }
    return AskedQuestion(id=question_id, **(values | changes))


def run(
    *questions: AskedQuestion, cells: Iterable[CellResult] = (), **changes: object
) -> Run:
    """Return a run of original and black, right and wrong, but for *cells*."""
    asked = questions or (question("q2"), question("q1"))
    given = {(c.question_id, c.condition): c for c in cells}
    made = {
        (q.id, c): given.get((q.id, c)) or cell(q.id, c, outcome)
        for q in asked
        for c, outcome in (
            ("original", Outcome.CORRECT),
            ("black", Outcome.WRONG),
        )
    }
    values: dict[str, Any] = {
        "checkpoint": "grounded",
        "slice_name": "sight-2",
        "fingerprint": Fingerprint(
            comparable={"slice": "s1", "sampling": "frames=8"},
            subject={"weights": "w1"},
            informative={"torch": "2.8"},
        ),
        "created": "2026-03-01T12:00:00+00:00",
    }
    return Run(
        questions=asked,
        conditions=("original", "black"),
        cells=made,
        **(values | changes),
    )
