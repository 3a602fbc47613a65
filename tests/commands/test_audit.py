"""``vdg audit`` and ``vdg filter``: what they print, write and leave with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg.audits.origin import faults
from pytest_vdg.benchmarks.pinned import load_slice, read_pinned
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.store.runfile import save_run
from tests.audits.panels import SURE, member
from tests.plugin.conftest import Project, clips, project  # noqa: F401

Captured = pytest.CaptureFixture[str]
PANEL = [
    *("--models", "any", "blind-one"),
    *("--text-models", "t1", "t2"),
    *("--backend", "python:stub:checkpoint_decides"),
    *("--text-backend", "python:stub:blind"),
]
"""One that looks, and three that read the answer in the question."""


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:  # noqa: F811
    """Return the project of the plugin's tests, as the current folder."""
    monkeypatch.chdir(project.path)
    return project


def test_an_audit_names_flaws_first(here: Project, capsys: Captured) -> None:
    """The question holds its answer: three models need no video, and say so."""
    assert cli.main(["audit", "colours", *PANEL]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("audit of slice colours: 24 questions, 12 videos")
    assert lines[1:3] == [
        "panel: any (video), blind-one-that-reads (video), t1-that-reads (text),",
        "  t2-that-reads (text)",
    ]
    found = lines.index(next(line for line in lines if line.startswith("found ")))
    told = "answered without the video: t1-that-reads is right on 24 of 24"
    assert any(told in line for line in lines[found : found + 16])
    named = "answer named in the question: 24 of 24 questions (8.0 by chance)"
    assert lines[found + 1].strip().startswith(named)
    text = "\n".join(lines)
    for table in ("Answer key", "Ladder", "Order of frames", "Agreement", "Shortcut"):
        assert table in text


def test_an_audit_without_models_asks_nobody(here: Project, capsys: Captured) -> None:
    """The key is shown, and no model is loaded."""
    assert cli.main(["audit", "colours"]) == 0
    out = capsys.readouterr().out
    assert "no model was asked: text and key only" in out
    assert "Answer key" in out
    assert "Ladder" not in out
    assert here.loaded() == []


def test_a_benchmark_needs_no_configuration(here: Project, capsys: Captured) -> None:
    """``--path`` says where it lies, as for ``vdg slice``."""
    (here.path / "vdg.yaml").unlink()
    arguments = ["audit", "plain", "--path", "data/questions.jsonl"]
    assert cli.main(arguments) == 0
    assert "24 questions" in capsys.readouterr().out
    assert cli.main([*arguments, *PANEL]) == 0
    assert "panel: any (video)" in capsys.readouterr().out


def test_stored_runs_are_audited_and_filtered(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``--replay`` finds each by the name of its checkpoint; nobody is asked."""
    monkeypatch.chdir(tmp_path)
    both = {"original": "CCCC" * 5, "text_only": "CWWW" * 5}
    sure = {c: [SURE] * 20 for c in both}
    for name in ("v", "j"):
        run = member(name, both, chances=sure, slice_name="mine").run
        save_run(run, f"{name}.jsonl", full=True)
    text = member(
        "t",
        {"text_only": "CWWW" * 5},
        kind="text",
        slice_name="mine",
        chances={"text_only": [SURE] * 20},
    )
    save_run(text.run, "t.jsonl", full=True)
    panel = ["--models", "v", "--text-models", "t", "--replay", "."]
    assert cli.main(["audit", "mine", *panel]) == 0
    out = capsys.readouterr().out
    assert "panel: v (video), t (text)" in out
    assert "note: the questions' text is not at hand" in out
    assert cli.main(["filter", "mine", *panel, "--judge", "j"]) == 0
    assert "Judged by j, which took no part" in capsys.readouterr().out
    assert cli.main(["filter", "mine", *panel, "--to", "g.jsonl"]) == 4
    assert "there is no slice 'mine'" in capsys.readouterr().err


def test_models_that_give_no_probabilities_filter_by_their_answers(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that takes answers alone is judged, and there is no score to sweep."""
    monkeypatch.chdir(tmp_path)
    cells = {"original": "CCCC" * 5, "text_only": "CWWW" * 5}
    for name in ("v", "j"):
        save_run(member(name, cells, slice_name="mine").run, f"{name}.jsonl", full=True)
    line = ["filter", "mine", "--models", "v", "--replay", ".", "--judge", "j"]
    assert cli.main([*line, "--by", "bclean"]) == 0
    out = capsys.readouterr().out
    assert "by B-Clean: 15 of 20 questions stay" in out
    assert "Judged by j, which took no part" in out
    assert "Sweep" not in out


def test_a_judge_who_failed_has_dashes(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the others were asked for is not lost with it."""
    monkeypatch.chdir(tmp_path)
    cells = {"original": "CCCC" * 5, "text_only": "CWWW" * 5}
    failed = dict.fromkeys(cells, "FFFF" * 5)
    sure = {condition: [SURE] * 20 for condition in cells}
    told = {"text_only": sure["text_only"]}
    members = (
        member("v", cells, chances=sure, slice_name="mine"),
        member("j", failed, slice_name="mine"),
        member(
            "t",
            {"text_only": cells["text_only"]},
            kind="text",
            chances=told,
            slice_name="mine",
        ),
    )
    for each in members:
        save_run(each.run, f"{each.name}.jsonl", full=True)
    line = ["filter", "mine", "--models", "v", "--text-models", "t", "--judge", "j"]
    assert cli.main([*line, "--replay", ".", "--html", "page"]) == 0
    out = capsys.readouterr().out
    assert "Judged by j, which took no part" in out
    assert "Sweep" not in out
    assert Path("page", "index.html").is_file()


def test_files_hold_the_same(here: Project, capsys: Captured) -> None:
    """JSON with every number, Markdown with the tables, a page with pictures."""
    files = ["--json", "a.json", "--markdown", "a.md", "--html", "page"]
    assert cli.main(["audit", "colours", *PANEL, *files]) == 0
    assert "wrote a.json" in capsys.readouterr().out
    values = json.loads((here.path / "a.json").read_text())
    assert (values["format"], values["slice"]) == ("pytest-vdg audit", "colours")
    assert values["found"] is True
    mean = values["measures"][0]
    assert (mean["who"], mean["task"]) == ("mean of 2 video models", None)
    assert mean["gains"]["visual gain"]["n"] == 48
    assert len(values["scores"]["questions"]) == 24
    assert "<code>Answer key" in (here.path / "a.md").read_text()
    page = (here.path / "page" / "index.html").read_text()
    assert "<svg" in page
    assert "What was found" in page
    names = ("space", "spectrum", "ladder")
    for name in (f"{n}.{kind}" for n in names for kind in ("png", "svg")):
        assert (here.path / "page" / name).stat().st_size > 1000


def test_json_on_standard_output_is_nothing_else(
    here: Project, capsys: Captured
) -> None:
    """What a program is to read holds no word for people."""
    assert cli.main(["audit", "colours", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["models"] == []


def test_a_filter_writes_a_slice(here: Project, capsys: Captured) -> None:
    """What the reading models answer goes; the judge took no part and says so."""
    arguments = ["filter", "colours", *PANEL, "--judge", "any", "--to", "g.jsonl"]
    # V is 0, as no sighted model filters; T is that of sure and right answers.
    assert cli.main([*arguments, "--tau", "0.99"]) == 0
    out = capsys.readouterr().out
    assert "filter of slice colours by S-score <= 0.99: 24 of 24" in out
    assert "filtered by t1-that-reads, t2-that-reads, blind-one-that-reads" in out
    assert "Judged by any, which took no part in filtering" in out
    for table in ("LLM-Inspector", "B-Clean", "S-score", "Sweep of tau over -V"):
        assert table in out
    made = read_pinned("g.jsonl")
    assert made.name == "colours-grounded"
    assert faults(made) == []
    assert set(made.drawn["models"]) == {  # type: ignore[call-overload]
        "t1-that-reads",
        "t2-that-reads",
        "blind-one-that-reads",
    }
    whole = load_benchmark("plain", "data/questions.jsonl")
    assert len(load_slice(whole, "g.jsonl")) == 24
    assert cli.main(["slice", "--show", "g.jsonl"]) == 0
    shown = capsys.readouterr().out
    assert "left by the filter shortcut <= 0.99 of slice colours: 24 of 24" in shown
    assert "may not judge it: blind-one-that-reads, t1-that-reads" in shown
    assert "holds the questions that its scores and tau leave" in shown
    text = Path("g.jsonl").read_text()
    Path("g.jsonl").write_text(text.replace('"tau":0.99', '"tau":-0.99'))
    assert cli.main(["slice", "--show", "g.jsonl"]) == 1
    shown = capsys.readouterr().out
    assert "edited: it does not hold the questions" in shown
    assert "and 4 more" in shown


def test_a_filter_that_leaves_nothing_writes_nothing(
    here: Project, capsys: Captured
) -> None:
    """Every question is told by its text: an empty slice is no slice."""
    arguments = ["filter", "colours", *PANEL, "--judge", "any", "--to", "g.jsonl"]
    assert cli.main(arguments) == 1
    assert "no question of slice 'colours' stays" in capsys.readouterr().err
    assert not Path("g.jsonl").exists()


def test_without_a_judge_nobody_judges(here: Project, capsys: Captured) -> None:
    """Models that filtered must not, and it is said what to type."""
    assert cli.main(["filter", "colours", *PANEL, "--by", "bclean"]) == 0
    out = capsys.readouterr().out
    assert "by B-Clean: 0 of 24" in out
    assert "Hold a video model out to see what the filter does: --judge MODEL" in out


def test_a_filter_has_a_page(here: Project, capsys: Captured) -> None:
    """With the diagnostic space and the sweep, as PNG and SVG."""
    arguments = ["filter", "colours", *PANEL, "--judge", "any", "--tau", "0.99"]
    assert cli.main([*arguments, "--html", "page", "--json", "f.json"]) == 0
    for name in ("space.png", "space.svg", "sweep.png", "sweep.svg"):
        assert (here.path / "page" / name).stat().st_size > 1000
    values = json.loads((here.path / "f.json").read_text())
    assert [s["score"] for s in values["sweeps"]] == ["S", "T", "-V"]
    assert len(values["kept"]) == 24


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("audit colors", 4, "Did you mean 'colours'?"),
        ("audit colours --path data", 4, "leave out --path"),
        ("audit colours --models a a", 4, "'a' is named twice"),
        ("audit colours --html vdg.yaml", 4, "is a file. Name a folder"),
        ("audit colours --html vdg.yaml/x", 4, "--html 'vdg.yaml/x' cannot be written"),
        ("audit colours --json data", 4, "--json 'data' cannot be written"),
        ("audit colours --markdown vdg.yaml/x", 4, "--markdown 'vdg.yaml/x' cannot"),
        ("filter colours --models a --to data", 4, "--to 'data' cannot be written"),
        ("filter colours", 4, "a panel needs a model"),
        ("filter colours --models a --tau 99", 4, "S lies between"),
        ("filter colours --models a --by bclean --tau 0", 4, "has none: leave it out"),
        (
            "filter colours --text-models t --judge t",
            4,
            "'t' is a text model: a video model judges",
        ),
        ("filter colours --models any --judge any", 1, "of a text model, and no model"),
    ],
)
def test_what_goes_wrong_has_its_code(
    here: Project, capsys: Captured, line: str, code: int, told: str
) -> None:
    """4 for what was typed, 1 for a panel that cannot say it."""
    backend = ["--backend", "python:stub:sighted"]
    assert cli.main([*line.split(), *backend]) == code
    said = capsys.readouterr()
    assert told in said.err
    assert said.out == ""
