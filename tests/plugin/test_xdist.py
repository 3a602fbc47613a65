"""With workers: one model, one load, and the same reports as without."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project

MANY = """
import pytest
from pytest_vdg import assert_accuracy_above, assert_vdg_above

@pytest.mark.parametrize("conditions", [
    ["original", "black"], ["original", "black", "text_only"], ["original", "black"],
])
def test_many(request, conditions, vdg):
    run = vdg.evaluate(conditions=conditions)
    assert_vdg_above(run, 0.2)

@pytest.mark.vdg(conditions=["original", "black"])
@pytest.mark.parametrize("i", range(4))
def test_marked(vdg_run, i):
    assert_vdg_above(vdg_run, 0.2)
    assert_accuracy_above(vdg_run, 0.2)

@pytest.mark.parametrize("i", range(6))
def test_other(i):
    pass
"""


def test_a_model_is_loaded_once_whatever_the_workers(project: Project) -> None:
    """All tests of one checkpoint run on one worker, and no test is renamed."""
    project.suite(MANY)
    result = project.with_model("-n", "2", "--vdg-no-cache", "--junitxml=out.xml")
    result.assert_outcomes(passed=13)
    assert project.loaded() == ["any"]
    assert {name.split("[")[0] for name in project.junit()} == {
        "test_many",
        "test_marked",
        "test_other",
    }
    result.stdout.fnmatch_lines(["vdg: checkpoint=any@*", "colours*VDG*ok"])


def test_each_checkpoint_of_a_marker_is_loaded_once(project: Project) -> None:
    """Two checkpoints are two groups, each with one load."""
    project.config("backend: python:stub:checkpoint_decides")
    project.suite(
        "import pytest\n"
        "from pytest_vdg import assert_accuracy_above\n"
        + "".join(
            f"@pytest.mark.vdg(checkpoint={name!r})\n"
            "@pytest.mark.parametrize('i', range(3))\n"
            f"def test_{name}(vdg_run, i):\n"
            "    assert_accuracy_above(vdg_run, 0.2)\n"
            for name in ("first", "blind")
        )
    )
    project.run("-n", "2", "--vdg-no-cache").assert_outcomes(passed=6)
    assert sorted(project.loaded()) == ["blind", "first"]


def test_workers_change_nothing_in_the_reports(project: Project) -> None:
    """The same properties and messages reach JUnit with and without workers."""
    project.suite(MANY.replace("0.2)\n    assert_acc", "0.9)\n    assert_acc"))
    seen = []
    for workers in ((), ("-n", "2")):
        result = project.with_model("--junitxml=out.xml", *workers)
        result.assert_outcomes(passed=9, failed=4)
        messages = {
            name: [child.attrib.get("message") for child in case.iter("failure")]
            for name, case in project.junit().items()
        }
        seen.append((project.properties(), messages))
    assert seen[0] == seen[1]


def test_an_explicit_distribution_is_respected(project: Project) -> None:
    """``--dist`` given by hand is not overruled."""
    result = project.with_model("-n", "2", "--dist", "loadfile", "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["scheduling tests via LoadFileScheduling"])


def test_totals_come_from_all_workers(project: Project) -> None:
    """Cells from the cache are counted where they are told."""
    project.with_model("-n", "2").assert_outcomes(passed=1)
    result = project.with_model("-n", "2")
    result.stdout.fnmatch_lines(["vdg: 48 of 48 cells from cache"])
    assert project.loaded() == ["any"]


@pytest.mark.parametrize("extra", [("--maxfail=1",), ("-x",), ("-p", "no:terminal")])
def test_stopping_early_is_no_crash(project: Project, extra: tuple[str, ...]) -> None:
    """A session cut short by a failure ends with code 1 and no traceback."""
    project.suite(MANY)
    result = project.with_model("-n", "2", *extra, backend="blind")
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_worker_that_dies_stops_nothing(project: Project, workers: str) -> None:
    """The test that killed it fails; what was left is run, and the session ends."""
    project.suite(MANY)
    options = ("--vdg-checkpoint", "any", "--vdg-backend", "python:stub:crashes_once")
    result = project.pytester.runpytest_subprocess(*options, "-n", workers)
    result.assert_outcomes(passed=12, failed=1)
    result.stdout.fnmatch_lines(["*worker 'gw*' crashed while running*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
