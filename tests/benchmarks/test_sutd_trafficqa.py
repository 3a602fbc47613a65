"""SUTD-TrafficQA: constructed lines in its form, with padding in each place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.sutd_trafficqa import COLUMNS
from pytest_vdg.errors import BenchmarkError
from tests.benchmarks.published import any_json, dropped, lenient, refusal

NAME = "sutd-trafficqa"
RIGHT: list[object] = [
    9875,
    20485,
    "b_1ZV411k741_clip_023.mp4",
    1,
    "What type of accident happened in the video?",
    "A",
    "Head-on collision",
    "No accident happened.",
    "The vehicle collided with road infrastructure.",
    "Others",
    1,
]


def with_(**values: object) -> list[object]:
    """Return a right line but for the columns that are named."""
    line = dict(zip(COLUMNS, RIGHT, strict=True))
    return list({**line, **values}.values())


def as_lines(path: Path, *lines: object, heads: object = COLUMNS) -> Path:
    """Write *heads* and *lines*, a JSON value a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(value) + "\n" for value in (heads, *lines))
    path.write_text(text, encoding="utf-8")
    return path


def test_line_is_read_by_the_columns(tmp_path: Path) -> None:
    """The answer counts from 0; the kind of question is spelt out."""
    as_lines(tmp_path / "annotations/R2_test.jsonl", RIGHT)
    made = load_benchmark(NAME, tmp_path)
    (question,) = made.questions
    assert question.id == "9875"
    assert question.texts[question.answer] == "No accident happened."
    assert question.task == "attribution"
    assert question.video == "b_1ZV411k741_clip_023.mp4"
    assert question.extra == {"vid_id": 20485, "perspective": 1}
    assert made.root == tmp_path / "videos"


@pytest.mark.parametrize("empty", [(0,), (1,), (3,), (0, 2), (0, 1), (1, 2)])
def test_padding_may_stand_anywhere(tmp_path: Path, empty: tuple[int, ...]) -> None:
    """Labels and chance count the options with text; the answer counts all four."""
    texts = ["one", "two", "three", "four"]
    right = next(i for i in (3, 2, 1) if i not in empty)
    values = {f"option{i}": "" if i in empty else t for i, t in enumerate(texts)}
    path = as_lines(tmp_path / "R2_test.jsonl", with_(**values, answer=right))
    (question,) = load_benchmark(NAME, path).questions
    assert question.chance == 1 / (4 - len(empty))
    assert "".join(question.labels) == "ABCD"[: 4 - len(empty)]
    assert question.texts[question.answer] == texts[right]


def test_parts_are_files_of_their_own(tmp_path: Path) -> None:
    """The test part is the default; a part that is not there is told."""
    as_lines(tmp_path / "R2_test.jsonl", RIGHT)
    as_lines(tmp_path / "R2_all.jsonl", RIGHT, with_(record_id=1))
    assert len(load_benchmark(NAME, tmp_path)) == 1
    assert len(load_benchmark(NAME, tmp_path, variant="all")) == 2
    assert "R2_train.jsonl" in refusal(NAME, tmp_path, variant="train")


def test_order_of_the_lines_is_no_content(tmp_path: Path) -> None:
    """Ids are the authors', so that neither they nor the digest depend on it."""
    other = with_(record_id=1)
    forth = load_benchmark(NAME, as_lines(tmp_path / "a.jsonl", RIGHT, other))
    back = load_benchmark(NAME, as_lines(tmp_path / "b.jsonl", other, RIGHT))
    altered = with_(record_id=1, answer=0)
    third = load_benchmark(NAME, as_lines(tmp_path / "c.jsonl", RIGHT, altered))
    assert forth.digest == back.digest != third.digest


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (with_(answer=4), "answer 4 is not among 0 to 3"),
        (with_(answer="B"), "answer 'B' is no place in a list"),
        (with_(answer=True), "answer True is no place in a list"),
        (with_(option1=""), "answer 1 is an option without text"),
        (with_(option0="", option2="", option3=None), "2 to 26 options, got 1"),
        (with_(option0="No accident happened."), "the answer, is given to more"),
        (with_(option0=3), "3 must be text"),
        (with_(q_body=""), "question text is empty"),
        (with_(q_type=None), "q_type must be text, got None"),
        (with_(vid_filename="../x.mp4"), "leads out of the benchmark's folder"),
        (with_(record_id=None), "record_id must be text, got None"),
        (with_(record_id="7"), "id '7' was already given at R2_test.jsonl line 2"),
        (RIGHT[:-1], "must be a list of 11 values"),
        ({"record_id": 1}, "must be a list of 11 values, got {'record_id': 1}"),
        ("9875", "must be a list of 11 values, got '9875'"),
    ],
)
def test_dirty_line_is_told_and_left_out(
    tmp_path: Path, line: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    path = tmp_path / "R2_test.jsonl"
    as_lines(path, with_(record_id=7), with_(record_id=8), line)
    message = refusal(NAME, path)
    assert said in message
    assert "R2_test.jsonl, line 4: " in message
    made = lenient(NAME, path)
    assert "8" in made.by_id
    assert len(made) + len(dropped(made)) == 3


def test_line_cut_in_the_middle_is_told(tmp_path: Path) -> None:
    """A download that broke off loses its last line, with a word."""
    path = as_lines(tmp_path / "R2_test.jsonl", RIGHT)
    path.write_text(path.read_text(encoding="utf-8") + '[1, 2, "b_', encoding="utf-8")
    assert [place for _, place, _ in dropped(lenient(NAME, path))] == ["line 3"]


@pytest.mark.parametrize("heads", [RIGHT, [*COLUMNS, "more"], {"record_id": 0}, "x"])
def test_file_without_its_columns_is_refused(tmp_path: Path, heads: object) -> None:
    """Without the first line nobody knows which value is the answer."""
    path = as_lines(tmp_path / "R2_test.jsonl", RIGHT, heads=heads)
    with pytest.raises(BenchmarkError, match="first line must be the list of columns"):
        lenient(NAME, path)


@given(column=st.sampled_from(COLUMNS), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, column: str, value: object
) -> None:
    """Whatever stands in one line, the other is kept and nothing is lost."""
    path = tmp_path_factory.getbasetemp() / "R2_test.jsonl"
    as_lines(path, with_(record_id="kept"), with_(**{column: value}))
    made = lenient(NAME, path)
    assert "kept" in made.by_id
    assert len(made) + len(dropped(made)) == 2


@given(line=any_json)
def test_any_line_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, line: object
) -> None:
    """So it is with a line as a whole."""
    path = tmp_path_factory.getbasetemp() / "R2_test.jsonl"
    made = lenient(NAME, as_lines(path, RIGHT, line))
    assert len(made) + len(dropped(made)) == 2
