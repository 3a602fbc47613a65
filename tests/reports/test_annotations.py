"""Annotations: at most ten, at the right place, and no command but ours.

How the runner reads a line is written down here from its source
(actions/runner 079cdb1, ``src/Runner.Common/ActionCommand.cs``).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.reports.annotations import MOST, lines
from pytest_vdg.reports.results import TestResult
from tests.reports.session import (
    LET_PASS,
    LOST,
    NASTY,
    REGRESSED,
    RESULTS,
    SEES,
    SKIPPED,
    UNDECIDED,
)

GITHUB = {"GITHUB_ACTIONS": "true"}
KNOWN = {
    "error", "warning", "notice", "group", "endgroup", "debug", "add-mask", "echo",
    "set-output", "save-state", "stop-commands", "add-matcher", "remove-matcher",
    "set-env", "add-path",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Command:
    """What the runner takes a line for."""

    name: str
    values: dict[str, str]
    data: str


def runner(line: str) -> Command | None:
    """Read *line* as the runner does: ``::`` behind blanks, else ``##[`` anywhere."""
    told = line.lstrip()
    end = told.find("::", 2)
    if told.startswith("::") and end >= 0:
        info, data = told[2:end], told[end + 2 :]
        name, _, rest = info.partition(" ")
        if name in KNOWN:
            pairs = (p.split("=", 1) for p in rest.strip().split(",") if "=" in p)
            values = {key: plain(value, "%3A%2C") for key, value in pairs}
            return Command(name=name, values=values, data=plain(data, ""))
    old = re.search(r"##\[([^\] ]*)[^\]]*\](.*)", line)
    if old and old[1] in KNOWN:
        return Command(name=old[1], values={}, data=old[2])
    return None


def plain(text: str, more: str) -> str:
    """Undo the escapes, ``%`` last."""
    marks = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}
    for mark, char in marks.items():
        if mark in "%0D%0A" + more:
            text = text.replace(mark, char)
    return text.replace("%25", "%")


def read(told: list[str]) -> list[Command]:
    """Return the commands among *told*."""
    return [found for line in told if (found := runner(line)) is not None]


def of(*tests: TestResult, root: str = "", **environment: str) -> list[Command]:
    """Return what the runner finds for *tests*."""
    results = replace(RESULTS, tests=tests, root=root)
    return read(lines(results, {**GITHUB, **environment}))


def test_a_failing_test_is_an_error_with_its_numbers(tmp_path: Path) -> None:
    """File and line, verdict and test as title, the first line as text."""
    (found, group, end) = of(
        SEES, REGRESSED, SKIPPED, root=str(tmp_path), GITHUB_WORKSPACE=str(tmp_path)
    )
    assert found == Command(
        name="error",
        values={
            "file": "tests/test_a.py",
            "line": "9",
            "title": "REGRESSION test_a.py::test_regressed",
        },
        data=REGRESSED.summary,
    )
    assert (group.name, end.name) == ("group", "endgroup")


def test_an_undecided_claim_that_passed_is_a_notice() -> None:
    """INCONCLUSIVE as a warning is told where its test stands."""
    (found,) = of(LET_PASS)
    assert found.name == "notice"
    assert found.values["title"] == "INCONCLUSIVE test_a.py::test_close"
    assert found.data == UNDECIDED.summary


def test_the_file_is_relative_to_the_checkout(tmp_path: Path) -> None:
    """Also where the tests' root is a folder of it; outside of it there is none."""
    below = tmp_path / "checkout" / "model"
    below.mkdir(parents=True)
    (found, *_) = of(
        REGRESSED, root=str(below), GITHUB_WORKSPACE=str(tmp_path / "checkout")
    )
    assert found.values["file"] == "model/tests/test_a.py"
    for workspace in (str(below / "deeper"), ""):
        (found, *_) = of(REGRESSED, root=str(below), GITHUB_WORKSPACE=workspace)
        assert "file" not in found.values
        assert "line" not in found.values
    (found, *_) = of(replace(REGRESSED, file=None), GITHUB_WORKSPACE=str(tmp_path))
    assert "file" not in found.values
    (found, *_) = of(
        replace(REGRESSED, line=None), root=str(below), GITHUB_WORKSPACE=str(tmp_path)
    )
    assert found.values["line"] == "1"


def test_a_path_that_cannot_be_relative_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As across drives: the annotation is there, and nothing breaks."""

    def refuse(*_: object) -> str:
        raise ValueError

    monkeypatch.setattr(os.path, "relpath", refuse)
    (found, *_) = of(REGRESSED, root=str(tmp_path), GITHUB_WORKSPACE=str(tmp_path))
    assert "file" not in found.values


def test_there_are_ten_and_then_one() -> None:
    """One a test whatever it claims; faults first; the rest is counted."""
    tests = [replace(LOST, name=f"t.py::test_{i}") for i in range(15)]
    told = lines(replace(RESULTS, tests=tuple(tests), faults=("why",)), GITHUB)
    found = [c for c in read(told) if "group" not in c.name]
    assert [c.name for c in found] == ["error"] * MOST + ["warning"]
    assert found[0].data == "why"
    assert found[-1].data.startswith("6 more; ")
    ten = lines(replace(RESULTS, tests=tuple(tests[:10])), GITHUB)
    assert [c.name for c in read(ten) if "group" not in c.name] == ["error"] * 10


@pytest.mark.parametrize("value", [None, "", "false", "0"])
def test_there_are_none_elsewhere(value: str | None) -> None:
    """Only where GITHUB_ACTIONS says so."""
    assert lines(RESULTS, {} if value is None else {"GITHUB_ACTIONS": value}) == []


def test_a_session_without_trouble_says_nothing() -> None:
    """Passed and skipped tests are no annotations."""
    assert lines(replace(RESULTS, tests=(SEES, SKIPPED)), GITHUB) == []


PARTS = st.one_of(
    st.characters(exclude_categories=()),
    st.sampled_from(["\n", "%", ",", "::", "\n::error::x", "##[debug]x", "\u2028::"]),
)
HOSTILE = st.lists(PARTS).map(
    lambda parts: (
        f"{''.join(parts)}\n::add-mask::x\r##[add-mask]x\n  ::set-env name=A::b"
    )
)


@given(HOSTILE)
def test_no_text_is_a_command(text: str) -> None:
    """Whatever name, file and message hold, the runner finds our commands alone."""
    test = replace(REGRESSED, name=text, file=text, message=f"REGRESSION x\n{text}")
    told = lines(
        replace(RESULTS, tests=(test,), root="/r"), {**GITHUB, "GITHUB_WORKSPACE": "/r"}
    )
    assert not any(set(line) & set("\n\r") for line in told)
    assert [c.name for c in read(told)] == ["error", "group", "endgroup"]
    assert read(told)[0].data == "REGRESSION x"


def test_the_evidence_is_in_a_group() -> None:
    """What a failing test says beyond its first line is there once, marked as text."""
    told = lines(
        replace(RESULTS, tests=(replace(LOST, message=f"a\n{NASTY}"),)), GITHUB
    )
    start, end = (next(i for i, s in enumerate(told) if s.startswith(x)) for x in
                  ("::group::", "::endgroup::"))  # fmt: skip
    assert told[start + 1] == "| a"
    assert all(line.startswith("| ") for line in told[start + 1 : end])
    short = lines(replace(RESULTS, tests=(replace(LOST, message="one line"),)), GITHUB)
    assert len(short) == 1
