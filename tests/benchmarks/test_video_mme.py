"""Video-MME: constructed records in the form of its table and its authors' list."""

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
    remarks,
    touch,
)

TABLE = "videomme/test-00000-of-00001.parquet"
OF_THE_VIDEO = ("video_id", "duration", "domain", "sub_category")
ROW: Record = {
    "video_id": "001",
    "duration": "short",
    "domain": "Knowledge",
    "sub_category": "Humanity & History",
    "url": "https://www.youtube.com/watch?v=fFjv93ACGo8",
    "videoID": "fFjv93ACGo8",
    "question_id": "001-1",
    "task_type": "Counting Problem",
    "question": "What is on the tree?",
    "options": ["A. Apples.", "B. Candles.", "C. Berries.", "D. All kinds: A, B."],
    "answer": "C",
}


def nested(*records: Record) -> list[Record]:
    """Return the authors' list of one video with these questions."""
    first = {key: ROW[key] for key in OF_THE_VIDEO}
    kept = ("question_id", "task_type", "question", "options", "answer")
    asked = [{key: r[key] for key in kept if key in r} for r in records]
    return [{**first, "questions": asked}]


def test_row_is_read_as_published(tmp_path: Path) -> None:
    """Labels come from the options, the video from the YouTube id."""
    as_parquet(tmp_path / TABLE, [ROW])
    made = load_benchmark("video-mme", tmp_path)
    (question,) = made.questions
    assert question.id == "001-1"
    assert dict(question.texts) == {
        "A": "Apples.",
        "B": "Candles.",
        "C": "Berries.",
        "D": "All kinds: A, B.",
    }
    assert (question.answer, question.task) == ("C", "Counting Problem")
    assert question.video == "fFjv93ACGo8.mp4"
    assert question.extra == {key: ROW[key] for key in OF_THE_VIDEO}
    assert made.root == tmp_path / "data"
    assert made.prompt is not None
    assert "(A, B, C, or D)" in made.prompt.instruction


def test_parts_of_a_table_are_one_benchmark(tmp_path: Path) -> None:
    """All parts are read, and each is named in the source."""
    as_parquet(tmp_path / "videomme/test-00000-of-00002.parquet", [ROW])
    second = {**ROW, "question_id": "001-2"}
    as_parquet(tmp_path / "videomme/test-00001-of-00002.parquet", [second])
    made = load_benchmark("video-mme", tmp_path)
    assert list(made.by_id) == ["001-1", "001-2"]
    assert made.source.count("sha256:") == 2


def test_list_of_videos_holds_the_same_questions(tmp_path: Path) -> None:
    """The authors' form has no YouTube id; its videos bear the numbers it gives."""
    path = as_json(tmp_path / "output_test_template.json", nested(ROW))
    made = load_benchmark("video-mme", tmp_path)
    row = load_benchmark("video-mme", as_parquet(tmp_path / "a.parquet", [ROW]))
    assert made.questions[0].digest == row.questions[0].digest
    assert made.questions[0].extra == row.questions[0].extra
    assert made.questions[0].video == "001.mp4"
    with_ids = [{**nested(ROW)[0], "videoID": "fFjv93ACGo8"}]
    made = load_benchmark("video-mme", as_json(path, with_ids))
    assert made.digest == row.digest


def test_prompt_is_the_authors_example(tmp_path: Path) -> None:
    """The example without subtitles on the benchmark's page, word for word."""
    options = ["A. Black.", "B. Gray.", "C. Green.", "D. Brown."]
    asked = "What is the color of the clothing worn by the persons in the video?"
    record = {**ROW, "question": asked, "options": options}
    made = load_benchmark("video-mme", as_json(tmp_path / "a.json", [record]))
    assert render(made.questions[0], made.prompt) == (
        "Select the best answer to the following multiple-choice question based on "
        "the video. Respond with only the letter (A, B, C, or D) of the correct "
        "option.\n"
        "What is the color of the clothing worn by the persons in the video?\n"
        "A. Black.\nB. Gray.\nC. Green.\nD. Brown.\n"
        "The best answer is:"
    )


@pytest.mark.parametrize("ending", [".mp4", ".MP4", ".mkv"])
def test_ending_of_a_video_is_that_on_disk(tmp_path: Path, ending: str) -> None:
    """A few of the videos are ``.MP4`` or ``.mkv``."""
    path = as_parquet(tmp_path / TABLE, [ROW])
    touch(tmp_path, f"data/fFjv93ACGo8{ending}")
    for where in (tmp_path, path):
        made = load_benchmark("video-mme", where)
        assert made.questions[0].video == f"fFjv93ACGo8{ending}"
        assert made.video_path(made.questions[0]).is_file()


def test_shuffled_labels_stay_with_their_texts(tmp_path: Path) -> None:
    """The label in the text wins over the place in the list."""
    options = ["B. Candles.", "C. Berries.", "A. Apples.", "D. Pears."]
    path = as_json(tmp_path / "a.json", [{**ROW, "options": options}])
    question = load_benchmark("video-mme", path).questions[0]
    assert question.labels == ("B", "C", "A", "D")
    assert question.texts[question.answer] == "Berries."


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("answer", "E", "answer 'E' is none of the options"),
        ("answer", None, "None must be text"),
        ("options", "A. x B. y", "options must be a list, got 'A. x B. y'"),
        ("options", ["A. x", "B. y", "D. z"], "carry the labels A, B, D"),
        ("options", ["x", "A. y"], "option 'x' begins with no label"),
        ("options", ["A. x", "B. y", "C. x", "D. x"], "given to more than one option"),
        ("options", [], "answer 'C' is none of the options ()"),
        ("question", "  ", "question text is empty"),
        ("question_id", 7, "question_id must be text, got 7"),
        ("question_id", "001-1", "id '001-1' was already given at a.json record 1"),
        ("videoID", "../x", "leads out of the benchmark's folder"),
        ("videoID", None, "videoID must be text, got None"),
        ("task_type", ..., "has no 'task_type'"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    third = changed({**ROW, "question_id": "001-3"}, key, value)
    records = [ROW, {**ROW, "question_id": "001-2"}, third]
    path = as_json(tmp_path / "a.json", records)
    message = refusal("video-mme", path)
    assert said in message
    assert "a.json, record 3: " in message
    made = lenient("video-mme", path)
    assert "001-2" in made.by_id
    assert len(made) + len(dropped(made)) == 3


def test_wrong_option_given_twice_is_a_remark(tmp_path: Path) -> None:
    """The question can be judged, so it is used and told."""
    options = ["A. Apples.", "B. Apples.", "C. Berries.", "D. Pears."]
    path = as_json(tmp_path / "a.json", [{**ROW, "options": options}])
    made = load_benchmark("video-mme", path)
    assert remarks(made) == [("record 1", "offers 'Apples.' more than once")]


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (None, "record 2: questions must be a list, got None"),
        ([], "record 2: questions is an empty list"),
        (["why"], "record 2 question 1: must be an object, got 'why'"),
        ([{}], "record 2 question 1: has no 'options'"),
    ],
)
def test_dirty_video_is_told(tmp_path: Path, questions: object, said: str) -> None:
    """In the authors' list the place says which question of which video."""
    value = [*nested(ROW), {"video_id": "002", "questions": questions}]
    path = as_json(tmp_path / "a.json", value)
    assert said in refusal("video-mme", path)
    assert len(lenient("video-mme", path)) == 1


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Neither ids nor digest depend on it; the digest depends on every text."""
    other = {**ROW, "question_id": "001-2"}
    forth = load_benchmark("video-mme", as_json(tmp_path / "a.json", [ROW, other]))
    back = load_benchmark("video-mme", as_json(tmp_path / "b.json", [other, ROW]))
    altered = {**other, "question": "What is under the tree?"}
    third = load_benchmark("video-mme", as_json(tmp_path / "c.json", [ROW, altered]))
    assert forth.digest == back.digest != third.digest


@given(key=st.sampled_from([*ROW, "questions"]), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """Whatever stands in one record, the other is kept."""
    path = tmp_path_factory.mktemp("any") / "a.json"
    records = [{**ROW, "question_id": "kept"}, changed(ROW, key, value)]
    made = lenient("video-mme", as_json(path, records))
    assert "kept" in made.by_id
    told = {place.partition(" question")[0] for _, place, _ in dropped(made)}
    assert len(made) == 2 or told == {"record 2"}
