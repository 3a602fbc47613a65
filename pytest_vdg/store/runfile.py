"""Runs as text files that people review: `save_run` and `load_run`.

JSON lines: a header of a few lines, then one compact line a question, sorted
by id, so that a baseline in a repository gives small diffs. Apart from the
answer store because a baseline is read by people and written once.

A cell is its label where one was chosen (``"A"``), else an object naming what
happened instead (``{"failed": "out of memory"}``). A full file holds the
whole record of each cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_vdg.atomic import keep_broken, write_atomically
from pytest_vdg.errors import StoreError
from pytest_vdg.runs import AskedQuestion, Run
from pytest_vdg.store._format import (
    CRITERIA,
    FORMAT,
    VERSION,
    WITH_EXTRAS,
    compact,
    counts_of,
    vdg_of,
)
from pytest_vdg.store._parse import Recorded, parse_recorded
from pytest_vdg.store.criteria import to_record
from pytest_vdg.store.records import cell_to_record, dumps


def save_run(
    run: Run, path: Path | str, *, full: bool = False, reason: str = ""
) -> None:
    """Write *run* to *path* as a baseline, or with all it knows if *full*.

    The file is there whole or not at all. One that was there and cannot be
    read as a run is kept beside it as ``.bak``, or ``.bak2`` and so on. *reason*
    says why the file was written, for whoever reviews it. Raises `StoreError` on
    numbers that are none and where nothing can be written.
    """
    save_recorded(Recorded(run=run, reason=reason), path, full=full)


def save_recorded(
    recorded: Recorded, path: Path | str, *, full: bool = False
) -> Path | None:
    """Write a run with what is said beside it, see `save_run`.

    Returns where what could not be read there is kept; None where nothing was.
    """
    target = Path(path)
    try:
        data = dump_recorded(recorded, full=full)
    except ValueError as e:
        raise StoreError(f"run cannot be written to {target}: {e}") from e
    kept = keep_broken(target, load_run)
    write_atomically(target, data)
    return kept


def dump_run(run: Run, *, full: bool = False, reason: str = "") -> bytes:
    """Return what `save_run` writes; numbers that are none raise ``ValueError``."""
    return dump_recorded(Recorded(run=run, reason=reason), full=full)


def dump_recorded(recorded: Recorded, *, full: bool = False) -> bytes:
    """Return what `save_recorded` writes; raises as `dump_run` does."""
    objects = _header(recorded) + _questions(recorded.run, full=full)
    lines = [dumps(value, readable=True) for value in objects]
    # A lone surrogate of a broken reply becomes its JSON escape.
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


def load_run(path: Path | str) -> Run:
    """Return the run in *path*, its questions sorted by id.

    Raises `StoreError` with path and line for anything that `save_run` did
    not write: half a file, NUL bytes, NaN, an id twice, an unknown version,
    counts that are not those of the cells.
    """
    return load_recorded(path).run


def load_recorded(path: Path | str) -> Recorded:
    """Return the run in *path* with what is said beside it; raises as `load_run`."""
    source = Path(path)
    try:
        data = source.read_bytes()
    except OSError as e:
        raise StoreError(f"run {source} cannot be read: {e}") from e
    return parse_recorded(data, source)


def _header(recorded: Recorded) -> list[dict[str, Any]]:
    run, criteria = recorded.run, recorded.criteria
    plain = recorded.environment is None and not criteria
    first = {
        "format": FORMAT,
        "version": VERSION if plain else WITH_EXTRAS,
        "checkpoint": run.checkpoint,
        "slice": run.slice_name,
        "questions": len(run.questions),
        "conditions": list(run.conditions),
        "created": run.created,
        "reason": recorded.reason,
    }
    if recorded.environment is not None:
        first["environment"] = recorded.environment
    if run.planned is not None:
        first["planned"] = _sorted(run.planned)
    # One line each, so that a diff shows which part of a run changed.
    return [
        first,
        {"comparable": _sorted(run.fingerprint.comparable)},
        {"subject": _sorted(run.fingerprint.subject)},
        {"informative": _sorted(run.fingerprint.informative)},
        {"caps": vars(run.caps)},
        {"counts": counts_of(run)},
        {"vdg": vdg_of(run)},
        *_criteria(recorded),
    ]


def _criteria(recorded: Recorded) -> Sequence[dict[str, Any]]:
    ordered = sorted(recorded.criteria, key=lambda c: (*c.key[:2], c.task or ""))
    return [{CRITERIA: [to_record(each) for each in ordered]}] if ordered else []


def _sorted(values: Mapping[str, Any]) -> dict[str, Any]:
    return dict(sorted(values.items()))


def _questions(run: Run, *, full: bool) -> list[dict[str, Any]]:
    ordered = sorted(run.questions, key=lambda q: q.id)
    return [{**_described(q), "cells": _cells(run, q, full=full)} for q in ordered]


def _described(question: AskedQuestion) -> dict[str, Any]:
    described = {
        "id": question.id,
        "video": question.video,
        "task": question.task,
        "video_digest": question.video_digest,
        "labels": list(question.labels),
        "answer": question.answer,
        "digest": question.digest,
    }
    return {**described, "of": question.of} if question.of else described


def _cells(run: Run, question: AskedQuestion, *, full: bool) -> dict[str, Any]:
    cells = {c: run.cells[question.id, c] for c in run.conditions}
    if full:
        return {c: cell_to_record(cell) for c, cell in cells.items()}
    return {c: compact(cell, question.answer) for c, cell in cells.items()}
