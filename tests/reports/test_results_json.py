"""Results as a file: nothing lost, nothing undefined, nothing else read."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.errors import StoreError
from pytest_vdg.reports._schema import first_fault
from pytest_vdg.reports.registry import write_reports
from pytest_vdg.reports.results import Results
from pytest_vdg.reports.results_json import (
    dump_results,
    load_results,
    results_from_dict,
    results_to_dict,
    schema,
    write,
)
from pytest_vdg.runs import CellResult
from pytest_vdg.sessions.asks import Ask
from tests.reports.made import any_results, results

jsonschema = pytest.importorskip("jsonschema", reason="the schema is held to it")
SLOW = settings(max_examples=60)


def by_jsonschema(values: object) -> bool:
    """Return whether the reference implementation takes *values*."""
    return bool(jsonschema.Draft202012Validator(schema()).is_valid(values))


def uncompared(found: Results) -> list[object]:
    """Return the fields of runs that no comparison of them looks at."""
    runs = [r for each in found.runs for r in (each.run, each.baseline) if r]
    cells = [c for run in runs for c in run.cells.values()]
    return [
        [run.created for run in runs],
        sorted((c.prompt_tokens, repr(c.seconds), c.cached) for c in cells),
    ]


@SLOW
@given(any_results())
def test_what_was_written_is_read_back(found: Results) -> None:
    """Results come back equal to the last bit, whatever is in them."""
    text = dump_results(found)
    back = results_from_dict(json.loads(text))
    assert back == found
    assert uncompared(back) == uncompared(found)
    assert dump_results(back) == text


@SLOW
@given(any_results())
def test_what_is_written_is_what_the_schema_says(found: Results) -> None:
    """The published schema takes every file, by its own rules and by the standard."""
    values = json.loads(dump_results(found))
    jsonschema.Draft202012Validator(schema()).validate(values)
    assert first_fault(values, schema()) is None


def test_the_schema_is_a_schema() -> None:
    """The draft that it names takes it."""
    assert schema()["$schema"].endswith("2020-12/schema")
    jsonschema.Draft202012Validator.check_schema(schema())


def objects_of(node: object, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return every schema of an object with named properties inside *node*."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            found.append(node)
        for value in node.values():
            objects_of(value, found)
    return found


def test_the_schema_is_strict_and_described() -> None:
    """Every object is closed, and every name in it says what it means."""
    for each in objects_of(schema(), []):
        assert each["additionalProperties"] is False
        for name, part in each["properties"].items():
            described = part.get("description") or "$ref" in part
            assert described, name


def test_all_that_an_ask_says_is_known_to_the_schema() -> None:
    """A new keyword of the marker must be written into the schema, too."""
    ask = schema()["$defs"]["run"]["properties"]["ask"]
    assert set(ask["properties"]) == set(Ask.__dataclass_fields__)


JUNK = (
    st.none()
    | st.booleans()
    | st.integers(-1, 2)
    | st.floats(allow_nan=False)
    | st.text(max_size=3)
)


@SLOW
@given(data=st.data())
def test_our_check_agrees_with_the_standard(data: st.DataObject) -> None:
    """Whatever is changed in a file, both find fault with it or neither does."""
    values = results_to_dict(results())
    node: Any = values
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = data.draw(st.sampled_from(keys))
        inner = node[key]
        if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
            node = inner
            continue
        break
    if isinstance(node, dict) and data.draw(st.booleans()):
        del node[key]
    else:
        node[key] = data.draw(JUNK | st.just([]) | st.just({}))
    assert by_jsonschema(values) == (first_fault(values, schema()) is None)


def test_nan_is_told_and_not_written() -> None:
    """A number that is none becomes null, and its column is named."""
    found = results()
    result = found.runs[0]
    key = result.run.questions[0].id, "original"
    odd = replace(
        result.run.cells[key],
        probabilities={"A": math.nan, "B": 0.5},
        seconds=math.inf,
        times_s=(0.0, math.nan),
    )
    run = replace(result.run, cells={**result.run.cells, key: odd})
    found = replace(found, runs=(replace(result, run=run),))
    text = dump_results(found)
    assert b"NaN" not in text
    assert b"Infinity" not in text
    row = json.loads(text)["cells"][0]
    assert row["undefined"] == ["p_answer", "probabilities", "seconds", "times_s"]
    assert (row["probabilities"], row["seconds"], row["times_s"]) == (None, None, [])
    results_from_dict(json.loads(text))


def test_what_was_not_run_has_a_reason() -> None:
    """A number that does not exist is null, and says why."""
    rows = results_to_dict(results())["measures"]
    (order,) = [
        row
        for row in rows
        if row["measure"] == "order" and row["role"] == "tested" and not row["task"]
    ]
    assert (order["estimate"], order["low"], order["n"]) == (None, None, 0)
    assert order["reason"] == "not run: reversed"


def test_numbers_of_numpy_are_written(tmp_path: Path) -> None:
    """A backend may hand over numpy's floats, which JSON does not know."""
    found = results()
    result = found.runs[0]
    key = result.run.questions[0].id, "original"
    half: Any = np.float32(0.5)
    cell: CellResult = replace(
        result.run.cells[key], probabilities={"A": half}, label_mass=half
    )
    run = replace(result.run, cells={**result.run.cells, key: cell})
    path = tmp_path / "out.json"
    write(replace(found, runs=(replace(result, run=run),)), str(path))
    assert load_results(path).runs[0].run.cells[key].label_mass == 0.5


def test_the_mean_of_a_column_is_the_accuracy() -> None:
    """``correct`` is made for a mean: no reply is no number."""
    found = results()
    rows = results_to_dict(found)["cells"]
    run = found.runs[0].run
    for condition in run.conditions:
        marks = [
            row["correct"]
            for row in rows
            if row["run"] == 0 and row["condition"] == condition
        ]
        judged = [mark for mark in marks if mark is not None]
        assert sum(judged) / len(judged) == run.counts(condition).accuracy


def test_findings_load_into_pandas() -> None:
    """Each list is a table: one line, and its columns are numbers."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    values = results_to_dict(results())
    findings = pandas.json_normalize(values["findings"])
    assert findings["estimate"].tolist() == [0.186, -0.095, 0.1]
    assert findings["accuracies.original"].dtype == float
    cells = pandas.DataFrame(values["cells"])
    tested = cells[cells.role == "tested"]
    means = tested.groupby("condition").correct.mean()
    assert means["original"] == pytest.approx(6 / 8)
    assert means["black"] == pytest.approx(2 / 7)


Change = Callable[[dict[str, Any]], object]
BROKEN: dict[str, tuple[Change, str]] = {
    "another format": (lambda v: v.update(format="x"), "no results file"),
    "another version": (lambda v: v.update(version=2), "version 2 of the format"),
    "a name too many": (
        lambda v: v["findings"][0].update(estimat=1),
        r"findings\[0\].estimat is no part of the format. Did you mean 'estimate'?",
    ),
    "a name too few": (lambda v: v["cells"][3].pop("choice"), r"cells\[3\].choice"),
    "a text for a number": (
        lambda v: v["findings"][0].update(n="5"),
        r"findings\[0\].n must be integer, got '5'",
    ),
    "an unknown verdict": (
        lambda v: v["findings"][0].update(verdict="fine"),
        r"findings\[0\].verdict cannot be 'fine'",
    ),
    "a verdict made better": (
        lambda v: v["tests"][1].update(verdict="ok"),
        r"tests\[1\].verdict is not what follows",
    ),
    "a session made green": (lambda v: v.update(green=True), "green is not what"),
    "a cell that is not there": (lambda v: v["cells"].pop(), "holds one cell for each"),
    "a test that is not there": (
        lambda v: v["findings"][0].update(test_index=9),
        "do not fit together",
    ),
    "a baseline that is not there": (
        lambda v: v["runs"][0].update(baseline=7),
        "do not fit together",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_was_changed_is_refused(tmp_path: Path, name: str) -> None:
    """What we did not write is an error with the path and the place in it."""
    change, said = BROKEN[name]
    values = copy.deepcopy(results_to_dict(results()))
    change(values)
    path = tmp_path / "out.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(StoreError, match=said) as caught:
        load_results(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"\xff\xfe", b'{"format": NaN}', b"null", b"[" * 99999]
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, data: bytes) -> None:
    """Half a file, other bytes, other JSON: an error with the path."""
    path = tmp_path / "out.json"
    path.write_bytes(data)
    with pytest.raises(StoreError, match=str(path)):
        load_results(path)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A path that cannot be read is named."""
    with pytest.raises(StoreError, match=r"none\.json cannot be read"):
        load_results(tmp_path / "none.json")


def test_a_file_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    """The old file stays, the trouble is told, and no half file is left."""
    target = tmp_path / "out.json"
    target.mkdir()
    (told,) = write_reports(results(), {"json": str(target)})
    assert "json could not be written" in told
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_one_row_is_one_line() -> None:
    """A file can be searched with line tools: each finding is a line of its own."""
    lines = dump_results(results()).decode().splitlines()
    shown = [
        line for line in lines if line.startswith('  {"test": "t.py::bad", "test_')
    ]
    assert len(shown) == 2
