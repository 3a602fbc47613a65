"""Rows of a results file: findings, tests, runs, questions and cells, and back.

Apart from the file itself so that each kind of row is written and read in one
place, and neither direction can lose a field.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pytest_vdg.reports.measured import Measured
from pytest_vdg.reports.results import QuestionText, RunResult, TestResult
from pytest_vdg.runs import AskedQuestion, CellResult, Fingerprint, Outcome, Run
from pytest_vdg.verdicts import Finding, Verdict

Row = dict[str, Any]

_FINDING = {
    "claim": "claim",
    "verdict": "verdict",
    "measure": "measure",
    "estimate": "estimate",
    "low": "low",
    "high": "high",
    "confidence": "confidence",
    "bound": "bound",
    "bound_is": "bound_is",
    "mde": "smallest_detectable",
    "n": "n",
    "n_planned": "n_planned",
    "videos": "n_videos",
    "checkpoint": "checkpoint",
    "slice": "slice_name",
    "task": "task",
    "baseline": "baseline",
    "message": "message",
}
"""Column to field of `Finding`."""
_SAME = (
    "reply",
    "reason",
    "reader",
    "input_digest",
    "frames_seen",
    "visual_tokens",
    "prompt_tokens",
    "cached",
)
"""Fields of a cell that are columns as they are."""


def finding_row(finding: Finding, test: TestResult, index: int) -> Row:
    """Return *finding* as a flat row, with the *test* that came to it."""
    row = {name: getattr(finding, field) for name, field in _FINDING.items()}
    return {
        "test": test.name,
        "test_index": index,
        **row,
        "verdict": finding.verdict.value,
        "summary": finding.summary,
        "accuracies": dict(finding.accuracies),
    }


def to_finding(row: Row) -> Finding:
    """Return the finding of a row."""
    values = {field: row[name] for name, field in _FINDING.items()}
    values["verdict"] = Verdict(row["verdict"])
    return Finding(**values, accuracies=tuple(row["accuracies"].items()))


def test_row(test: TestResult) -> Row:
    """Return *test* as a row, without its findings."""
    return {
        "test": test.name,
        "outcome": test.outcome,
        "verdict": None if test.verdict is None else test.verdict.value,
        "summary": test.summary,
        "message": test.message,
        "file": test.file,
        "line": test.line,
        "seconds": test.seconds,
        "loosened": list(test.loosened),
    }


def to_test(row: Row, findings: Sequence[Finding]) -> TestResult:
    """Return the test of a row with its *findings*."""
    return TestResult(
        name=row["test"],
        outcome=row["outcome"],
        message=row["message"],
        file=row["file"],
        line=row["line"],
        seconds=row["seconds"],
        findings=tuple(findings),
        loosened=tuple(row["loosened"]),
    )


def run_row(
    run: Run, *, role: str, baseline: int | None, ask: Mapping[str, Any]
) -> Row:
    """Return the header of *run* as a row; *baseline* is the number of another."""
    prints = run.fingerprint
    return {
        "role": role,
        "baseline": baseline,
        "checkpoint": run.checkpoint,
        "slice": run.slice_name,
        "created": run.created,
        "conditions": list(run.conditions),
        "questions": len({q.question for q in run.questions}),
        "orders": len(run.questions),
        "videos": len({q.video for q in run.questions}),
        "planned": None if run.planned is None else dict(run.planned),
        "chance": run.chance() if run.questions else None,
        "caps": vars(run.caps),
        "counts": {c: vars(run.counts(c)) for c in run.conditions},
        "comparable": dict(prints.comparable),
        "subject": dict(prints.subject),
        "informative": dict(prints.informative),
        "ask": {k: list(v) if isinstance(v, tuple) else v for k, v in ask.items()},
    }


def to_fingerprint(row: Row) -> Fingerprint:
    """Return the fingerprint in the row of a run."""
    names = ("comparable", "subject", "informative")
    return Fingerprint(**{name: row[name] for name in names})


def measure_row(measured: Measured) -> Row:
    """Return one number of a run as a row."""
    return asdict(measured)


def question_rows(run: Run, result: RunResult | None) -> Iterator[Row]:
    """Yield what *run* asked, in order, then what it did not come to ask."""
    texts = {} if result is None else dict(result.texts)
    for question in run.questions:
        row = {
            "asked": True,
            "question": question.id,
            "of": question.of or None,
            "task": question.task,
            "video": question.video,
            "labels": list(question.labels),
            "answer": question.answer,
            "digest": question.digest,
            "video_digest": question.video_digest,
        }
        yield {**row, **_text_columns(texts.pop(question.id, None))}
    columns = ("of", "task", "video", "labels", "answer", "digest", "video_digest")
    for key, text in texts.items():
        row = {"asked": False, "question": key, **dict.fromkeys(columns)}
        yield {**row, **_text_columns(text)}


def _text_columns(text: QuestionText | None) -> Row:
    if text is None:
        return {"text": None, "options": None}
    options = [{"label": label, "text": said} for label, said in text.options]
    return {"text": text.text, "options": options}


def to_question(row: Row) -> AskedQuestion:
    """Return the question of a row that was asked."""
    return AskedQuestion(
        id=row["question"],
        video=row["video"],
        task=row["task"],
        labels=tuple(row["labels"]),
        answer=row["answer"],
        digest=row["digest"],
        video_digest=row["video_digest"],
        of=row["of"] or "",
    )


def to_text(row: Row) -> QuestionText:
    """Return what the question of a row says."""
    options = tuple((option["label"], option["text"]) for option in row["options"])
    return QuestionText(text=row["text"], options=options)


def cell_rows(run: Run) -> Iterator[Row]:
    """Yield the cells of *run*, condition by condition for each question."""
    for question in run.questions:
        for condition in run.conditions:
            yield _cell_row(run.cells[question.id, condition], question)


def _cell_row(cell: CellResult, question: AskedQuestion) -> Row:
    # float(): a backend may hand over numpy's, which JSON does not know.
    chances = None
    if cell.probabilities is not None:
        chances = {label: float(p) for label, p in cell.probabilities.items()}
    right = cell.outcome is Outcome.CORRECT
    row = {
        "question": cell.question_id,
        "of": question.of or None,
        "task": question.task,
        "video": question.video,
        "condition": cell.condition,
        "outcome": cell.outcome.value,
        "correct": int(right) if cell.outcome.judged else None,
        "choice": cell.choice,
        "answer": question.answer,
        "p_answer": None if chances is None else chances.get(question.answer),
        "probabilities": chances,
        "label_mass": None if cell.label_mass is None else float(cell.label_mass),
        "seconds": None if cell.seconds is None else float(cell.seconds),
        **{name: getattr(cell, name) for name in _SAME},
        "times_s": [float(time) for time in cell.times_s],
    }
    undefined = [name for name, value in row.items() if not _finite(value)]
    row |= {name: [] if name == "times_s" else None for name in undefined}
    return {**row, "undefined": undefined}


def _finite(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def to_cell(row: Row) -> CellResult:
    """Return the cell of a row."""
    return CellResult(
        question_id=row["question"],
        condition=row["condition"],
        outcome=Outcome(row["outcome"]),
        choice=row["choice"],
        probabilities=row["probabilities"],
        label_mass=row["label_mass"],
        seconds=row["seconds"],
        times_s=tuple(row["times_s"]),
        **{name: row[name] for name in _SAME},
    )
