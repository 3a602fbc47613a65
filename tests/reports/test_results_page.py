"""``docs/results.md`` says what the schema says, and its examples run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.reports.results_json import SCHEMA, VERSION, dump_results, schema
from tests.reports.made import results

PAGE = Path(__file__).parents[2] / "docs" / "results.md"
TABLES = {
    "tests": "test",
    "findings": "finding",
    "runs": "run",
    "measures": "measure",
    "questions": "question",
    "cells": "cell",
}


def described(properties: dict[str, Any]) -> dict[str, str]:
    """Return what the schema says of each name."""
    shared = schema()["$defs"]
    found = {}
    for name, part in properties.items():
        other = shared[part["$ref"].rpartition("/")[2]] if "$ref" in part else {}
        found[name] = part.get("description") or other["description"]
    return found


def rows_of(text: str) -> dict[str, str]:
    """Return the rows of the tables in *text*."""
    return dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", text, re.MULTILINE))


@pytest.mark.parametrize("name", TABLES)
def test_each_table_is_described(name: str) -> None:
    """A column means on the page what it means in the schema, and none is missing."""
    _, _, after = PAGE.read_text(encoding="utf-8").partition(f"### `{name}`")
    part = after.partition("\n### ")[0]
    assert rows_of(part) == described(schema()["$defs"][TABLES[name]]["properties"])


def test_the_top_is_described() -> None:
    """So does each name at the top of the file."""
    _, _, after = PAGE.read_text(encoding="utf-8").partition("At the top:")
    assert rows_of(after.partition("\n### ")[0]) == described(schema()["properties"])


def test_the_page_names_the_schema() -> None:
    """Version and name of the schema are those of the code."""
    text = PAGE.read_text(encoding="utf-8")
    assert f"pytest_vdg/reports/{SCHEMA}" in text
    assert f"`version` is {VERSION}." in text


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line of Python on the page works on a file, and gives a table of it."""
    pytest.importorskip("pandas", reason="pandas is not installed")
    monkeypatch.chdir(tmp_path)
    Path("results.json").write_bytes(dump_results(results()))
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    known: dict[str, Any] = {}
    shown = []
    for block in blocks:
        *lines, last = block.strip().splitlines()
        exec("\n".join(lines), known)
        if " = " in last.partition("(")[0]:
            exec(last, known)
        else:
            shown.append(eval(last, known))
    wrong, accuracy, steps, blind = shown
    assert wrong.verdict.tolist() == ["REGRESSION", "ABOVE CEILING"]
    assert accuracy.xs("colour", level="task")["original"].tolist() == [3 / 4]
    assert {"VDG", "temporal", "visual gain"} <= set(steps.measure)
    assert blind.text.tolist() == ["What is q0000?", "What is q0002?"]
    assert json.loads(Path("results.json").read_text("utf-8"))["version"] == VERSION
