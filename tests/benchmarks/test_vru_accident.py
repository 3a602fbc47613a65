"""VRU-Accident: constructed records in its form, options in one string."""

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
    changed,
    dropped,
    lenient,
    refusal,
    remarks,
)

NAME = "vru-accident"
PATH = "./VRU_videos/DoTA/VRU_1.mp4"
LIGHT: Record = {
    "question": "What's the weather? Choose the correct option (A, B, C, or D).",
    "options": "A. cloudy day, B. sunny day, C. stormy night, D. rainy afternoon",
    "GT": "B",
}
FILE = "MetaData/DoTA/DoTA_VQA_annotation.json"


def video(path: str = PATH, **categories: object) -> Record:
    """Return the authors' nesting of one video; by default with one category."""
    named = {name.replace("_", " "): value for name, value in categories.items()}
    return {path: named or {"weather and light": LIGHT}}


def test_string_of_options_is_taken_apart(tmp_path: Path) -> None:
    """The record is named by the path of its video, which lies beside."""
    as_json(tmp_path / FILE, video())
    made = load_benchmark(NAME, tmp_path)
    (question,) = made.questions
    assert question.id == "DoTA/VRU_1.mp4/weather and light"
    assert question.texts == {
        "A": "cloudy day",
        "B": "sunny day",
        "C": "stormy night",
        "D": "rainy afternoon",
    }
    assert (question.answer, question.task) == ("B", "weather and light")
    assert question.video == "DoTA/VRU_1.mp4"
    assert made.root == tmp_path / "VRU_videos"


@pytest.mark.parametrize(
    "options",
    [
        "A. hit, then ran, B. none, C. one, two, D. all",
        "A. hit, then ran B. none C. one, two D. all",
        "A. hit, then ran\nB. none\nC. one, two\nD. all",
        "A. hit, then ran; B. none; C. one, two; D. all",
        "A. hit, then ran,B. none,C. one, two,D. all",
        "A) hit, then ran, B) none, C) one, two, D) all",
    ],
)
def test_separators_are_not_uniform(tmp_path: Path, options: str) -> None:
    """Labels in their turn separate; a comma inside an option stays."""
    record = {**LIGHT, "options": options}
    path = as_json(tmp_path / FILE, video(accident_type=record))
    (question,) = load_benchmark(NAME, path).questions
    assert list(question.texts.values()) == ["hit, then ran", "none", "one, two", "all"]


def test_four_sets_are_one_benchmark(tmp_path: Path) -> None:
    """Every set counts its videos from 1, and is told by its folder."""
    for name in ("CAP_DATA", "DADA_2000", "DoTA", "MANUAL_DATA"):
        path = tmp_path / f"MetaData/{name}/{name}_VQA_annotation.json"
        as_json(path, video(f"./VRU_videos/{name}/VRU_1.mp4"))
        as_json(path.with_name(f"{name}_Dense_Caption.json"), {})
    for where in (tmp_path, tmp_path / "MetaData"):
        made = load_benchmark(NAME, where)
        assert [q.video.partition("/")[0] for q in made.questions] == [
            "CAP_DATA",
            "DADA_2000",
            "DoTA",
            "MANUAL_DATA",
        ]
        assert made.root == tmp_path / "VRU_videos"
    assert load_benchmark(NAME, tmp_path / FILE).root == tmp_path / "VRU_videos"


def test_sets_that_are_not_there_are_told(tmp_path: Path) -> None:
    """Half a benchmark is no fault but a remark; one set asked for by name is whole."""
    for name in ("CAP_DATA", "DoTA"):
        path = tmp_path / f"MetaData/{name}/{name}_VQA_annotation.json"
        as_json(path, video(f"./VRU_videos/{name}/VRU_1.mp4"))
    reason = "is published and not there"
    for where in (tmp_path, tmp_path / "MetaData"):
        assert dropped(load_benchmark(NAME, where)) == [
            ("DADA_2000_VQA_annotation.json", "the whole file", reason),
            ("MANUAL_DATA_VQA_annotation.json", "the whole file", reason),
        ]
    for chosen in (tmp_path / FILE, (tmp_path / FILE).parent):
        assert load_benchmark(NAME, chosen).problems == ()


def test_question_is_asked_as_its_authors_do(tmp_path: Path) -> None:
    """All stands on one line, and what to answer with is in the question."""
    made = load_benchmark(NAME, as_json(tmp_path / FILE, video()))
    assert render(made.questions[0], made.prompt) == (
        f"{LIGHT['question']} {LIGHT['options']}"
    )


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Neither ids nor digest depend on it; the digest depends on every text."""
    one, two = video(), video("./VRU_videos/DoTA/VRU_2.mp4")
    path = tmp_path / FILE
    forth = load_benchmark(NAME, as_json(path, {**one, **two}))
    back = load_benchmark(NAME, as_json(path, {**two, **one}))
    altered = video(weather_and_light={**LIGHT, "GT": "C"})
    third = load_benchmark(NAME, as_json(path, {**altered, **two}))
    assert forth.digest == back.digest != third.digest


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("GT", "E", "answer 'E' is none of the options"),
        ("GT", None, "None must be text"),
        ("GT", "cloudy day", "answer 'cloudy day' is none of the options"),
        ("GT", ..., "has no 'GT'"),
        ("options", "cloudy or sunny", "does not read as 'A. ..., B. ...'"),
        ("options", "B. sunny, A. cloudy", "does not read as 'A. ..., B. ...'"),
        ("options", ["A. x", "B. y"], "must be text"),
        ("options", "A. day, B. night, C. night", "the answer, is given to more"),
        ("question", 3, "question must be text, got 3"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    categories = {"location": LIGHT, "road_type": changed(LIGHT, key, value)}
    path = as_json(tmp_path / FILE, video(**categories))
    message = refusal(NAME, path)
    assert said in message
    assert f"DoTA_VQA_annotation.json, video '{PATH}' road type: " in message
    made = lenient(NAME, path)
    assert made.tasks == ("location",)
    assert len(dropped(made)) == 1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"./VRU_videos/x.mp4": 1}, "must be an object of categories, got 1"),
        (video("./VRU_videos/x.mp4", location=[]), "must be an object, got []"),
        (video("./VRU_videos/../x.mp4"), "leads out of the benchmark's folder"),
        (video("./VRU_videos//etc/x.mp4"), "leads out of the benchmark's folder"),
        (video("VRU_videos/DoTA/VRU_1.mp4"), "was already given at"),
    ],
)
def test_dirty_nesting_is_told(tmp_path: Path, value: Record, said: str) -> None:
    """What is no video or question is named by where it stands."""
    other = video("./VRU_videos/DoTA/VRU_2.mp4")
    path = as_json(tmp_path / FILE, {**other, **video(), **value})
    assert said in refusal(NAME, path)
    assert "DoTA/VRU_2.mp4/weather and light" in lenient(NAME, path).by_id


def test_wrong_option_given_twice_is_a_remark(tmp_path: Path) -> None:
    """Six published records have one; they can be judged and are used."""
    record = {**LIGHT, "options": "A. day, B. night, C. day"}
    made = load_benchmark(NAME, as_json(tmp_path / FILE, video(x=record)))
    assert remarks(made) == [(f"video '{PATH}' x", "offers 'day' more than once")]


def test_option_that_holds_its_own_label_is_refused(tmp_path: Path) -> None:
    """Which of the two begins the option is not known, and is not guessed.

    Such a string is among the published ones, as is the next.
    """
    text = "A. go slow. B. go fast., B. honk, C. stop, D. wait"
    path = as_json(tmp_path / FILE, video(x={**LIGHT, "options": text}, y=LIGHT))
    assert "options hold the label B twice: 'go fast., B. honk'" in refusal(NAME, path)
    assert len(lenient(NAME, path)) == 1


def test_option_that_holds_another_label_is_told(tmp_path: Path) -> None:
    """It is asked as it is published: where each option begins is clear."""
    text = "A. go slow. D. go fast., B. honk, C. stop, D. wait"
    path = as_json(tmp_path / FILE, video(x={**LIGHT, "options": text}))
    made = load_benchmark(NAME, path)
    assert made.questions[0].texts["A"] == "go slow. D. go fast."
    assert remarks(made) == [(f"video '{PATH}' x", "option A holds another label, D")]


def test_list_is_refused(tmp_path: Path) -> None:
    """Another file under that name is told as one."""
    path = as_json(tmp_path / FILE, [LIGHT])
    assert "must hold an object of videos" in refusal(NAME, path)


@given(
    key=st.sampled_from([*LIGHT, "all", "video"]),
    value=any_json,
)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """Whatever stands in one place, the other video's question is kept."""
    spoilt: object = value if key == "all" else changed(LIGHT, key, value)
    spoilt = value if key == "video" else {"location": spoilt}
    path = tmp_path_factory.getbasetemp() / NAME / "x_VQA_annotation.json"
    made = lenient(NAME, as_json(path, {**video(), "x.mp4": spoilt}))
    assert "DoTA/VRU_1.mp4/weather and light" in made.by_id


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ("A. red, B. blue, D. green", "D"),
        ("A. red, C. green, B. blue, D. white", "C"),
        ("A. red B. blue (D) green", "D"),
    ],
)
def test_label_out_of_turn_is_refused(tmp_path: Path, options: str, label: str) -> None:
    """No two options are glued to one, be the key another one."""
    as_json(tmp_path / FILE, video(x={**LIGHT, "options": options, "GT": "A"}))
    assert f"label {label} is out of turn" in refusal(NAME, tmp_path)
