"""LongVideoBench: constructed records in the form of its list and of its table."""

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
)

NAME = "longvideobench"
RIGHT: Record = {
    "video_id": "86CxyhFV9MI",
    "question": "When the subtitle says so, which hat does the man wear?",
    "question_wo_referring_query": "Which hat does the man wear?",
    "candidates": ["None", "A red one", "A blue one", "A straw hat", "A helmet"],
    "correct_choice": 3,
    "position": [854, 887],
    "topic_category": "NP-News-Programs",
    "question_category": "T2A",
    "level": "L1-Perception",
    "id": "86CxyhFV9MI_0",
    "video_path": "86CxyhFV9MI.mp4",
    "subtitle_path": "86CxyhFV9MI_en.json",
    "duration_group": 600,
    "starting_timestamp_for_subtitles": 0,
    "duration": 190.16,
    "view_count": 259852,
}


def row(record: Record) -> Record:
    """Return *record* as the table has it: a column an option, ``N/A`` behind."""
    texts = [*record["candidates"], "N/A"]  # type: ignore[misc]
    columns = {f"option{i}": texts[i] for i in range(5)}
    return {**{k: v for k, v in record.items() if k != "candidates"}, **columns}


def test_record_is_read_as_published(tmp_path: Path) -> None:
    """The answer counts from 0; the frames it refers to are kept beside it."""
    as_json(tmp_path / "lvb_val.json", [RIGHT])
    made = load_benchmark(NAME, tmp_path)
    (question,) = made.questions
    assert question.id == "86CxyhFV9MI_0"
    assert question.texts[question.answer] == "A straw hat"
    assert question.chance == 1 / 5
    assert (question.task, question.video) == ("T2A", "86CxyhFV9MI.mp4")
    assert question.extra["position"] == [854, 887]
    assert question.extra["duration_group"] == 600
    assert made.root == tmp_path / "videos"


def test_question_is_asked_as_its_authors_do(tmp_path: Path) -> None:
    """A line for the question, one an option, one for the instruction."""
    made = load_benchmark(NAME, as_json(tmp_path / "lvb_val.json", [RIGHT]))
    said = render(made.questions[0], made.prompt).split("\n")
    assert said[0] == f"Question: {RIGHT['question']}"
    assert said[1:3] == ["A. None", "B. A red one"]
    assert said[-1] == (
        "Answer with the option's letter from the given choices directly."
    )


@pytest.mark.parametrize("count", [4, 5])
def test_table_holds_the_same_question(tmp_path: Path, count: int) -> None:
    """``N/A`` is padding: chance counts the options that are there."""
    texts = list(RIGHT["candidates"])[:count]  # type: ignore[call-overload]
    record = {**RIGHT, "candidates": texts}
    as_parquet(tmp_path / "hf/validation-00000-of-00001.parquet", [row(record)])
    table = load_benchmark(NAME, tmp_path / "hf")
    listed = load_benchmark(NAME, as_json(tmp_path / "lvb_val.json", [record]))
    assert table.digest == listed.digest
    assert table.questions[0].chance == 1 / count
    assert table.questions[0].extra == listed.questions[0].extra


def test_padding_may_stand_before_the_answer(tmp_path: Path) -> None:
    """The answer counts the columns, not the options."""
    record = {**row(RIGHT), "option0": "N/A", "option2": "N/A"}
    path = as_parquet(tmp_path / "validation-0.parquet", [record])
    (question,) = load_benchmark(NAME, path).questions
    assert question.labels == ("A", "B", "C")
    assert question.texts[question.answer] == "A straw hat"


def test_option_that_says_not_available_is_one_in_the_list(tmp_path: Path) -> None:
    """Only the table pads; what the list offers is an option."""
    record = {**RIGHT, "candidates": ["N/A", "red", "blue", "green"]}
    (question,) = load_benchmark(NAME, as_json(tmp_path / "a.json", [record])).questions
    assert question.texts["A"] == "N/A"


def test_name_may_begin_with_an_at_sign(tmp_path: Path) -> None:
    """Videos of one site are named after who showed them."""
    record = {
        **RIGHT,
        "video_id": "@someone-7188425203016486187",
        "video_path": "7188425203016486187.mp4",
        "id": "@someone-7188425203016486187_1",
    }
    path = as_json(tmp_path / "lvb_val.json", [record])
    (question,) = load_benchmark(NAME, path).questions
    assert question.id == "@someone-7188425203016486187_1"
    assert question.video == "7188425203016486187.mp4"
    path = as_json(path, [changed(record, "video_path", ...)])
    (question,) = load_benchmark(NAME, path).questions
    assert question.video == "@someone-7188425203016486187.mp4"


@pytest.mark.parametrize("choice", [..., None, -1])
def test_part_without_answers_is_refused(tmp_path: Path, choice: object) -> None:
    """The test part has none; the message names the part that has."""
    record = changed(RIGHT, "correct_choice", choice)
    path = as_json(tmp_path / "lvb_test_wo_gt.json", [record])
    assert "test part are not public; use the validation part" in refusal(NAME, path)


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Ids are the authors', so that neither they nor the digest depend on it."""
    other = {**RIGHT, "id": "86CxyhFV9MI_1"}
    forth = load_benchmark(NAME, as_json(tmp_path / "a.json", [RIGHT, other]))
    back = load_benchmark(NAME, as_json(tmp_path / "b.json", [other, RIGHT]))
    altered = {**other, "correct_choice": 0}
    third = load_benchmark(NAME, as_json(tmp_path / "c.json", [RIGHT, altered]))
    assert forth.digest == back.digest != third.digest


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("correct_choice", 5, "answer 5 is not among 0 to 4"),
        ("correct_choice", "D", "answer 'D' is no place in a list"),
        ("candidates", "abc", "candidates must be a list, got 'abc'"),
        ("candidates", ["a", "b", None, "c"], "None must be text"),
        ("candidates", ["a", "b", "c", ""], "text of option 'D' is empty"),
        ("candidates", ["a", "b", "c", "a", "a"], "the answer, is given to more"),
        ("candidates", ..., "has no 'option0'"),
        ("id", 3, "id must be text, got 3"),
        ("id", "KEPT", "id 'KEPT' is as good as 'kept'"),
        ("video_path", "/x.mp4", "leads out of the benchmark's folder"),
        ("question", None, "question must be text, got None"),
        ("question_category", "", "task is empty"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    ids = ("kept", "too")
    records = [*({**RIGHT, "id": i} for i in ids), changed(RIGHT, key, value)]
    path = as_json(tmp_path / "lvb_val.json", records)
    message = refusal(NAME, path)
    assert said in message
    assert "lvb_val.json, record 3: " in message
    made = lenient(NAME, path)
    assert "too" in made.by_id
    assert len(made) + len(dropped(made)) == 3


@given(key=st.sampled_from(sorted({*RIGHT, *row(RIGHT)})), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """Whatever stands in one record, the other is kept and nothing is lost."""
    path = tmp_path_factory.getbasetemp() / NAME / "lvb_val.json"
    for record in (RIGHT, row(RIGHT)):
        records = [{**record, "id": "kept"}, changed(record, key, value)]
        made = lenient(NAME, as_json(path, records))
        assert "kept" in made.by_id
        assert len(made) + len(dropped(made)) == 2
