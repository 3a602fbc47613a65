"""`save_slice` and `load_slice`: a slice as a small text file to commit.

JSON lines: a header, then a line for each question in the order drawn. Apart
from the drawing because a file outlives it: the benchmark's annotations may be
corrected, and a slice must then say so instead of asking something else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_vdg.atomic import write_atomically
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import BenchmarkError, near_path

FORMAT = "pytest-vdg slice"
VERSION = 1
MOST_LISTED = 20
"""Changed questions that one message lists; the others are counted."""

_DIGITS = 16
"""Of a digest: enough to tell a change, and short in a diff."""
_ROW = {"id", "digest", "task", "video"}
_HEADER = {"format", "version", "name", "benchmark", "source", "drawn", "questions"}


@dataclass(frozen=True, kw_only=True)
class PinnedSlice:
    """What the file of a slice says, without its benchmark."""

    name: str
    benchmark: str
    """Name of the benchmark it was drawn from."""
    source: str
    """`Benchmark.source` when it was drawn: files and their digests."""
    drawn: Mapping[str, object]
    """How it was drawn; empty when its questions were named."""
    rows: tuple[Mapping[str, str], ...]
    """``id``, ``digest``, ``task`` and ``video`` of each question."""


def save_slice(slice_: Slice, path: Path | str) -> None:
    """Write the questions of *slice_* to *path*, whole or not at all.

    Raises `StoreError` where the file cannot be written.
    """
    header = {
        "format": FORMAT,
        "version": VERSION,
        "name": slice_.name,
        "benchmark": slice_.benchmark.name,
        "source": slice_.benchmark.source,
        "drawn": dict(slice_.drawn),
        "questions": len(slice_),
    }
    lines = [_compact(value) for value in (header, *map(_row, slice_.questions))]
    write_atomically(Path(path), "".join(lines).encode())


def load_slice(benchmark: Benchmark, path: Path | str) -> Slice:
    """Return the slice that the file at *path* pins, looked up in *benchmark*.

    Raises
    ------
    BenchmarkError
        When the file cannot be read, and for each question that is missing
        from *benchmark* or differs from what was pinned, with what changed.
    """
    pinned = read_pinned(path)
    faults = [fault for row in pinned.rows for fault in _changes(row, benchmark)]
    if faults:
        more = len(faults) - MOST_LISTED
        raise BenchmarkError(
            f"{path}: {len(faults)} of {len(pinned.rows)} questions of slice "
            f"{pinned.name!r}, drawn from benchmark {pinned.benchmark!r}, are not what "
            f"they were in benchmark {benchmark.name!r}:\n  "
            + "\n  ".join(faults[:MOST_LISTED])
            + (f"\n  and {more} more" if more > 0 else "")
            + "\nGet the annotations it was drawn from, or draw and commit it anew "
            "with: vdg slice ... --to FILE"
        )
    note = (
        f"{path}: the annotations changed since slice {pinned.name!r} was drawn (now "
        f"{benchmark.source}), but none of its questions did"
    )
    return Slice(
        name=pinned.name,
        benchmark=benchmark,
        ids=tuple(row["id"] for row in pinned.rows),
        drawn=pinned.drawn,
        notes=() if benchmark.source == pinned.source else (note,),
    )


def read_pinned(path: Path | str) -> PinnedSlice:
    """Return what the file at *path* says; `BenchmarkError` if it is no slice."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        hint = near_path(Path(path)) if isinstance(error, FileNotFoundError) else ""
        hint = f".{hint}" if hint else ""
        raise BenchmarkError(f"{path}: {error.strerror or error}{hint}") from error
    except UnicodeDecodeError as error:
        raise BenchmarkError(f"{path}: is no UTF-8 text: {error.reason}") from error
    lines = list(_objects(text, path))
    header: Mapping[str, Any] = lines[0] if lines else {}
    if header.get("format") != FORMAT:
        raise BenchmarkError(f"{path}: is no file of `vdg slice --to`")
    if header.get("version") != VERSION or set(header) != _HEADER:
        raise BenchmarkError(
            f"{path}:1: version {header.get('version')!r} of the form is not known "
            f"here, only {VERSION}: use the pytest-vdg that wrote it"
        )
    rows = tuple(lines[1:])
    for line, row in enumerate(rows, 2):
        if set(row) != _ROW or not all(isinstance(v, str) for v in row.values()):
            raise BenchmarkError(
                f"{path}:{line}: a question has the texts {', '.join(sorted(_ROW))}"
            )
    texts = [header[key] for key in ("name", "benchmark", "source")]
    if len(rows) != header["questions"] or not all(isinstance(t, str) for t in texts):
        raise BenchmarkError(
            f"{path}: holds {len(rows)} questions where its first line says "
            f"{header['questions']!r}: it was cut off, or edited. Get it again"
        )
    return PinnedSlice(
        name=header["name"],
        benchmark=header["benchmark"],
        source=header["source"],
        drawn=header["drawn"] if isinstance(header["drawn"], dict) else {},
        rows=rows,
    )


def _objects(text: str, path: Path | str) -> Iterator[dict[str, Any]]:
    for line, raw in enumerate(text.split("\n"), 1):
        if not raw.strip():
            continue
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise BenchmarkError(f"{path}:{line}: not JSON: {error}") from error
        if not isinstance(value, dict):
            raise BenchmarkError(f"{path}:{line}: a line must hold one object")
        yield value


def _row(question: Question) -> dict[str, str]:
    return {
        "id": question.id,
        "digest": question.digest[:_DIGITS],
        "task": question.task,
        "video": question.video,
    }


def _changes(row: Mapping[str, str], benchmark: Benchmark) -> Iterator[str]:
    """Yield what is not as it was of the question that *row* pins."""
    question = benchmark.by_id.get(row["id"])
    if question is None:
        yield f"{row['id']!r} is not there any more"
        return
    now = _row(question)
    changed = [
        "its text, options, answer or excerpt changed"
        if key == "digest"
        else f"its {key} was {row[key]!r}, is {now[key]!r}"
        for key in ("digest", "task", "video")
        if now[key] != row[key]
    ]
    if changed:
        yield f"{row['id']!r}: " + "; ".join(changed)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
