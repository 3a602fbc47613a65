"""``--vdg-time-budget``: judged is what there was time for, and it is said.

Time goes by answers: each takes a second of a clock that stands still else.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.conftest import Project

CLOCK = """
import types
import numpy as np
import pytest_vdg.engine.job as job
import pytest_vdg.sessions.budget as budget
import stub

now = [0.0]
clock = types.SimpleNamespace(monotonic=lambda: now[0])
job.time = budget.time = clock
seen = stub._seen

def slowly(prompt, clip):
    now[0] += 1.0
    return seen(prompt, clip)

stub._seen = slowly
"""
SUITE = """
import pytest
from pytest_vdg import assert_no_dissociation_regression, assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.99)

@pytest.mark.vdg(conditions=["original", "black"])
def test_regression(vdg_run, vdg_baseline):
    assert_no_dissociation_regression(
        vdg_run, vdg_baseline, accuracy_margin=0.45, vdg_margin=0.45
    )
"""


@pytest.fixture
def slow(project: Project) -> Project:
    """Return a project of twelve videos with four cells each, a second a cell."""
    project.pytester.makeconftest(CLOCK)
    project.suite(SUITE)
    return project


@pytest.fixture
def recorded(slow: Project) -> Path:
    """Return a baseline of all 24 questions."""
    slow.with_model("--vdg-update-baseline", "-k", "regression").assert_outcomes(
        passed=1, deselected=1
    )
    return slow.path / "vdg_baselines" / "colours.jsonl"


def test_the_verdict_is_on_what_was_asked(slow: Project, recorded: Path) -> None:
    """10 of 12 videos in 38 s: 20 questions, in the first line and in a note.

    The baseline is compared at the same questions.
    """
    result = slow.with_model(
        "--vdg-time-budget=38s", "--vdg-no-cache", "--junitxml=out.xml"
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*slice colours: 20 of 24 questions (time budget 38s)*"]
    )
    failure = slow.junit()["test_sees"].find("failure")
    assert failure is not None
    assert "n=20" in failure.attrib["message"].replace(" ", "")
    assert slow.properties()["test_regression"]["vdg.run.questions"] == "20"


@pytest.mark.parametrize("where", ["variable", "ini", "file"])
def test_it_can_be_said_anywhere(
    slow: Project, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variable, ini key and ``vdg.yaml``, and the option wins."""
    if where == "variable":
        monkeypatch.setenv("VDG_TIME_BUDGET", "13s")
    elif where == "ini":
        slow.pytester.makeini("[pytest]\nvdg_time_budget = 13s\n")
    else:
        slow.config("time_budget: 13s")
    said = slow.with_model("-k", "sees", "--vdg-no-cache")
    said.stdout.fnmatch_lines(["*8 of 24 questions (time budget 13s)*"])
    result = slow.with_model("--vdg-time-budget=9s", "--vdg-no-cache", "-k", "sees")
    result.stdout.fnmatch_lines(["*6 of 24 questions (time budget 9s)*"])


def test_a_part_is_no_baseline(slow: Project, recorded: Path) -> None:
    """Not even by force: how much there was time for is no one's choice."""
    before = recorded.read_bytes()
    result = slow.with_model(
        "--vdg-time-budget=18s",
        "--vdg-no-cache",
        "--vdg-update-baseline=force",
        "-k",
        "regression",
    )
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines(
        ["E   COULD NOT BE JUDGED: *only 10 of 24 questions were asked within*"]
    )
    assert recorded.read_bytes() == before


def test_a_part_leaves_no_candidate(slow: Project) -> None:
    """Where there is no baseline, what is offered to commit would be too small."""
    result = slow.with_model("--vdg-time-budget=18s", "-k", "regression")
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines(["E*there is no baseline of slice 'colours'*"])
    result.stdout.fnmatch_lines(["vdg: no candidate was left: *only 10 of 24 *"])
    assert not (slow.path / ".vdg" / "last-run" / "candidates").exists()


def test_another_baseline_stays_incomparable(slow: Project, recorded: Path) -> None:
    """One that lacks questions of the part is refused as ever."""
    slow.with_model("--vdg-questions=6", "--vdg-update-baseline=force")
    result = slow.with_model("--vdg-time-budget=18s", "--vdg-no-cache")
    result.stdout.fnmatch_lines(["E*questions are not in the baseline*"])


def test_no_time_is_no_verdict(slow: Project) -> None:
    """A second run of the session finds the budget used up: an error, not a pass."""
    slow.suite(
        """
import pytest
from pytest_vdg import assert_vdg_above

def test_by_hand(vdg):
    vdg.evaluate("colours", tasks=["shade"], conditions=["original", "black"])
    run = vdg.evaluate("colours", tasks=["colour"], conditions=["original", "black"])
    assert_vdg_above(run, -0.9)
"""
    )
    result = slow.with_model("--vdg-time-budget=3s")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*the time was used up before a question was asked*"])


@pytest.mark.parametrize("text", ["30", "0s", "half an hour", "30 m", "-5m"])
def test_a_bare_number_is_no_time(slow: Project, text: str) -> None:
    """Its unit would have to be guessed."""
    result = slow.with_model(f"--vdg-time-budget={text}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *--vdg-time-budget must be a time such as*"])
