"""``vdg import``: what it writes, prints and refuses. Logs are constructed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg import cli, load_run
from pytest_vdg.benchmarks.pinned import save_slice
from pytest_vdg.benchmarks.plain import load_plain
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.logs.registry import FORMATS, read_log
from tests.logs.made import (
    OPTIONS,
    QUESTION,
    inspect_log,
    lines,
    lmms,
    sample,
    vlm,
    write_json,
    write_lmms,
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


NAMED = ["--checkpoint", "step-1", "--slice", "videomme", "--to", "runs/step-1.jsonl"]


def test_a_run_is_written_and_told(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table of what each condition came to, and what was odd."""
    records = [lmms("0.4", "C"), lmms("0.4", "", doc_id=1, doc_hash="h1")]
    write_lmms(here / "a", "0.4", records)
    write_lmms(here / "b", "0.4", [lmms("0.4", "B")])
    logs = ["original=a/*_samples_videomme.jsonl", "black=b/*_samples_videomme.jsonl"]
    assert cli.main(["import", *logs, *NAMED]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == (
        "wrote runs/step-1.jsonl: step-1 on slice videomme, 2 questions, 1 video"
    )
    heads = ["condition", "correct", "wrong", "unparsed", "failed", "accuracy"]
    assert [line.split()[:6] for line in told[1:4]] == [
        heads,
        ["original", "1", "0", "1", "0", ".500"],
        ["black", "0", "1", "0", "1", ".000"],
    ]
    assert told[3].split()[6] == "[.00,"  # no number without its interval
    assert told[4].startswith("note: black: 1 question has no row")
    run = load_run(here / "runs" / "step-1.jsonl")
    assert (run.checkpoint, run.slice_name) == ("step-1", "videomme")
    assert run.cells["videomme/0", "black"].reply == "B"


def test_a_benchmark_gives_ids_and_videos(here: Path) -> None:
    """Each row is found in it; records that cannot be used are left out."""
    entry = {
        "id": "001-1",
        "video": "clips/001.mp4",
        "task": "count",
        "question": QUESTION,
        "options": [option[3:] for option in OPTIONS],
        "answer": "C",
    }
    lines(here / "mine.jsonl", [entry])
    write_lmms(here / "a", "0.7", [lmms("0.7")])
    given = ["original=a/*.jsonl", "--benchmark", "plain", "--path", "mine.jsonl"]
    assert cli.main(["import", *given, *NAMED]) == 0
    (question,) = load_run(here / "runs" / "step-1.jsonl").questions
    assert (question.id, question.video, question.task) == (
        "001-1",
        "clips/001.mp4",
        "count",
    )


def test_a_pinned_slice_says_what_should_be_there(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the whole benchmark, where fewer were asked on purpose."""
    entries = [
        {
            "id": f"q{i}",
            "video": f"{i}.mp4",
            "task": "t",
            "question": f"Which, of {i}?",
            "options": ["x", "y"],
            "answer": "A",
        }
        for i in range(9)
    ]
    made = load_plain(lines(here / "mine.jsonl", entries))
    save_slice(replace(take(made, questions=4), name="four"), here / "four.jsonl")
    ids = take(made, questions=4).ids
    lines(here / "a.jsonl", [{"id": i, "reply": "A"} for i in ids[:3]])
    given = ["original=a.jsonl", "--benchmark", "plain", "--path", "mine.jsonl"]
    assert cli.main(["import", *given, *NAMED]) == 0
    assert "3 of 9 questions, 3 videos" in capsys.readouterr().out
    assert cli.main(["import", *given, *NAMED, "--pinned", "four.jsonl"]) == 0
    assert "3 of 4 questions, 3 videos" in capsys.readouterr().out
    assert load_run(here / "runs" / "step-1.jsonl").planned == {"t": 4}


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        (["original=gone.jsonl", *NAMED], 4, "log 'gone.jsonl' is not there"),
        (["original=b.cvs", *NAMED], 4, "Did you mean 'b.csv'?"),
        (["originl=a.jsonl", *NAMED], 4, "Did you mean 'original'"),
        (["a.jsonl", *NAMED], 1, "does not say its condition"),
        (["original=a.jsonl", *NAMED, "--path", "x"], 4, "--path is of a benchmark"),
        (["original=a.jsonl", *NAMED, "--pinned", "x"], 4, "--pinned is of a bench"),
        (["original=a.jsonl", *NAMED, "--take", "x"], 4, "--take 'x': no row is of"),
        (["original=a.jsonl", *NAMED[:3], "a/b", *NAMED[4:]], 4, "--slice 'a/b' must"),
        (["original=a.jsonl", *NAMED, "--slice", "b"], 4, "--slice is given twice"),
        (["original=a.jsonl", *NAMED, "--benchmark", "plaine"], 4, "'plain'"),
        (["original=a.jsonl", *NAMED, "--format", "inspect"], 1, "must be an object"),
        (["original=a.jsonl", "black=a.jsonl", *NAMED], 4, "as original and as black"),
        (["original=b.csv", *NAMED], 1, "is no log that is known here"),
    ],
)
def test_what_cannot_be_is_refused(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    given: list[str],
    code: int,
    told: str,
) -> None:
    """Exit code 4 for the command line, 1 for the logs; nothing is written."""
    row = {"id": 1, "reply": "A", "answer": "A", "options": ["x", "y"]}
    lines(here / "a.jsonl", [row])
    (here / "b.csv").write_text("name,score\na,1\n", encoding="utf-8")
    if "inspect" in given:
        write_json(here / "a.jsonl", [1])
    assert cli.main(["import", *given]) == code
    assert told in capsys.readouterr().err
    assert not (here / "runs").exists()


def test_every_format_is_recognised_and_no_other(here: Path) -> None:
    """From the content of a file alone, whatever it is called."""
    paths = {
        "lmms-eval": write_lmms(here, "0.4", [lmms("0.4")]),
        "vlmevalkit": write_json(here / "v.json", [vlm()]),
        "inspect": write_json(here / "i.json", inspect_log(sample())),
        "vdg-paper": write_json(
            here / "p.json",
            [
                {
                    "question_id": "q",
                    "videoID": "v",
                    "task_type": "t",
                    "condition": "original",
                    "ground_truth": "A",
                    "prediction": "A",
                }
            ],
        ),
        "table": lines(here / "t.jsonl", [{"id": 1, "reply": "A"}]),
    }
    assert set(paths) == set(FORMATS)
    harness = {name: read_log(path).harness for name, path in paths.items()}
    assert {name.casefold(): name for name in harness.values()}.keys() == set(FORMATS)


def test_the_help_names_the_formats(capsys: pytest.CaptureFixture[str]) -> None:
    """``vdg import --help`` is enough to know what to type."""
    assert cli.main(["import", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for each in FORMATS.values():
        assert f"{each.name} {each.title}: {each.expects}" in text
    assert "pytest --vdg-replay=runs" in text


def test_a_log_is_not_written_over(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slip in --to costs no night; what no replay would find is no run file."""
    path = write_lmms(here / "a", "0.4", [lmms("0.4", "C")])
    before = path.read_bytes()
    rest = [f"original={path}", "--checkpoint", "c", "--slice", "s"]
    assert cli.main(["import", *rest, "--to", str(path)]) == 4
    assert "is one of the logs" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert cli.main(["import", *rest, "--to", "runs/c.json"]) == 4
    assert "must end in .jsonl" in capsys.readouterr().err


def test_a_condition_with_a_hyphen_is_a_misspelt_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not taken for the name of a file."""
    path = write_lmms(here / "a", "0.4", [lmms("0.4", "C")])
    assert cli.main(["import", f"text-only={path}", *NAMED]) == 4
    assert "Did you mean 'text_only'?" in capsys.readouterr().err
