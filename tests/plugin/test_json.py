"""``--vdg-json``: what a session of pytest came to, as a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.reports.results import Results
from pytest_vdg.reports.results_json import load_results
from pytest_vdg.runs import Run
from tests.plugin.conftest import Project

TWO = """
import pytest
from pytest_vdg import assert_temporal_delta, assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)

@pytest.mark.vdg(conditions=["original", "shuffled"])
def test_order(vdg_run):
    assert_temporal_delta(vdg_run, 0.2)

@pytest.mark.vdg(tasks=["colour"], conditions=["original", "black"])
def test_colour(vdg_run):
    assert_vdg_above(vdg_run, 0.2)

def test_other():
    pass
"""


def results_of(project: Project, *options: str, backend: str = "sighted") -> Results:
    """Return what a session wrote."""
    out = project.path / "out" / "results.json"
    out.unlink(missing_ok=True)
    project.with_model(f"--vdg-json={out}", *options, backend=backend)
    return load_results(out)


def lasting(found: Results) -> Results:
    """Return *found* without what differs from session to session."""
    return replace(
        found,
        created="",
        command="",
        tests=tuple(replace(test, seconds=0.0) for test in found.tests),
        runs=tuple(
            replace(each, run=_by_id(each.run))
            for each in sorted(found.runs, key=lambda each: each.run.slice_name)
        ),
        notes=(),
    )


def test_every_vdg_test_is_in_the_file(project: Project) -> None:
    """Outcome, place, message and finding; what is none of ours is left out."""
    project.suite(TWO)
    found = results_of(project)
    outcomes = {test.name.rpartition("::")[2]: test.outcome for test in found.tests}
    assert outcomes == {
        "test_sees": "passed",
        "test_order": "failed",
        "test_colour": "passed",
    }
    sees, order, _ = found.tests
    assert (sees.file, sees.line) == ("test_suite.py", 4)
    assert order.message.startswith("BELOW FLOOR temporal delta ")
    assert order.findings[0].message == order.message
    assert found.origin == "pytest"
    assert found.command.startswith("pytest --vdg-checkpoint any ")
    assert not found.green


UNJUDGED = """
import pytest

@pytest.mark.vdg
@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

@pytest.mark.vdg
@pytest.mark.xfail(reason="known")
def test_excused():
    raise KeyError("x")

@pytest.fixture
def broken():
    raise OSError("no disk")

@pytest.mark.vdg
def test_lost(broken):
    pass

@pytest.fixture
def late():
    yield
    raise OSError("no disk left")

@pytest.mark.vdg
def test_late(late):
    pass
"""


def test_a_test_without_a_verdict_says_why(project: Project) -> None:
    """Reason of a skip, what an excused test raised, and errors of fixtures."""
    project.suite(UNJUDGED)
    found = results_of(project)
    assert [(t.name.rpartition("_")[2], t.outcome, t.message) for t in found.tests] == [
        ("skipped", "skipped", "not today"),
        ("excused", "skipped", "KeyError: 'x'"),
        ("lost", "error", "OSError: no disk"),
        ("late", "error", "OSError: no disk left"),
    ]


def test_cells_are_counted_by_where_they_came_from(project: Project) -> None:
    """24 questions under two conditions: first all asked, then all stored."""
    for asked, cached in ((48, 0), (0, 48)):
        found = results_of(project)
        assert (found.asked, found.cached) == (asked, cached)


def test_runs_are_whole_and_questions_can_be_read(project: Project) -> None:
    """Every cell with its probabilities and times, and what the questions say."""
    project.suite(TWO)
    found = results_of(project)
    whole, part = found.runs
    assert whole.run.slice_name == "colours"
    assert whole.run.conditions == ("original", "black", "shuffled")
    assert len(whole.run.cells) == 72
    cell = whole.run.cells["q00-0", "original"]
    assert cell.probabilities is not None
    assert len(cell.times_s) == cell.frames_seen == 8
    assert whole.texts["q00-0"].text == "Which colour is the red thing (0)?"
    assert whole.texts["q00-0"].options[0] == ("A", "red")
    assert part.ask == {"tasks": ("colour",)}


def _by_id(run: Run) -> Run:
    """Return *run* with its questions in the order in which workers send them."""
    return replace(run, questions=tuple(sorted(run.questions, key=lambda q: q.id)))


@pytest.mark.parametrize("workers", ["-n1", "-n2"])
def test_workers_make_the_same_file(project: Project, workers: str) -> None:
    """Runs cross from workers whole; only one process writes."""
    pytest.importorskip("xdist", reason="xdist is not installed")
    project.suite(TWO)
    alone = lasting(results_of(project, "--vdg-no-cache"))
    spread = lasting(results_of(project, "--vdg-no-cache", workers))
    by_name = {test.name: test for test in spread.tests}
    assert [by_name[test.name] for test in alone.tests] == list(alone.tests)
    assert spread.runs == alone.runs


def test_an_old_file_never_stands_for_a_session_that_was_refused(
    project: Project,
) -> None:
    """What is wrong before a test runs leaves a file that is not green."""
    project.suite(TWO)
    out = project.path / "results.json"
    project.with_model(f"--vdg-json={out}", "-k", "sees")
    assert load_results(out).green
    project.suite(TWO.replace('"black"', '"blakc"'))
    project.with_model(f"--vdg-json={out}").stderr.fnmatch_lines(["*'black'*"])
    found = load_results(out)
    assert (found.green, found.tests) == (False, ())


def test_no_file_without_the_option(project: Project) -> None:
    """A session that asks for no file gets none."""
    project.suite(TWO)
    project.with_model("-k", "sees")
    assert not list(Path(project.path).rglob("*.json"))
