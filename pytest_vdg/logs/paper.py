"""The VDG paper's answers: a JSON array, a row for each question and condition.

Apart from the other readers because one file holds several conditions, under
the paper's names. Rows are checked by the store's reader of the same files.
"""

from __future__ import annotations

from pathlib import Path

from pytest_vdg.benchmarks.schema import LABELS
from pytest_vdg.errors import BenchmarkError, StoreError
from pytest_vdg.logs._files import content, sha256
from pytest_vdg.logs._offered import offered
from pytest_vdg.logs.answers import Log, LogFormat, LoggedAnswer
from pytest_vdg.runs import Outcome
from pytest_vdg.store._paper_rows import VIDEO_FIELDS, Row, parse_row, read_objects
from pytest_vdg.store.paper_answers import CONDITION_NAMES

_NEEDS = frozenset({"question_id", "condition", "ground_truth", "prediction"})


def read(path: Path) -> Log:
    """Return the answers in *path*, each with the condition that its row names."""
    rows = [
        parse_row(values, LABELS, path, number)
        for number, values in enumerate(read_objects(path), start=1)
    ]
    return Log(
        path=path,
        harness="vdg-paper",
        sha256=sha256(content(path)),
        answers=tuple(map(_answer, rows)),
    )


def _answer(row: Row) -> LoggedAnswer:
    try:
        options = offered(row.about.get("options"))
    except BenchmarkError as error:
        raise StoreError(f"{row.place}: {error}") from error
    failed = row.outcome is Outcome.FAILED
    return LoggedAnswer(
        place=row.place,
        reply=None if failed else row.reply,
        failure=(row.reason or "no prediction") if failed else None,
        id=row.question_id,
        benchmark_id=row.question_id,
        options=options,
        answer=str(row.about["ground_truth"]),
        task=str(row.about["task_type"]),
        video=next(str(row.about[f]) for f in VIDEO_FIELDS if f in row.about),
        condition=CONDITION_NAMES.get(row.condition, row.condition),
    )


PAPER = LogFormat(
    name="vdg-paper",
    title="per-question answers of the VDG paper",
    expects="….json, an array with question_id, condition, ground_truth, prediction",
    recognises=lambda seen: seen.kind == "list" and seen.keys >= _NEEDS,
    read=read,
)
