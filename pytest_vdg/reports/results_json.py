"""Results as a JSON file, and back: flat lists, strict, nothing lost.

Apart from ``results`` so that the format has a version of its own: whoever
reads such a file may be a notebook, a dashboard, or this package next year.
The format is described by the JSON Schema beside this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pytest_vdg.atomic import write_atomically
from pytest_vdg.errors import StoreError
from pytest_vdg.reports import _json_rows as rows
from pytest_vdg.reports._schema import first_fault
from pytest_vdg.reports.measured import measures
from pytest_vdg.reports.results import Results, RunResult
from pytest_vdg.runs import Caps, Run
from pytest_vdg.store.records import loads

FORMAT = "pytest-vdg results"
VERSION = 1
_ASIDE = ("measures", "undefined")
"""What a reader need not come to again: numbers computed from the cells, and what a
cell had before it was written."""
SCHEMA = f"results-{VERSION}.schema.json"
"""Name of the JSON Schema, which lies beside this module."""
TESTED, BASELINE = "tested", "baseline"


@cache
def schema() -> Mapping[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the format."""
    text = resources.files("pytest_vdg.reports").joinpath(SCHEMA).read_text("utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def results_to_dict(results: Results) -> dict[str, Any]:
    """Return *results* as plain JSON values, as the schema describes them.

    All effects and accuracies are fractions, all times seconds. Where there is
    no number there is null, with a reason beside it.
    """
    numbered = _numbered(results)
    return {
        "format": FORMAT,
        "version": VERSION,
        "origin": results.origin,
        "created": results.created,
        "command": results.command,
        "green": results.green,
        "verdict": None if results.verdict is None else results.verdict.value,
        "asked": results.asked,
        "cached": results.cached,
        "notes": list(results.notes),
        "faults": list(results.faults),
        "tests": [rows.test_row(test) for test in results.tests],
        "findings": [
            rows.finding_row(finding, test, index)
            for index, test in enumerate(results.tests)
            for finding in test.findings
        ],
        "runs": [{"run": n, **each.row()} for n, each in enumerate(numbered)],
        "measures": _of_runs(numbered, _Numbered.measures),
        "questions": _of_runs(numbered, _Numbered.questions),
        "cells": _of_runs(numbered, _Numbered.cells),
    }


@dataclass(frozen=True, kw_only=True)
class _Numbered:
    """A run as the file knows it: by its place in a list."""

    run: Run
    result: RunResult | None = None
    """Of a run under test; None of a baseline."""
    baseline: int | None = None

    @property
    def role(self) -> str:
        return BASELINE if self.result is None else TESTED

    def row(self) -> rows.Row:
        ask = {} if self.result is None else self.result.ask
        return rows.run_row(self.run, role=self.role, baseline=self.baseline, ask=ask)

    def measures(self) -> Iterator[rows.Row]:
        return (rows.measure_row(measured) for measured in measures(self.run))

    def questions(self) -> Iterator[rows.Row]:
        return rows.question_rows(self.run, self.result)

    def cells(self) -> Iterator[rows.Row]:
        return rows.cell_rows(self.run)


def _numbered(results: Results) -> list[_Numbered]:
    """Return the runs under test, then their baselines, each once."""
    baselines: list[Run] = []
    tested = []
    for result in results.runs:
        place = None
        if result.baseline is not None:
            places = (i for i, b in enumerate(baselines) if b is result.baseline)
            place = next(places, len(baselines))
            if place == len(baselines):
                baselines.append(result.baseline)
            place += len(results.runs)
        tested.append(_Numbered(run=result.run, result=result, baseline=place))
    return [*tested, *(_Numbered(run=run) for run in baselines)]


def _of_runs(
    numbered: Sequence[_Numbered], make: Callable[[_Numbered], Iterator[rows.Row]]
) -> list[rows.Row]:
    """Return the rows that *make* has of each run, with which run they are of."""
    return [
        {
            "run": number,
            "role": each.role,
            "checkpoint": each.run.checkpoint,
            "slice": each.run.slice_name,
            **row,
        }
        for number, each in enumerate(numbered)
        for row in make(each)
    ]


def results_from_dict(values: Mapping[str, Any]) -> Results:
    """Return the results that `results_to_dict` made *values* of.

    Raises
    ------
    ValueError
        For anything else, saying where: an unknown or missing name, a number
        where a text belongs, a verdict that is not that of its findings.
    """
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(f"this is no results file (no 'format': {FORMAT!r})")
    if values.get("version") != VERSION:
        raise ValueError(
            f"version {values.get('version')!r} of the format, this pytest-vdg reads "
            f"{VERSION}. Use the version that wrote it"
        )
    fault = first_fault(values, schema())
    if fault is not None:
        raise ValueError(fault)
    try:
        found = _results(values)
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"its lists do not fit together ({error!r})") from error
    # What follows from the rest must do so, or a verdict edited by hand would count.
    # Not so the intervals: another version of a library may differ in a digit.
    difference = _difference(values, results_to_dict(found), "")
    if difference is not None:
        raise ValueError(f"{difference} is not what follows from the rest of the file")
    return found


def _results(values: Mapping[str, Any]) -> Results:
    findings: list[list[Any]] = [[] for _ in values["tests"]]
    for row in values["findings"]:
        findings[row["test_index"]].append(rows.to_finding(row))
    runs = _runs(values)
    texts: dict[int, dict[str, Any]] = {}
    for row in values["questions"]:
        if row["text"] is not None:
            texts.setdefault(row["run"], {})[row["question"]] = rows.to_text(row)
    return Results(
        **{n: values[n] for n in ("origin", "created", "command", "asked", "cached")},
        notes=tuple(values["notes"]),
        faults=tuple(values["faults"]),
        tests=tuple(map(rows.to_test, values["tests"], findings)),
        runs=tuple(
            RunResult(
                run=runs[number],
                baseline=None if row["baseline"] is None else runs[row["baseline"]],
                texts=texts.get(number, {}),
                ask=_tuples(row["ask"]),
            )
            for number, row in enumerate(values["runs"])
            if row["role"] == TESTED
        ),
    )


def _runs(values: Mapping[str, Any]) -> list[Run]:
    questions: list[list[Any]] = [[] for _ in values["runs"]]
    cells: list[dict[tuple[str, str], Any]] = [{} for _ in values["runs"]]
    for row in values["questions"]:
        if row["asked"]:
            questions[row["run"]].append(rows.to_question(row))
    for row in values["cells"]:
        cells[row["run"]][row["question"], row["condition"]] = rows.to_cell(row)
    return [
        Run(
            checkpoint=row["checkpoint"],
            slice_name=row["slice"],
            questions=tuple(questions[number]),
            conditions=tuple(row["conditions"]),
            cells=cells[number],
            fingerprint=rows.to_fingerprint(row),
            caps=Caps(**row["caps"]),
            planned=row["planned"],
            created=row["created"],
        )
        for number, row in enumerate(values["runs"])
    ]


def _tuples(ask: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in ask.items()}


def _difference(given: Any, made: Any, place: str) -> str | None:  # noqa: ANN401
    """Return where two values differ first, `_ASIDE` aside; None where nowhere."""
    if given == made:
        return None
    pairs: Iterator[tuple[str, Any, Any]]
    if isinstance(given, dict) and isinstance(made, dict):
        names = (name for name in {**made, **given} if name not in _ASIDE)
        start = f"{place}." if place else ""
        pairs = ((start + name, given.get(name), made.get(name)) for name in names)
    elif isinstance(given, list) and isinstance(made, list) and len(given) == len(made):
        both = zip(given, made, strict=True)
        pairs = ((f"{place}[{i}]", *pair) for i, pair in enumerate(both))
    else:
        return place
    found = (_difference(a, b, at) for at, a, b in pairs)
    return next((each for each in found if each is not None), None)


def dump_results(results: Results, *, plain: bool = False) -> bytes:
    """Return the text of the file, one line a row; raises ``ValueError`` on NaN.

    *plain* is ASCII, which every terminal and pipe passes on as it is.
    """
    parts = [
        f"{json.dumps(name)}: {_listed(value, plain=plain)}"
        for name, value in results_to_dict(results).items()
    ]
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    # A lone surrogate of a broken reply becomes its JSON escape.
    return text.encode("utf-8", "backslashreplace")


def _listed(value: object, *, plain: bool) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        lines = (_line(each, plain=plain) for each in value)
        return "[\n  " + ",\n  ".join(lines) + "\n]"
    return _line(value, plain=plain)


def _line(value: object, *, plain: bool) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=plain)


def write(results: Results, where: str) -> Sequence[str]:
    """Write *results* to the file *where*, whole or not at all; return its name.

    Raises
    ------
    StoreError
        Where nothing can be written there.
    """
    try:
        data = dump_results(results)
    except ValueError as error:
        raise StoreError(f"results cannot be written to {where}: {error}") from error
    write_atomically(Path(where), data)
    return [where]


def load_results(path: Path | str) -> Results:
    """Return the results in the file at *path*.

    Raises
    ------
    StoreError
        With the path and what is wrong: half a file, NaN, a file of another
        format or version, a name too many, numbers that contradict each other.
    """
    source = Path(path)
    try:
        return results_from_dict(loads(source.read_bytes().decode("utf-8")))
    except OSError as error:
        raise StoreError(f"results {source} cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{source}: {error}") from error
