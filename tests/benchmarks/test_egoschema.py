"""EgoSchema: constructed files in the form of its authors and of its table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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

UID = "001934bb-81bd-4cd8-a574-0472ef3f6678"
OTHER = "0074f737-11cb-497d-8d07-77c3a8127391"
TEXTS = ("C cooks.", "C cleans.", "C reads.", "C sews.", "C paints.")
RIGHT: Record = {
    "q_uid": UID,
    "google_drive_id": "1gvEo2YuTcdGrhXqoU54m7eHGpQbjMmTQ",
    "question": "What is the overarching behavior of C?",
    **{f"option {i}": text for i, text in enumerate(TEXTS)},
}
ROW: Record = {
    "question_idx": "1",
    "question": RIGHT["question"],
    "video_idx": UID,
    "option": [f"{label}. {text}" for label, text in zip("ABCDE", TEXTS, strict=True)],
    "answer": "3",
}


def folder(path: Path, records: Sequence[object], answers: object) -> Path:
    """Write both of the authors' files."""
    as_json(path / "questions.json", list(records))
    as_json(path / "subset_answers.json", answers)
    return path


def test_subset_is_what_has_a_public_answer(tmp_path: Path) -> None:
    """By default the questions without an answer are not part of the set."""
    folder(tmp_path, [{**RIGHT, "q_uid": OTHER}, RIGHT], {UID: 3})
    made = load_benchmark("egoschema", tmp_path)
    (question,) = made.questions
    assert (question.id, question.video) == (UID, f"{UID}.mp4")
    assert dict(question.texts) == dict(zip("ABCDE", TEXTS, strict=True))
    assert question.answer == "D"
    assert made.root == tmp_path / "videos"
    assert made.problems == ()
    assert "questions.json sha256:" in made.source
    assert "subset_answers.json sha256:" in made.source


def test_full_set_tells_whose_answers_are_not_public(tmp_path: Path) -> None:
    """All 5,031 cannot be judged; those without an answer are told one by one."""
    folder(tmp_path, [{**RIGHT, "q_uid": OTHER}, RIGHT], {UID: 3})
    assert "has no public answer" in refusal("egoschema", tmp_path, "full")
    made = lenient("egoschema", tmp_path, "full")
    assert list(made.by_id) == [UID]
    assert [(file, place) for file, place, _ in dropped(made)] == [
        ("questions.json", "record 1")
    ]


def test_both_forms_are_the_same_question(tmp_path: Path) -> None:
    """The table's lettered options and text answer make the authors' question."""
    mine = load_benchmark("egoschema", folder(tmp_path, [RIGHT], {UID: 3}))
    as_parquet(tmp_path / "hf/Subset/test-00000-of-00001.parquet", [ROW])
    table = load_benchmark("egoschema", tmp_path / "hf")
    assert table.digest == mine.digest
    assert table.root == tmp_path / "hf" / "videos"


def test_table_of_all_questions_has_no_answers(tmp_path: Path) -> None:
    """The configuration ``MC`` is read under ``full``, and nothing is judged."""
    as_parquet(tmp_path / "MC/test-00000-of-00001.parquet", [{**ROW, "answer": None}])
    said = refusal("egoschema", tmp_path, "full")
    assert f"row 1: '{UID}' has no public answer" in said
    assert "holds none of questions.json, Subset/" in refusal("egoschema", tmp_path)


def test_ending_of_a_video_is_that_on_disk(tmp_path: Path) -> None:
    """Some copies are called ``.MP4``."""
    folder(tmp_path, [RIGHT], {UID: 3})
    touch(tmp_path, f"videos/{UID}.MP4")
    assert load_benchmark("egoschema", tmp_path).questions[0].video == f"{UID}.MP4"


def test_answer_without_a_question_is_told(tmp_path: Path) -> None:
    """An answer that belongs to nothing may mean that half the file is missing."""
    folder(tmp_path, [RIGHT], {UID: 3, OTHER: 1})
    said = refusal("egoschema", tmp_path)
    assert f"subset_answers.json, '{OTHER}': is the id of no question" in said
    assert len(lenient("egoschema", tmp_path)) == 1


def test_missing_answers_are_a_missing_file(tmp_path: Path) -> None:
    """Without the second file nothing can be judged."""
    as_json(tmp_path / "questions.json", [RIGHT])
    said = refusal("egoschema", tmp_path)
    assert "subset_answers.json: No such file" in said


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("question", ..., "has no 'question'"),
        ("q_uid", ..., "has no 'q_uid'"),
        ("q_uid", 7, "q_uid must be text, got 7"),
        ("option 3", "", "answer 3 is an option without text"),
        ("option 0", 5, "5 must be text"),
        ("option 0", "C sews.", "the answer, is given to more than one option"),
        ("option 4", ..., "has no 'option 4'"),
        ("q_uid", UID, "was already given at questions.json record 1"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the other is kept."""
    records = [RIGHT, {**RIGHT, "q_uid": OTHER}, changed(RIGHT, key, value)]
    folder(tmp_path, records, {UID: 3, OTHER: 3})
    message = refusal("egoschema", tmp_path)
    assert said in message
    assert "questions.json, record 3: " in message
    assert OTHER in lenient("egoschema", tmp_path).by_id


@pytest.mark.parametrize("answer", [5, -1, 2.5, True, None, "E", [3]])
def test_answer_that_is_no_place_is_told(tmp_path: Path, answer: object) -> None:
    """What is not 0 to 4 names no option."""
    folder(tmp_path, [RIGHT, {**RIGHT, "q_uid": OTHER}], {UID: 3, OTHER: answer})
    assert len(lenient("egoschema", tmp_path)) == 1
    assert "record 2: answer " in refusal("egoschema", tmp_path)


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Neither ids nor digest depend on it."""
    pair = [RIGHT, {**RIGHT, "q_uid": OTHER}]
    answers = {UID: 3, OTHER: 0}
    forth = load_benchmark("egoschema", folder(tmp_path / "a", pair, answers))
    back = load_benchmark("egoschema", folder(tmp_path / "b", pair[::-1], answers))
    assert forth.digest == back.digest


@given(key=st.sampled_from(list(RIGHT)), value=any_json, answer=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object, answer: object
) -> None:
    """Whatever stands in one record and as its answer, the other is kept."""
    path = tmp_path_factory.mktemp("any")
    records = [{**RIGHT, "q_uid": OTHER}, changed(RIGHT, key, value)]
    made = lenient("egoschema", folder(path, records, {OTHER: 3, UID: answer}), "full")
    assert OTHER in made.by_id
    assert len(made) + sum(f == "questions.json" for f, _, _ in dropped(made)) == 2


@given(key=st.sampled_from(list(ROW)), value=any_json)
def test_any_value_of_the_table_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """So it is in the table form, here as lines."""
    path = tmp_path_factory.mktemp("any") / "rows.jsonl"
    other = as_json(path, {**ROW, "video_idx": OTHER}).read_text(encoding="utf-8")
    line = as_json(path, changed(ROW, key, value)).read_text(encoding="utf-8")
    path.write_text(f"{other}\n{line}\n", encoding="utf-8")
    made = lenient("egoschema", path)
    assert OTHER in made.by_id
    assert len(made) + len(dropped(made)) == 2
