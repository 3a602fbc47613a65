"""Perception Test: constructed records in the form of its objects and its table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.frames.excerpt import WHOLE
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

NAME = "perception-test"
FILE = "mc_question_valid.json"
CUTS = "cut_frame_mapping_valid.json"
ABOUT: Record = {
    "split": "valid",
    "video_id": "video_8241",
    "frame_rate": 29.97,
    "num_frames": 900,
    "is_cup_game": False,
}
ASKED: Record = {
    "id": 3,
    "question": "What does the person open?",
    "options": ["a door", "a red cup", "a window"],
    "answer_id": 1,
    "area": "semantics",
    "reasoning": "descriptive",
    "tag": ["action recognition"],
}
GAME: Record = {**ABOUT, "is_cup_game": True}
ROW: Record = {
    **{k: v for k, v in ASKED.items() if k != "id"},
    "question_id": "3",
    "answer_id": "1",
    "video_name": "video_8241",
}


def videos(about: object = ABOUT, *asked: object, name: str = "video_8241") -> Record:
    """Return the authors' nesting of one video with its questions."""
    return {name: {"metadata": about, "mc_question": list(asked or (ASKED,))}}


def test_question_is_read_as_published(tmp_path: Path) -> None:
    """The area is the task; the whole video is shown."""
    as_json(tmp_path / FILE, videos())
    made = load_benchmark(NAME, tmp_path)
    (question,) = made.questions
    assert question.id == "video_8241/3"
    assert question.texts == {"A": "a door", "B": "a red cup", "C": "a window"}
    assert (question.answer, question.task) == ("B", "semantics")
    assert question.video == "video_8241.mp4"
    assert question.excerpt == WHOLE
    assert question.extra["tag"] == ["action recognition"]
    assert made.root == tmp_path / "videos"


def test_cup_game_is_cut_where_the_authors_say(tmp_path: Path) -> None:
    """Frame 600 of 30 a second begins after 20 seconds, and is not shown."""
    as_json(tmp_path / FILE, videos({**GAME, "frame_rate": 30}))
    as_json(tmp_path / CUTS, {"video_8241": 600})
    made = load_benchmark(NAME, tmp_path)
    assert made.questions[0].excerpt.end_s == 600 / 30
    assert made.questions[0].excerpt.start_s == 0
    assert f"{CUTS} sha256:" in made.source


def test_cut_is_part_of_the_content(tmp_path: Path) -> None:
    """A question about another part of a video is another question."""
    as_json(tmp_path / FILE, videos(GAME))
    as_json(tmp_path / CUTS, {"video_8241": 600})
    first = load_benchmark(NAME, tmp_path).digest
    as_json(tmp_path / CUTS, {"video_8241": 601})
    assert load_benchmark(NAME, tmp_path).digest != first


@pytest.mark.parametrize(
    ("cuts", "said"),
    [
        (None, "says nothing"),
        ({}, "says nothing"),
        ({"video_1": 600}, "says nothing"),
        ({"video_8241": -1}, "says -1"),
        ({"video_8241": 0}, "says 0"),
        ({"video_8241": "600"}, "says '600'"),
        ({"video_8241": True}, "says True"),
    ],
)
@pytest.mark.parametrize("game", [True, 1, "yes"])
def test_cup_game_without_its_cut_is_refused(
    tmp_path: Path, game: object, cuts: Record | None, said: str
) -> None:
    """Its end shows the answer, so that it is never shown whole."""
    other = videos(name="video_2")
    about = changed(ABOUT, "is_cup_game", game)
    as_json(tmp_path / FILE, {**videos(about), **other})
    if cuts is not None:
        as_json(tmp_path / CUTS, cuts)
    assert f"{FILE}, video 'video_8241' question 1: is about a cup game" in refusal(
        NAME, tmp_path
    )
    made = lenient(NAME, tmp_path)
    assert [q.id for q in made.questions] == ["video_2/3"]
    assert said in dropped(made)[0][2]


def test_video_is_a_game_unless_somebody_denies_it(tmp_path: Path) -> None:
    """Its record may say no, or, where that says nothing, the file of cuts."""
    as_json(tmp_path / FILE, videos(changed(ABOUT, "is_cup_game", ...)))
    assert "is about a cup game" in refusal(NAME, tmp_path)
    as_json(tmp_path / CUTS, {"video_1": 600})
    assert load_benchmark(NAME, tmp_path).questions[0].excerpt == WHOLE


def test_video_of_another_kind_is_cut_too(tmp_path: Path) -> None:
    """The authors' file decides; -1 for a video that is no game cuts nothing."""
    as_json(tmp_path / FILE, videos())
    as_json(tmp_path / CUTS, {"video_8241": 60})
    assert load_benchmark(NAME, tmp_path).questions[0].excerpt.end_s == 60 / 29.97
    as_json(tmp_path / CUTS, {"video_8241": -1})
    assert load_benchmark(NAME, tmp_path).questions[0].excerpt == WHOLE


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (..., "has no 'frame_rate'"),
        (0, "frame_rate must be above 0"),
        (-1, "frame_rate must be above 0"),
        ("30", "frame_rate must be a number, got '30'"),
    ],
)
def test_cut_needs_a_rate(tmp_path: Path, rate: object, said: str) -> None:
    """A frame is a moment only where frames have a rate."""
    as_json(tmp_path / FILE, videos(changed(GAME, "frame_rate", rate)))
    as_json(tmp_path / CUTS, {"video_8241": 600})
    assert said in refusal(NAME, tmp_path)


def test_table_needs_the_file_of_cuts(tmp_path: Path) -> None:
    """It does not say which videos are games; with that file the others are used."""
    rows = [ROW, {**ROW, "video_name": "video_2"}]
    path = as_parquet(tmp_path / "data/validation-00000-of-00001.parquet", rows)
    assert "does not say which" in refusal(NAME, tmp_path)
    as_json(tmp_path / CUTS, {"video_2": 600})
    for where in (tmp_path, path):
        made = lenient(NAME, where)
        assert [q.id for q in made.questions] == ["video_8241/3"]
        assert "is to be cut at frame 600" in dropped(made)[0][2]
    nested = load_benchmark(NAME, as_json(tmp_path / "a" / FILE, videos()))
    assert made.digest == nested.digest


def test_parts_are_files_of_their_own(tmp_path: Path) -> None:
    """The validation part is the default; all annotations of a video may be given."""
    as_json(tmp_path / "annotations/mc_question_train.json", videos(name="video_1"))
    all_tasks = {**videos(), "video_9": {"metadata": ABOUT, "object_tracking": []}}
    as_json(tmp_path / "annotations/all_valid.json", all_tasks)
    made = load_benchmark(NAME, tmp_path)
    assert [q.id for q in made.questions] == ["video_8241/3"]
    assert made.root == tmp_path / "videos"
    assert load_benchmark(NAME, tmp_path, variant="train").questions[0].id == (
        "video_1/3"
    )


def test_ending_of_a_video_is_that_on_disk(tmp_path: Path) -> None:
    """A video that is there as ``.MP4`` is found under that name."""
    path = as_json(tmp_path / FILE, videos())
    touch(tmp_path, "videos/video_8241.MP4")
    assert load_benchmark(NAME, path).questions[0].video == "video_8241.MP4"


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Ids are the authors', so that neither they nor the digest depend on it."""
    one, two = ASKED, {**ASKED, "id": 4}
    other = videos(name="video_1")
    path = tmp_path / FILE
    forth = load_benchmark(NAME, as_json(path, {**videos(ABOUT, one, two), **other}))
    back = load_benchmark(NAME, as_json(path, {**other, **videos(ABOUT, two, one)}))
    altered = videos(ABOUT, {**two, "answer_id": 0}, one)
    third = load_benchmark(NAME, as_json(path, {**other, **altered}))
    assert forth.digest == back.digest != third.digest


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("answer_id", 3, "answer 3 is not among 0 to 2"),
        ("answer_id", "B", "answer 'B' is no place in a list"),
        ("answer_id", ..., "answers of the test part are not public"),
        ("answer_id", None, "answers of the test part are not public"),
        ("options", ["a", "a b", "a  b"], "the answer, is given to more than one"),
        ("options", None, "options must be a list, got None"),
        ("question", " ", "question text is empty"),
        ("area", ..., "has no 'area'"),
        ("id", None, "id must be text, got None"),
        ("id", 4, "id 'video_8241/4' was already given"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    asked = [{**ASKED, "id": 4}, {**ASKED, "id": 5}, changed(ASKED, key, value)]
    path = as_json(tmp_path / FILE, videos(ABOUT, *asked))
    message = refusal(NAME, path)
    assert said in message
    assert f"{FILE}, video 'video_8241' question 3: " in message
    made = lenient(NAME, path)
    assert "video_8241/5" in made.by_id
    assert len(made) + len(dropped(made)) == 3


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"x": None}, "video 'x': must hold metadata and a list mc_question, got None"),
        ({"x": {"mc_question": {}}}, "must hold metadata and a list mc_question"),
        ({"x": {"metadata": 1, "mc_question": []}}, "must hold metadata"),
        (videos(ABOUT, "why", name="x"), "question 1: must be an object, got 'why'"),
        (videos(name="../x"), "leads out of the benchmark's folder"),
    ],
)
def test_dirty_video_is_told(tmp_path: Path, value: Record, said: str) -> None:
    """What is no video or question is named by where it stands."""
    path = as_json(tmp_path / FILE, {**videos(), **value})
    assert said in refusal(NAME, path)
    assert len(lenient(NAME, path)) == 1


@pytest.mark.parametrize("name", [FILE, CUTS])
def test_list_is_refused(tmp_path: Path, name: str) -> None:
    """Both files are objects; another under their name is told as one."""
    as_json(tmp_path / FILE, videos())
    as_json(tmp_path / name, [1])
    assert "must hold an object" in refusal(NAME, tmp_path)


@given(key=st.sampled_from(sorted({*ABOUT, *ASKED})), value=any_json, cut=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object, cut: object
) -> None:
    """Whatever stands in one record, the other is kept and nothing is lost."""
    folder = tmp_path_factory.getbasetemp() / NAME
    spoilt = videos(changed(GAME, key, value), changed(ASKED, key, value))
    as_json(folder / CUTS, {"video_8241": cut})
    as_json(folder / FILE, {**videos(name="kept"), **spoilt})
    made = lenient(NAME, folder)
    assert "kept/3" in made.by_id
    assert len(made) + len(dropped(made)) == 2
