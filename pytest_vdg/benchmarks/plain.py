"""`load_plain`: a team's own questions, from JSON Lines, a CSV table or YAML.

Apart from other loaders because it is the strict one: people write these
files by hand, so every fault is reported, with its line, and none is repaired.

A line holds ``id``, ``video``, ``task``, ``question``, ``options``, ``answer``
and, if wanted, ``start`` and ``end`` (seconds), ``picture_rate`` (of a folder
of pictures) and ``extra``::

    {"id": "q1", "video": "clips/a.mp4", "task": "count",
     "question": "How many?", "options": ["one", "two"], "answer": "B"}

(on one line). ``options`` is a list, labelled A, B, ... in that order, or an
object of label and text; ``answer`` is a label or the exact text of an option.
In JSON all other values are text: ``"4"`` and ``"true"``, never ``4`` and
``true``. In a table and in YAML every value is text anyway.

A table has the columns ``A``, ``B``, ... for its options, or ``option_A``, ... or
``option_1``, ..., or ``options`` with a JSON list or object; its further columns
become ``extra``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pytest_vdg.benchmarks._checks import repeated_ids
from pytest_vdg.benchmarks._own import Columns, own_question
from pytest_vdg.benchmarks._sheets import READERS
from pytest_vdg.benchmarks.records import MOST_LISTED, Records
from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.source import OnBad, Published, Source, require_there
from pytest_vdg.benchmarks.tables import jsonl_of, rows
from pytest_vdg.errors import BenchmarkError
from pytest_vdg.spelling import count

YAML = (".yaml", ".yml")
_LIST = re.compile(rb"\[\s*(?:\{|$)")


def load_plain(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    videos: str | os.PathLike[str] | None = None,
    on_bad_records: OnBad = "strict",
) -> Benchmark:
    """Read the questions of the file at *path*.

    Parameters
    ----------
    path
        A file in UTF-8: ``.csv`` or ``.tsv`` is a table, ``.yaml`` or ``.yml`` a
        YAML list, anything else JSON Lines.
    name
        Name of the benchmark. By default that of the file, or of its folder
        when the file is called ``questions``.
    videos
        Folder of the videos; by default that of the file.
    on_bad_records
        ``skip`` leaves out what cannot be used; `Benchmark.problems` lists it.

    Raises
    ------
    BenchmarkError
        Naming every faulty record by line, or what is wrong with the file.
    """
    path = Path(path)
    require_there(path)
    if path.is_dir():
        raise BenchmarkError(
            f"{path}: is a folder; give the file, e.g. {path / 'questions.jsonl'}"
        )
    records = Records(name or _named(path), on_bad_records)
    ids: list[tuple[str, str]] = []
    for place, record, written in _records(records, path):
        ids += _placed_id(record, place)
        make = partial(own_question, record, written=written)
        records.keep(path.name, place, make)
    if on_bad_records == "strict":
        _require_faultless(records, path, ids)
    return records.benchmark(root=path.parent if videos is None else Path(videos))


def _named(path: Path) -> str:
    generic = path.stem == "questions"
    return path.resolve().parent.name if generic else path.stem


def _records(
    records: Records, path: Path
) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield place and content of each record, and whether all in it is text."""
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv"):
        columns: Columns | None = None
        for place, row in rows(records, path):
            cells = {head.strip(): str(cell).strip() for head, cell in row.items()}
            columns = columns or Columns.of(list(cells), path)
            try:
                yield place, columns.record(cells), True
            except BenchmarkError as error:
                records.bad(path.name, place, str(error))
    elif kind in READERS:
        raise BenchmarkError(f"{path}: save the table as .csv")
    elif kind in YAML:
        from pytest_vdg.benchmarks._yaml_rows import yaml_rows

        for place, entry in yaml_rows(records, path):
            yield place, entry, True
    else:
        _require_lines(path)
        for place, value in jsonl_of(records, path):
            if isinstance(value, dict):
                yield place, value, False
            else:
                reason = f"a line must hold one object, got {value!r:.60}"
                records.bad(path.name, place, reason)


def _require_lines(path: Path) -> None:
    """Refuse the one list that other tools write, before its every line is told."""
    try:
        with path.open("rb") as file:
            start = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError:
        return  # told where it is read
    if _LIST.match(start):
        raise BenchmarkError(
            f"{path}: is one JSON list; write an object a line, or call the file "
            f"{path.with_suffix('.yaml').name}: a JSON list can be read as YAML"
        )


def _placed_id(record: dict[str, Any], place: str) -> Iterator[tuple[str, str]]:
    # 1 and "1" are one id twice, though the first is a fault of its own.
    value = record.get("id")
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        yield place, str(value)


def _require_faultless(
    records: Records, path: Path, ids: list[tuple[str, str]]
) -> None:
    """Raise with every fault by file and line, as editors and terminals link them."""
    found = [(p.record, p.reason) for p in records.problems if p.dropped]
    faults = sorted(
        (int(place.removeprefix("line ")), fault)
        for place, fault in [*found, *repeated_ids(ids)]
    )
    if not faults:
        return
    n = len({line for line, _ in faults})
    lines = [f"{path}: {count(n, 'record')} cannot be used:"]
    lines += [f"  {path}:{line}: {fault}" for line, fault in faults[:MOST_LISTED]]
    if len(faults) > MOST_LISTED:
        lines.append(f"  and {len(faults) - MOST_LISTED} more")
    raise BenchmarkError("\n".join(lines))


def _load(source: Source) -> Benchmark:
    assert source.path is not None
    return load_plain(source.path, videos=source.videos, on_bad_records=source.on_bad)


PLAIN = Published(
    name="plain",
    title="Your own questions",
    load=_load,
    expects=(
        "FILE.jsonl  a question a line, as a JSON object\n"
        "FILE.csv    or a question a row, with a line of column names\n"
        "FILE.yaml   or a list of questions\n"
        "            with id, video, task, question, options, answer\n"
        "videos      beside the file, or in the folder that `videos` names"
    ),
    published="you",
)
