"""VLMEvalKit's result tables, ``MODEL_DATASET.xlsx``, ``.tsv`` or ``.json``.

Apart from the other readers because a list of options is the text of a Python
list there. The column ``score`` is not read: an empty prediction counts as
right in it, -1 for a judge that failed does too, and a letter is found in any
sentence that has one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.errors import BenchmarkError, StoreError
from pytest_vdg.logs._files import content, first_of, records_of, sha256, written
from pytest_vdg.logs._offered import offered
from pytest_vdg.logs.answers import Glimpse, Log, LogFormat, LoggedAnswer

FAILED = "Failed to obtain answer via API"
"""What VLMEvalKit writes for a reply that never came."""
_DATASET = re.compile(
    r"_(?P<name>(?:Video-MME|MVBench|MLVU|TempCompass|LongVideoBench)\w*?)"
    r"(?:_score|_rating)?$"
)
_TASKS = ("task_type", "dim", "question_category", "SUB_DATASET")
_VIDEOS = ("video", "video_path", "video_id")


def read(path: Path) -> Log:
    """Return the answers in a result table, scored or not."""
    data = content(path)
    found = _DATASET.search(path.stem)
    answers = tuple(_answer(record, place) for place, record in records_of(path))
    return Log(
        path=path,
        harness="VLMEvalKit",
        sha256=sha256(data),
        answers=answers,
        settings={"dataset": found["name"]} if found else {},
        model=path.stem[: found.start()] if found else None,
    )


def _answer(record: Mapping[str, Any], place: str) -> LoggedAnswer:
    if "prediction" not in record:
        raise StoreError(f"{place}: has no column 'prediction'")
    name = first_of(record, "index")
    if name is None:
        raise StoreError(f"{place}: has no index, by which arms are joined")
    try:
        options = offered(record.get("candidates"))
    except BenchmarkError as error:
        raise StoreError(f"{place}: candidates: {error}") from error
    reply = written(record["prediction"]) or ""
    failed = reply.startswith(FAILED)
    indexed = "answer" not in record
    # MVBench and MLVU are several tables in one: an index may come again.
    dataset = first_of(record, "SUB_DATASET")
    return LoggedAnswer(
        place=place,
        reply=None if failed else reply,
        failure=reply if failed else None,
        id=f"{dataset}/{name}" if dataset else name,
        question=first_of(record, "question"),
        options=options,
        answer=first_of(record, "correct_choice" if indexed else "answer"),
        key_kind="index" if indexed else "any",
        task=first_of(record, *_TASKS),
        video=first_of(record, *_VIDEOS),
    )


def _recognises(seen: Glimpse) -> bool:
    if seen.kind not in ("table", "list"):
        return False
    return {"index", "question", "prediction"} <= seen.keys and "reply" not in seen.keys


VLMEVALKIT = LogFormat(
    name="vlmevalkit",
    title="VLMEvalKit result tables",
    expects="MODEL_DATASET.xlsx, .tsv or .json",
    recognises=_recognises,
    read=read,
)
