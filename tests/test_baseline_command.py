"""``vdg baseline``: what it shows, what it writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg.runs import Run
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.criteria import Criterion
from pytest_vdg.store.runfile import save_recorded, save_run
from tests.assertions.build import make_run

SIGHTED = {"original": "C" * 40, "black": "C" * 20 + "W" * 20}
WORSE = {"original": "C" * 36 + "W" * 4, "black": "C" * 20 + "W" * 20}
CLAIM = {"claim": "assert_no_dissociation_regression", "measure": "VDG change"}
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, whose ``vdg.yaml`` knows the slice ``sight``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("VDG_ENVIRONMENT", raising=False)
    (tmp_path / "vdg.yaml").write_text("slices: {sight: {}}\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def say(here: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    """Return a function that runs the command: exit code, output, complaints."""

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.main(["baseline", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def made(cells: dict[str, str], created: str = "2026-01-01T00:00:00+00:00") -> Run:
    """Return a run of slice ``sight``."""
    return make_run(cells, created=created)


def place(
    run: Run,
    *where: str,
    folder: str = "vdg_baselines",
    reason: str = "first",
    criteria: tuple[Criterion, ...] = (),
    environment: str | None = None,
) -> Path:
    """Write *run* below the *folder*."""
    path = Path(folder, *where)
    recorded = Recorded(
        run=run, reason=reason, criteria=criteria, environment=environment
    )
    save_recorded(recorded, path)
    return path


def candidate(run: Run, name: str = "sight.jsonl", **said: object) -> Path:
    """Write *run* where a session leaves candidates."""
    folder = str(Path(".vdg", "last-run", "candidates"))
    return place(run, name, folder=folder, reason="candidate of a session", **said)  # type: ignore[arg-type]


def test_nothing_is_there(say: Say) -> None:
    """An empty list is no error, and says where it looked."""
    code, out, _ = say("list")
    assert code == 0
    assert "no baselines in" in out
    assert "vdg_baselines" in out


def test_the_list_names_all_environments(say: Say) -> None:
    """A line each: numbers, checkpoint, date, reason, and how its candidate stands."""
    place(made(SIGHTED), "sight.jsonl")
    place(made(SIGHTED), "h100", "sight.jsonl", environment="h100")
    place(made(SIGHTED), "old.jsonl")
    candidate(made(WORSE, "2026-02-01T00:00:00+00:00"))
    candidate(made(SIGHTED), "new.jsonl")
    code, out, _ = say("list")
    assert code == 0
    rows = {tuple(li.split()[:2]): li for li in out.splitlines()[2:]}
    assert set(rows) == {
        ("-", "sight"),
        ("-", "old"),
        ("-", "new"),
        ("h100", "sight"),
    }
    assert "+50.0pp [" in rows["-", "sight"]
    assert "2026-01-01" in rows["-", "sight"]
    assert rows["-", "sight"].endswith("newer")
    assert rows["h100", "sight"].endswith("none")
    assert "old (unused)" in rows["-", "old"]
    assert "none yet" in rows["-", "new"]
    assert Path("vdg_baselines", "old.jsonl").is_file()


@pytest.mark.parametrize(
    ("created", "cells", "state"),
    [
        ("2025-01-01T00:00:00+00:00", SIGHTED, "same"),
        ("2025-01-01T00:00:00+00:00", WORSE, "differs"),
        ("2027-01-01T00:00:00+00:00", WORSE, "newer"),
        ("2027-01-01T00:00:00", WORSE, "newer"),
        ("", WORSE, "differs"),
    ],
)
def test_how_a_candidate_stands_to_its_baseline(
    say: Say, created: str, cells: dict[str, str], state: str
) -> None:
    """Equal answers are the same at any time; others differ, or are newer, too."""
    place(made(SIGHTED), "sight.jsonl")
    candidate(made(cells, created))
    assert say("list")[1].splitlines()[-1].endswith(f" {state}")


def test_a_broken_file_is_listed_and_fails(say: Say) -> None:
    """The others are shown; its path and line stand below."""
    path = place(made(SIGHTED), "sight.jsonl")
    broken = path.with_name("broken.jsonl")
    broken.write_bytes(path.read_bytes()[:200])
    code, out, _ = say("list")
    assert code == 1
    assert "+50.0pp" in out
    assert f"{broken.name}:" in out


def test_one_is_shown_in_full(say: Say) -> None:
    """Header, counts with intervals, and what its claims were held to."""
    sure = {"confidence": 0.9, "confidence_was": 0.95}
    held = Criterion(**CLAIM, **sure, margin=0.08, was=0.05, reason="noisy")  # type: ignore[arg-type]
    place(made(SIGHTED), "sight.jsonl", criteria=(held,))
    code, out, _ = say("show", "sight")
    assert code == 0
    assert "checkpoint   new" in out
    assert "comparable   seed=0" in out
    # Wilson's interval of 20 of 40: 0.35 to 0.65.
    assert ".500 [.35, .65]" in " ".join(out.split())
    row = next(li for li in out.splitlines() if li.startswith("assert_no_diss"))
    assert row.split()[-5:] == ["8pp", "90%", "5pp,", "95%", "noisy"]


def test_an_unknown_slice_is_a_usage_error(say: Say) -> None:
    """The one that was meant is named."""
    place(made(SIGHTED), "sight.jsonl")
    code, _, err = say("show", "sigth")
    assert code == 4
    assert "Did you mean 'sight'?" in err


def test_a_slice_of_another_environment_is_named(say: Say) -> None:
    """Who forgot to say where reads how to."""
    place(made(SIGHTED), "h100", "sight.jsonl", environment="h100")
    code, _, err = say("show", "sight")
    assert code == 4
    assert "for 'h100': name it by --environment" in err
    assert say("show", "sight", "--environment", "h100")[0] == 0


def test_a_diff_of_a_candidate(say: Say) -> None:
    """Numbers old -> new and the questions behind them."""
    place(made(SIGHTED), "sight.jsonl")
    candidate(made(WORSE))
    code, out, _ = say("diff")
    assert code == 0
    assert "original 1.00 -> .900, change -10.0pp [" in out
    assert "original became wrong (4): q0036" in out
    assert "lost grounding (4): q0036 (original" in out


def test_a_diff_of_two_files(say: Say, here: Path) -> None:
    """Any two stored runs of a slice."""
    save_run(made(SIGHTED), "a.jsonl")
    save_run(made(WORSE), "b.jsonl")
    values = json.loads(say("diff", "a.jsonl", "b.jsonl", "--json")[1])
    assert (values["old"], values["new"]) == ("a.jsonl", "b.jsonl")
    assert values["conditions"]["original"]["new"] == 0.9


def test_a_diff_as_markdown(say: Say) -> None:
    """A table for a pull request."""
    place(made(SIGHTED), "sight.jsonl")
    candidate(made(WORSE))
    out = say("diff", "sight", "--markdown")[1]
    assert "### Baseline of slice <code>sight</code>" in out
    assert "| <code>original</code> | 1.00 | .900 | -10.0pp [" in out
    assert say("diff", "sight", "--markdown", "--json")[0] == 4


def test_a_first_candidate_has_nothing_to_differ_from(say: Say) -> None:
    """That is said, and is no error."""
    candidate(made(SIGHTED))
    code, out, _ = say("diff")
    assert code == 0
    assert "sight: there is no baseline yet" in out
    code, _, err = say("diff", "--candidates", "nowhere")
    assert (code, "is no folder" in err) == (4, True)


def test_candidates_are_those_of_the_folder_that_is_named(say: Say) -> None:
    """As an artifact of a job: those of the last session here are not looked at."""
    place(made(SIGHTED), "sight.jsonl")
    candidate(made(SIGHTED))
    place(made(WORSE), "sight.jsonl", folder="artifact")
    assert "change -10.0pp" not in say("diff")[1]
    assert "change -10.0pp" in say("diff", "--candidates", "artifact")[1]


def test_a_program_reads_which_diff_there_is_not(say: Say) -> None:
    """No slice that was named is left out of the JSON, nor of the text."""
    place(made(SIGHTED), "sight.jsonl")
    candidate(made(WORSE))
    place(made(SIGHTED), "old.jsonl")
    candidate(made(SIGHTED), "new.jsonl")
    diff, *lacking = json.loads(say("diff", "sight", "old", "new", "--json")[1])
    assert diff["conditions"]["original"]["new"] == 0.9
    assert [each["slice"] for each in lacking] == ["old", "new"]
    assert lacking[0]["lacking"].startswith("there is no candidate, no file ")
    assert lacking[1]["lacking"].startswith("there is no baseline yet, no file ")
    assert json.loads(say("diff", "old", "--json")[1]) == lacking[0]
    assert "old: there is no candidate, no file " in say("diff", "old")[1]
