"""What a pytest session leaves for the trend."""

from __future__ import annotations

import pytest

from pytest_vdg.store.history import past_runs
from tests.plugin.conftest import Project

TWO = """
import pytest
from pytest_vdg import assert_accuracy_above, assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)

@pytest.mark.vdg(conditions=["original", "black"])
def test_is_right(vdg_run):
    assert_accuracy_above(vdg_run, 0.2)
"""


@pytest.mark.parametrize("extra", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_judged_run_is_remembered_once(
    project: Project, extra: tuple[str, ...]
) -> None:
    """One line with the numbers and both verdicts, from whichever process."""
    project.suite(TWO)
    assert project.with_model(*extra).ret == pytest.ExitCode.OK
    (run,) = past_runs(project.path / ".vdg")
    assert (run.origin, run.checkpoint, run.slice_name) == ("pytest", "any", "colours")
    assert [verdict for _, verdict in run.verdicts] == ["ok", "ok"]
    assert run.level("original") is not None
    vdg = run.level("VDG")
    assert vdg is not None
    assert vdg.n == run.questions == 24


def test_the_same_session_again_adds_nothing(project: Project) -> None:
    """Answers from the cache are no new run."""
    project.with_model()
    project.with_model()
    assert len(past_runs(project.path / ".vdg")) == 1


def test_a_failed_claim_is_remembered_as_such(project: Project) -> None:
    """A checkpoint that went blind leaves its verdict, for the trend to show."""
    project.with_model()
    result = project.with_model(backend="blind")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    words = [run.verdicts[0][1] for run in past_runs(project.path / ".vdg")]
    assert words == ["ok", "BELOW FLOOR"]


def test_without_a_cache_nothing_is_remembered(project: Project) -> None:
    """``--vdg-no-cache`` leaves no file, and so no history."""
    before = project.files()
    assert project.with_model("--vdg-no-cache").ret == pytest.ExitCode.OK
    assert project.files() == before


def test_a_run_without_a_claim_is_not_remembered(project: Project) -> None:
    """What nobody judged is no point of a trend."""
    project.suite(
        TWO + "\ndef test_looks(vdg):\n    vdg.evaluate('colours', questions=6)\n"
    )
    assert project.with_model().ret == pytest.ExitCode.OK
    assert [run.slice_name for run in past_runs(project.path / ".vdg")] == ["colours"]


def test_a_history_that_cannot_be_kept_is_told(project: Project) -> None:
    """The verdict stands; a line says which file is in the way."""
    (project.path / ".vdg" / "history.jsonl").mkdir(parents=True)
    result = project.with_model()
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["vdg: the history is not kept: *history.jsonl*"])
