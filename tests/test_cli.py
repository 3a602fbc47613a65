"""The command line tool: what it prints, and what it leaves with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vdg import cli
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
        (["ladder"], 4, "the following arguments are required"),
        (["nothing"], 4, "invalid choice"),
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
