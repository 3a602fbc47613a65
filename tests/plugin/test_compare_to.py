"""``--vdg-compare-to``: a second checkpoint is the baseline, asked in the same job."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.conftest import Project

SUITE = """
import pytest
from pytest_vdg import assert_no_dissociation_regression, assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_regression(vdg_run, vdg_baseline):
    assert_no_dissociation_regression(
        vdg_run, vdg_baseline, accuracy_margin=0.2, vdg_margin=0.2
    )

@pytest.mark.vdg(conditions=["original", "shuffled"], tasks=["colour"])
def test_part(vdg_run, vdg_baseline):
    assert vdg_baseline.checkpoint == "old"
    assert vdg_baseline.conditions == vdg_run.conditions
    assert vdg_baseline.questions == vdg_run.questions
    for key, cell in vdg_run.cells.items():
        other = vdg_baseline.cells[key]
        assert cell.times_s == other.times_s
        assert cell.input_digest == other.input_digest

@pytest.mark.vdg(conditions=["original", "black"])
def test_alone(vdg_run):
    assert_vdg_above(vdg_run, 0.2)
"""


@pytest.fixture
def pair(project: Project) -> Project:
    """Return a project whose tests compare checkpoint ``new`` with another."""
    project.config("backend: python:stub:alone\ncheckpoint: new")
    project.suite(SUITE)
    return project


def test_one_model_after_the_other_each_loaded_once(pair: Project) -> None:
    """Over two slices no model is loaded twice, and never two at a time."""
    result = pair.run("--vdg-compare-to=old")
    result.assert_outcomes(passed=3)
    assert pair.loaded() == ["load new", "free new", "load old", "free old"]
    result.stdout.fnmatch_lines(["vdg: baseline: checkpoint old@*"])
    assert not (pair.path / "vdg_baselines").exists()


def test_both_are_shown_the_same_frames(pair: Project) -> None:
    """Times and pixels agree by digest, as `test_part` of the suite checks."""
    result = pair.run("--vdg-compare-to=old", "-k", "test_part", "--vdg-no-cache")
    result.assert_outcomes(passed=1)


def test_answers_of_both_are_kept_under_their_own_keys(pair: Project) -> None:
    """The next session loads neither; the other way round neither, too."""
    pair.run("--vdg-compare-to=old")
    pair.loads.unlink()
    result = pair.run("--vdg-compare-to=old")
    result.assert_outcomes(passed=3)
    assert pair.loaded() == []
    other_way = "--vdg-checkpoint=old", "--vdg-compare-to=new", "-k", "regression"
    pair.run(*other_way).assert_outcomes(passed=1)
    assert pair.loaded() == []


def test_a_checkpoint_that_stopped_looking_is_named(pair: Project) -> None:
    """The other checkpoint takes the place of the committed file."""
    pair.config("backend: python:stub:alone\ncheckpoint: blind")
    result = pair.run("--vdg-compare-to=old", "-k", "regression", "--junitxml=out.xml")
    result.assert_outcomes(failed=1)
    failure = pair.junit()["test_regression"].find("failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("DISSOCIATION")
    told = pair.properties()["test_regression"]["vdg.run.baseline"]
    assert told.startswith("old@")


@pytest.mark.parametrize("workers", ["2", "3"])
def test_workers_share_both_checkpoints(pair: Project, workers: str) -> None:
    """With ``--vdg-spread`` each worker has one model at a time, too."""
    result = pair.run("--vdg-compare-to=old", "--vdg-spread", "-n", workers)
    result.assert_outcomes(passed=3)
    assert not any(line.endswith(" too") for line in pair.loaded())


@pytest.mark.parametrize("voice", ["env", "yaml", "ini"])
def test_every_voice_can_say_it(
    pair: Project, monkeypatch: pytest.MonkeyPatch, voice: str
) -> None:
    """Environment, file and ini are twins of the option."""
    if voice == "env":
        monkeypatch.setenv("VDG_COMPARE_TO", "old")
    elif voice == "yaml":
        pair.config("backend: python:stub:alone\ncheckpoint: new\ncompare_to: old")
    else:
        pair.pytester.makeini("[pytest]\nvdg_compare_to = old\n")
    pair.run("-k", "regression").assert_outcomes(passed=1)
    assert "load old" in pair.loaded()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--vdg-update-baseline=force"], "--vdg-update-baseline and --vdg-compare-to"),
        (["--vdg-time-budget=1h"], "--vdg-compare-to and --vdg-time-budget"),
        (["--vdg-checkpoint=old"], "which is the checkpoint under test"),
    ],
)
def test_what_cannot_be_compared_is_a_usage_error(
    pair: Project, options: list[str], told: str
) -> None:
    """It is found before any model is loaded."""
    result = pair.run("--vdg-compare-to=old", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert told in result.stderr.str()
    assert pair.loaded() == []


def test_a_folder_that_is_not_there_is_a_usage_error(pair: Project) -> None:
    """The option is named, as it is for the checkpoint under test."""
    model = pair.path / "models" / "new"
    model.mkdir(parents=True)
    pair.config(f"checkpoint: {model}")
    result = pair.run("--vdg-compare-to=models/odl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "checkpoint 'models/odl' (--vdg-compare-to) is not" in result.stderr.str()


def test_other_settings_of_the_checkpoint_are_refused(pair: Project) -> None:
    """Runs that do not measure the same thing are no pair, and the field is named."""
    pair.config("backend: python:stub:merges_frames_when_old\ncheckpoint: new")
    result = pair.run("--vdg-compare-to=old", "-k", "regression")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*do not measure the same thing*", "*frames_per_tok*"])
    assert "--vdg-update-baseline" not in result.stdout.str()


def test_stored_runs_are_compared_by_name(pair: Project) -> None:
    """With ``--vdg-replay`` the other run comes from the folder, too."""
    pair.suite("""
def test_keep(vdg):
    from pytest_vdg import save_run
    for name in ("new", "old"):
        run = vdg.evaluate(conditions=["original", "black"], checkpoint=name)
        save_run(run, f"runs/{name}.jsonl", full=True)
""")
    pair.run().assert_outcomes(passed=1)
    runs = sorted(p.name for p in Path(pair.path / "runs").iterdir())
    assert runs == ["new.jsonl", "old.jsonl"]
    pair.suite(SUITE)
    pair.loads.unlink()
    named = "--vdg-replay=runs", "--vdg-checkpoint=new", "-k", "regression"
    result = pair.run(*named, "--vdg-compare-to=old")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["vdg: baseline: checkpoint old@*"])
    result = pair.run(*named, "--vdg-compare-to=olde")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no run of slice 'colours' and checkpoint 'olde'*"])
    assert pair.loaded() == []
