"""The text of a run file, checked line by line, as a `Run`.

Apart from writing because most of it is refusing: whatever a dying process, a
merge or a text editor made of the file ends in an error with path and line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_vdg.errors import StoreError
from pytest_vdg.outcomes.extent import by_task
from pytest_vdg.runs import AskedQuestion, Caps, CellResult, Fingerprint, Run
from pytest_vdg.store._format import (
    CRITERIA,
    FORMAT,
    SECTIONS,
    VERSION,
    VERSIONS,
    counts_of,
    expand,
    vdg_of,
)
from pytest_vdg.store.criteria import Criterion, from_record
from pytest_vdg.store.records import loads

_HEADER_KEYS = (
    "format",
    "version",
    "checkpoint",
    "slice",
    "questions",
    "conditions",
    "created",
    "reason",
)
_OPTIONAL = {"planned", "environment"}
_HEADER_TEXTS = ("checkpoint", "slice", "created", "reason", "environment")
_OF_TEXTS = ("comparable", "subject", "informative")
"""Sections whose values are texts."""
_TEXTS = ("id", "video", "video_digest", "task", "answer", "digest")
_QUESTION_KEYS = (*_TEXTS, "labels", "cells")
_MERGE_MARKS = ("<<<<<<<", "=======", ">>>>>>>")
_BAD = (ValueError, KeyError, TypeError, AttributeError)
"""What a line that means nothing makes Python raise."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A run with all that its file says beside it."""

    run: Run
    reason: str = ""
    """Why the file was written."""
    environment: str | None = None
    """Where it was recorded, by the name that people gave; None where they did not."""
    criteria: tuple[Criterion, ...] = ()
    """What claims against it were held to when it was recorded."""


def parse_run(data: bytes, path: Path) -> Run:
    """Return the run in *data*; *path* is only named in errors."""
    return parse_recorded(data, path).run


def parse_recorded(data: bytes, path: Path) -> Recorded:
    """Return the run in *data* with what is said beside it."""
    objects = [_object(text, i, path) for i, text in _numbered(data, path)]
    header = _header(objects, path)
    first = 1 + len(SECTIONS)
    criteria: tuple[Criterion, ...] = ()
    if len(objects) > first and objects[first].keys() == {CRITERIA}:
        criteria = _criteria(objects[first][CRITERIA], first + 1, path)
        first += 1
    run = _run(header, objects[first:], first + 1, path)
    return Recorded(
        run=run,
        reason=header["reason"],
        environment=header.get("environment"),
        criteria=criteria,
    )


def _criteria(values: Any, line: int, path: Path) -> tuple[Criterion, ...]:  # noqa: ANN401
    try:
        found = tuple(from_record(value) for value in values)
        if len({criterion.key for criterion in found}) < len(found):
            raise ValueError("a claim has two criteria")
    except _BAD as e:
        raise StoreError(f"{path}:{line}: criteria: {e}. " + _ADVICE) from e
    return found


def _run(
    header: dict[str, Any], body: list[dict[str, Any]], first: int, path: Path
) -> Run:
    """Return the run of *header* and *body*, whose first line is the one so called."""
    if len(body) != header["questions"]:
        raise StoreError(
            f"{path}: {len(body)} questions, the header says {header['questions']}. "
            + _ADVICE
        )
    questions, cells = _questions(body, header["conditions"], first, path)
    run = _built(header, questions, cells, path)
    for name, found in (("counts", counts_of(run)), ("vdg", vdg_of(run))):
        if found != header[name]:
            raise StoreError(
                f"{path}:{2 + SECTIONS.index(name)}: these numbers are not those of "
                "the lines below; the file was edited or merged by hand. " + _ADVICE
            )
    return run


_ADVICE = "Take an older version from git, or record it anew with --vdg-update-baseline"


def _numbered(data: bytes, path: Path) -> list[tuple[int, str]]:
    lines = data.split(b"\n")
    for i, line in enumerate(lines, start=1):
        if b"\0" in line:
            raise StoreError(
                f"{path}:{i}: NUL bytes, as a crash leaves them. " + _ADVICE
            )
    if not data.endswith(b"\n"):
        what = "the last line is cut off" if data else "the file is empty"
        raise StoreError(f"{path}:{len(lines)}: {what}. " + _ADVICE)
    try:
        texts = data.decode().split("\n")[:-1]
    except UnicodeDecodeError as e:
        at = data[: e.start].count(b"\n") + 1
        raise StoreError(f"{path}:{at}: not UTF-8 text ({e}). " + _ADVICE) from e
    return [(i, text.rstrip("\r")) for i, text in enumerate(texts, start=1)]


def _object(text: str, line: int, path: Path) -> dict[str, Any]:
    if text.startswith(_MERGE_MARKS):
        raise StoreError(f"{path}:{line}: unresolved merge conflict. " + _ADVICE)
    try:
        value = loads(text)
    except ValueError as e:
        raise StoreError(f"{path}:{line}: not a line of a run file ({e})") from e
    if not isinstance(value, dict):
        raise StoreError(f"{path}:{line}: expected a JSON object, got {text[:40]!r}")
    return value


def _header(objects: list[dict[str, Any]], path: Path) -> dict[str, Any]:
    header = dict(objects[0])
    if header.get("format") != FORMAT:
        raise StoreError(f"{path}:1: not a run file (no 'format': {FORMAT!r})")
    if header.get("version") not in VERSIONS:
        raise StoreError(
            f"{path}:1: version {header.get('version')!r} of the format, this "
            f"pytest-vdg reads {VERSION} to {VERSIONS[-1]}. Use the version that wrote "
            "it, or record it anew with --vdg-update-baseline"
        )
    if header.keys() - _OPTIONAL != set(_HEADER_KEYS):
        raise StoreError(f"{path}:1: expected keys {_HEADER_KEYS}, got {tuple(header)}")
    _require_texts({k: header[k] for k in _HEADER_TEXTS if k in header}, 1, path)
    for i, name in enumerate(SECTIONS, start=1):
        if len(objects) <= i or objects[i].keys() != {name}:
            raise StoreError(f"{path}:{i + 1}: expected the {name!r} of the header")
        header[name] = objects[i][name]
        if name != "vdg" and not isinstance(header[name], dict):
            raise StoreError(f"{path}:{i + 1}: {name!r} must be an object")
        if name in _OF_TEXTS:
            _require_texts(header[name], i + 1, path)
    return header


def _require_texts(values: dict[str, Any], line: int, path: Path) -> None:
    for name, value in values.items():
        if not isinstance(value, str):
            raise StoreError(
                f"{path}:{line}: {name!r} must be text, got {value!r:.60}. " + _ADVICE
            )


def _questions(
    body: list[dict[str, Any]], conditions: list[str], first: int, path: Path
) -> tuple[list[AskedQuestion], dict[tuple[str, str], CellResult]]:
    questions: dict[str, AskedQuestion] = {}
    cells: dict[tuple[str, str], CellResult] = {}
    seen: dict[str, int] = {}
    for line, values in enumerate(body, start=first):
        try:
            question = _question(values)
            if question.id in seen:
                raise ValueError(f"id {question.id!r} is on line {seen[question.id]}")
            got = values["cells"]
            if got.keys() != set(conditions):
                raise ValueError(f"cells of {sorted(got)}, ran: {sorted(conditions)}")
            for c in conditions:
                cells[question.id, c] = expand(got[c], question, c)
        except _BAD as e:
            raise StoreError(f"{path}:{line}: {e}. " + _ADVICE) from e
        questions[question.id] = question
        seen[question.id] = line
    return list(questions.values()), cells


def _question(values: dict[str, Any]) -> AskedQuestion:
    if values.keys() - {"of"} != set(_QUESTION_KEYS):
        raise ValueError(f"expected keys {_QUESTION_KEYS}, got {tuple(values)}")
    texts = {k: values[k] for k in _TEXTS} | {"of": values.get("of", "")}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise TypeError(f"{name} must be text, got {text!r}")
    if values.get("of") == "":
        raise ValueError("of must name a question; it is left out where it is none")
    return AskedQuestion(labels=tuple(values["labels"]), **texts)


def _planned(value: object, held: list[AskedQuestion]) -> dict[str, int] | None:
    """Return how many questions of each task there should be: more than are *held*."""
    if value is None:
        return None
    if not isinstance(value, dict) or any(type(n) is not int for n in value.values()):
        raise TypeError(f"planned must be numbers by task, got {value!r:.60}")
    there = by_task((q.task, q.question) for q in held)
    over = [task for task, n in there.items() if n > value.get(task, 0)]
    if over or value == there:
        raise ValueError(f"planned {value!r:.60}, but there are {dict(there)!r:.60}")
    return value


def _built(
    header: dict[str, Any],
    questions: list[AskedQuestion],
    cells: dict[tuple[str, str], CellResult],
    path: Path,
) -> Run:
    try:
        return Run(
            checkpoint=header["checkpoint"],
            slice_name=header["slice"],
            questions=tuple(questions),
            conditions=tuple(header["conditions"]),
            cells=cells,
            fingerprint=Fingerprint(
                comparable=header["comparable"],
                subject=header["subject"],
                informative=header["informative"],
            ),
            caps=Caps(**header["caps"]),
            planned=_planned(header.get("planned"), questions),
            created=header["created"],
        )
    except _BAD as e:
        raise StoreError(f"{path}: header cannot be used ({e}). " + _ADVICE) from e
