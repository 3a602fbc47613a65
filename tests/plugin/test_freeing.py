"""A model that cannot be freed: it is told, and no verdict depends on it."""

from __future__ import annotations

import json

import pytest

from tests.plugin.conftest import Project

BROKEN = """
import pytest
import stub
from pytest_vdg import ScriptedBackend


def _stays(how, settings):
    made = stub.sighted(**settings)
    made.close = how
    return made


def _raise():
    raise OSError("the device is busy")


def _leave():
    raise SystemExit(0)


def breaks(**settings):
    return _stays(_raise, settings)


def skips(**settings):
    return _stays(lambda: pytest.skip("no GPU here"), settings)


def leaves(**settings):
    return _stays(_leave, settings)
"""
SAID = {
    "breaks": "OSError: the device is busy",
    "skips": "Skipped: no GPU here",
    "leaves": "SystemExit: 0",
}
WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])


@pytest.fixture
def stuck(project: Project) -> Project:
    """Return the project with models whose ``close`` raises."""
    (project.path / "freeing.py").write_text(BROKEN, encoding="utf-8")
    return project


def told_by(how: str) -> str:
    """Return a pattern of the line that tells of the model *how*."""
    said = f"freeing the model raised {SAID[how]} (*freeing.py:*)"
    return f"vdg: {said}; no verdict depends on it"


def by(project: Project, how: str, *more: str) -> pytest.RunResult:
    """Run the suite with a model that cannot be freed."""
    backend = f"--vdg-backend=python:freeing:{how}"
    return project.run("--vdg-checkpoint=any", backend, *more)


@WORKERS
@pytest.mark.parametrize("how", ["breaks", "skips"])
def test_what_freeing_a_model_raises_is_told_and_changes_nothing(
    stuck: Project, workers: tuple[str, ...], how: str
) -> None:
    """Once, in the summary and in the results, whoever held the model."""
    result = by(stuck, how, "--vdg-json=out.json", *workers)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines([told_by(how)])
    assert result.stdout.str().count("vdg: freeing the model") == 1
    notes = json.loads((stuck.path / "out.json").read_text("utf-8"))["notes"]
    assert [SAID[how] in note for note in notes].count(True) == 1


def test_a_model_that_would_end_the_program_when_freed_does_not(
    stuck: Project,
) -> None:
    """Its 0 is not the session's."""
    stuck.suite("def test_wrong(vdg_run):\n    assert False\n")
    result = by(stuck, "leaves")
    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([told_by("leaves")])


@WORKERS
def test_the_next_checkpoint_is_not_to_blame(
    stuck: Project, workers: tuple[str, ...]
) -> None:
    """One model is freed before the next is asked, whose tests are judged."""
    stuck.suite(
        "import pytest\n"
        "from pytest_vdg import assert_vdg_above\n"
        "@pytest.mark.vdg(checkpoint='one', conditions=['original', 'black'])\n"
        "def test_one(vdg_run):\n"
        "    assert_vdg_above(vdg_run, 0.2)\n"
        "@pytest.mark.vdg(checkpoint='two', conditions=['original', 'black'])\n"
        "def test_two(vdg_run):\n"
        "    assert_vdg_above(vdg_run, 0.2)\n"
    )
    result = stuck.run("--vdg-backend=python:freeing:breaks", *workers)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([told_by("breaks")])
