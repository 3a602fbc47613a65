"""``vdg run``: verdicts and reports without pytest, and what it leaves with."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg._commands._arguments import Outputs
from pytest_vdg._commands.ladder import CONDITIONS as LADDER
from pytest_vdg.config.switches import OUTPUTS
from pytest_vdg.reports.results_json import load_results, schema
from pytest_vdg.sessions.session import VdgSession
from pytest_vdg.store.history import past_runs
from pytest_vdg.store.runfile import save_run
from tests.plugin.conftest import ROOT, Project, clips, project  # noqa: F401

STUB = ["--backend", "python:stub:sighted"]
CLAIMS = """
claims:
  sees: {assert: vdg_above, floor: 0.2}
  order: {assert: temporal_delta, floor: 0.2}
  gain: {assert: visual_gain_above, floor: 0.2}
"""
Captured = pytest.CaptureFixture[str]


def test_every_report_can_be_asked_for() -> None:
    """The options of reports are the switches of reports, with the same names."""
    assert [f.name for f in fields(Outputs)] == [switch.name for switch in OUTPUTS]


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:  # noqa: F811
    """Return the project of the plugin's tests, as the current folder."""
    monkeypatch.chdir(project.path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "VDG_JSON"):
        monkeypatch.delenv(name, raising=False)
    return project


def test_what_holds_is_green(here: Project, capsys: Captured) -> None:
    """Only the claims that are named: the table of a test session, and 0."""
    here.config(CLAIMS)
    assert cli.main(["run", "any", "--claims", "sees", "gain", *STUB]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].startswith("vdg: checkpoint=any@")
    assert "slices=colours:24" in lines[0]
    assert any(line.startswith("slice/task ") for line in lines)
    assert sum(line.endswith("  ok") for line in lines) == 2
    assert "vdg: 2 claims hold" in lines
    assert "from cache" not in captured.out
    assert captured.err == ""


def test_answers_that_were_kept_are_counted(here: Project, capsys: Captured) -> None:
    """Of 24 questions under three conditions two thirds were asked before."""
    here.config(CLAIMS)
    assert cli.main(["run", "any", "--claims", "sees", *STUB]) == 0
    capsys.readouterr()
    assert cli.main(["run", "any", "--claims", "sees", "gain", *STUB]) == 0
    assert "vdg: 48 of 72 cells from cache" in capsys.readouterr().out.splitlines()


def test_what_does_not_hold_is_told_and_red(here: Project, capsys: Captured) -> None:
    """The whole message of the claim that failed, and 1."""
    here.config(CLAIMS)
    assert cli.main(["run", "any", *STUB]) == 1
    out = capsys.readouterr().out
    assert "---- order ----\nBELOW FLOOR temporal delta " in out
    assert "  next      " in out
    assert "vdg: 2 claims hold, 1 failed" in out


def test_what_could_not_be_judged_is_red(here: Project, capsys: Captured) -> None:
    """A model whose video is lost is no blind model, and each claim says it."""
    here.config(CLAIMS)
    dropped = ["--backend", "python:stub:dropped"]
    assert cli.main(["run", "any", "--claims", "sees,order", *dropped]) == 1
    out = capsys.readouterr().out
    assert out.count("COULD NOT BE JUDGED: ") == 2
    assert "vdg: 0 claims hold, 2 could not be judged" in out


def test_a_claim_can_be_typed(here: Project, capsys: Captured) -> None:
    """Then it is the only one, unless others are named."""
    here.config(CLAIMS)
    typed = ["--claim", "vdg_above slice=colours tasks=colour floor=0.2"]
    assert cli.main(["run", "any", *typed, *STUB]) == 0
    out = capsys.readouterr().out
    assert "colours-colour" in out
    assert "vdg: 1 claim holds" in out
    assert cli.main(["run", "any", *typed, "--claims", "order", *STUB]) == 1
    assert "vdg: 1 claim holds, 1 failed" in capsys.readouterr().out


def test_nothing_claimed_shows_the_ladder_and_is_red(
    here: Project, capsys: Captured
) -> None:
    """What the checkpoint looks at, and how to claim something of it."""
    assert cli.main(["run", "any", "--json", "out.json", *STUB]) == 1
    out = capsys.readouterr().out
    assert "checkpoint any, slice colours" in out
    assert "visual gain" in out
    assert "vdg: FAILED, nothing was claimed, so nothing was judged." in out
    assert '--claim "vdg_above floor=0.1"' in out
    found = load_results("out.json")
    assert not found.green
    assert found.runs[0].run.slice_name == "colours"
    assert found.runs[0].run.conditions == LADDER


def test_where_nothing_is_claimed_a_stored_run_shows_what_it_holds(
    here: Project, capsys: Captured
) -> None:
    """And is not asked for the rungs that it lacks."""
    here.config(CLAIMS)
    assert cli.main(["run", "any", "--claims", "sees", "--json", "o.json", *STUB]) == 0
    save_run(load_results("o.json").runs[0].run, "runs/any.jsonl")
    here.config("")
    capsys.readouterr()
    assert cli.main(["run", "any", "--replay", "runs"]) == 1
    captured = capsys.readouterr()
    assert "checkpoint any, slice colours" in captured.out
    assert "nothing was claimed" in captured.out
    assert captured.err == ""


@pytest.mark.parametrize("claim", ["sees", "order"])
def test_the_session_is_closed_whatever_it_came_to(
    here: Project, monkeypatch: pytest.MonkeyPatch, claim: str
) -> None:
    """Once, whether the claim holds or not."""
    here.config(CLAIMS)
    closed: list[VdgSession] = []
    close = VdgSession.close

    def noted(session: VdgSession) -> None:
        closed.append(session)
        close(session)

    monkeypatch.setattr(VdgSession, "close", noted)
    cli.main(["run", "any", "--claims", claim, *STUB])
    assert len(closed) == 1


def test_where_nothing_is_claimed_a_checkpoint_is_wanted_all_the_same(
    here: Project, capsys: Captured
) -> None:
    """Before a model is loaded, as where something is claimed."""
    for arguments, told in (
        ((), "no checkpoint is configured"),
        (("any", *STUB, "--questions", "0"), "questions must be a whole number"),
    ):
        assert cli.main(["run", *arguments]) == 4
        assert told in capsys.readouterr().err
    assert here.loaded() == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["any", "--claims", "ses", *STUB], "no claim 'ses'. Did you mean 'sees'?"),
        (["any", "--claim", "vdg_abov", *STUB], "Did you mean 'vdg_above'?"),
        (["any", "--claim", "vdg_above floor=20", *STUB], "floor=0.2"),
        (["./gone"], "checkpoint './gone' (--vdg-checkpoint) is not there"),
        ([], "no checkpoint is configured"),
        (["any", "--annotations", "on", *STUB], "must be auto or off, got 'on'"),
        (["any", "--backend", "nothing"], "nothing"),
    ],
)
def test_what_is_configured_wrongly_leaves_with_4(
    here: Project, capsys: Captured, arguments: list[str], told: str
) -> None:
    """Before a model is loaded, and without a traceback."""
    here.config(CLAIMS)
    assert cli.main(["run", *arguments]) == 4
    captured = capsys.readouterr()
    assert captured.err.startswith("vdg: ")
    assert told in captured.err
    assert captured.out == ""
    assert here.loaded() == []


def test_a_file_without_claims_says_so(here: Project, capsys: Captured) -> None:
    """A name that was asked for where there is none."""
    assert cli.main(["run", "any", "--claims", "sees", *STUB]) == 4
    assert "vdg.yaml names no claim" in capsys.readouterr().err


def test_several_slices_and_no_claim_is_a_question(
    here: Project, capsys: Captured
) -> None:
    """Which slice should the ladder be of?"""
    (here.path / "vdg.yaml").write_text("slices: {sight: {}, sight-leaky: {}}\n")
    assert cli.main(["run", "any", *STUB]) == 4
    assert "names several slices: sight, sight-leaky" in capsys.readouterr().err


def test_json_to_standard_output_is_all_that_is_written(
    here: Project, capsys: Captured
) -> None:
    """For programs: valid, whole, and the same verdicts and exit code."""
    jsonschema = pytest.importorskip("jsonschema", reason="the schema is held to it")
    here.config(CLAIMS)
    assert cli.main(["run", "any", "--json", "-", *STUB]) == 1
    values = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema()).validate(values)
    found = {test["test"]: test["outcome"] for test in values["tests"]}
    assert found == {"sees": "passed", "order": "failed", "gain": "passed"}
    assert values["green"] is False


def test_a_forgotten_name_of_a_file_is_told(here: Project, capsys: Captured) -> None:
    """The option that follows is no file."""
    assert cli.main(["run", "any", "--json", "--no-cache", *STUB]) == 4
    assert "--json needs a file, got '--no-cache'" in capsys.readouterr().err


def test_reports_are_written_as_in_a_test_session(
    here: Project, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options name files, variables do too, and each is told."""
    here.config(CLAIMS)
    monkeypatch.setenv("VDG_JUNIT", "junit.xml")
    options = ["--json", "out/results.json", "--summary", "summary.md"]
    assert cli.main(["run", "any", "--claims", "sees", *options, *STUB]) == 0
    out = capsys.readouterr().out
    for name in ("out/results.json", "junit.xml", "summary.md"):
        assert (here.path / name).is_file()
        assert f"vdg: wrote {here.path / name}" in out
    found = load_results("out/results.json")
    assert found.command.startswith("vdg run any --claims sees --json ")
    assert (found.tests[0].file, found.tests[0].line) == ("vdg.yaml", 3)


def test_github_is_told_where_the_claim_stands(
    here: Project, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failing claim is annotated at its line of the file."""
    here.config(CLAIMS)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(here.path))
    assert cli.main(["run", "any", *STUB]) == 1
    lines = capsys.readouterr().out.splitlines()
    (told,) = [line for line in lines if line.startswith("::error ")]
    assert "file=vdg.yaml,line=4" in told
    assert "BELOW FLOOR temporal delta" in told


def test_the_history_is_kept(here: Project) -> None:
    """A judged run is a point of the trend, as one of a test session is."""
    here.config(CLAIMS)
    cli.main(["run", "any", "--claims", "sees", "order", *STUB])
    (past,) = past_runs(here.path / ".vdg")
    assert (past.origin, past.checkpoint, past.slice_name) == (
        "vdg run",
        "any",
        "colours",
    )
    assert dict(past.verdicts) == {"sees": "ok", "order": "BELOW FLOOR"}
    cli.main(["run", "any", "--claims", "sees", "--no-cache", *STUB])
    assert len(past_runs(here.path / ".vdg")) == 1


def test_a_baseline_is_compared_with_and_never_written(
    here: Project, capsys: Captured
) -> None:
    """The run is left as a candidate, which promoting makes the baseline."""
    here.config("claims:\n  kept: {assert: no_dissociation_regression}")
    assert cli.main(["run", "any", *STUB]) == 1
    assert "next      look at it, then: vdg baseline promote colours" in (
        capsys.readouterr().out
    )
    assert not (here.path / "vdg_baselines").exists()
    assert cli.main(["baseline", "promote", "colours"]) == 0
    assert cli.main(["run", "any", *STUB]) == 1  # 24 questions do not exclude 5 points
    assert "INCONCLUSIVE VDG " in capsys.readouterr().out
    blind = ["--backend", "python:stub:blind"]
    assert cli.main(["run", "any", *blind]) == 1
    assert "---- kept ----\nDISSOCIATION VDG -50.0pp " in capsys.readouterr().out


def test_a_terminal_sees_how_far_it_is(here: Project) -> None:
    """The line goes to standard error, where someone watches, and is gone after."""
    here.config(CLAIMS)
    (here.path / "patched.py").write_text(
        "import sys\n"
        "import pytest_vdg.sessions.progress as progress\n"
        "progress.QUIET_S = progress.EVERY_S = 0.0\n"
        "from pytest_vdg import cli\n"
        "sys.exit(cli.main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "patched.py", "run", "any", "--claims", "sees", *STUB]
    main, side = pty.openpty()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=side,
        cwd=here.path,
        env={**os.environ, "PYTHONPATH": f"{here.path}{os.pathsep}{ROOT}"},
    ) as process:
        os.close(side)
        seen = b""
        try:
            while part := os.read(main, 4096):  # a terminal holds but few kilobytes
                seen += part
        except OSError:
            pass  # the other side is closed
        finally:
            os.close(main)
        out, _ = process.communicate()
    assert process.returncode == 0
    assert b"vdg: colours " in seen
    assert b"cells" in seen
    assert seen.rstrip(b"\r").endswith(b" ")
    assert b"\r" not in out


def test_a_broken_results_file_is_told(here: Project, capsys: Captured) -> None:
    """A folder in the way of the file changes no verdict, and is told."""
    here.config(CLAIMS)
    Path("out.json").mkdir()
    assert (
        cli.main(["run", "any", "--claims", "sees", "--json", "out.json", *STUB]) == 0
    )
    assert "vdg: json could not be written: " in capsys.readouterr().out


BREAKING = """
import os, signal
import stub

def _asked(do, settings):
    backend = stub.sighted(**settings)
    backend._answer = lambda prompt, clip: do(prompt)
    return backend

def _raise(error):
    raise error

def breaks(**settings):
    return _asked(lambda _: _raise(RuntimeError("no such tensor")), settings)

def leaves(**settings):
    return _asked(lambda _: _raise(SystemExit(0)), settings)

def interrupted(**settings):
    return _asked(_pressed, settings)

def _pressed(_):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background
    os.kill(os.getpid(), signal.SIGINT)
    return "A"

def spells(**settings):
    return _asked(lambda _: "\\u2028 \\x85 \\x1c \\ud800 \\U0001f600", settings)
"""


@pytest.fixture
def breaking(here: Project) -> Project:
    """Return the project, with backends that break in their own ways."""
    (here.path / "breaking.py").write_text(BREAKING, encoding="utf-8")
    here.config(CLAIMS)
    return here


@pytest.mark.parametrize(
    ("how", "told"), [("breaks", "RuntimeError: no such tensor"), ("leaves", "Exit: 0")]
)
def test_a_backend_that_breaks_is_judged_by_nobody(
    breaking: Project, capsys: Captured, how: str, told: str
) -> None:
    """Each claim is an error that names the place, reports are written, and 1.

    Least of all is the 0 that a model's own code leaves with a verdict.
    """
    options = ["--backend", f"python:breaking:{how}", "--json", "out.json"]
    assert cli.main(["run", "any", "--claims", "sees", "gain", *options]) == 1
    out = capsys.readouterr().out
    assert told in out
    assert "breaking.py:" in out
    assert "0 claims hold, 2 could not be judged" in out
    tests = load_results("out.json").tests
    assert [test.outcome for test in tests] == ["error", "error"]


def test_leaving_is_no_sight(breaking: Project, capsys: Captured) -> None:
    """A program that a model's own code ends with 0 has not seen anything."""
    assert cli.main(["sight", "any", "--backend", "python:breaking:leaves"]) == 1
    assert "COULD NOT BE JUDGED: SystemExit: 0" in capsys.readouterr().err


def test_an_interrupted_run_is_told(breaking: Project, capsys: Captured) -> None:
    """As a shell tells it, 130, and without a traceback."""
    options = ["--backend", "python:breaking:interrupted"]
    assert cli.main(["run", "any", "--claims", "sees", *options]) == 130
    assert capsys.readouterr().err == "vdg: interrupted\n"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_json_is_valid_whatever_a_reply_spells(
    breaking: Project, encoding: str
) -> None:
    """Also what Unicode takes for the end of a line, in any terminal."""
    command = [sys.executable, "-m", "pytest_vdg", "run", "any", "--claims", "sees"]
    options = ["--backend", "python:breaking:spells", "--json", "-"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [*command, *options], capture_output=True, check=False, env=environment
    )
    assert done.returncode == 1, done.stderr
    values = json.loads(done.stdout.decode(encoding))
    replies = {cell["reply"] for cell in values["cells"]}
    assert replies == {"\u2028 \x85 \x1c \ud800 \U0001f600"}


def test_no_claim_fails_for_want_of_a_candidate(
    here: Project, capsys: Captured
) -> None:
    """Where none can be left it is told, as in a test session."""
    here.config("claims: {kept: {assert: equivalent, margin: 0.4}}")
    assert cli.main(["run", "any", *STUB]) == 1
    assert cli.main(["baseline", "promote", "colours"]) == 0
    shutil.rmtree(here.path / ".vdg" / "last-run")
    (here.path / ".vdg" / "last-run").touch()
    capsys.readouterr()
    assert cli.main(["run", "any", *STUB]) == 0
    assert "vdg: no candidate was left: " in capsys.readouterr().out
