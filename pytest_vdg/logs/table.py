"""Your own results: one row an answer, in CSV, TSV, JSON, JSONL, Parquet or Excel.

Apart from the other readers because its columns are ours and documented:

==================  ========================================================
column
==================  ========================================================
``id``              name of the question; the same under every condition
``reply``           what the model said, verbatim
``answer``          the key: a label, or the text of an option
``options``         a list or an object in JSON, or ``A. red, B. blue``
``A, B ...``        instead of it: a column an option; or ``option_A`` ..., or
                    ``option_1`` ..., which are A, B, ... unless the key is a number
``question``        optional: the text
``task, video``     optional
``condition``       optional, where one file holds several
``failure``         optional: why there is no reply
``variant``         optional, where a question was answered more than once
==================  ========================================================

With a benchmark ``id`` and ``reply`` are enough. Any other column is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.benchmarks.options import COLUMNS as OPTION_COLUMNS
from pytest_vdg.benchmarks.options import option_columns
from pytest_vdg.errors import BenchmarkError, StoreError, did_you_mean
from pytest_vdg.logs._files import content, first_of, records_of, sha256, written
from pytest_vdg.logs._offered import offered
from pytest_vdg.logs.answers import Log, LogFormat, LoggedAnswer

COLUMNS = (
    "id",
    "reply",
    "answer",
    "options",
    "question",
    "task",
    "video",
    "condition",
    "failure",
    "variant",
)
_OPTIONS = frozenset(head for way in OPTION_COLUMNS for head in way)


def read(path: Path) -> Log:
    """Return the answers in *path*, a row each."""
    # A sheet cannot tell an empty reply from none; a CSV file says the first.
    sheet = path.suffix.lower() in (".xlsx", ".xls")
    answers = tuple(
        _answer(record, place, sheet=sheet) for place, record in records_of(path)
    )
    return Log(
        path=path, harness="table", sha256=sha256(content(path)), answers=answers
    )


def _answer(record: Mapping[str, Any], place: str, *, sheet: bool) -> LoggedAnswer:
    for column in record:
        if column not in COLUMNS and column not in _OPTIONS:
            hint = did_you_mean(column, COLUMNS)
            if column.startswith("option_"):
                hint = " Options are A, B, ...; or option_A, ...; or option_1, ..."
            raise StoreError(f"{place}: there is no column {column!r}.{hint}")
    failure = first_of(record, "failure")
    reply = written(record.get("reply"))
    if reply is None and sheet:
        reply = ""
    if reply is None and failure is None:
        failure = "no reply in the row"
    name = first_of(record, "id")
    if name is None:
        raise StoreError(f"{place}: has no id, by which arms are joined")
    try:
        options = offered(record.get("options")) or _columns(record)
    except BenchmarkError as error:
        raise StoreError(f"{place}: {error}") from error
    return LoggedAnswer(
        place=place,
        reply=None if failure else reply,
        failure=failure,
        id=name,
        benchmark_id=name,
        question=first_of(record, "question"),
        options=options,
        answer=first_of(record, "answer"),
        task=first_of(record, "task"),
        video=first_of(record, "video"),
        condition=first_of(record, "condition"),
        variant=first_of(record, "variant"),
    )


def _columns(record: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the options that stand in columns of their own; empty cells are none."""
    heads = option_columns(record)
    numbers = [head.removeprefix("option_") for head in heads]
    # Only the key tells whether options in numbered columns are 1, 2 or A, B.
    named = numbers if first_of(record, "answer") in numbers else heads.values()
    texts = [(label, written(record[h])) for h, label in zip(heads, named, strict=True)]
    return {k: " ".join(v.split()) for k, v in texts if v} or None


TABLE = LogFormat(
    name="table",
    title="your own table",
    expects="….csv, .tsv, .jsonl, .json, .parquet or .xlsx with id, reply, answer ...",
    recognises=lambda seen: (
        seen.kind in ("table", "lines", "list") and "reply" in seen.keys
    ),
    read=read,
)
