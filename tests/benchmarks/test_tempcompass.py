"""TempCompass: constructed records in its three forms with options.

Two questions are quoted from its published file: the one with a space before an
option, and the one that stands there twice.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.errors import BenchmarkError, ConfigError
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

NAME = "tempcompass"
CHOICE: Record = {
    "question": "What is the man doing?\nA. dunking a ball\nB. dribbling, twice",
    "answer": "A. dunking a ball",
}
YES: Record = {"question": "Is the man dunking?", "answer": "yes"}
CAPTION: Record = {
    "question": "Which fits?\nSentence A: A man dunks: well.\nSentence B: He runs.",
    "answer": "Sentence A: A man dunks: well.",
}
VIDEO, DIM = "1034419625_reverse", "action"


def asked(*records: object, video: str = VIDEO, dim: str = DIM) -> Record:
    """Return the authors' nesting of these questions about one video."""
    return {video: {dim: list(records)}}


def test_options_are_taken_out_of_the_question(tmp_path: Path) -> None:
    """Each is a line at the end of the text; the answer is such a line."""
    as_json(tmp_path / "questions/multi-choice.json", asked(CHOICE))
    made = load_benchmark(NAME, tmp_path)
    (question,) = made.questions
    assert question.text == "What is the man doing?"
    assert question.texts == {"A": "dunking a ball", "B": "dribbling, twice"}
    assert (question.answer, question.task) == ("A", "action")
    assert question.video == "1034419625_reverse.mp4"
    assert question.id.startswith("1034419625_reverse/action/")
    assert made.root == tmp_path / "videos"
    assert made.prompt is not None
    assert made.prompt.instruction == "Please directly give the best option:"


def test_space_before_an_option_is_none_of_it(tmp_path: Path) -> None:
    """One line of the published file begins with a space."""
    text = (
        "In which direction is the circular pattern spinning?\nA. towards the screen\n"
        "B. anticlockwise\nC. clockwise\n D. away from the screen"
    )
    record = {"question": text, "answer": "B. anticlockwise"}
    path = as_json(tmp_path / "multi-choice.json", asked(record))
    (question,) = load_benchmark(NAME, path).questions
    assert question.labels == ("A", "B", "C", "D")
    assert question.texts["D"] == "away from the screen"


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (("Option 1", "Option 2"), ("1", "2")),
        (("Sentence A", "Sentence B"), ("A", "B")),
        (("Caption A", "Caption B"), ("A", "B")),
    ],
)
def test_captions_keep_their_labels(
    tmp_path: Path, words: tuple[str, str], labels: tuple[str, str]
) -> None:
    """Captions are lettered or numbered; a colon inside stays."""
    lines = [f"{word}: Text {word}: so." for word in words]
    record = {"question": "\n".join(["Which?", *lines]), "answer": lines[1]}
    path = as_json(tmp_path / "caption_matching.json", asked(record))
    (question,) = load_benchmark(NAME, path).questions
    assert (question.text, question.labels) == ("Which?", labels)
    assert question.answer == labels[1]
    assert question.texts[labels[0]] == f"Text {words[0]}: so."


def test_yes_and_no_are_options(tmp_path: Path) -> None:
    """The file gives the answer alone; there are always these two."""
    as_json(tmp_path / "questions/yes_no.json", asked(YES, {**YES, "answer": "no"}))
    with pytest.raises(BenchmarkError, match="already given"):
        load_benchmark(NAME, tmp_path, variant="yes_no")
    as_json(tmp_path / "questions/yes_no.json", asked(YES))
    made = load_benchmark(NAME, tmp_path, variant="yes_no")
    (question,) = made.questions
    assert question.texts == {"A": "yes", "B": "no"}
    assert (question.answer, question.text) == ("A", "Is the man dunking?")
    assert made.prompt is None


def test_question_that_stands_there_twice_is_told(tmp_path: Path) -> None:
    """The published file repeats one record; both are asked, under two ids."""
    text = (
        "Is the speed of the woman above's push ups slower compared to the woman below?"
    )
    record = {"question": text, "answer": "yes"}
    path = as_json(tmp_path / "yes_no.json", asked(record, record, dim="speed"))
    made = load_benchmark(NAME, path)
    first, second = (q.id for q in made.questions)
    assert second == f"{first}-2"
    assert remarks(made) == [
        (
            "video '1034419625_reverse' 'speed' question 2",
            f"repeats question {first}, answer and all",
        )
    ]


@pytest.mark.parametrize(
    ("form", "record"),
    [("multi-choice", CHOICE), ("yes_no", YES), ("caption_matching", CAPTION)],
)
def test_table_holds_the_same_questions(
    tmp_path: Path, form: str, record: Record
) -> None:
    """The Hugging Face table has a row a question; ids and digest are the same."""
    row = {**record, "video_id": VIDEO, "dim": DIM}
    path = as_parquet(tmp_path / "hf" / form / "test-00000-of-00001.parquet", [row])
    as_json(tmp_path / f"{form}.json", asked(record))
    nested = load_benchmark(NAME, tmp_path, variant=form)
    for where in (tmp_path / "hf", path):
        table = load_benchmark(NAME, where, variant=form)
        assert table.digest == nested.digest
        assert table.root == tmp_path / "hf" / "videos"


def test_file_named_after_a_form_is_of_that_form(tmp_path: Path) -> None:
    """Its name decides; another form asked of it is an error of configuration."""
    path = as_json(tmp_path / "caption_matching.json", asked(CAPTION))
    assert load_benchmark(NAME, path).questions[0].answer == "A"
    with pytest.raises(ConfigError, match="holds 'caption_matching'"):
        load_benchmark(NAME, path, variant="yes_no")


def test_captioning_is_refused(tmp_path: Path) -> None:
    """That form asks for free text; the message names the others."""
    path = as_json(tmp_path / "captioning.json", asked(YES))
    assert "use one of multi-choice, yes_no" in refusal(NAME, path)


def test_ending_of_a_video_is_that_on_disk(tmp_path: Path) -> None:
    """Where the folder is there, its names are taken."""
    path = as_json(tmp_path / "questions/yes_no.json", asked(YES))
    touch(tmp_path, f"videos/{VIDEO}.webm")
    assert load_benchmark(NAME, path).questions[0].video == f"{VIDEO}.webm"


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Ids are made of what is asked, not of places in the file."""
    other = {**YES, "question": "Is the man running?"}
    one, two = asked(YES, other), asked(YES, video="7")
    forth = as_json(tmp_path / "a/yes_no.json", {**one, **two})
    back = as_json(tmp_path / "b/yes_no.json", {**two, **asked(other, YES)})
    altered = as_json(tmp_path / "c/yes_no.json", {**two, **asked(other)})
    made = [load_benchmark(NAME, path) for path in (forth, back, altered)]
    assert made[0].digest == made[1].digest != made[2].digest
    assert set(made[0].by_id) > set(made[2].by_id)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("answer", "B. dunking a ball", "does not fit option B, 'dribbling, twice'"),
        ("answer", "C. flying", "answer 'C' is none of the options"),
        ("answer", "A", "answer 'A' is no line of an option"),
        ("answer", None, "answer must be text, got None"),
        ("answer", ..., "has no 'answer'"),
        ("question", "What?", "does not end in lines of options"),
        ("question", "A. dunking a ball\nB. x", "does not end in lines of options"),
        ("question", "What?\nA. dunking a ball\nC. x", "does not end in lines"),
        ("question", "What?\nA. dunking a ball", "2 to 26 options, got 1"),
        ("question", "?\nA. dunking a ball\nB. x\n\nC. y", "does not end in lines"),
        ("question", 7, "question must be text, got 7"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    records = asked(CHOICE, changed(CHOICE, key, value))
    path = as_json(tmp_path / "multi-choice.json", records)
    message = refusal(NAME, path)
    assert said in message
    assert f"multi-choice.json, video '{VIDEO}' 'action' question 2: " in message
    made = lenient(NAME, path)
    assert len(made) == len(dropped(made)) == 1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"7": ["x"]}, "video '7': must be an object of aspects, got ['x']"),
        ({"7": {"speed": "x"}}, "'speed': must be a list of questions, got 'x'"),
        ({"7": {"speed": [1]}}, "question 1: must be an object, got 1"),
        (asked(YES, video="../x"), "leads out of the benchmark's folder"),
        (asked(YES, video="7", dim=""), "task is empty"),
    ],
)
def test_dirty_nesting_is_told(tmp_path: Path, value: Record, said: str) -> None:
    """What is no video, aspect or question is named by where it stands."""
    path = as_json(tmp_path / "yes_no.json", {**asked(YES), **value})
    assert said in refusal(NAME, path)
    assert len(lenient(NAME, path)) == 1


def test_list_of_the_nested_file_is_refused(tmp_path: Path) -> None:
    """Another file under that name is told as one."""
    path = as_json(tmp_path / "yes_no.json", [YES])
    assert "must hold an object of videos" in refusal(NAME, path)


@pytest.mark.parametrize("depth", range(4))
@given(value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, depth: int, value: object
) -> None:
    """Whatever stands on any level, the other video's question is kept."""
    spoilt: object = value
    for key in ("answer", None, DIM)[3 - depth :]:
        spoilt = [{**YES, "x": 1}, spoilt] if key is None else {key: spoilt}
    folder = tmp_path_factory.getbasetemp() / NAME
    path = as_json(folder / "yes_no.json", {**asked(YES), "7": spoilt})
    made = lenient(NAME, path)
    assert made.questions[0].video == f"{VIDEO}.mp4"
