"""Replies to be parsed, from a table or from a run that was kept whole.

Apart from ``parsing``, which counts them, because a file of replies is written
by people: what is wrong with a record is told with its place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks.options import lettered, option_columns, split_options
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.tables import rows
from pytest_vdg.errors import BenchmarkError, ConfigError
from pytest_vdg.runs import Run
from pytest_vdg.store._format import FORMAT
from pytest_vdg.store.runfile import load_run

_MARK = f'"format":"{FORMAT}"'.encode()


@dataclass(frozen=True, kw_only=True)
class ReplyRow:
    """One reply, and what is known of it."""

    name: str
    """Its id, or where it stands in the file."""
    reply: str
    options: Mapping[str, str]
    """Label to text; every text is empty where none is known."""
    condition: str = ""
    judged: bool = False
    """Whether `expected` says how a person reads the reply."""
    expected: str | None = None
    """Label that the reply chooses, or None if it chooses none."""


@dataclass(frozen=True, kw_only=True)
class ReplyFile:
    """The replies of one file, and what it holds besides."""

    rows: tuple[ReplyRow, ...]
    left_out: tuple[str, ...] = ()
    """Records that cannot be used, each with its place and the reason."""
    labels_only: bool = False
    """Whether the texts of the options are not known."""


def read_replies(path: Path) -> ReplyFile:
    """Return the replies in the table, or the run, at *path*.

    Raises
    ------
    ConfigError
        Where there is no file, or a run that was kept without its replies.
    BenchmarkError
        Where the file cannot be read, or none of its records be used.
    StoreError
        For a run file that is damaged.
    """
    if not path.is_file():
        raise ConfigError(f"replies {str(path)!r} are not there")
    with path.open("rb") as file:
        head = file.read(200).replace(b" ", b"")
    if _MARK.replace(b" ", b"") in head:
        return _of_run(load_run(path), path)
    return _of_table(path)


def _of_run(run: Run, path: Path) -> ReplyFile:
    cells = [run.cells[q.id, c] for c in run.conditions for q in run.questions]
    # A baseline keeps the replies that chose nothing, which are none of all.
    if any(cell.outcome.judged and cell.reply is None for cell in cells):
        raise ConfigError(
            f"run {str(path)!r} holds labels instead of replies; keep it with "
            "save_run(run, path, full=True)"
        )
    labels = {question.id: question.labels for question in run.questions}
    found = tuple(
        ReplyRow(
            name=cell.question_id,
            reply=cell.reply,
            options=dict.fromkeys(labels[cell.question_id], ""),
            condition=cell.condition,
        )
        for cell in cells
        if cell.reply is not None
    )
    if not found:
        raise ConfigError(f"run {str(path)!r} holds no reply: every cell failed")
    return ReplyFile(rows=found, labels_only=True)


def _of_table(path: Path) -> ReplyFile:
    records = Records(path.stem, "skip")
    found: list[ReplyRow] = []
    left_out: list[str] = []
    for place, record in rows(records, path):
        try:
            found.append(_row(record, place))
        except BenchmarkError as error:  # noqa: PERF203 - one bad record of many
            left_out.append(f"{place}: {error}")
    left_out += [f"{p.record}: {p.reason}" for p in records.problems]
    if not found:
        reason = left_out[0] if left_out else "it holds no record"
        raise BenchmarkError(f"{path}: no reply can be used; {reason}")
    return ReplyFile(rows=tuple(found), left_out=tuple(left_out))


def _row(record: Mapping[str, object], place: str) -> ReplyRow:
    reply = record.get("reply")
    if not isinstance(reply, str):
        raise BenchmarkError(f"reply must be text, got {shown(reply)}")
    options = _options(record)
    name = record.get("id")
    return ReplyRow(
        name=place if name is None or name == "" else str(name),
        reply=reply,
        options=options,
        condition=str(record.get("condition") or ""),
        judged="expected" in record,
        expected=_expected(record.get("expected"), options),
    )


def _expected(value: object, options: Mapping[str, str]) -> str | None:
    if value is None or value == "":
        return None
    if str(value) not in options:
        raise BenchmarkError(
            f"expected {shown(value)} is not one of the labels {', '.join(options)}; "
            "leave it empty for a reply that chooses none"
        )
    return str(value)


def _options(record: Mapping[str, object]) -> dict[str, str]:
    value = record.get("options")
    if value is None:
        # Also in the columns of the table that `vdg import` reads.
        columns = {k: record[head] for head, k in option_columns(record).items()}
        value = {k: text for k, text in columns.items() if text not in (None, "")}
    if isinstance(value, str):
        value = _spelled(value)
    if isinstance(value, list):
        value = {o.label: o.text for o in lettered(value)}
    if not isinstance(value, dict) or len(value) < 2:
        raise BenchmarkError(
            f"options must be a list, or label and text, of two or more, got "
            f"{shown(value)}"
        )
    for label, text in value.items():
        if not isinstance(text, str) or not label.strip():
            raise BenchmarkError(
                f"option {shown(label)} must be text, got {shown(text)}"
            )
    return value


def _spelled(text: str) -> object:
    """Return the options in a cell: JSON, or a line such as ``A. red, B. blue``."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {o.label: o.text for o in split_options(text)}
