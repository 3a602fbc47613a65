"""``--vdg-dry-run`` and ``vdg plan --cells``: what is needed, and nothing done."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import pytest

from pytest_vdg import cli
from tests.plugin.conftest import SUITE, Project

MANY = """
import pytest
from pytest_vdg import assert_accuracy_above, assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)

@pytest.mark.vdg(conditions=["black", "text_only"])
def test_blind(vdg_run):
    assert_accuracy_above(vdg_run, 0.2, condition="text_only")

@pytest.mark.vdg(conditions=["original"], questions=6)
def test_part(vdg_run):
    assert_accuracy_above(vdg_run, 0.2)

def test_by_hand(vdg):
    vdg.evaluate(questions=3)

def test_other():
    raise AssertionError("tests run")
"""


def rows(lines: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """Return the numbers of the table in *lines* by slice and condition."""
    found: dict[tuple[str, str], list[str]] = {}
    start = next(i for i, line in enumerate(lines) if line.startswith("slice "))
    name = ""
    for line in lines[start + 1 :]:
        if not line:
            break
        words = line.split("  ")
        name = words[0] or name
        condition, *numbers = [w.strip() for w in words[1:] if w.strip()]
        found[name, condition] = numbers
    return found


def test_the_union_of_all_needs_is_shown(project: Project) -> None:
    """Every test's cells are there, once; nothing runs, is loaded or written."""
    project.suite(MANY)
    before = project.files()
    result = project.with_model("--vdg-dry-run")
    assert result.ret == 0
    shown = rows(result.outlines)
    assert shown["colours", "original"][:4] == ["24", "0", "24", "12"]
    assert shown["colours", "text_only"][:4] == ["24", "0", "24", "0"]
    assert shown["colours", "all"][:4] == ["72", "0", "72", "12"]
    assert shown["colours-6", "original"][:3] == ["6", "6", "0"]
    assert shown["colours", "all"][4:] == ["unknown", "unknown"]
    result.stdout.fnmatch_lines(
        [
            "checkpoint any@any",
            "cached: 6 of these cells are asked by another run of this plan",
            "unknown: of this checkpoint*",
            "1 vdg test asks by hand*",
            "*no tests ran*",
        ]
    )
    assert project.loaded() == []
    assert project.files() == before


def test_what_was_answered_is_cached_and_measured(project: Project) -> None:
    """After a part has run, the rest has a price and the part has none."""
    project.suite(MANY)
    project.with_model("-k", "part").assert_outcomes(passed=1, deselected=4)
    shown = rows(project.with_model("--vdg-dry-run").outlines)
    assert shown["colours", "original"][:3] == ["24", "6", "18"]
    tokens, time = shown["colours", "original"][4:]
    assert int(tokens.replace(",", "")) % 18 == 0
    assert time == "<1 s"
    assert shown["colours", "black"][4:] == ["unknown", "unknown"]
    assert shown["colours-6", "original"] == ["6", "6", "0", "0", "0", "0 s"]


@pytest.mark.parametrize("workers", [("-n", "2"), ("-n", "2", "--dist", "loadfile")])
def test_workers_change_nothing(project: Project, workers: tuple[str, ...]) -> None:
    """With ``-n`` the same table is shown, once, and no test runs on a worker."""
    # Hazards 49 and 55: what one process shows and many do not.
    project.suite(MANY)
    alone = project.with_model("--vdg-dry-run")
    many = project.with_model("--vdg-dry-run", *workers)
    assert many.ret == 0
    assert rows(many.outlines) == rows(alone.outlines)
    assert sum("checkpoint any@any" in line for line in many.outlines) == 1
    many.stdout.fnmatch_lines(["*no tests ran*"])
    assert project.loaded() == []


def test_only_selected_tests_are_planned(project: Project) -> None:
    """``-k`` and ``-m`` select before anything is counted."""
    project.suite(MANY)
    shown = rows(project.with_model("--vdg-dry-run", "-k", "blind").outlines)
    assert set(shown) == {("colours", c) for c in ("black", "text_only", "all")}
    result = project.with_model("--vdg-dry-run", "-k", "other")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["no vdg test is selected"])


def test_two_checkpoints_are_two_tables(project: Project) -> None:
    """Each checkpoint has its own cells; neither is loaded."""
    project.config("backend: python:stub:sighted")
    project.suite(
        "import pytest\n"
        "@pytest.mark.parametrize('i', range(2))\n"
        "@pytest.mark.vdg(checkpoint='first')\ndef test_one(vdg_run, i): pass\n"
        "@pytest.mark.vdg(checkpoint='second')\ndef test_other(vdg_run): pass\n"
    )
    result = project.run("--vdg-dry-run", "-n", "2")
    assert result.ret == 0
    heads = [line for line in result.outlines if line.startswith("checkpoint ")]
    assert heads == ["checkpoint first@first", "checkpoint second@second"]
    assert project.loaded() == []


def test_without_a_checkpoint_it_is_said(project: Project) -> None:
    """Tests that would be skipped need nothing, and that is told."""
    result = project.run("--vdg-dry-run")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["1 vdg test asks nothing: no checkpoint to test*"])


def test_a_slice_that_cannot_be_read_fails_the_dry_run(project: Project) -> None:
    """What a night would have ended with is found by day, exit code 1."""
    project.suite(
        SUITE + "\n@pytest.mark.vdg(slice='sight', conditions=['original'])\n"
        "def test_more(vdg_run): pass\n"
    )
    (project.path / "data" / "questions.jsonl").write_text("{broken\n")
    result = project.with_model("--vdg-dry-run")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "checkpoint any@any",
            "sight * original *",
            "could not be planned: slice 'colours'*",
            "vdg: FAILED, 1 run could not be planned",
        ]
    )


def test_missing_videos_are_told(project: Project) -> None:
    """A video that is not there is named before any model is loaded."""
    (project.path / "data" / "03.mp4").unlink()
    result = project.with_model("--vdg-dry-run")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["slice 'colours': 1 video cannot be read (first: 03.mp4)"]
    )


def test_a_broken_test_file_is_still_an_error(project: Project) -> None:
    """A plan without the tests of a file is no plan."""
    project.pytester.makepyfile(test_broken="import nothing_of_the_kind\n")
    result = project.with_model("--vdg-dry-run")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "vdg plan" not in result.stdout.str()


def test_bad_configuration_is_a_usage_error(project: Project) -> None:
    """As in a real session, exit code 4."""
    project.suite(SUITE.replace('"black"', '"blackk"'))
    assert project.with_model("--vdg-dry-run").ret == pytest.ExitCode.USAGE_ERROR


def test_required_verdicts_are_not_missed_in_a_dry_run(project: Project) -> None:
    """Ini ``vdg_required`` is about sessions that judge."""
    project.pytester.makeini("[pytest]\nvdg_required = true\n")
    assert project.with_model("--vdg-dry-run").ret == 0


def test_stored_runs_need_no_cells(project: Project) -> None:
    """Where runs are replayed, no model is asked, and that is said."""
    (project.path / "runs").mkdir()
    result = project.run("--vdg-dry-run", "--vdg-replay", "runs")
    result.stdout.fnmatch_lines(["stored runs are judged (*runs): no model is asked"])


PLAN = ["plan", "--cells", "--backend", "python:stub:sighted"]


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return the project as the current folder."""
    monkeypatch.chdir(project.path)
    return project


def test_the_command_shows_the_same_table(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """``vdg plan --cells`` and ``--vdg-dry-run`` are of one mind."""
    planned = rows(here.with_model("--vdg-dry-run").outlines)
    capsys.readouterr()
    wanted = ["--checkpoint", "any", "--conditions", "original,black"]
    assert cli.main([*PLAN, *wanted]) == 0
    assert rows(capsys.readouterr().out.splitlines()) == planned
    assert here.loaded() == []
    assert not (here.path / ".vdg").exists()


def test_the_command_takes_several_slices(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Slices, tasks and a limit narrow it as they narrow a run."""
    wanted = ["--checkpoint", "any", "--slice", "colours", "sight"]
    more = ["--conditions", "original", "--questions", "4"]
    assert cli.main([*PLAN, *wanted, *more]) == 0
    shown = rows(capsys.readouterr().out.splitlines())
    assert shown["colours", "original"][0] == shown["sight", "original"][0] == "4"
    arguments = [*PLAN, "--checkpoint", "any", "--tasks", "shade"]
    assert cli.main([*arguments, "--conditions", "original"]) == 0
    shown = rows(capsys.readouterr().out.splitlines())
    assert shown["colours-shade", "original"][0] == "12"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["plan"], 4, "which run? Name a baseline"),
        (["plan", "--seed", "3", "x.jsonl"], 4, "--seed is of a run that is made now"),
        ([*PLAN, "x.jsonl"], 4, "RUN is of a plan from stored runs"),
        ([*PLAN, "--floor", "0.2"], 4, "--floor is of a plan from stored runs"),
        ([*PLAN, "--same-videos"], 4, "--same-videos is of a plan"),
        (PLAN, 4, "no checkpoint is configured"),
        ([*PLAN, "--checkpoint", "any", "--slice", "colors"], 4, "'colours'"),
        ([*PLAN, "--checkpoint", "any", "--conditions", "blakc"], 4, "'black'"),
        (["plan", "--cells", "--checkpoint", "./gone"], 4, "is not there"),
    ],
)
def test_what_goes_wrong_has_its_code(
    here: Project,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    """4 for what cannot be meant; nothing is printed as if it were a plan."""
    assert cli.main(arguments) == code
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""


def test_a_run_that_cannot_be_planned_is_told(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, with the slice named."""
    shutil.rmtree(here.path / "data")
    assert cli.main([*PLAN, "--checkpoint", "any", "--conditions", "original"]) == 1
    assert "slice 'colours'" in capsys.readouterr().err
