"""``--vdg-report`` and ``vdg report``: a page of any session, never in its way."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_vdg.cli import main
from tests.plugin.conftest import Project

pytest.importorskip("matplotlib")
# Cannot be imported twice in one process, see `tests.plugin.conftest`.
pytest.importorskip("PIL.Image").init()

SUITE = """
import pytest
from pytest_vdg import assert_no_dissociation_regression, assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)

@pytest.mark.vdg(conditions=["original", "black", "shuffled"])
def test_kept(vdg_run, vdg_baseline):
    assert_no_dissociation_regression(vdg_run, vdg_baseline)
"""


def data_of(page: Path, name: str = "data") -> dict:  # type: ignore[type-arg]
    """Return what the page holds for its script."""
    text = page.read_text(encoding="utf-8")
    (found,) = re.findall(rf'id="{name}">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)  # type: ignore[no-any-return]


@pytest.mark.parametrize("extra", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_session_leaves_a_page_with_frames_and_baseline(
    project: Project, extra: tuple[str, ...]
) -> None:
    """Whichever process asked: verdicts, each question, its frames, what was lost."""
    project.suite(SUITE)
    project.with_model("--vdg-update-baseline")
    result = project.with_model("--vdg-report", "out", *extra, backend="blind")
    result.stdout.fnmatch_lines(["vdg: wrote *out/index.html"])
    page = project.path / "out" / "index.html"
    text = page.read_text(encoding="utf-8")
    assert "BELOW FLOOR" in text
    assert "test_suite.py::test_sees" in text
    (run,) = data_of(page)["runs"]
    assert run["conditions"] == ["original", "black", "shuffled"]
    assert run["baseline"] == "any"
    assert sum("lost" in question["marks"] for question in run["questions"]) > 0
    assert all("shown" in c for q in run["questions"] for c in q["cells"])
    assert len(data_of(page, "images")) > 1
    assert "Past runs" in text


def test_a_report_changes_no_verdict(project: Project) -> None:
    """Neither where videos are gone by its time, nor where it cannot be written."""
    assert project.with_model().ret == pytest.ExitCode.OK
    for path in (project.path / "data").glob("*.mp4"):
        path.rename(path.with_suffix(".gone"))
    (project.path / "file").write_text("", encoding="utf-8")
    replay = ("--vdg-replay", "runs")
    runs = project.path / "runs"
    runs.mkdir()
    stored = project.path / "runs" / "colours.jsonl"
    project.suite(
        "def test_keep(vdg):\n"
        "    from pytest_vdg import save_run\n"
        "    run = vdg.evaluate('colours', conditions=['original', 'black'])\n"
        f"    save_run(run, {str(stored)!r}, full=True)\n"
    )
    for path in (project.path / "data").glob("*.gone"):
        path.rename(path.with_suffix(".mp4"))
    project.with_model()
    for path in (project.path / "data").glob("*.mp4"):
        path.unlink()
    project.suite()
    result = project.run(*replay, "--vdg-report", "out")
    assert result.ret == pytest.ExitCode.OK
    (run,) = data_of(project.path / "out" / "index.html")["runs"]
    cells = [cell for question in run["questions"] for cell in question["cells"]]
    assert run["pictures"] or all("blank" in cell for cell in cells)
    result = project.run(*replay, "--vdg-report", "file")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["vdg: report could not be written: *"])


def test_without_matplotlib_nothing_is_loaded(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A usage error before any weight, with what to install."""
    monkeypatch.setattr("pytest_vdg.reports.drawing.find_spec", lambda name: None)
    result = project.with_model("--vdg-report", "out")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--vdg-report*'matplotlib'*", "*pytest-vdg[[]plots]*"]
    )
    assert not project.loaded()
    assert not (project.path / "out").exists()


def test_a_session_without_the_option_writes_nothing(project: Project) -> None:
    """No folder, and no picture is made."""
    before = project.files()
    project.with_model("--vdg-no-cache")
    assert project.files() == before


def test_the_command_makes_the_page_again(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """From the results of several sessions, with the frames."""
    project.with_model("--vdg-json", "old.json")
    project.with_model("--vdg-json", "new.json", backend="blind")
    monkeypatch.chdir(project.path)
    assert main(["report", "old.json", "new.json", "--to", "both"]) == 0
    assert "both/index.html" in capsys.readouterr().out
    page = project.path / "both" / "index.html"
    assert [len(run["questions"]) for run in data_of(page)["runs"]] == [24, 24]
    assert all(not run["pictures"] for run in data_of(page)["runs"])
    text = page.read_text(encoding="utf-8")
    assert "1 of 2 claims met, 1 not met" in text
    assert "new: test_suite.py::test_sees" in text


def test_the_command_reads_runs_and_holds_them_against_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A baseline file is a run, too; frames take a file that records them."""
    project.suite(SUITE)
    project.with_model("--vdg-update-baseline")
    monkeypatch.chdir(project.path)
    stored = "vdg_baselines/colours.jsonl"
    text = Path(stored).read_text(encoding="utf-8")
    Path("other.jsonl").write_text(text.replace('"any"', '"other"'), encoding="utf-8")
    assert main(["report", "other.jsonl", "--baseline", stored, "--to", "out"]) == 0
    (run,) = data_of(project.path / "out" / "index.html")["runs"]
    assert (run["checkpoint"], run["baseline"]) == ("other", "any")
    assert run["questions"][0]["text"].startswith("Which colour")
    blank = {c.get("blank") for q in run["questions"] for c in q["cells"]}
    assert blank == {"the run does not record which frames were shown"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["report", "nothing.json", "--to", "out"], "'nothing.json' is not there"),
        (["report", "vdg.yaml", "--to", "out"], "vdg.yaml"),
        (["report", "vdg.yaml", "--to", "vdg.yaml"], "is a file"),
    ],
)
def test_what_is_wrong_with_the_command_line_is_told(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
) -> None:
    """Before anything is drawn; nothing is written."""
    monkeypatch.chdir(project.path)
    assert main(arguments) in (1, 4)
    assert told in capsys.readouterr().err
    assert not (project.path / "out").exists()
