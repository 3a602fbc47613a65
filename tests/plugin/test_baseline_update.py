"""What ``--vdg-update-baseline`` writes, leaves alone, and leaves with.

Apart from the life of one baseline: here things go wrong, or half of them ran.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg import load_run
from pytest_vdg.store.runfile import load_recorded
from tests.plugin.conftest import Project
from tests.plugin.test_baseline import SEES, SUITE, candidate_of

TWO = """
import pytest
from pytest_vdg import assert_no_dissociation_regression

@pytest.mark.vdg(slice="colours", conditions=["original", "black"])
def test_first(vdg_run, vdg_baseline):
    assert_no_dissociation_regression(vdg_run, vdg_baseline, vdg_margin=0.2)

@pytest.mark.vdg(slice="again", conditions=["original", "black"])
def test_second(vdg_run, vdg_baseline):
    assert_no_dissociation_regression(vdg_run, vdg_baseline, vdg_margin=0.2)
"""
UPDATE = "--vdg-update-baseline"

KILLED = """
import os, signal
from pytest_vdg import atomic
from pytest_vdg.store import runfile

def half(path, data):
    if path.parent.name != "vdg_baselines":
        return whole(path, data)
    def dies(descriptor):
        os.kill(os.getpid(), signal.SIGKILL)
    atomic.os.fsync, data = dies, [data[:100]]
    return whole(path, data)

whole, runfile.write_atomically = runfile.write_atomically, half
"""


@pytest.fixture
def two(project: Project) -> Project:
    """Return a project with baselines of two slices, of a model that looks."""
    text = "again: {benchmark: plain, path: data/questions.jsonl, questions: 24}"
    slices = "colours: {benchmark: plain, path: data/questions.jsonl}"
    (project.path / "vdg.yaml").write_text(
        f"slices:\n  {slices}\n  {text}\n", encoding="utf-8"
    )
    project.suite(TWO)
    project.with_model(UPDATE).assert_outcomes(passed=2)
    return project


def held(project: Project) -> dict[str, bytes]:
    """Return all that lies where baselines do."""
    folder = project.path / "vdg_baselines"
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def model_of(project: Project, name: str) -> str:
    """Return whose answers the baseline of a slice holds."""
    return load_run(project.path / "vdg_baselines" / f"{name}.jsonl").checkpoint


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_with_k_only_what_ran_is_rewritten(
    two: Project, workers: tuple[str, ...]
) -> None:
    """The other slice was not used, which is not the same as of no use."""
    before = held(two)
    two.with_model(UPDATE, "-k", "first", *workers, backend="blind")
    assert held(two)["again.jsonl"] == before["again.jsonl"]
    assert model_of(two, "colours") == "any-that-reads"


def test_with_workers_all_that_ran_is_rewritten(two: Project) -> None:
    """Two workers lose no file and no line of one, and its criteria are there."""
    two.with_model(UPDATE, "-n", "2", "--dist=load", backend="blind")
    for name in ("colours", "again"):
        assert model_of(two, name) == "any-that-reads"
        found = load_recorded(two.path / "vdg_baselines" / f"{name}.jsonl")
        assert [c.margin for c in found.criteria] == [0.2]
    assert set(held(two)) == {"colours.jsonl", "again.jsonl"}


def test_a_collection_error_writes_nothing(two: Project) -> None:
    """A suite that cannot be read whole does not run, and nothing is lost."""
    before = held(two)
    two.pytester.makepyfile(test_broken="def broken(:")
    result = two.with_model(UPDATE, backend="blind")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert held(two) == before


def test_after_a_collection_error_what_ran_is_written(two: Project) -> None:
    """Asked to go on, the session records what it judged, and fails all the same."""
    two.pytester.makepyfile(test_broken="def broken(:")
    on = "--continue-on-collection-errors"
    result = two.with_model(UPDATE, on, "-k", "second or broken", backend="blind")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert model_of(two, "again") == "any-that-reads"
    assert model_of(two, "colours") == "any"


@pytest.mark.parametrize(
    ("moment", "written"), [(10, set()), (48 + 10, {"colours"})], ids=["1st", "2nd"]
)
def test_ctrl_c_loses_nothing(
    two: Project, monkeypatch: pytest.MonkeyPatch, moment: int, written: set[str]
) -> None:
    """A slice is recorded whole or not at all; whole, it has its criteria, too."""
    monkeypatch.setenv("VDG_TEST_MOMENT", str(moment))
    before = held(two)
    options = ("--vdg-checkpoint=next", "--vdg-backend=python:stub:interrupted")
    result = two.run(*options, UPDATE, "--vdg-no-cache", subprocess=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert set(held(two)) == set(before)
    for name in ("colours", "again"):
        same = held(two)[f"{name}.jsonl"] == before[f"{name}.jsonl"]
        assert same is (name not in written)
        recorded = load_recorded(two.path / "vdg_baselines" / f"{name}.jsonl")
        assert [c.margin for c in recorded.criteria] == [0.2]


def test_killed_while_writing_the_old_file_stays(two: Project) -> None:
    """``kill -9`` in the middle of the file costs the new one, and no later run."""
    two.pytester.makeconftest(KILLED)
    before = held(two)
    options = ("--vdg-checkpoint=next", "--vdg-backend=python:stub:blind")
    result = two.run(*options, UPDATE, subprocess=True)
    assert result.ret < 0
    after = held(two)
    assert {name: after[name] for name in before} == before
    assert all(name.endswith(".tmp") for name in set(after) - set(before))
    (two.path / "conftest.py").unlink()
    two.with_model().assert_outcomes(passed=2)


def test_an_unchanged_update_leaves_the_file(two: Project) -> None:
    """No diff for a reviewer where nothing is new; green, and it says so."""
    before = held(two)
    result = two.with_model(UPDATE)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        ["vdg: answers unchanged: *colours.jsonl*holds them already"]
    )
    assert held(two) == before


def test_one_number_that_improved_rewrites_the_file(two: Project) -> None:
    """Better on black frames, the same otherwise: old -> new is told for both."""
    result = two.with_model(UPDATE, "-k", "first", backend="blind")
    result.stdout.fnmatch_lines(
        [
            "vdg: wrote *colours.jsonl*: VDG +0.0pp *, was +50.0pp *",
            "vdg:   VDG +50.0pp * -> +0.0pp *, change -50.0pp *; lost grounding 12*",
            "vdg:   original 1.00 -> 1.00, change +0.0pp *; 0 became wrong, 0 right*",
            "vdg:   black .500 -> 1.00, change +50.0pp *; 0 became wrong, 12 right*",
        ]
    )


def test_the_exit_code_is_that_of_the_tests(two: Project) -> None:
    """Recording makes no test red, and makes none green."""
    two.suite(TWO + "\ndef test_of_something_else():\n    assert False\n")
    result = two.with_model(UPDATE, backend="blind")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert model_of(two, "colours") == "any-that-reads"


def test_a_run_with_decode_errors_is_never_recorded(two: Project) -> None:
    """Not even by force: what is missing would be missing for ever."""
    before = held(two)
    (two.path / "data" / "03.mp4").write_bytes(b"no video")
    text = (two.path / "vdg.yaml").read_text(encoding="utf-8")
    (two.path / "vdg.yaml").write_text(f"on_bad_media: skip\n{text}", encoding="utf-8")
    result = two.with_model(f"{UPDATE}=force", backend="blind")
    result.assert_outcomes(errors=2)
    assert held(two) == before


def test_a_broken_file_is_named_and_kept(two: Project) -> None:
    """Half a file is an error with its path; recorded anew, it lies beside."""
    path = two.path / "vdg_baselines" / "colours.jsonl"
    path.write_bytes(path.read_bytes()[:300])
    result = two.with_model("-k", "first")
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines([f"E   COULD NOT BE JUDGED: {path}:*cut off*"])
    two.with_model(UPDATE, "-k", "first").assert_outcomes(passed=1, deselected=1)
    assert path.with_name("colours.jsonl.bak").stat().st_size == 300


@pytest.mark.parametrize(
    ("mishap", "told"),
    [("ignored", "git check-ignore*"), ("misspelt", "*Did you mean*colors.jsonl*")],
)
def test_a_missing_file_in_ci_is_red_and_names_its_path(
    project: Project, monkeypatch: pytest.MonkeyPatch, mishap: str, told: str
) -> None:
    """Nothing is created there: a suite that tests nothing would be green."""
    project.suite(SUITE)
    folder = project.path / "vdg_baselines"
    if mishap == "misspelt":
        project.with_model(UPDATE)
        (folder / "colours.jsonl").rename(folder / "colors.jsonl")
    monkeypatch.setenv("CI", "true")
    before = sorted(folder.iterdir()) if folder.is_dir() else None
    result = project.with_model()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"E*no file {folder / 'colours.jsonl'}*"])
    result.stdout.fnmatch_lines([f"E*{told}"])
    assert before == (sorted(folder.iterdir()) if folder.is_dir() else None)
    assert candidate_of(project).is_file()


def test_a_test_without_the_fixture_records_nothing(project: Project) -> None:
    """The option is about baselines that are asked for."""
    project.suite("import pytest\n" + SEES)
    project.with_model(UPDATE).assert_outcomes(passed=1)
    assert not (project.path / "vdg_baselines").exists()
    assert not candidate_of(project).exists()


def test_the_folder_keeps_no_scraps(two: Project) -> None:
    """Each file was written beside itself, and is alone now."""
    two.with_model(UPDATE, backend="blind")
    assert sorted(p.name for p in Path(two.path / "vdg_baselines").iterdir()) == [
        "again.jsonl",
        "colours.jsonl",
    ]
