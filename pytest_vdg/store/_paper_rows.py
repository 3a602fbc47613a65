"""Rows of per-question answer files, checked one by one.

Apart from joining them because a row is wrong by itself or not at all: what
is said here names the file and the row, and needs no other row.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_vdg.errors import StoreError
from pytest_vdg.runs import Outcome
from pytest_vdg.store.records import loads

VIDEO_FIELDS = ("videoID", "video_uid", "video_id")
"""Names of the video in these files, the best first."""
ABOUT = ("task_type", "ground_truth", "options", *VIDEO_FIELDS)
"""Fields that say which question it is: equal under every condition."""

_LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One answer to one question under one condition, as it stands in a file."""

    path: Path
    number: int
    """Position in the file, from 1."""
    question_id: str
    condition: str
    """As the file calls it."""
    about: Mapping[str, Any]
    """The fields of `ABOUT` that the row holds."""
    labels: tuple[str, ...]
    outcome: Outcome
    choice: str | None
    reply: str | None
    reason: str | None

    @property
    def place(self) -> str:
        """File and row, for messages."""
        return f"{self.path}: row {self.number}"


def read_objects(path: Path) -> list[dict[str, Any]]:
    """Return the JSON objects in the array of *path*.

    UTF-8 and, with a byte order mark, UTF-16 are read. Other bytes become
    lone surrogates, which `parse_row` takes in a message and refuses in a
    name. Raises `StoreError` for anything that is no such array.
    """
    try:
        data = path.read_bytes()
    except OSError as e:
        raise StoreError(f"answers {path} cannot be read: {e}") from e
    text = _text(data, path)
    try:
        found = loads(text)
    except json.JSONDecodeError as e:
        raise StoreError(
            f"{path}: not JSON ({e}). Probably only half of it was written: run "
            "that condition again, or take the file from where it was published"
        ) from e
    except ValueError as e:
        raise StoreError(f"{path}: {e}") from e
    if not isinstance(found, list) or not all(isinstance(r, dict) for r in found):
        raise StoreError(
            f"{path}: expected a JSON array of objects, one a question and "
            f"condition, got {_kind(found)}"
        )
    if not found:
        raise StoreError(f"{path}: holds no answer at all")
    return found


def _text(data: bytes, path: Path) -> str:
    if not data.strip():
        raise StoreError(f"{path}: the file is empty. {_LOST}")
    if not data.strip(b"\0"):
        raise StoreError(f"{path}: all of its {len(data)} bytes are NUL. {_LOST}")
    try:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return data.decode("utf-16")
    except UnicodeDecodeError as e:
        raise StoreError(f"{path}: not UTF-16 text ({e}). {_LOST}") from e
    if b"\0" in data:
        raise StoreError(f"{path}: NUL bytes from byte {data.index(0)} on. {_LOST}")
    return data.decode("utf-8-sig", "surrogateescape")


_LOST = (
    "A crash or a broken copy leaves a file like that, and nothing can be read from "
    "it: run that condition again, or take the file from where it was published"
)


def _kind(value: object) -> str:
    if isinstance(value, list):
        odd = next(r for r in value if not isinstance(r, dict))
        return f"an array with {odd!r:.40} in it"
    return "an object" if isinstance(value, dict) else f"{value!r:.40}"


def parse_row(
    values: Mapping[str, Any], labels: Sequence[str], path: Path, number: int
) -> Row:
    """Return the answer in *values*; *labels* are those of rows without options.

    Raises `StoreError` naming *path* and *number* for a row that names no
    question, has no key, or contradicts itself.
    """
    try:
        return Row(path=path, number=number, **_parsed(values, labels))
    except ValueError as e:
        raise StoreError(f"{path}: row {number}: {e}") from e


def _parsed(values: Mapping[str, Any], labels: Sequence[str]) -> dict[str, Any]:
    _name(values, "task_type")
    about = {f: values[f] for f in ABOUT if values.get(f) is not None}
    videos = {f: _name(values, f) for f in VIDEO_FIELDS if f in about}
    if not videos:
        raise ValueError(f"no video: none of {', '.join(VIDEO_FIELDS)}")
    known = _labels_of(values.get("options"), labels)
    key = _name(values, "ground_truth")
    if key not in known:
        raise ValueError(f"ground_truth {key!r} is none of {', '.join(known)}")
    outcome, choice, reply, reason = _answer(values, known, key)
    return {
        "question_id": _name(values, "question_id"),
        "condition": _name(values, "condition"),
        "about": about | videos,
        "labels": known,
        "outcome": outcome,
        "choice": choice,
        "reply": reply,
        "reason": reason,
    }


def _name(values: Mapping[str, Any], field: str) -> str:
    value = values.get(field)
    # One script writes 1 where the next writes "1".
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{field} must be text, got {value!r}")
    if readable(value) != value:
        raise ValueError(
            f"{field} {readable(value)!r} is not UTF-8 text, so it would not be "
            "found in other files. Save the file as UTF-8"
        )
    return value


def readable(text: str) -> str:
    """Return *text* with the bytes that were not UTF-8 written out in hex."""
    if not any("\udc80" <= c <= "\udcff" for c in text):
        return text
    data = text.encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "backslashreplace")


def _labels_of(options: object, labels: Sequence[str]) -> tuple[str, ...]:
    if options is None:
        if not labels:
            raise ValueError(
                "the row lists no options: say which labels there were, labels='ABCD'"
            )
        return tuple(labels)
    if isinstance(options, Mapping):
        return tuple(options)
    if isinstance(options, list) and 2 <= len(options) <= len(_LABELS):
        return tuple(_LABELS[: len(options)])
    raise ValueError(f"options must be a list or an object, got {options!r:.40}")


Answer = tuple[Outcome, str | None, str | None, str | None]
"""Outcome, choice, reply and reason."""


def _answer(values: Mapping[str, Any], labels: Sequence[str], key: str) -> Answer:
    prediction, error = values.get("prediction"), values.get("error")
    if prediction is not None and not isinstance(prediction, str):
        raise ValueError(f"prediction must be text or null, got {prediction!r}")
    answer = _judged(prediction or "", error, labels, key)
    claimed = values.get("correct")
    if claimed is not None and claimed is not (answer[0] is Outcome.CORRECT):
        raise ValueError(
            f"correct is {claimed!r}, but the prediction is {prediction!r} and the "
            f"key {key!r}"
        )
    return answer


def _judged(prediction: str, error: object, labels: Sequence[str], key: str) -> Answer:
    if error:
        # Whatever stands beside an error is what was left over, not an answer.
        return Outcome.FAILED, None, None, readable(str(error))
    if not prediction.strip():
        return Outcome.FAILED, None, None, "no prediction in the file"
    if prediction not in labels:
        reason = "prediction is no label"
        return Outcome.UNPARSED, None, readable(prediction), reason
    outcome = Outcome.CORRECT if prediction == key else Outcome.WRONG
    return outcome, prediction, prediction, None
