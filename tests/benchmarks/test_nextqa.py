"""NExT-QA: the real validation set, and constructed files in its form."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks._checks import video_faults
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.errors import ConfigError
from tests.benchmarks.published import (
    Record,
    any_json,
    as_json,
    as_parquet,
    changed,
    dropped,
    lenient,
    refusal,
    remarks,
    touch,
)
from tests.realdata import real

RIGHT: Record = {
    "video": "4010069381",
    "frame_count": "369",
    "width": "640",
    "height": "480",
    "question": "how do the two men play the instrument",
    "answer": "2",
    "qid": "6",
    "type": "CH",
    "a0": "roll the handle",
    "a1": "tap their feet",
    "a2": "strum the string",
    "a3": "hit with sticks",
    "a4": "pat with hand",
}


def as_csv(path: Path, *records: Record) -> Path:
    """Write *records* as the authors' table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=list(RIGHT))
        table.writeheader()
        table.writerows(records)
    return path


def test_real_set_loads_whole() -> None:
    """All 4,996 questions are used; three offer a wrong option twice and say so."""
    made = load_benchmark("nextqa", real("nextqa/val.csv").parent)
    assert len(made) == 4_996
    assert dropped(made) == []
    assert remarks(made) == [
        ("line 626", "offers 'scarf' more than once"),
        ("line 3572", "offers 'resting' more than once"),
        ("line 3846", "offers 'red' more than once"),
    ]
    # Counted in val.csv by its column `type`.
    assert Counter(q.task for q in made.questions) == {
        "CW": 1924,
        "TN": 895,
        "CH": 683,
        "TC": 663,
        "DO": 305,
        "DL": 295,
        "DC": 177,
        "TP": 54,
    }


def test_real_questions_are_those_of_the_file() -> None:
    """Text, options in order, key and video of each question, read independently."""
    made = load_benchmark("nextqa", real("nextqa/val.csv").parent)
    with real("nextqa/val.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, question in zip(rows, made.questions, strict=True):
        assert question.id == f"{row['video']}_{row['qid']}"
        assert question.text == row["question"]
        assert list(question.texts.values()) == [row[f"a{i}"] for i in range(5)]
        assert question.texts[question.answer] == row[f"a{row['answer']}"]
        assert question.video.endswith(f"/{row['video']}.mp4")


def test_map_says_where_a_video_lies(tmp_path: Path) -> None:
    """With the authors' map videos lie in its subfolders, without it side by side."""
    as_csv(tmp_path / "val.csv", RIGHT)
    made = load_benchmark("nextqa", tmp_path)
    assert made.questions[0].video == "4010069381.mp4"
    assert made.root == tmp_path / "NExTVideo"
    as_json(tmp_path / "map_vid_vidorID.json", {"4010069381": "1106/4010069381"})
    made = load_benchmark("nextqa", tmp_path)
    assert made.questions[0].video == "1106/4010069381.mp4"
    assert "map_vid_vidorID.json sha256:" in made.source


def test_flat_copy_of_the_videos_is_found_beside_the_map(tmp_path: Path) -> None:
    """Where the subfolder is not there and the file itself is, it is taken."""
    as_csv(tmp_path / "val.csv", RIGHT)
    as_json(tmp_path / "map_vid_vidorID.json", {"4010069381": "1106/4010069381"})
    touch(tmp_path, "flat/4010069381.mp4")
    made = load_benchmark("nextqa", tmp_path, videos=tmp_path / "flat")
    assert made.questions[0].video == "4010069381.mp4"
    assert made.video_path(made.questions[0]).is_file()


def test_table_and_csv_are_the_same_questions(tmp_path: Path) -> None:
    """Numbers are numbers in the Hugging Face table; the digest is that of the CSV."""
    as_csv(tmp_path / "test.csv", RIGHT)
    table = {k: int(v) if str(v).isdigit() else v for k, v in RIGHT.items()}
    as_parquet(tmp_path / "hf/MC/test-00000-of-00001.parquet", [table])
    made = load_benchmark("nextqa", tmp_path / "hf", variant="test")
    same = load_benchmark("nextqa", tmp_path, variant="test")
    assert made.root == tmp_path / "hf" / "NExTVideo"
    assert made.digest == same.digest


def test_order_of_the_lines_is_no_content(tmp_path: Path) -> None:
    """Sorting the file changes no id and no digest; changing a word does."""
    other = {**RIGHT, "qid": "7", "type": "TN"}
    forth = load_benchmark("nextqa", as_csv(tmp_path / "a.csv", RIGHT, other))
    back = load_benchmark("nextqa", as_csv(tmp_path / "b.csv", other, RIGHT))
    altered = {**other, "a4": "pat with a hand"}
    third = load_benchmark("nextqa", as_csv(tmp_path / "c.csv", RIGHT, altered))
    assert forth.digest == back.digest != third.digest


def test_option_without_text_is_none(tmp_path: Path) -> None:
    """Chance counts the options that say something; the key counts all columns."""
    path = as_csv(tmp_path / "val.csv", {**RIGHT, "a1": " "})
    question = load_benchmark("nextqa", path).questions[0]
    assert question.chance == 1 / 4
    assert question.texts[question.answer] == "strum the string"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("answer", "5", "answer '5' is not among 0 to 4"),
        ("answer", "C", "answer 'C' is no place in a list"),
        ("answer", "", "answer '' is no place in a list"),
        ("a2", "", "answer '2' is an option without text"),
        ("a0", "strum  the string", "the answer, is given to more than one option"),
        ("question", "", "question text is empty"),
        ("type", "", "task is empty"),
        ("video", "../4010069381", "leads out of the benchmark's folder"),
        ("qid", "7", "id '4010069381_7' was already given at val.csv line 3"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    second = {**RIGHT, "qid": "7"}
    path = as_csv(tmp_path / "val.csv", RIGHT, second, changed(RIGHT, key, value))
    message = refusal("nextqa", path)
    assert said in message
    assert "val.csv, line 4: " in message
    made = lenient("nextqa", path)
    assert "4010069381_6" in made.by_id
    assert len(made) + len(dropped(made)) == 3


def test_video_that_the_map_does_not_know_is_told(tmp_path: Path) -> None:
    """A question whose video has no place is left out, never guessed."""
    as_csv(tmp_path / "val.csv", RIGHT, {**RIGHT, "video": "7", "qid": "1"})
    as_json(tmp_path / "map_vid_vidorID.json", {"4010069381": "1106/4010069381"})
    made = lenient("nextqa", tmp_path)
    assert dropped(made) == [
        ("val.csv", "line 3", "video '7' has no place in map_vid_vidorID.json")
    ]


def test_map_of_another_kind_is_refused(tmp_path: Path) -> None:
    """A list is no map, and a file of another part is not read for this one."""
    as_csv(tmp_path / "val.csv", RIGHT)
    with pytest.raises(ConfigError, match="holds 'val'"):
        load_benchmark("nextqa", tmp_path / "val.csv", variant="test")
    as_json(tmp_path / "map_vid_vidorID.json", ["4010069381"])
    assert "must hold an object" in refusal("nextqa", tmp_path)


@given(key=st.sampled_from(list(RIGHT)), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """Whatever stands in one record, the other is kept and nothing is lost."""
    folder = tmp_path_factory.mktemp("any")
    records = [{**RIGHT, "qid": "7"}, changed(RIGHT, key, value)]
    made = lenient("nextqa", as_json(folder / "val.json", records))
    assert "4010069381_7" in made.by_id or key in ("qid", "video")
    assert len(made) + len(dropped(made)) == 2


@given(places=any_json)
def test_any_map_is_used_or_refused(
    tmp_path_factory: pytest.TempPathFactory, places: object
) -> None:
    """So it is with the second file."""
    folder = tmp_path_factory.mktemp("any")
    as_csv(folder / "val.csv", RIGHT)
    as_json(folder / "map_vid_vidorID.json", {"4010069381": places})
    if isinstance(places, str) and not list(video_faults(f"{places}.mp4")):
        made = load_benchmark("nextqa", folder)
        assert made.questions[0].video == f"{places}.mp4"
    else:
        assert "val.csv, line 2: " in refusal("nextqa", folder)
