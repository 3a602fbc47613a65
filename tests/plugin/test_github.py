"""A session on GitHub Actions: step summary and annotations, written once.

Elsewhere nothing of it is written, whatever else is the case.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.plugin.conftest import Project

SUITE = """
import pytest
from pytest_vdg import assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)

def test_asks_too_much(vdg_run):
    print("an unfinished line", end="")
    assert_vdg_above(vdg_run, 0.9)

def test_in_the_body(vdg):
    vdg.evaluate(conditions=["original", "nonsense"])
"""
MODEL = ("--vdg-checkpoint", "any", "--vdg-backend", "python:stub:sighted")
WAYS = {
    "alone": (),
    "workers": ("-n", "2"),
    "quiet": ("-q", "-s"),
    "no-terminal": ("-p", "no:terminal"),
    "no-terminal-no-capture": ("-p", "no:terminal", "-s"),
}


@pytest.fixture(autouse=True)
def no_github(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take our own CI out of the environment."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def step(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Play GitHub Actions; return the file of the step summary."""
    path = project.path.parent / f"{project.path.name}-step.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path.parent))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    project.suite(SUITE)
    return path


def run(project: Project, *more: str) -> pytest.RunResult:
    """Run the suite in a process of its own."""
    return project.run(*MODEL, *more, subprocess=True)


def commands(result: pytest.RunResult) -> list[str]:
    """Return the lines that the runner takes for annotations."""
    names = ("::error", "::warning", "::notice")
    return [line for line in result.outlines if line.startswith(names)]


@pytest.mark.parametrize("more", WAYS.values(), ids=WAYS)
def test_it_annotates_once_on_lines_of_their_own(
    project: Project, step: Path, more: Sequence[str]
) -> None:
    """One line a failing test, whoever writes the terminal, and one summary."""
    result = run(project, *more)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    told = commands(result)
    assert len(told) == 2
    place = f"::error file={project.path.name}/test_suite.py,line="
    assert all(line.startswith(place) for line in told)
    assert any("::BELOW FLOOR VDG +50.0pp [" in line for line in told)
    assert not any("::error" in line for line in result.outlines if line not in told)
    assert result.outlines.count("::endgroup::") >= 1
    text = step.read_text(encoding="utf-8")
    assert text.count("## vdg: ") == 1
    assert "1 of 3 tests passed, 1 failed, 1 could not be judged" in text
    assert result.stderr.str() == "" or "INTERNALERROR" not in result.stderr.str()


def test_nothing_of_it_is_there_elsewhere(project: Project) -> None:
    """Without GitHub: no command, and no file but the answers that are kept."""
    project.suite(SUITE)
    before = project.files()
    result = project.run(*MODEL, "--vdg-no-cache")
    assert commands(result) == []
    assert not [f for f in project.files() - before if not f.startswith(".vdg")]


def test_both_can_be_turned_off(project: Project, step: Path) -> None:
    """By option here; by ini and environment as every switch."""
    result = run(project, "--vdg-annotations=off", "--vdg-summary=off")
    assert commands(result) == []
    assert not step.exists()


def test_a_summary_is_written_where_it_is_wanted(project: Project) -> None:
    """A path of one's own is appended to, on GitHub or not, and is told."""
    project.suite(SUITE)
    for _ in range(2):
        project.run(*MODEL, "--vdg-summary=out/summary.md")
    text = (project.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert text.count("## vdg: ") == 2


def test_a_session_without_our_tests_writes_nothing(
    project: Project, step: Path
) -> None:
    """Being installed is not being used."""
    project.suite("def test_fine():\n    assert False\n")
    result = run(project)
    assert commands(result) == []
    assert not step.exists()


def test_what_was_let_pass_is_a_notice(project: Project, step: Path) -> None:
    """Under vdg_inconclusive=warn the claim is told beside the code, and is green."""
    project.suite(
        "from pytest_vdg import assert_vdg_above\n"
        "def test_close(vdg_run):\n"
        "    assert_vdg_above(vdg_run, 0.45)\n"
    )
    result = run(project, "-o", "vdg_inconclusive=warn")
    assert result.ret == pytest.ExitCode.OK
    (line,) = commands(result)
    assert line.startswith("::notice file=")
    assert "title=INCONCLUSIVE test_suite.py%3A%3Atest_close::INCONCLUSIVE VDG" in line
    assert "## vdg: INCONCLUSIVE" in step.read_text(encoding="utf-8")


def test_a_summary_that_cannot_be_written_changes_nothing(
    project: Project, step: Path
) -> None:
    """The result is the same, and a note says why there is none."""
    step.mkdir()
    project.suite(SUITE.split("def test_asks", maxsplit=1)[0])
    result = run(project)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["vdg: summary could not be written: *"])


def test_why_a_session_fails_is_annotated(project: Project, step: Path) -> None:
    """No test failed, and yet the job is red: the reason is on top."""
    project.suite("def test_nothing(vdg_run):\n    pass\n")
    result = run(project)
    (line,) = commands(result)
    assert line.startswith("::error title=vdg%3A the session fails::nothing was judged")
    assert "## vdg: FAILED" in step.read_text(encoding="utf-8")


def test_an_interrupted_session_tells_what_it_has(project: Project, step: Path) -> None:
    """After Ctrl-C there is a summary of what ran, which says that it is not all."""
    project.suite(SUITE + "\ndef test_stop(vdg_run):\n    raise KeyboardInterrupt\n")
    result = run(project)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "the session was interrupted" in step.read_text(encoding="utf-8")
    assert "::BELOW FLOOR VDG" in "\n".join(commands(result))


def test_with_k_only_what_ran_is_told(project: Project, step: Path) -> None:
    """What is deselected is no part of the summary."""
    run(project, "-k", "sees")
    assert "1 of 1 test passed" in step.read_text(encoding="utf-8")


def test_a_terminal_without_unicode_breaks_nothing(
    project: Project, step: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the console cannot show is spelt out."""
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    project.suite(
        "def test_by_hand(vdg_run):\n"
        "    assert False, '\\u5f71\\u7247\\nnext \\U0001f600'\n"
    )
    result = run(project)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert len(commands(result)) == 1
