"""AccidentBench: constructed records in the form of the one that is published."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.registry import load_benchmark
from tests.benchmarks.published import (
    Record,
    any_json,
    as_json,
    changed,
    dropped,
    lenient,
    refusal,
    touch,
)

NAME = "accident-bench"
RIGHT: Record = {
    "id": 1,
    "dataset": "air_space_long",
    "scene_name": "air_space_long_1.mp4",
    "reasoning_style": "intent_goal_reasoning",
    "question": "How many moving airplanes are there?",
    "ground_truth": "A",
    "options": [
        "E. [0,1]",
        "C. [8,9]",
        "A. [4,5]",
        "D. [6,7]",
        "B. [10,11]",
        "F. [2,3]",
    ],
}
FILE = "air_space/long/hard/intent_goal_reasoning.json"


def test_letter_in_the_text_names_an_option(tmp_path: Path) -> None:
    """Never its place: A stands third, and keeps its text and its place."""
    as_json(tmp_path / FILE, [RIGHT])
    made = load_benchmark(NAME, tmp_path)
    (question,) = made.questions
    assert question.labels == ("E", "C", "A", "D", "B", "F")
    assert question.texts[question.answer] == "[4,5]"
    assert question.chance == 1 / 6
    assert question.task == "intent_goal_reasoning"
    assert question.id == "air_space/long/hard/intent_goal_reasoning/1"
    assert question.video == "air_space_long_1.mp4"
    assert question.extra == {
        "dataset": "air_space_long",
        "space": "air_space",
        "length": "long",
        "difficulty": "hard",
    }
    assert made.root.resolve() == tmp_path.resolve()


@pytest.mark.parametrize("count", range(2, 13))
def test_two_to_twelve_options(tmp_path: Path, count: int) -> None:
    """Each count that is published, backwards: the answer is the letter's option."""
    letters = "ABCDEFGHIJKL"[:count]
    options = [f"{letter}. text {letter}" for letter in reversed(letters)]
    record = {**RIGHT, "options": options, "ground_truth": letters[-1]}
    (question,) = load_benchmark(NAME, as_json(tmp_path / FILE, [record])).questions
    assert question.chance == 1 / count
    assert question.texts[question.answer] == f"text {letters[-1]}"


def test_ids_start_anew_in_each_file(tmp_path: Path) -> None:
    """Space, length, difficulty and kind of reasoning tell them apart."""
    for place in (
        "air_space/long/hard",
        "air_space/long/easy",
        "land_space/short/easy",
    ):
        as_json(tmp_path / place / "intent_goal_reasoning.json", [RIGHT])
    spatial = {**RIGHT, "reasoning_style": "spatial_reasoning"}
    as_json(tmp_path / "air_space/long/hard/spatial_reasoning.json", [spatial])
    made = load_benchmark(NAME, tmp_path)
    assert len(made) == 4
    assert made.tasks == ("intent_goal_reasoning", "spatial_reasoning")
    one = load_benchmark(NAME, tmp_path / FILE).questions[0]
    assert made.by_id[one.id] == one


def test_files_that_are_not_there_are_told(tmp_path: Path) -> None:
    """Of each space how many; not where one level, or one file, was asked for."""
    for place in ("air_space/long/hard", "land_space/short/easy"):
        as_json(tmp_path / place / "intent_goal_reasoning.json", [RIGHT])
    first = "are published and not there (first: {}_space/short/easy/{}_reasoning.json)"
    assert dropped(load_benchmark(NAME, tmp_path)) == [
        ("air_space", "26 of 27 files", first.format("air", "intent_goal")),
        ("land_space", "26 of 27 files", first.format("land", "spatial")),
        ("water_space", "27 of 27 files", first.format("water", "intent_goal")),
    ]
    for chosen in (tmp_path / FILE, (tmp_path / FILE).parent):
        assert load_benchmark(NAME, chosen).problems == ()


def test_file_on_its_own_is_named_by_its_records(tmp_path: Path) -> None:
    """Where no folders say which set it is, the records do."""
    path = as_json(tmp_path / "mine.json", [RIGHT])
    (question,) = load_benchmark(NAME, path).questions
    assert question.id == "air_space_long/intent_goal_reasoning/1"


@pytest.mark.parametrize("scene", ["air_space_long_1.mp4", "air_space_long_1"])
@pytest.mark.parametrize(
    ("there", "video"),
    [
        ("videos/air_space_long_1.mp4", "air_space_long_1.mp4"),
        ("videos/air_space_long_1.MP4", "air_space_long_1.MP4"),
        ("videos/air_space/long/air_space_long_1.mp4", "air_space/long/{}"),
        ("videos/air_space/air_space_long_1.mp4", "air_space/{}"),
        ("air_space/long/air_space_long_1.mp4", "air_space/long/{}"),
        ("elsewhere/x.mp4", "{}"),
    ],
)
def test_scene_is_found_with_its_ending_or_without(
    tmp_path: Path, scene: str, there: str, video: str
) -> None:
    """Records write both; videos lie in one folder or by space and length."""
    as_json(tmp_path / FILE, [{**RIGHT, "scene_name": scene}])
    touch(tmp_path, there)
    made = load_benchmark(NAME, tmp_path)
    assert made.questions[0].video == video.format("air_space_long_1.mp4")


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Neither ids nor digest depend on it; they do on the order of the options."""
    other = {**RIGHT, "id": 2}
    forth = load_benchmark(NAME, as_json(tmp_path / FILE, [RIGHT, other]))
    back = load_benchmark(NAME, as_json(tmp_path / FILE, [other, RIGHT]))
    turned = {**other, "options": sorted(RIGHT["options"])}  # type: ignore[call-overload]
    third = load_benchmark(NAME, as_json(tmp_path / FILE, [RIGHT, turned]))
    assert forth.digest == back.digest != third.digest


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("ground_truth", "G", "answer 'G' is none of the options"),
        ("ground_truth", 0, "0 must be text"),
        ("options", ["A. x", "C. y"], "carry the labels A, C; expected A, B"),
        ("options", ["A. x", "A. y"], "carry the labels A, A"),
        ("options", ["x", "A. y"], "option 'x' begins with no label"),
        ("options", ["A. x"], "2 to 26 options, got 1"),
        ("options", ["A. x", "B. x"], "the answer, is given to more than one option"),
        ("options", {"A": "x", "B": "y"}, "options must be a list"),
        ("scene_name", "../x", "leads out of the benchmark's folder"),
        ("scene_name", None, "scene_name must be text, got None"),
        ("reasoning_style", ..., "has no 'reasoning_style'"),
        ("question", "", "question text is empty"),
        ("id", True, "id must be text, got True"),
        ("id", 7, "was already given at air_space/long/hard/intent_goal_reasoning"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    records = [{**RIGHT, "id": 7}, {**RIGHT, "id": 8}, changed(RIGHT, key, value)]
    as_json(tmp_path / FILE, records)
    message = refusal(NAME, tmp_path)
    assert said in message
    assert f"{FILE}, record 3: " in message
    made = lenient(NAME, tmp_path / FILE)
    assert "air_space/long/hard/intent_goal_reasoning/8" in made.by_id
    assert len(made) + len(dropped(made)) == 3


@given(key=st.sampled_from(list(RIGHT)), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """Whatever stands in one record, the other is kept and nothing is lost."""
    records = [{**RIGHT, "id": "kept"}, changed(RIGHT, key, value)]
    path = as_json(tmp_path_factory.getbasetemp() / NAME / FILE, records)
    made = lenient(NAME, path)
    assert "air_space/long/hard/intent_goal_reasoning/kept" in made.by_id
    assert len(made) + len(dropped(made)) == 2
