"""Stored runs in place of a model: which is meant, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg import load_run, save_run
from tests.plugin.conftest import Project

KEEP = """
def test_keep(vdg):
    from pytest_vdg import save_run
    run = vdg.evaluate(conditions=["original", "black", "text_only"])
    save_run(run, "runs/kept.jsonl", full=True)
"""

ONE = """
import pytest
from pytest_vdg import assert_vdg_above

@pytest.mark.vdg(MARKER)
def test_one(vdg_run):
    assert_vdg_above(vdg_run, 0.1)
"""


def one(project: Project, marker: str) -> None:
    """Write a suite of one test with the keywords *marker*."""
    project.suite(ONE.replace("MARKER", marker))


def kept(project: Project, backend: str = "sighted") -> Path:
    """Evaluate once, keep the run, and return its file."""
    project.suite(KEEP)
    project.with_model(backend=backend)
    return project.path / "runs" / "kept.jsonl"


def forget(project: Project) -> None:
    """Remove all that a replay does without: benchmark, videos, cache, file."""
    (project.path / "vdg.yaml").unlink()
    (project.path / "data" / "questions.jsonl").unlink()
    project.loads.unlink(missing_ok=True)


def test_a_replay_needs_no_checkpoint_and_no_slice(project: Project) -> None:
    """Option, variable and file are enough alone; the one slice is meant."""
    kept(project)
    forget(project)
    one(project, "")
    project.run("--vdg-replay=runs").assert_outcomes(passed=1)
    project.run("--vdg-replay=runs/kept.jsonl").assert_outcomes(passed=1)
    (project.path / "vdg.yaml").write_text("replay: runs\n", encoding="utf-8")
    result = project.run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["vdg: checkpoint=any@*slices=colours:24"])


def test_the_environment_says_it_too(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``VDG_REPLAY`` is the twin of the option."""
    kept(project)
    one(project, "slice='colours'")
    monkeypatch.setenv("VDG_REPLAY", str(project.path / "runs"))
    project.run().assert_outcomes(passed=1)
    assert project.loaded() == ["any"]


def test_a_folder_that_is_not_there_is_a_usage_error(project: Project) -> None:
    """Exit code 4, and how a run comes into the folder."""
    one(project, "slice='colours'")
    result = project.run("--vdg-replay=nowhere")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --vdg-replay: */nowhere is not there.*"])
    project.config("replay: nowhere")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: vdg.yaml: replay: *", "*vdg import *"])


def test_a_run_that_is_not_there_cannot_be_judged(project: Project) -> None:
    """What there is instead is listed; other slices are judged all the same."""
    kept(project)
    forget(project)
    text = ONE.replace("MARKER", "slice='colour'")
    project.suite(
        text
        + text[text.index("@") :]
        .replace("colour", "colours")
        .replace("test_one", "test_two")
    )
    result = project.run("--vdg-replay=runs")
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "E   COULD NOT BE JUDGED: no run of slice 'colour' is in *Did you mean*",
            "E*there is  kept.jsonl: slice 'colours', checkpoint 'any', original, *",
            "E*vdg import *",
        ]
    )


def test_a_condition_that_is_not_there_names_the_file(project: Project) -> None:
    """The message says which file lacks it and how to import it."""
    kept(project)
    one(project, "slice='colours', conditions=['original', 'black', 'shuffled']")
    result = project.run("--vdg-replay=runs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["E   COULD NOT BE JUDGED: condition 'shuffled' of slice 'colours' is not in *"]
    )
    assert "shuffled=FILE --to" in result.stdout.str()
    one(project, "slice='colours', conditions=['originl']")
    result = project.run("--vdg-replay=runs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *Did you mean 'original'*"])


def test_a_stored_condition_need_not_be_one_of_ours(project: Project) -> None:
    """Runs made elsewhere have conditions that this version cannot make."""
    path = kept(project)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"text_only"', '"foggy"'), encoding="utf-8")
    project.suite("""
        import pytest
        from pytest_vdg import assert_temporal_delta

        @pytest.mark.vdg(slice="colours", conditions=["original", "foggy"])
        def test_fog(vdg_run):
            assert_temporal_delta(vdg_run, 0.1, against="foggy")
        """)
    project.run("--vdg-replay=runs").assert_outcomes(passed=1)


def test_of_several_runs_the_checkpoint_chooses(project: Project) -> None:
    """Without one it is a usage error that names them; a wrong one is told."""
    path = kept(project)
    run = load_run(path)
    save_run(
        replace(run, checkpoint="step-2"), path.with_name("other.jsonl"), full=True
    )
    (path.parent / "notes.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    one(project, "slice='colours'")
    result = project.run("--vdg-replay=runs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: which run of slice 'colours'? Name one: --vdg-checkpoint=any*"]
    )
    named = ("--vdg-replay=runs", "--vdg-checkpoint=models/step-2")
    result = project.run(*named)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["vdg: checkpoint=step-2@*"])
    result = project.run("--vdg-replay=runs", "--vdg-checkpoint=step-3")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E   COULD*no run of slice 'colours' and checkpoint*"])


@pytest.mark.parametrize(
    ("marker", "told"),
    [
        ("questions=6", "*has 24 questions and cannot be asked for others*"),
        ("seed=3", "*has 24 questions and cannot be asked for others*seed=3*"),
        ("tasks=['shades']", "*has no task 'shades'.*Did you mean 'shade'*"),
    ],
)
def test_a_part_that_cannot_be_told_is_a_usage_error(
    project: Project, marker: str, told: str
) -> None:
    """Other questions than the stored ones are not invented."""
    kept(project)
    one(project, f"slice='colours', {marker}")
    result = project.run("--vdg-replay=runs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: stored run {told}"])


def test_a_part_that_is_the_whole_is_judged(project: Project) -> None:
    """Asking for as many questions as there are is no other part."""
    kept(project)
    one(project, "slice='colours', questions=24")
    project.run("--vdg-replay=runs").assert_outcomes(passed=1)
    result = project.run("--vdg-replay=runs", "--vdg-questions=6")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --vdg-questions asks for 6 questions, *"])


def test_a_part_that_was_stored_by_itself_is_found(project: Project) -> None:
    """A run of a part has a name of its own, which the same test asks for."""
    keep = KEEP.replace("evaluate(", "evaluate(questions=6, seed=3, ")
    project.suite(keep)
    project.with_model().assert_outcomes(passed=1)
    one(project, "slice='colours', questions=6, seed=3")
    result = project.run("--vdg-replay=runs")
    result.stdout.fnmatch_lines(["*slices=colours-6-seed3:6"])


def test_no_model_is_asked(project: Project) -> None:
    """A test that wants the model itself is told why there is none."""
    kept(project)
    project.suite("def test_model(vdg_model):\n    pass\n")
    result = project.run("--vdg-replay=runs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E*no model is asked: stored runs are judged*"])


def test_half_a_run_file_is_an_error(project: Project) -> None:
    """A file that was cut off is named, never judged as far as it goes."""
    path = kept(project)
    path.write_bytes(path.read_bytes()[:-200])
    one(project, "slice='colours'")
    result = project.run("--vdg-replay=runs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: *kept.jsonl*"])


def test_the_caps_of_the_file_apply(project: Project) -> None:
    """``caps`` in ``vdg.yaml`` decide, as they do where a model is asked."""
    kept(project, "fails_in_the_dark")
    one(project, "slice='colours', conditions=['original', 'black']")
    project.run("--vdg-replay=runs").assert_outcomes(errors=1)
    project.config("caps: {failed: 1, failed_difference: 1}")
    result = project.run("--vdg-replay=runs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E*no question of slice colours was judged*"])
