"""MLVU: constructed records in the form of its files and of its table.

The dirty ones are of the kinds that its published files hold: an answer that is
worded otherwise, a right option given twice, an empty record.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.mlvu import CHOICE
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

NAME = "mlvu"
PLOT: Record = {
    "video": "movie101_66.mp4",
    "duration": 246,
    "question": "What color is the main male character in the video?",
    "candidates": ["Yellow", "Red", "Green", "Blue"],
    "answer": "Red",
    "question_type": "plotQA",
}
NEEDLE: Record = {
    "video": "needle_32.mp4",
    "duration": 467.98,
    "question": "What does the hand do?",
    "candidates": ["Delivers a product", "Shakes", "Takes a card", "Points"],
    "answer": "Delivers a product",
    "question_type": "findNeedle",
}
SUMMARY: Record = {
    "video": "217.mp4",
    "duration": 480.0,
    "question": "Please summarize this video.",
    "answer": "Waves lap against the rocks.",
    "question_type": "summary",
}
SCENE: Record = {
    **SUMMARY,
    "question_type": "subPlot",
    "scoring_points": ["The man leads"],
}


def test_tasks_are_files_and_folders(tmp_path: Path) -> None:
    """Each file's videos lie in the folder of its name."""
    as_json(tmp_path / "json/1_plotQA.json", [PLOT])
    as_json(tmp_path / "json/2_needle.json", [NEEDLE])
    made = load_benchmark(NAME, tmp_path)
    plot, needle = made.questions
    assert plot.texts == {"A": "Yellow", "B": "Red", "C": "Green", "D": "Blue"}
    assert (plot.answer, plot.task) == ("B", "plotQA")
    assert plot.video == "1_plotQA/movie101_66.mp4"
    assert plot.extra == {"duration": 246}
    # The authors' tables call this task so; its records say findNeedle.
    assert (needle.task, needle.video) == ("needle", "2_needle/needle_32.mp4")
    assert made.root == tmp_path / "video"
    assert [(p.file, p.dropped) for p in made.problems] == [
        (f"{name}.json", True) for name in CHOICE[2:]
    ]


@pytest.mark.parametrize(
    ("there", "video"),
    [
        ("video/1_plotQA/movie101_66.mp4", "1_plotQA/movie101_66.mp4"),
        ("video/plotQA/movie101_66.mp4", "plotQA/movie101_66.mp4"),
        ("video/movie101_66.mp4", "movie101_66.mp4"),
        ("video/other.mp4", "1_plotQA/movie101_66.mp4"),
    ],
)
def test_folder_of_videos_is_that_on_disk(
    tmp_path: Path, there: str, video: str
) -> None:
    """The authors' scripts name folders without numbers; some have one for all."""
    as_json(tmp_path / "data/1_plotQA.json", [PLOT])
    touch(tmp_path, there)
    assert load_benchmark(NAME, tmp_path).questions[0].video == video


def test_tasks_without_options_are_left_out_and_told(tmp_path: Path) -> None:
    """They are no fault of the files: ``strict`` does not stop at them."""
    as_json(tmp_path / "json/1_plotQA.json", [PLOT])
    as_json(tmp_path / "json/8_sub_scene.json", [SCENE])
    as_json(tmp_path / "json/9_summary.json", [SUMMARY])
    made = load_benchmark(NAME, tmp_path)
    assert len(made) == 1
    reason = "asks for free text and has no options: left out"
    assert [d for d in dropped(made) if d[2] == reason] == [
        ("8_sub_scene.json", "the whole file", reason),
        ("9_summary.json", "the whole file", reason),
    ]
    path = as_json(tmp_path / "all.json", [PLOT, SCENE, SUMMARY])
    made = load_benchmark(NAME, path)
    assert [place for _, place, _ in dropped(made)] == ["record 2", "record 3"]


def test_nothing_but_free_text_is_refused(tmp_path: Path) -> None:
    """An empty benchmark says why it is empty."""
    path = as_json(tmp_path / "9_summary.json", [SUMMARY])
    assert "asks for free text" in refusal(NAME, path)


def test_table_holds_the_same_question(tmp_path: Path) -> None:
    """There the answer is a letter, and the options stand behind the question too."""
    lines = [f"({k}) {t}" for k, t in zip("ABCD", PLOT["candidates"], strict=True)]  # type: ignore[call-overload]
    row = {
        "video_name": "movie101_66.mp4",
        "duration": 246,
        "question": "\n".join([str(PLOT["question"]), *lines]),
        "candidates": PLOT["candidates"],
        "answer": "B",
        "task_type": "plotQA",
    }
    as_parquet(tmp_path / "hf/data/test-00000-of-00001.parquet", [row])
    (question,) = load_benchmark(NAME, tmp_path / "hf").questions
    (same,) = load_benchmark(
        NAME, as_json(tmp_path / "1_plotQA.json", [PLOT])
    ).questions
    assert (question.id, question.digest) == (same.id, same.digest)
    assert question.video == "movie101_66.mp4"


def test_question_that_only_looks_like_options_stays_whole(tmp_path: Path) -> None:
    """Lines behind the question are cut off when they are its options, not else."""
    text = "Order these:\n(A) he runs\n(B) he sits"
    row = {**PLOT, "video_name": "a.mp4", "task_type": "order", "answer": "A"}
    path = as_parquet(tmp_path / "a.parquet", [{**row, "question": text}])
    assert load_benchmark(NAME, path).questions[0].text == text


def test_question_is_asked_as_its_authors_do(tmp_path: Path) -> None:
    """Bracketed letters under a heading, then the instruction."""
    made = load_benchmark(NAME, as_json(tmp_path / "a.json", [PLOT]))
    assert render(made.questions[0], made.prompt) == (
        "Question: What color is the main male character in the video?\n"
        "Options:\n"
        "(A) Yellow\n(B) Red\n(C) Green\n(D) Blue\n"
        "Only give the best option."
    )


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Ids are made of what is asked, not of places in the file."""
    other = {**PLOT, "question": "What color is the sky?"}
    forth = load_benchmark(NAME, as_json(tmp_path / "1_plotQA.json", [PLOT, other]))
    back = load_benchmark(NAME, as_json(tmp_path / "1_plotQA.json", [other, PLOT]))
    third = load_benchmark(NAME, as_json(tmp_path / "1_plotQA.json", [PLOT]))
    assert forth.digest == back.digest != third.digest
    assert set(forth.by_id) > set(third.by_id)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("answer", "Scarlet", "answer 'Scarlet' is none of the options"),
        ("answer", ..., "those of the test part are not public"),
        ("answer", 1, "1 must be text"),
        ("candidates", ["Red", "Blue", "Red", "Green"], "answer 'Red' is 2 of the"),
        ("candidates", ["Red", "", "Blue", "Green"], "text of option 'B' is empty"),
        ("candidates", "Red", "candidates must be a list, got 'Red'"),
        ("candidates", [], "answer 'Red' is none of the options ()"),
        ("question", "", "question text is empty"),
        ("video", "../x.mp4", "leads out of the benchmark's folder"),
        ("question_type", None, "question_type must be text, got None"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    records = [{**PLOT, "question": "What is kept?"}, changed(PLOT, key, value)]
    path = as_json(tmp_path / "json/1_plotQA.json", records)
    message = refusal(NAME, path)
    assert said in message
    assert "1_plotQA.json, record 2: " in message
    made = lenient(NAME, path)
    assert [q.text for q in made.questions] == ["What is kept?"]
    assert len(dropped(made)) == 1


def test_empty_record_is_left_out(tmp_path: Path) -> None:
    """One record of the published files has no word in it."""
    empty = {**PLOT, "question": "", "candidates": [""] * 4, "answer": ""}
    path = as_json(tmp_path / "7_topic_reasoning.json", [PLOT, empty])
    assert len(lenient(NAME, path)) == len(dropped(lenient(NAME, path))) == 1


def test_wrong_option_given_twice_is_a_remark(tmp_path: Path) -> None:
    """The question can be judged, so it is used and told."""
    record = {**PLOT, "candidates": ["Blue", "Red", "Green", "Blue"]}
    made = load_benchmark(NAME, as_json(tmp_path / "1_plotQA.json", [record]))
    assert remarks(made) == [("record 1", "offers 'Blue' more than once")]


def test_one_question_with_two_answers_is_left_out(tmp_path: Path) -> None:
    """Which of the two is right nobody can tell."""
    records = [PLOT, {**PLOT, "answer": "Blue"}, NEEDLE]
    made = lenient(NAME, as_json(tmp_path / "1_plotQA.json", records))
    assert [q.task for q in made.questions] == ["needle"]
    assert len(dropped(made)) == 2


@given(key=st.sampled_from([*PLOT, "video_name", "task_type"]), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """Whatever stands in one record, the other is kept and nothing is lost."""
    path = tmp_path_factory.getbasetemp() / NAME / "1_plotQA.json"
    made = lenient(NAME, as_json(path, [NEEDLE, changed(PLOT, key, value)]))
    assert made.questions[0].task == "needle"
    assert len(made) + len(dropped(made)) == 2
