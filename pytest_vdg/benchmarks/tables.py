"""`rows`: the records of an annotation file, whatever kind of table it is.

Apart from the loaders so that a broken file is told in one way in all of them,
and so that none needs to know which of its forms people have on disk.

A fault of the file raises `BenchmarkError`. A fault of one record is noted
with its place, and the rest is read.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._json import strict_json
from pytest_vdg.benchmarks._sheets import READERS, Sheet
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.errors import BenchmarkError

TEXT_KINDS = (".json", ".jsonl", ".csv", ".tsv")
KINDS = (*TEXT_KINDS, *READERS)
"""Endings of the files that `rows` reads."""

_LONGEST_CELL = 1 << 28
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def rows(records: Records, path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield place and content of each record in the file at *path*.

    Parameters
    ----------
    records
        Counts the file among its sources, and is told of each record that is
        no object, or whose cells do not fit the heads of the columns.
    path
        A file of one of `KINDS`. Cells of ``.csv`` and ``.tsv`` are text; an
        empty cell is ``""`` there and None in a binary table.

    Yields
    ------
    tuple of str and dict
        ``line 12`` of a text file, ``row 12`` of a binary table or ``record 12``
        of a list, counted from 1 as an editor shows them; and the record.

    Raises
    ------
    BenchmarkError
        Naming the file, when it cannot be read to its end.
    """
    kind = path.suffix.lower()
    if kind in READERS:
        yield from _sheet_rows(READERS[kind](records.read(path), path))
    elif kind in (".csv", ".tsv"):
        yield from _cells(records, path, "\t" if kind == ".tsv" else ",")
    elif kind == ".jsonl":
        yield from _objects(records, path, jsonl_of(records, path))
    elif kind == ".json":
        listed = list_of(records, path)
        placed = ((f"record {i}", value) for i, value in enumerate(listed, 1))
        yield from _objects(records, path, placed)
    else:
        raise BenchmarkError(
            f"{path}: {kind or 'a file without an ending'} is no table that can be "
            f"read; known are {', '.join(KINDS)}"
        )


def json_of(records: Records, path: Path) -> object:
    """Return what the JSON file at *path* holds, or raise naming the file."""
    text = text_of(records, path)
    try:
        return strict_json(text)
    except BenchmarkError as error:
        raise BenchmarkError(f"{path}: {error}") from None


def list_of(records: Records, path: Path) -> list[object]:
    """Return the list that the JSON file at *path* holds, or raise naming the file."""
    value = json_of(records, path)
    if not isinstance(value, list):
        raise BenchmarkError(f"{path}: must hold a list, got {shown(value)}")
    return value


def jsonl_of(records: Records, path: Path) -> Iterator[tuple[str, object]]:
    """Yield ``line N`` and the JSON value of each line that is not blank.

    A line that is no JSON is noted as a bad record.
    """
    for number, line in enumerate(text_of(records, path).split("\n"), 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            value = strict_json(line)
        except BenchmarkError as error:
            records.bad(path.name, place, str(error))
            continue
        yield place, value


def text_of(records: Records, path: Path) -> str:
    """Return the text of the file at *path*, or say why it is no text.

    It must be UTF-8; a byte order mark in front is dropped.
    """
    content = records.read(path)
    if content.startswith(_WIDE):
        raise BenchmarkError(f"{path}: is UTF-16; save it as UTF-8")
    if not content.strip():
        raise BenchmarkError(f"{path}: the file is empty")
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise BenchmarkError(
            f"{path}: line {line} holds NUL bytes: the file was cut off while it was "
            "written or copied, or it is no text; fetch it again"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BenchmarkError(
            f"{path}: line {line} is not UTF-8: byte {content[error.start]:#04x}"
        ) from None


def _objects(
    records: Records, path: Path, placed: Iterator[tuple[str, object]]
) -> Iterator[tuple[str, dict[str, object]]]:
    for place, value in placed:
        if isinstance(value, dict):
            yield place, value
        else:
            records.bad(path.name, place, f"must be an object, got {shown(value)}")


def _cells(
    records: Records, path: Path, between: str
) -> Iterator[tuple[str, dict[str, object]]]:
    text = io.StringIO(text_of(records, path), newline="")
    reader = csv.reader(text, delimiter=between, strict=True)
    heads: list[str] | None = None
    while True:
        place = f"line {reader.line_num + 1}"
        try:
            cells = _next_cells(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BenchmarkError(
                f"{path}: the record at {place} cannot be read: {error}"
            ) from None
        if not cells:
            continue
        if heads is None:
            heads = cells
            _check_heads(heads, path)
            _check_divided(heads, path, between)
        elif len(cells) != len(heads):
            reason = f"has {len(cells)} cells, the first line has {len(heads)}"
            records.bad(path.name, place, reason)
        else:
            yield place, dict(zip(heads, cells, strict=True))


def _next_cells(reader: Iterator[list[str]]) -> list[str]:
    """Return the next row, however long its cells; a thought may fill a megabyte."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(reader)
    finally:
        csv.field_size_limit(before)  # it is that of the whole process


def _check_divided(heads: list[str], path: Path, between: str) -> None:
    """Refuse a table in one column whose names are divided by something else."""
    for other, name in ((";", "';'"), ("\t", "tabs"), (",", "commas")):
        if len(heads) == 1 and other != between and other in heads[0]:
            wanted = "tabs" if between == "\t" else "commas"
            raise BenchmarkError(
                f"{path}: the columns are divided by {name}. Divide them by {wanted}"
                + (", or name the file .tsv" if other == "\t" else "")
            )


def _sheet_rows(sheet: Sheet) -> Iterator[tuple[str, dict[str, object]]]:
    _check_heads(sheet.heads, sheet.path)
    for number, cells in sheet.rows:
        yield f"row {number}", dict(zip(sheet.heads, cells, strict=True))


def _check_heads(heads: list[str], path: Path) -> None:
    twice = [head for head, n in Counter(heads).items() if n > 1]
    if twice:
        raise BenchmarkError(f"{path}: more than one column is called {twice[0]!r}")
