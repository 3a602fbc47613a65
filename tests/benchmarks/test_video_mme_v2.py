"""Video-MME-v2: constructed records in the form of its table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.prompts import render
from pytest_vdg.benchmarks.registry import load_benchmark
from tests.benchmarks.published import (
    Record,
    any_json,
    as_json,
    as_parquet,
    changed,
    dropped,
    lenient,
    refusal,
    touch,
)

TEXTS = ("Malaysian.", "Vitamin B. Or C.", "No.", "D.", "E?", "Six", "7", "None")
ROW: Record = {
    "video_id": "001",
    "url": "https://www.youtube.com/watch?v=abcdefghijk",
    "question_id": "001-1",
    "group_type": "logic",
    "group_structure": "[1, [2, 3], 4]",
    "level": 3,
    "second_head": "Causal Reasoning",
    "third_head": "Counterfactual",
    "question": "Where is she from?",
    "options": "\n".join(
        f"{k}. {text}" for k, text in zip("ABCDEFGH", TEXTS, strict=True)
    ),
    "answer": "H",
}


def test_row_is_read_as_published(tmp_path: Path) -> None:
    """One text holds eight options, a line each, whatever their words look like."""
    as_parquet(tmp_path / "test.parquet", [ROW])
    made = load_benchmark("video-mme-v2", tmp_path)
    (question,) = made.questions
    assert dict(question.texts) == dict(zip("ABCDEFGH", TEXTS, strict=True))
    assert question.chance == 1 / 8
    assert (question.id, question.answer) == ("001-1", "H")
    assert (question.task, question.video) == ("Causal Reasoning", "001.mp4")
    assert question.extra["group_structure"] == "[1, [2, 3], 4]"
    assert made.prompt is not None


def test_videos_lie_in_their_folder_or_beside_the_table(tmp_path: Path) -> None:
    """Archives unpack into ``videos`` or into the folder itself."""
    as_parquet(tmp_path / "test.parquet", [ROW])
    touch(tmp_path, "001.mp4")
    made = load_benchmark("video-mme-v2", tmp_path)
    assert made.video_path(made.questions[0]) == (tmp_path / "001.mp4").resolve()
    touch(tmp_path, "videos/001.MP4")
    made = load_benchmark("video-mme-v2", tmp_path)
    assert made.video_path(made.questions[0]).name == "001.MP4"


def test_number_within_a_video_makes_an_id_over_all(tmp_path: Path) -> None:
    """Questions 1 of two videos are two questions."""
    rows = [{**ROW, "question_id": 1}, {**ROW, "question_id": 1, "video_id": 2}]
    made = load_benchmark(
        "video-mme-v2", as_parquet(tmp_path / "test.parquet", rows[:1])
    )
    assert list(made.by_id) == ["001-1"]
    made = load_benchmark("video-mme-v2", as_json(tmp_path / "test.json", rows))
    assert list(made.by_id) == ["001-1", "2-1"]


def test_fewer_options_raise_chance(tmp_path: Path) -> None:
    """Not every question has eight; empty lines are none."""
    path = as_json(
        tmp_path / "a.json", [{**ROW, "options": "A. x\n\nB. y\n", "answer": "B"}]
    )
    assert load_benchmark("video-mme-v2", path).questions[0].chance == 1 / 2


def test_prompt_is_the_authors_example(tmp_path: Path) -> None:
    """The form without subtitles on the benchmark's page, word for word."""
    record = {**ROW, "options": "A. Malaysian.\nB. British.", "answer": "B"}
    made = load_benchmark("video-mme-v2", as_json(tmp_path / "a.json", [record]))
    assert render(made.questions[0], made.prompt) == (
        "These are the frames of a video.\n"
        "Select the best answer to the following multiple-choice question based on "
        "the video.\n"
        "Respond with only the letter (A, B, C, D, E, F, G, or H) of the correct "
        "option.\n"
        "Question: Where is she from?\n"
        "A. Malaysian.\nB. British."
    )


@pytest.mark.parametrize("empty", [None, "", "None", ...])
def test_question_without_an_ability_is_of_its_group(
    tmp_path: Path, empty: object
) -> None:
    """Where the table names no ability, the kind of group is the task."""
    path = as_json(tmp_path / "a.json", [changed(ROW, "second_head", empty)])
    assert load_benchmark("video-mme-v2", path).questions[0].task == "logic"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("answer", "I", "answer 'I' is none of the options"),
        ("options", ["A. x"], "options must be text"),
        ("options", "A. x\nB. y\nand more", "'and more' begins with no label"),
        ("options", "A. x, B. y", "is none of the options (A. x, B. y)"),
        ("options", "A. x\nA. y", "carry the labels A, A"),
        ("video_id", None, "video_id must be text, got None"),
        ("video_id", "/etc/x", "leads out of the benchmark's folder"),
        ("question", ..., "has no 'question'"),
        ("question_id", "001-1", "was already given"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    third = changed({**ROW, "question_id": "001-3"}, key, value)
    records = [ROW, {**ROW, "question_id": "001-2"}, third]
    path = as_json(tmp_path / "a.json", records)
    message = refusal("video-mme-v2", path)
    assert said in message
    assert "a.json, record 3: " in message
    made = lenient("video-mme-v2", path)
    assert "001-2" in made.by_id
    assert len(made) + len(dropped(made)) == 3


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Neither ids nor digest depend on it."""
    other = {**ROW, "question_id": "001-2"}
    forth = load_benchmark("video-mme-v2", as_json(tmp_path / "a.json", [ROW, other]))
    back = load_benchmark("video-mme-v2", as_json(tmp_path / "b.json", [other, ROW]))
    assert forth.digest == back.digest


@given(key=st.sampled_from(list(ROW)), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """Whatever stands in one record, the other is kept."""
    path = tmp_path_factory.mktemp("any") / "a.json"
    records = [{**ROW, "question_id": "001-kept"}, changed(ROW, key, value)]
    made = lenient("video-mme-v2", as_json(path, records))
    assert "001-kept" in made.by_id
    assert len(made) + len(dropped(made)) == 2
