"""``vdg ablate``: levels against the original, asked, stored, and refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg import cli
from pytest_vdg._commands.ablate import _plain
from pytest_vdg.benchmarks.sight import load_sight
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.runs import Run
from pytest_vdg.store.paper_answers import read_paper_answers
from pytest_vdg.store.runfile import save_run
from tests.assertions.build import NO_CAPS, make_run
from tests.realdata import real

Captured = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]
MODELS = '''
"""A model that knows eight frames of its clips; whatever else it sees, it says A."""
from pathlib import Path

from pytest_vdg import ScriptedBackend
from pytest_vdg.benchmarks.sight import load_sight
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.sampling import Sampling


def known():
    """Return the answer to each question about each clip, as eight frames show it."""
    benchmark = load_sight()
    paths = {q.video: benchmark.video_path(q) for q in benchmark.questions}
    clips = {v: read_clip(p, Sampling(frames=8)).digest() for v, p in paths.items()}
    return {
        (q.text, tuple(q.texts.values()), clips[q.video]): q.answer
        for q in benchmark.questions
    }


def eight(**settings):
    Path("loaded").touch()
    table = known()

    def answered(prompt, clip):
        shown = "" if clip is None else clip.digest()
        key = prompt.text.splitlines()[0], prompt.option_texts, shown
        label = table.get(key, "A")
        # The last digits move with what is seen, as in any model that reads it.
        moved = 0.0 if clip is None else float(clip.frames.mean()) * 1e-6
        return {each: 0.9 + moved if each == label else 0.02 for each in prompt.labels}

    return ScriptedBackend(answered, name="eight")
'''
ASKED = ("ablate", "any", "--backend", "python:ablate_models:eight")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a model, now the current one."""
    (tmp_path / "ablate_models.py").write_text(MODELS, encoding="utf-8")
    (tmp_path / "vdg.yaml").write_text("sampling: {frames: 8}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def values(captured: Captured, *arguments: str) -> dict[str, Any]:
    """Return what the command says as JSON, having left with 0."""
    assert cli.main([*arguments, "--json", "-"]) == 0
    found: dict[str, Any] = json.loads(captured.readouterr().out)
    return found


def stored(folder: Path, run: Run) -> None:
    """Keep *run* in the folder ``runs``."""
    (folder / "runs").mkdir(exist_ok=True)
    save_run(run, folder / "runs" / f"{run.checkpoint}.jsonl", full=True)


# -- asked -------------------------------------------------------


def test_levels_are_held_against_the_original(here: Path, capsys: Captured) -> None:
    """With two frames what is no A breaks; eight frames are those of the original."""
    found = values(capsys, *ASKED, "--questions", "60", "--frames", "8", "2")
    asked = take(load_sight(), questions=60).questions
    lost = sum(q.answer != "A" for q in asked)
    two, eight = found["levels"]
    assert (two["condition"], eight["condition"]) == ("sampled:2", "sampled:8")
    assert (two["broken"], two["mended"], two["n"]) == (lost, 0, 60)
    assert two["verdict"] == "NOT FLAT"
    assert (eight["broken"], eight["stable"]["estimate"]) == (0, 1.0)
    assert eight["frames"]["as_original"] == 60
    assert found["conditions"]["black"]["correct"] == 60 - lost
    # Who does not see says A, so that all that need the video break, and no others.
    assert two["breaking"]["needing"] == 1.0
    assert two["breaking"]["others"] == 0.0


def test_what_is_common_is_asked_once(here: Path, capsys: Captured) -> None:
    """Levels of another kind find original and black answered."""
    assert cli.main([*ASKED, "--questions", "12", "--frames", "2"]) == 0
    assert "from cache" not in capsys.readouterr().out
    assert cli.main([*ASKED, "--questions", "12", "--fps", "0.50,1"]) == 0
    out = capsys.readouterr().out
    assert "24 of 48 cells from cache" in out
    assert "\n  fps:0.5 " in out


def test_the_verdict_is_no_exit_code(here: Path, capsys: Captured) -> None:
    """It measures, as ``vdg ladder`` does, and claims nothing."""
    assert cli.main([*ASKED, "--questions", "60", "--frames", "1"]) == 0
    assert "NOT FLAT" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "which levels? Name some: --crf 18 28 38, --fps"),
        ("--crf", "--crf needs a number, or several"),
        ("--crf 99", "--crf 99: condition 'compressed' needs a constant rate factor"),
        ("--crf 18.5", "a whole number 0 to 51; got '18.5'"),
        ("--crf 18 -1", "got '-1'"),
        ("--crf low", "--crf low: "),
        ("--fps 0", "a number above 0"),
        ("--frames 0", "--frames 0: "),
        ("--crf 18 --fps 2", "--crf and --fps: levels of one kind at a time"),
        ("--crf 18 --margin 3", "--margin 3 must lie between 0 and 1"),
        ("--crf 18 --margin 0", "--margin 0 must lie between"),
        ("--crf 18 --margin 1", "--margin 1 must lie between"),
        ("--crf 18 --margin 1.5", "--margin 1.5 must lie between"),
        ("--crf 18 --margin nan", "--margin nan must lie between"),
        ("--crf 18 --missing droop", "Did you mean 'drop'?"),
        ("--crf 18 --slice sigth", "Did you mean 'sight'?"),
        ("--crf 18 --tasks colur", "Did you mean 'colour'?"),
        ("--crf 18 --html vdg.yaml", "--html 'vdg.yaml' is a file"),
        ("--crf 18 --json vdg.yaml/x", "--json 'vdg.yaml/x' cannot be written"),
        ("--crff 18", "Did you mean '--crf'?"),
    ],
)
def test_what_cannot_be_asked_is_told_before_a_model_is_made(
    here: Path, capsys: Captured, line: str, told: str
) -> None:
    """With pytest's code for a usage error, on the first line."""
    assert cli.main([*ASKED, *line.split()]) == 4
    said = capsys.readouterr()
    assert told in said.err
    assert said.out == ""
    assert not (here / "loaded").exists()


@pytest.mark.parametrize(
    ("typed", "spelt"),
    [
        ("28", "28"),
        ("028", "28"),
        ("0.50", "0.5"),
        (".5", "0.5"),
        ("2.0", "2"),
        ("0", "0"),
        ("-1", "-1"),
        (".", "."),
        ("1e3", "1e3"),
        ("\u0662", "\u0662"),
    ],
)
def test_a_number_has_one_spelling(typed: str, spelt: str) -> None:
    """By which its answers are found; what is no number stays to be refused."""
    assert _plain(typed) == spelt


# -- stored ------------------------------------------------------


def test_a_stored_run_brings_its_levels(here: Path, capsys: Captured) -> None:
    """All of them where none is named; ``black`` only where it is there."""
    cells = {"original": "CCCW" * 5, "compressed:38": "CCWC" * 5, "reversed": "C" * 20}
    stored(here, make_run(cells, checkpoint="old"))
    found = values(capsys, "ablate", "old", "--replay", "runs")
    (level,) = found["levels"]
    assert (level["condition"], level["broken"], level["mended"]) == (
        "compressed:38",
        5,
        5,
    )
    assert level["enrichment"] is None
    assert list(found["conditions"]) == ["original", "compressed:38"]


def test_levels_of_two_kinds_are_not_mixed(here: Path, capsys: Captured) -> None:
    """Which it is about is asked, and what could be typed is shown."""
    cells = dict.fromkeys(["original", "black", "compressed:18", "fps:0.5"], "CW" * 4)
    stored(here, make_run(cells, checkpoint="old"))
    line = ["ablate", "--replay", "runs"]
    assert cli.main(line) == 4
    told = "which levels? The stored run holds --crf 18, --fps 0.5"
    assert told in capsys.readouterr().err
    found = values(capsys, *line, "--fps", "0.5")
    assert [level["condition"] for level in found["levels"]] == ["fps:0.5"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--crf 28", "'compressed:28' of slice 'sight' is not in"),
        ("", "holds no level"),
    ],
)
def test_what_a_stored_run_lacks_is_not_judged(
    here: Path, capsys: Captured, line: str, told: str
) -> None:
    """It leaves with 1, as nothing was measured."""
    stored(here, make_run({"original": "CW", "black": "WW"}, checkpoint="old"))
    assert cli.main(["ablate", "--replay", "runs", *line.split()]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("vdg: COULD NOT BE JUDGED: ")
    assert told in said.err


# -- written -----------------------------------------------------

HOSTILE = "<script>alert(1)</script>|[x](http://y)"


def test_reports_are_written_whatever_names_hold(here: Path, capsys: Captured) -> None:
    """A page with its pictures, Markdown and JSON; nothing foreign is obeyed."""
    pytest.importorskip("matplotlib")
    cells = {"original": "CCCW" * 9, "black": "CWWW" * 9, "compressed:38": "CCWC" * 9}
    run = make_run(cells, checkpoint="old", tasks=(HOSTILE, "plain"))
    stored(here, run)
    files = ["--html", "page", "--markdown", "a.md", "--json", "a.json"]
    assert cli.main(["ablate", "--replay", "runs", *files]) == 0
    out = capsys.readouterr().out
    assert "wrote a.json" in out
    names = {path.name for path in (here / "page").iterdir()}
    assert names == {
        "index.html",
        *(f"{n}.{s}" for n in ("levels", "tasks") for s in ("svg", "png")),
    }
    page = (here / "page" / "index.html").read_text("utf-8")
    assert "vdg ablate" in page
    assert "<script>alert" not in page
    text = (here / "a.md").read_text("utf-8")
    assert "<script>" not in text
    assert "](http" not in text
    rows = [line for line in text.splitlines() if line.startswith("| <code>")]
    assert len(rows) == 1 + 2
    assert len({line.count(" | ") for line in rows if "plain" in line}) == 1
    tasks = {
        level["task"] for level in json.loads((here / "a.json").read_text())["by_task"]
    }
    assert tasks == {HOSTILE, "plain"}


def test_one_task_that_nobody_answered_makes_a_page(
    here: Path, capsys: Captured
) -> None:
    """There is no picture of nothing, and the page says why."""
    pytest.importorskip("matplotlib")
    cells = {"original": "CW" * 9, "compressed:38": "F" * 18}
    stored(here, make_run(cells, checkpoint="old"))
    assert cli.main(["ablate", "--replay", "runs", "--html", "page"]) == 0
    assert "COULD NOT BE JUDGED" in capsys.readouterr().out
    assert [path.name for path in (here / "page").iterdir()] == ["index.html"]
    assert "could not be judged" in (here / "page" / "index.html").read_text("utf-8")


# -- a real model, and the paper's answers -----------------------


def test_a_real_model_is_shown_compressed_clips(here: Path, capsys: Captured) -> None:
    """Seven clips encoded anew at two qualities, at the very times of the original."""
    pytest.importorskip("transformers", reason="a real model needs it")
    pytest.importorskip("torch", reason="a real model needs it")
    checkpoint = ROOT / "example_suite" / "checkpoints" / "grounded"
    options = ["--device", "cpu", "--dtype", "float32", "--questions", "7"]
    found = values(capsys, "ablate", str(checkpoint), *options, "--crf", "18", "51")
    assert [level["condition"] for level in found["levels"]] == [
        "compressed:18",
        "compressed:51",
    ]
    for level in found["levels"]:
        assert level["n"] == 7
        assert level["excluded"] == 0
        assert level["frames"]["as_original"] == 7
        assert level["verdict"] == "INCONCLUSIVE"  # of seven questions, whatever came


def published(here: Path, captured: Captured, model: str) -> dict[str, Any]:
    """Return the ablation of the paper's own answers of *model* on Video-MME."""
    paths: Sequence[Path] = [
        real(f"vdg_annotations/full_study/{model}{part}_results.json")
        for part in ("", "_black")
    ]
    run = read_paper_answers(
        paths, checkpoint=model, slice_name="videomme", labels="ABCD"
    ).run
    stored(here, run)
    caps = ", ".join(f"{name}: {cap}" for name, cap in vars(NO_CAPS).items())
    (here / "vdg.yaml").write_text(f"caps: {{{caps}}}\n", encoding="utf-8")
    return values(captured, "ablate", model, "--replay", "runs")


def test_the_papers_numbers_come_out(here: Path, capsys: Captured) -> None:
    """Section 4.4: 94.0 and 80.0 % at all six qualities; 11 and 7 broken at CRF 38."""
    found = published(here, capsys, "qwen2vl")
    same = {each["task"]: each["estimate"] for each in found["agreement"]}
    assert same["OCR Problems"] == pytest.approx(0.94, abs=0.005)
    assert same["Object Recognition"] == pytest.approx(0.80, abs=0.005)
    among = found["levels"][-1]["breaking"]
    assert round(among["needing"] * among["n_needing"]) == 11
    assert round(among["others"] * among["n_others"]) == 7
    assert [level["verdict"] for level in found["levels"]] == ["FLAT"] * 5


@pytest.mark.parametrize(
    ("model", "flips"),
    # Counted apart, by collections.Counter over (original, crf38), both answered;
    # Table S12 prints others, which no reading of the answers gives.
    [("qwen2vl", (18, 16)), ("llava", (20, 13)), ("internvl2", (10, 14))],
)
def test_the_papers_flips_at_crf_38(
    here: Path, capsys: Captured, model: str, flips: tuple[int, int]
) -> None:
    """What a level broke and mended is what a count of the answers gives."""
    last = published(here, capsys, model)["levels"][-1]
    assert last["condition"] == "compressed:38"
    assert (last["broken"], last["mended"]) == flips
