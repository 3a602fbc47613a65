"""The life of a baseline: missing, recorded, compared, refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg import load_run
from tests.plugin.conftest import Project

SUITE = """
import pytest
from pytest_vdg import assert_no_dissociation_regression

@pytest.mark.vdg(conditions=["original", "black"])
def test_regression(vdg_run, vdg_baseline):
    assert_no_dissociation_regression(
        vdg_run, vdg_baseline, accuracy_margin=0.2, vdg_margin=0.2
    )
"""

SEES = """
from pytest_vdg import assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)
"""


def candidate_of(project: Project, *environment: str) -> Path:
    """Return where the candidate of the slice lies, or would."""
    folder = project.path / ".vdg" / "last-run" / "candidates"
    return folder.joinpath(*environment, "colours.jsonl")


@pytest.fixture
def recorded(project: Project) -> Path:
    """Return a baseline recorded with the model that looks."""
    project.suite(SUITE)
    project.with_model("--vdg-update-baseline").assert_outcomes(passed=1)
    return project.path / "vdg_baselines" / "colours.jsonl"


@pytest.mark.parametrize("ci", ["", "true"])
def test_a_missing_baseline_is_an_error_with_a_candidate(
    project: Project, monkeypatch: pytest.MonkeyPatch, ci: str
) -> None:
    """Nothing is created where baselines lie, and the path is named."""
    monkeypatch.setenv("CI", ci)
    project.suite(SUITE)
    result = project.with_model()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "E   COULD NOT BE JUDGED: there is no baseline of slice 'colours': *",
            "E*candidate*last-run/candidates/colours.jsonl*",
            "E*next*vdg baseline promote colours*",
            "E*: pytest --vdg-checkpoint=any --vdg-backend=* --vdg-update-baseline",
        ]
    )
    assert not (project.path / "vdg_baselines").exists()
    assert len(load_run(candidate_of(project)).questions) == 24


def test_recording_is_told_and_then_compared(project: Project, recorded: Path) -> None:
    """The update says what it wrote; the next run compares with it."""
    assert load_run(recorded).conditions == ("original", "black")
    project.with_model().assert_outcomes(passed=1)
    recorded.unlink()
    result = project.with_model("--vdg-update-baseline")
    result.stdout.fnmatch_lines(
        ["vdg: wrote *colours.jsonl (24 questions, original, black): VDG +50.0pp [[]+*"]
    )


def test_a_model_that_stopped_looking_is_named(
    project: Project, recorded: Path
) -> None:
    """Accuracy stays and the gap is gone: DISSOCIATION, in the first line."""
    result = project.with_model("--junitxml=out.xml", backend="blind")
    result.assert_outcomes(failed=1)
    failure = project.junit()["test_regression"].find("failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("DISSOCIATION")


def test_what_is_not_comparable_is_an_error_naming_the_field(
    project: Project, recorded: Path
) -> None:
    """Another seed is another experiment; both values are shown."""
    result = project.with_model("--vdg-seed=5")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: *", "E*seed: 5, was 0*"])


def test_a_smaller_slice_is_not_comparable(project: Project, recorded: Path) -> None:
    """A quick look is refused, and is not allowed to replace the baseline."""
    result = project.with_model("--vdg-questions=6")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E*18 questions are only in the baseline*"])
    before = recorded.read_bytes()
    result = project.with_model("--vdg-questions=6", "--vdg-update-baseline")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert recorded.read_bytes() == before


def test_ci_does_not_record_by_accident(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With CI set the option is refused, unless it says force."""
    monkeypatch.setenv("CI", "true")
    project.suite(SUITE)
    result = project.with_model("--vdg-update-baseline")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *CI=true*--vdg-update-baseline=force"])
    assert not (project.path / "vdg_baselines").exists()
    project.with_model("--vdg-update-baseline=force").assert_outcomes(passed=1)
    assert (project.path / "vdg_baselines" / "colours.jsonl").is_file()


def test_the_option_does_not_take_the_next_word(project: Project) -> None:
    """``--vdg-update-baseline test_suite.py`` tests that file."""
    project.suite(SUITE)
    result = project.with_model("--vdg-update-baseline", "test_suite.py")
    result.assert_outcomes(passed=1)


def test_an_unjudgeable_run_is_never_recorded(project: Project) -> None:
    """A run whose video was dropped leaves no baseline and no candidate."""
    project.suite(SUITE)
    project.with_model(
        "--vdg-update-baseline=force", backend="dropped"
    ).assert_outcomes(errors=1)
    assert not (project.path / "vdg_baselines").exists()
    assert not candidate_of(project).exists()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_only_what_ran_is_rewritten(
    project: Project, recorded: Path, workers: tuple[str, ...]
) -> None:
    """Updating with ``-k`` keeps other slices, and the conditions held before."""
    other = recorded.with_name("other.jsonl")
    other.write_bytes(recorded.read_bytes())
    project.suite(
        SUITE.replace('["original", "black"]', '["original", "black", "text_only"]')
    )
    project.with_model("--vdg-update-baseline", *workers).assert_outcomes(passed=1)
    project.suite(SUITE + "\ndef test_unrelated():\n    pass\n")
    project.with_model(
        "--vdg-update-baseline", "-k", "regression", *workers
    ).assert_outcomes(passed=1, **({} if workers else {"deselected": 1}))
    assert load_run(recorded).conditions == ("original", "black", "text_only")
    assert other.is_file()


def test_a_condition_that_the_baseline_lacks_is_named(
    project: Project, recorded: Path
) -> None:
    """The message asks for a new baseline, not for another marker."""
    project.suite(
        SUITE.replace('["original", "black"]', '["original", "black", "text_only"]')
    )
    result = project.with_model()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: baseline*lacks*text_only*"])


def test_a_broken_baseline_is_an_error_that_names_the_file(
    project: Project, recorded: Path
) -> None:
    """Half a file is neither missing nor a pass."""
    recorded.write_bytes(recorded.read_bytes()[:200])
    result = project.with_model()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: *colours.jsonl*"])


def test_a_broken_baseline_can_be_recorded_anew(
    project: Project, recorded: Path
) -> None:
    """Updating replaces what cannot be read, and keeps it beside as .bak."""
    recorded.write_bytes(b"half a fi")
    result = project.with_model("--vdg-update-baseline")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["vdg: wrote *kept as .bak"])
    assert load_run(recorded).conditions == ("original", "black")
    assert [p.name for p in recorded.parent.glob("*.bak*")]


def test_a_closed_door_is_found_before_the_model_is_asked(project: Project) -> None:
    """A folder for baselines that cannot be made is a usage error."""
    (project.path / "file").touch()
    project.suite(SUITE)
    options = ("--vdg-update-baseline", "--vdg-baseline-dir=file/baselines")
    result = project.with_model(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: baselines cannot be written to *"])
    assert project.loaded() == []


def test_other_versions_are_told_and_not_refused(
    project: Project, recorded: Path
) -> None:
    """A baseline made with another package version still counts."""
    lines = recorded.read_text(encoding="utf-8").splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if line.startswith('{"informative"'))
    lines[place] = '{"informative":{"numpy":"0.1"}}\n'
    recorded.write_text("".join(lines), encoding="utf-8")
    result = project.with_model()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["vdg: baseline colours was made with other versions:*"]
    )


def test_conditions_that_could_not_be_judged_are_not_recorded(
    project: Project,
) -> None:
    """A baseline holds what other tests asked for, so that must be judged, too."""
    project.suite("""
        import pytest
        from pytest_vdg import assert_accuracy_above, assert_vdg_above

        @pytest.mark.vdg(conditions=["original", "text_only"])
        def test_held(vdg_run, vdg_baseline):
            assert_accuracy_above(vdg_run, 0.2)

        @pytest.mark.vdg(conditions=["original", "black"])
        def test_sees(vdg_run):
            assert_vdg_above(vdg_run, 0.0)
        """)
    result = project.with_model("--vdg-update-baseline", backend="fails_in_the_dark")
    result.assert_outcomes(errors=2)
    assert not (project.path / "vdg_baselines").exists()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_that_nothing_was_recorded_is_told(
    project: Project, workers: tuple[str, ...]
) -> None:
    """Where no selected test uses the fixture, no file is a surprise that is said."""
    project.suite(SUITE.replace("test_regression", "test_kept") + SEES)
    result = project.with_model("--vdg-update-baseline", "-k", "sees", *workers)
    result.assert_outcomes(passed=1, **({} if workers else {"deselected": 1}))
    told = [li for li in result.outlines if "no baseline was recorded" in li]
    assert told == [
        "vdg: no baseline was recorded: 1 selected vdg test, and none uses vdg_baseline"
    ]
    assert not (project.path / "vdg_baselines").exists()
