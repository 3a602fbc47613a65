"""`CellResult` as plain JSON values and back, exactly.

Apart from both files that hold cells, so that the answer store and full run
files read and write one format, and neither can lose a field.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from pytest_vdg.runs import CellResult, Outcome

_FIELDS = frozenset(f.name for f in fields(CellResult)) - {"cached"}
_TEXTS = ("choice", "reply", "reason", "reader", "input_digest")
_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("question_id", "condition", "outcome", *_TEXTS), (str,)),
    **dict.fromkeys(("frames_seen", "visual_tokens", "prompt_tokens"), (int,)),
    **dict.fromkeys(("label_mass", "seconds"), (int, float)),
    "probabilities": (dict,),
    "times_s": (list,),
}
"""Kinds of JSON values by field; what lists and objects hold are numbers."""


def cell_to_record(cell: CellResult) -> dict[str, Any]:
    """Return *cell* as JSON values; fields that hold nothing are left out."""
    record: dict[str, Any] = {
        "question_id": cell.question_id,
        "condition": cell.condition,
        "outcome": cell.outcome.value,
        "frames_seen": int(cell.frames_seen),
        "visual_tokens": int(cell.visual_tokens),
    }
    for name in _TEXTS:
        if getattr(cell, name) is not None:
            record[name] = getattr(cell, name)
    # float(): a backend may hand over numpy's, which JSON does not know.
    if cell.probabilities is not None:
        record["probabilities"] = {k: float(p) for k, p in cell.probabilities.items()}
    if cell.label_mass is not None:
        record["label_mass"] = float(cell.label_mass)
    if cell.prompt_tokens:
        record["prompt_tokens"] = int(cell.prompt_tokens)
    # A clock that went wrong must not cost the answer.
    if cell.seconds is not None and math.isfinite(cell.seconds):
        record["seconds"] = round(float(cell.seconds), 6)
    if cell.times_s:
        record["times_s"] = [float(t) for t in cell.times_s]
    return record


def cell_from_record(record: Mapping[str, Any]) -> CellResult:
    """Return the cell that `cell_to_record` wrote.

    Raises ``ValueError``, ``KeyError`` or ``TypeError`` on anything else; the
    callers know the file and say so.
    """
    if not isinstance(record, Mapping):
        raise TypeError(f"a cell must be an object, got {record!r:.60}")
    unknown = record.keys() - _FIELDS
    if unknown:
        raise ValueError(f"unknown fields {sorted(unknown)}")
    values = dict(record)
    _require_kinds(values)
    values["outcome"] = Outcome(values["outcome"])
    values["times_s"] = tuple(values.get("times_s", ()))
    return CellResult(**values)


def _require_kinds(values: Mapping[str, Any]) -> None:
    """Raise ``TypeError`` for a value that `cell_to_record` does not write."""
    for name, value in values.items():
        if type(value) not in _KINDS[name]:
            raise TypeError(f"{name} cannot be {value!r:.60}")
        for number in _numbers(value):
            # Not by isfinite(), which some whole numbers are too large for.
            if type(number) not in (int, float) or not abs(number) < math.inf:
                raise TypeError(f"{name} cannot hold {number!r:.60}")


def _numbers(value: Any) -> Iterable[Any]:  # noqa: ANN401
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, list):
        return value
    return (value,) if isinstance(value, float) else ()


def dumps(value: object, *, readable: bool = False) -> str:
    """Return *value* as one line of compact JSON; NaN raises ``ValueError``.

    The line is ASCII unless *readable*, which leaves letters of all scripts.
    """
    return json.dumps(
        value, allow_nan=False, separators=(",", ":"), ensure_ascii=not readable
    )


def loads(text: str) -> Any:  # noqa: ANN401
    """Return the JSON value in *text*; NaN and repeated keys raise ``ValueError``.

    So do lists in lists beyond what Python can follow.
    """
    try:
        return json.loads(
            text, parse_constant=_no_constant, object_pairs_hook=_without_repeats
        )
    except RecursionError as e:
        raise ValueError("it is nested too deeply") from e


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number that JSON knows")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = sorted({n for n in names if names.count(n) > 1})
        raise ValueError(f"repeated keys {repeated}")
    return values
