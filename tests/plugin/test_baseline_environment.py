"""Baselines of several machines: a folder each, and no number borrowed."""

from __future__ import annotations

import shutil

import pytest

from pytest_vdg.store.runfile import load_recorded
from tests.plugin.conftest import Project
from tests.plugin.test_baseline import SUITE, candidate_of


@pytest.fixture
def suite(project: Project) -> Project:
    """Return a project whose suite is compared with a baseline."""
    project.suite(SUITE)
    return project


def test_each_environment_has_its_own(suite: Project) -> None:
    """Declared, it is a folder, and the header says it; undeclared, files lie flat."""
    suite.with_model("--vdg-environment=h100", "--vdg-update-baseline")
    path = suite.path / "vdg_baselines" / "h100" / "colours.jsonl"
    assert load_recorded(path).environment == "h100"
    assert load_recorded(candidate_of(suite, "h100")).environment == "h100"
    suite.with_model("--vdg-environment=h100").assert_outcomes(passed=1)
    suite.with_model("--vdg-update-baseline")
    flat = suite.path / "vdg_baselines" / "colours.jsonl"
    assert load_recorded(flat).environment is None


def test_an_environment_without_baseline_is_uncalibrated(suite: Project) -> None:
    """Those that have one are named, and what records one here."""
    suite.with_model("--vdg-environment=h100", "--vdg-update-baseline")
    suite.with_model("--vdg-update-baseline")
    result = suite.with_model("--vdg-environment=a100")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "E   COULD NOT BE JUDGED: uncalibrated environment 'a100': *a100/colours*",
            "E*there is*one for no named environment, 'h100'",
            f"E*candidate {candidate_of(suite, 'a100')} *",
            "E*vdg baseline promote colours*--environment=a100",
            "E*pytest *--vdg-environment=a100 --vdg-update-baseline",
        ]
    )


def test_where_only_others_have_one_the_option_is_named(suite: Project) -> None:
    """Who forgot to say where this runs reads how to."""
    suite.with_model("--vdg-environment=h100", "--vdg-update-baseline")
    result = suite.with_model()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E*there is*one for 'h100'*--vdg-environment"])


def test_another_device_is_refused_with_the_option(
    suite: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a machine decides asks for a baseline of its own."""
    monkeypatch.setenv("VDG_TEST_DEVICE", "cuda")
    suite.with_model("--vdg-update-baseline", backend="placed")
    monkeypatch.setenv("VDG_TEST_DEVICE", "cpu")
    result = suite.with_model(backend="placed")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "E*device: cpu, was cuda*",
            "E*machines*device differs: *--vdg-environment NAME*",
        ]
    )


def test_what_no_machine_decides_does_not_name_it(suite: Project) -> None:
    """Another seed is another experiment, on whatever machine."""
    suite.with_model("--vdg-update-baseline")
    result = suite.with_model("--vdg-seed=5")
    result.assert_outcomes(errors=1)
    assert "--vdg-environment" not in result.stdout.str()


def test_a_file_of_another_environment_is_refused(suite: Project) -> None:
    """A copy into another folder calibrates nothing."""
    suite.with_model("--vdg-environment=h100", "--vdg-update-baseline")
    folder = suite.path / "vdg_baselines"
    (folder / "a100").mkdir()
    shutil.copy(folder / "h100" / "colours.jsonl", folder / "a100" / "colours.jsonl")
    result = suite.with_model("--vdg-environment=a100")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["E*recorded in environment 'h100', and this is 'a100'*"]
    )


@pytest.mark.parametrize("name", ["../up", "a b", ".hidden", "a/b"])
def test_a_name_that_no_folder_may_have_is_a_usage_error(
    suite: Project, name: str
) -> None:
    """Baselines land in the folder for baselines."""
    result = suite.with_model(f"--vdg-environment={name}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --vdg-environment must be made of letters*"])


def test_the_file_may_declare_it(suite: Project) -> None:
    """``vdg.yaml`` holds it for a suite that runs on one machine."""
    suite.config("environment: h100")
    suite.with_model("--vdg-update-baseline").assert_outcomes(passed=1)
    assert (suite.path / "vdg_baselines" / "h100" / "colours.jsonl").is_file()
