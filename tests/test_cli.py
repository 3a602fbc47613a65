"""The command line tool: what it prints, and what it leaves with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg.store.runfile import save_run
from tests.assertions.build import arms, make_run
from tests.plugin.conftest import ROOT, Project, clips, project  # noqa: F401

STUB = ["--backend", "python:stub:sighted"]


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:  # noqa: F811
    """Return the project of the plugin's tests, as the current folder."""
    monkeypatch.chdir(project.path)
    return project


def test_the_ladder_is_printed(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every condition has its accuracy, and the answers are kept."""
    conditions = ["--conditions", "original", "black", "text_only"]
    assert cli.main(["ladder", "any", *conditions, *STUB]) == 0
    first = capsys.readouterr().out
    assert "checkpoint any, slice colours" in first
    for word in ("original", "black", "text_only", "VDG", "+50.0"):
        assert word in first
    assert cli.main(["ladder", "any", *conditions, *STUB]) == 0
    assert "72 of 72 cells from cache" in capsys.readouterr().out
    assert here.loaded() == ["any"]


def test_json_holds_the_counts(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--json`` is for programs: counts for each condition and task."""
    arguments = ["ladder", "any", "--slice", "colours", "--questions", "6", "--json"]
    assert cli.main([*arguments, "--conditions", "original", "black", *STUB]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["questions"] == 6
    assert values["conditions"]["original"]["accuracy"] == 1.0
    assert set(values["tasks"]) == {"colour", "shade"}


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (
            ["ladder", "./gone"],
            4,
            "checkpoint './gone' (--vdg-checkpoint) is not there",
        ),
        (["ladder", "any", "--slice", "colors", *STUB], 4, "Did you mean 'colours'?"),
        (["ladder", "any", "--conditions", "blackk", *STUB], 4, "'black'"),
        (["ladder", "any", "--config", "x.yaml", *STUB], 4, "x.yaml"),
        (["ladder", "any", "--questions", "no", *STUB], 4, "above 0"),
        (["ladder"], 4, "CHECKPOINT is missing. Type: vdg ladder CHECKPOINT"),
        (["laddr"], 4, "vdg has no command 'laddr'. Did you mean 'ladder'?"),
        (
            ["ladder", "any", "--backend", "python:stub:dropped"],
            1,
            "vdg: COULD NOT BE JUDGED: ",
        ),
    ],
)
def test_what_goes_wrong_has_its_code(
    here: Project,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    """4 for a wrong command, 1 for a run without verdict; never a traceback."""
    assert cli.main(arguments) == code
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""


def test_the_configuration_is_printed_with_its_sources(
    here: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``config`` shows what holds and who said so, and loads no model."""
    here.config("seed: 3")
    monkeypatch.setenv("VDG_DEVICE", "cuda")
    assert cli.main(["config", "--checkpoint", "a/b"]) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = {line.split()[0]: line.split()[1:] for line in lines}
    assert shown["checkpoint"] == ["a/b", "--vdg-checkpoint"]
    assert shown["device"] == ["cuda", "VDG_DEVICE"]
    assert shown["seed"] == ["3", "vdg.yaml:", "seed"]
    assert shown["slices"][0] == "colours"


def test_help_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` leaves with 0."""
    assert cli.main(["--help"]) == 0
    assert "ladder" in capsys.readouterr().out


def test_the_module_runs(tmp_path: Path) -> None:
    """``python -m pytest_vdg`` is the same tool."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest_vdg", "config"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )
    assert done.stdout.startswith("checkpoint ")


def test_tasks_are_taken_together(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--tasks`` asks only these, and names may be divided by commas."""
    arguments = ["ladder", "any", "--tasks", "colour", "--json"]
    assert cli.main([*arguments, "--conditions", "original,black", *STUB]) == 0
    values = json.loads(capsys.readouterr().out)
    assert set(values["tasks"]) == {"colour"}
    assert list(values["conditions"]) == ["original", "black"]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, now the current one, with two runs to plan from."""
    monkeypatch.chdir(tmp_path)
    counts = {"both": 70, "treated_only": 60, "control_only": 10, "neither": 60}
    shuffled = {"both": 110, "treated_only": 20, "neither": 70}
    run = {**arms(**counts), **arms(**shuffled, control="shuffled")}
    save_run(make_run(run), tmp_path / "run.jsonl")
    save_run(make_run(run, checkpoint="old"), tmp_path / "old.jsonl")
    save_run(make_run(arms(both=9), per_video=9), tmp_path / "one-video.jsonl")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "VDG above a floor of +10.0pp"),
        (["--floor", "0.2"], "VDG above a floor of +20.0pp"),
        (["--claim", "regression"], "no loss of VDG beyond 5.0pp"),
        (["--claim", "temporal"], "no loss of temporal delta beyond 3.0pp"),
        (
            ["--claim", "temporal", "--floor", "0"],
            "temporal delta above a floor of +0.0pp",
        ),
        (["old.jsonl", "--claim", "regression"], "from  new and old"),
        (["--claim", "regression", "--change-rate", ".1"], "if 10% of answers change"),
        (
            ["--claim", "regression", "--different-checkpoints"],
            "if checkpoints differ",
        ),
        (["--same-videos"], "asked on the same videos"),
        (["--power", ".9", "--confidence", ".9"], "(bounds at 90%)"),
        (["--power", ".9"], "for 90% power"),
        (["--tasks", "all"], "task all"),
    ],
)
def test_a_plan_is_printed(
    kept: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    """Each claim and option is in the plan; no model and no config is needed."""
    assert cli.main(["plan", "run.jsonl", *arguments]) == 0
    captured = capsys.readouterr()
    assert told in " ".join(captured.out.split("\n"))
    assert captured.err == ""


def test_a_plan_is_drawn(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--picture`` writes the curve and says where."""
    pytest.importorskip("matplotlib")
    assert cli.main(["plan", "run.jsonl", "--picture", "power.png"]) == 0
    assert capsys.readouterr().out.endswith("wrote power.png\n")
    assert (kept / "power.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["gone.jsonl"], 4, "run 'gone.jsonl' is not there"),
        (["run.jsonl", "--floor", "10"], 4, "Fractions, not percent: floor=0.1"),
        (["run.jsonl", "--floor", "x"], 4, "--floor must be a number, got 'x'"),
        (["run.jsonl", "--power", ".3"], 4, "power must lie in"),
        (["run.jsonl", "--power", "1"], 4, "power must lie between"),
        (["run.jsonl", "--power", "1.5"], 4, "power must lie"),
        (["run.jsonl", "--floor", "1.5"], 4, "floor must lie"),
        (["run.jsonl", "--claim", "regression", "--margin", "1.5"], 4, "margin must"),
        (
            ["run.jsonl", "--claim", "regression", "--change-rate", "1.5"],
            4,
            "change_rate must lie",
        ),
        (["run.jsonl", "--confidence", "95"], 4, "confidence=0.95"),
        (["run.jsonl", "--tasks", "al"], 4, "Did you mean 'all'?"),
        (["run.jsonl", "--claim", "regressions"], 4, "Did you mean 'regression'?"),
        (["run.jsonl", "--margin", ".1"], 4, "--margin is for --claim regression"),
        (
            ["run.jsonl", "--claim", "regression", "--floor", ".1"],
            4,
            "--floor is for --claim vdg",
        ),
        (
            ["run.jsonl", "--claim", "temporal", "--floor", ".1", "--margin", ".1"],
            4,
            "not both",
        ),
        (["run.jsonl", "old.jsonl"], 4, "a second run is for claims of no loss"),
        (["run.jsonl", "--change-rate", ".1"], 4, "are for claims of no loss"),
        (
            [
                *("run.jsonl", "old.jsonl", "--claim", "regression"),
                "--different-checkpoints",
            ],
            4,
            "with two runs changes are measured",
        ),
        (
            [
                *("run.jsonl", "--claim", "regression", "--change-rate", ".1"),
                "--different-checkpoints",
            ],
            4,
            "not both",
        ),
        (
            ["run.jsonl", "--claim", "regression", "--against", "shuffled"],
            4,
            "--against is for --claim temporal",
        ),
        (["run.jsonl", "--picture", "a.gif"], 4, "must end with one of"),
        (["one-video.jsonl"], 1, "COULD NOT BE JUDGED: all questions of slice"),
        (
            ["run.jsonl", "--claim", "temporal", "--against", "reversed"],
            1,
            "condition 'reversed' was not run",
        ),
    ],
)
def test_what_cannot_be_planned_has_its_code(
    kept: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    """4 for what was typed, 1 for a run that allows no plan; never a traceback."""
    assert cli.main(["plan", *arguments]) == code
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""


def test_a_broken_run_is_named(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half a file is an error with its path, not a smaller run."""
    half = (kept / "run.jsonl").read_bytes()[:2000]
    (kept / "half.jsonl").write_bytes(half)
    assert cli.main(["plan", "half.jsonl"]) == 1
    assert "half.jsonl" in capsys.readouterr().err


def test_reading_the_command_line_imports_no_numbers() -> None:
    """``vdg config`` pays for neither numpy, scipy nor matplotlib."""
    code = (
        "import sys, pytest_vdg.cli;"
        "print({'numpy', 'scipy', 'matplotlib', 'torch'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("given", "value"), [("--spread", "true"), ("--spread=force", "force")]
)
def test_force_may_follow_a_flag(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: str,
    value: str,
) -> None:
    """The two forms of the option are those of pytest, and help shows both."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["config", given]) == 0
    rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert next(row for row in rows if row[:1] == ["spread"])[1] == value


@pytest.mark.parametrize("words", [["config"], ["--help"], ["run", "--help"]])
def test_who_stops_reading_changes_no_exit_code(
    tmp_path: Path, words: list[str]
) -> None:
    """``vdg ... | head`` ends without a traceback, and as it would have."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "pytest_vdg", *words]
    try:
        done = subprocess.run(
            command, stdout=writer, stderr=subprocess.PIPE, check=False, cwd=tmp_path
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("word", ["config", "--help"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_what_cannot_be_told_is_not_green(
    tmp_path: Path, word: str, unbuffered: str
) -> None:
    """A full disk under the output is an error in words, told once."""
    command = [sys.executable, "-m", "pytest_vdg", word]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 1
    (told,) = done.stderr.splitlines()
    assert told.startswith(b"vdg: standard output cannot be written: ")


def test_what_a_terminal_cannot_spell_is_escaped(tmp_path: Path) -> None:
    """A name of another script costs no traceback where only ASCII is known."""
    (tmp_path / "vdg.yaml").write_text("checkpoint: ч\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest_vdg", "config"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    environment.pop("VDG_CHECKPOINT", None)
    done = subprocess.run(
        command, capture_output=True, check=False, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u0447" in done.stdout
