"""Tables that no editor shows: Parquet and spreadsheets, by optional packages.

Apart from ``tables.py`` because each kind needs a package that most people do
without, and says which when it is missing.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from pytest_vdg.errors import BenchmarkError


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table with named columns."""

    path: Path
    heads: list[str]
    rows: Iterator[tuple[int, Sequence[object]]]
    """Number as people count it, and cells, as many as `heads`."""


def parquet(content: bytes, path: Path) -> Sheet:
    """Return the table in a Parquet file, its rows counted from 1."""
    reader = _package("pyarrow.parquet", path)
    arrow = _package("pyarrow", path)
    try:
        file = reader.ParquetFile(arrow.BufferReader(content))
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise _broken(path, "Parquet", error) from error
    heads = [str(name) for name in file.schema_arrow.names]

    def read() -> Iterator[tuple[int, Sequence[object]]]:
        number = 0
        try:
            for batch in file.iter_batches(batch_size=1024):
                columns = [column.to_pylist() for column in batch.columns]
                for cells in zip(*columns, strict=True):
                    number += 1
                    yield number, cells
        except (arrow.ArrowException, OSError, ValueError) as error:
            raise _broken(path, "Parquet", error) from error

    return Sheet(path=path, heads=heads, rows=read())


def xlsx(content: bytes, path: Path) -> Sheet:
    """Return the first sheet of an Excel workbook, rows counted as Excel shows them."""
    reader = _package("openpyxl", path)
    try:
        book = reader.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    # A workbook is a zip of XML files: what its parts raise has no common base.
    except Exception as error:
        raise _broken(path, "an Excel workbook", error) from error
    return _with_heads(rows, path)


def xls(content: bytes, path: Path) -> Sheet:
    """Return the first sheet of an old Excel workbook, where numbers are floats."""
    reader = _package("xlrd", path)
    try:
        sheet = reader.open_workbook(file_contents=content).sheet_by_index(0)
        rows = [
            [None if value == "" else value for value in sheet.row_values(i)]
            for i in range(sheet.nrows)
        ]
    # On broken content xlrd raises whatever its parsing runs into.
    except Exception as error:
        raise _broken(path, "an old Excel workbook", error) from error
    return _with_heads(rows, path)


READERS: dict[str, Callable[[bytes, Path], Sheet]] = {
    ".parquet": parquet,
    ".xlsx": xlsx,
    ".xls": xls,
}
"""Ending of a file to what reads it."""


def _with_heads(rows: list[list[object]], path: Path) -> Sheet:
    if not rows:
        raise BenchmarkError(f"{path}: the sheet is empty")
    width = max(map(len, rows))
    # A column without a name keeps its cells: an index that pandas wrote, or a
    # remark that someone made beside the table.
    heads = [
        f"column {place}" if value is None else str(value)
        for place, value in enumerate(_padded(rows[0], width), 1)
    ]
    filled = (
        (number, _padded(row, width))
        for number, row in enumerate(islice(rows, 1, None), 2)
        if any(value is not None for value in row)
    )
    return Sheet(path=path, heads=heads, rows=filled)


def _padded(row: list[object], width: int) -> list[object]:
    return row + [None] * (width - len(row))


def _package(name: str, path: Path) -> Any:  # noqa: ANN401 - these have no types
    try:
        return import_module(name)
    except ImportError as error:
        raise BenchmarkError(
            f"{path}: reading it needs {name.partition('.')[0]!r}, which is not "
            "installed.\nInstall it with: pip install 'pytest-vdg[tables]'"
        ) from error


def _broken(path: Path, what: str, error: Exception) -> BenchmarkError:
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    return BenchmarkError(f"{path}: is not {what}, or not all of it: {first}")
