"""From the first red run to a baseline that goes red: candidates and promotion."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_vdg import cli, load_run
from pytest_vdg.store.runfile import load_recorded
from tests.plugin.conftest import Project
from tests.plugin.test_baseline import SUITE, candidate_of


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return the project as the current folder, its suite compared with a baseline."""
    monkeypatch.chdir(project.path)
    project.suite(SUITE)
    return project


def vdg(*words: str) -> int:
    """Run ``vdg baseline``."""
    return cli.main(["baseline", *words])


def test_the_whole_life_of_a_baseline(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Red with a candidate, promoted, green; collapsed: red with the flipped ones."""
    first = here.with_model()
    first.assert_outcomes(errors=1)
    path, candidate = here.path / "vdg_baselines/colours.jsonl", candidate_of(here)
    first.stdout.fnmatch_lines(
        [
            f"E   COULD NOT BE JUDGED: there is no baseline*no file {path}",
            f"E     candidate {candidate} (24 questions, original, black)",
            "E     next      look at it, then: vdg baseline promote colours",
        ]
    )
    assert vdg("promote", "colours", "--reason", "first of all") == 0
    said = capsys.readouterr().out
    assert f"wrote {path} (24 questions, original, black): VDG +50.0pp" in said
    assert load_recorded(path).reason == "first of all"
    here.with_model().assert_outcomes(passed=1)
    collapsed = here.with_model(backend="blind")
    collapsed.assert_outcomes(failed=1)
    collapsed.stdout.fnmatch_lines(["E*DISSOCIATION VDG -50.0pp*vs baseline colours*"])
    collapsed.stdout.fnmatch_lines(["*flipped*lost grounding (12)*black ?->?*"])
    next_step = "what changed on colours: vdg baseline diff colours"
    collapsed.stdout.fnmatch_lines([f"vdg: {next_step}"])
    capsys.readouterr()
    assert vdg("diff", "colours") == 0
    said = capsys.readouterr().out
    assert "lost grounding 12, gained 0 of 24" in said
    assert "black became right (12)" in said


@pytest.mark.parametrize("backend", ["sighted", "blind"], ids=["passes", "fails"])
def test_every_comparison_leaves_a_candidate(here: Project, backend: str) -> None:
    """Whatever the claim comes to, this session's run is there to look at."""
    here.with_model("--vdg-update-baseline")
    candidate_of(here).unlink()
    here.with_model(backend=backend)
    found = load_run(candidate_of(here))
    assert found.checkpoint == ("any" if backend == "sighted" else "any-that-reads")


def test_what_is_not_comparable_leaves_a_candidate(here: Project) -> None:
    """The refusal names it, and how it becomes the baseline."""
    here.with_model("--vdg-update-baseline")
    result = here.with_model("--vdg-seed=5")
    result.stdout.fnmatch_lines(
        [
            "E*seed: 5, was 0*",
            f"E*candidate {candidate_of(here)} *",
            "E*vdg baseline promote colours*",
        ]
    )
    assert load_run(candidate_of(here)).fingerprint.comparable["seed"] == "5"


def test_candidates_of_other_slices_stay(here: Project) -> None:
    """What did not run this time is not obsolete."""
    here.with_model()
    other = candidate_of(here).with_name("other.jsonl")
    shutil.copy(candidate_of(here), other)
    here.with_model()
    assert other.is_file()


def test_an_unjudgeable_run_leaves_none_and_says_so(here: Project) -> None:
    """A candidate is what may be promoted, and this one may not."""
    result = here.with_model(backend="fails_in_the_dark")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["vdg: no candidate was left: *failed*"])
    assert not candidate_of(here).exists()


def test_a_candidate_that_cannot_be_written_fails_no_test(here: Project) -> None:
    """Where answers are not kept either, the comparison counts all the same."""
    here.with_model("--vdg-update-baseline")
    (here.path / "file").touch()
    result = here.with_model("--vdg-no-cache", "--vdg-cache-dir=file")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["vdg: no candidate was left: *"])


def test_a_baseline_with_nothing_to_lose_is_told(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who promotes a checkpoint that does not look hears that no test guards it."""
    here.with_model(backend="blind")
    assert vdg("promote", "colours") == 0
    assert "this baseline of colours shows no VDG to lose" in capsys.readouterr().out


def test_a_candidate_holds_what_other_tests_asked_for(here: Project) -> None:
    """It would be the baseline of the whole suite."""
    here.suite(
        SUITE
        + """
@pytest.mark.vdg(conditions=["original", "text_only"])
def test_other(vdg_run):
    pass
"""
    )
    here.with_model()
    held = load_run(candidate_of(here)).conditions
    assert held == ("original", "black", "text_only")


def test_with_a_second_checkpoint_there_is_no_candidate(here: Project) -> None:
    """The baseline is no file then, and none can take its place."""
    here.with_model("--vdg-compare-to=other", backend="checkpoint_decides")
    assert not candidate_of(here).exists()


def test_the_command_works_where_it_is_typed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options that ``vdg`` would not know of are part of what to type."""
    monkeypatch.chdir(project.path)
    project.suite(SUITE)
    result = project.with_model("--vdg-baseline-dir=kept", "--vdg-environment=h100")
    line = next(li for li in result.outlines if "vdg baseline promote" in li)
    words = line.split("vdg baseline promote ")[1].split()
    assert vdg("promote", *words) == 0
    assert load_run(project.path / "kept" / "h100" / "colours.jsonl").questions


def test_it_names_a_configuration_that_lies_elsewhere(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``vdg`` looks for it in the current folder only."""
    folder = project.path / "sub"
    folder.mkdir()
    for name in ("vdg.yaml", "data"):
        shutil.move(str(project.path / name), str(folder / name))
    project.suite(SUITE)
    shutil.move(str(project.path / "test_suite.py"), str(folder / "test_suite.py"))
    monkeypatch.chdir(project.path)
    result = project.with_model("sub")
    line = next(li for li in result.outlines if "vdg baseline promote" in li)
    assert vdg("promote", *line.split("vdg baseline promote ")[1].split()) == 0
    assert (folder / "vdg_baselines" / "colours.jsonl").is_file()


def test_a_pull_request_of_an_artifact(
    here: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A candidate that a CI left is promoted from wherever it was unpacked."""
    here.with_model()
    artifact = tmp_path / "artifact"
    shutil.move(str(candidate_of(here).parent), str(artifact))
    assert vdg("promote", "colours", "--candidates", str(artifact)) == 0
    assert "look at the file and commit it" in capsys.readouterr().out
    here.with_model().assert_outcomes(passed=1)


def test_git_may_ignore_it(
    here: Project,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A baseline that is never committed is missing in CI, and that is told now."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    monkeypatch.setattr("pytest_vdg.sessions.baseline_record._GIT_SECONDS", 600)
    here.pytester.run("git", "init", "--quiet")
    (here.path / ".gitignore").write_text("*.jsonl\n", encoding="utf-8")
    here.with_model()
    assert vdg("promote", "colours") == 0
    assert "git ignores" in capsys.readouterr().out
    (here.path / "vdg_baselines" / "colours.jsonl").unlink()
    result = here.with_model("--vdg-update-baseline")
    result.stdout.fnmatch_lines(["vdg: git ignores *colours.jsonl: commit it with*"])
