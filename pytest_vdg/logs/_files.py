"""Log files as bytes, text and JSON, and a first look at what they are.

Apart from the readers so that half a file, NUL bytes and a wrong encoding are
told in the same words for every format. More lenient than our own files in one
way: harnesses write NaN into their scores, which nobody here reads.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.tables import rows
from pytest_vdg.errors import StoreError
from pytest_vdg.logs.answers import Glimpse

TABLES = (".csv", ".tsv", ".xlsx", ".xls", ".parquet")


def content(path: Path) -> bytes:
    """Return the bytes of *path*; `StoreError` where there are none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"log {path} cannot be read: {error.strerror}") from error
    if not data.strip():
        raise StoreError(f"{path}: the file is empty. {_AGAIN}")
    return data


def sha256(data: bytes) -> str:
    """Return the digest by which a file is known."""
    return hashlib.sha256(data).hexdigest()


def text(path: Path) -> str:
    """Return the text of *path*: UTF-8, or UTF-16 with a byte order mark."""
    data = content(path)
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not wide and b"\0" in data:
        raise StoreError(f"{path}: NUL bytes from byte {data.index(0)} on. {_AGAIN}")
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise StoreError(f"{path}: line {line} is not {error.encoding} text") from None


_AGAIN = (
    "A crash or a broken copy leaves a file like that: run that condition again, or "
    "copy the file anew"
)


def json_value(path: Path) -> Any:  # noqa: ANN401
    """Return what the JSON file at *path* holds."""
    return loads(text(path), str(path))


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield place and object of each line of *path* that is not blank."""
    for number, line in enumerate(text(path).split("\n"), 1):
        if line.strip():
            place = f"{path}: line {number}"
            yield place, mapping(loads(line, place), place)


def objects(found: object, path: Path, what: str) -> list[tuple[str, dict[str, Any]]]:
    """Return place and object of each of a list within *path*, or raise."""
    if not isinstance(found, list):
        raise StoreError(f"{path}: holds no {what}s, where a list of them should be")
    placed = ((f"{path}: {what} {i}", value) for i, value in enumerate(found, 1))
    return [(place, mapping(value, place)) for place, value in placed]


def json_list(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield place and object of each record in the list at *path*."""
    yield from objects(json_value(path), path, "record")


def loads(source: str | bytes, place: str) -> Any:  # noqa: ANN401
    """Return the JSON value in *source*; NaN becomes None."""
    try:
        return json.loads(source, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise StoreError(
            f"{place}: not JSON ({error}). Probably only half of it was written"
        ) from None


def mapping(value: object, place: str) -> dict[str, Any]:
    """Return *value*, which must be an object, or raise naming *place*."""
    if not isinstance(value, dict):
        raise StoreError(f"{place}: must be an object, got {value!r:.60}")
    return value


def table(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield place and cells of each row of a table; ``None`` and ``NA`` stay text."""
    records = Records(path.name, "strict")
    placed = list(rows(records, path))
    if records.problems:
        first, more = records.problems[0], len(records.problems) - 1
        others = f" (and {more} more)" if more else ""
        raise StoreError(f"{path}: {first.record} {first.reason}{others}")
    for place, record in placed:
        yield f"{path}: {place}", record


def records_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield place and record of a table, of JSON lines or of a JSON list."""
    kind = path.suffix.lower()
    if kind in TABLES:
        return table(path)
    return json_lines(path) if kind == ".jsonl" else json_list(path)


def written(value: object) -> str | None:
    """Return a cell as text: 3 and 3.0 are ``3``; None stays None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def first_of(record: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of *names* that *record* has a text or number for."""
    for name in names:
        value = record.get(name)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            found = written(value)
            if found and found.strip():
                return found
    return None


def glimpse(path: Path) -> Glimpse:
    """Look at the beginning of *path*."""
    kind = path.suffix.lower()
    if kind in (".pkl", ".pickle"):
        raise StoreError(
            f"{path} is a pickle, and opening one runs whatever it holds. Write the "
            "results as a table, e.g. with PRED_FORMAT=tsv"
        )
    if kind not in TABLES and content(path)[:4] == b"PK\x03\x04":
        with archive(path) as members:
            names = frozenset(members.namelist())
        return Glimpse(path=path, kind="archive", keys=names)
    if kind in TABLES:
        return Glimpse(path=path, kind="table", keys=_first_keys(table(path)))
    if kind == ".jsonl":
        return Glimpse(path=path, kind="lines", keys=_first_keys(json_lines(path)))
    value = json_value(path)
    if isinstance(value, dict):
        return Glimpse(path=path, kind="object", keys=frozenset(value))
    return Glimpse(path=path, kind="list", keys=_first_keys(json_list(path)))


def _first_keys(placed: Iterator[tuple[str, dict[str, Any]]]) -> frozenset[str]:
    return frozenset(next(placed, ("", {}))[1])


def archive(path: Path) -> zipfile.ZipFile:
    """Open the zip archive at *path*."""
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise StoreError(f"{path}: no whole zip archive ({error}). {_AGAIN}") from error
