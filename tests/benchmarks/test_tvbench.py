"""TVBench: constructed folders in the form of its authors."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.tvbench import TASKS
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
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

RIGHT: Record = {
    "video": "6H78U.mp4",
    "question": "What did the person do first?",
    "answer": "Put down the blanket.",
    "candidates": ["Took the towel.", "Put down the blanket."],
    "question_id": "Sequence_T3_5",
    "start": 16.6,
    "end": 25.6,
}
PLAIN: Record = {k: RIGHT[k] for k in ("video", "question", "candidates", "answer")}


def folder(path: Path, **changes: object) -> Path:
    """Write the lists of all ten tasks, some of them changed."""
    for name, task in TASKS.items():
        right = RIGHT if task.bounded else PLAIN
        as_json(path / "json" / f"{name}.json", changes.get(name, [right]))
    return path


def test_all_tasks_are_read(tmp_path: Path) -> None:
    """Ten lists make ten tasks, each with a folder of videos of its name."""
    made = load_benchmark("tvbench", folder(tmp_path))
    assert set(made.tasks) == set(TASKS)
    assert len(made) == 10
    assert made.root == tmp_path / "video"
    for question in made.questions:
        assert question.id == f"{question.task}-0"
        assert question.video == f"{question.task}/6H78U.mp4"
        assert question.texts[question.answer] == "Put down the blanket."
        assert question.answer == "B"


def test_two_tasks_are_cut(tmp_path: Path) -> None:
    """Sequence and localisation have times, which are applied."""
    made = load_benchmark("tvbench", folder(tmp_path))
    cut = {q.task: q.excerpt for q in made.questions if q.excerpt != WHOLE}
    part = Excerpt(start_s=16.6, end_s=25.6)
    assert cut == {"action_sequence": part, "action_localization": part}
    assert made.by_id["action_sequence-0"].extra == {"question_id": "Sequence_T3_5"}


def test_video_in_a_subfolder_is_found(tmp_path: Path) -> None:
    """Egocentric videos lie in subfolders and are called ``.MP4``."""
    record = {**PLAIN, "video": "P01/P01_01.MP4"}
    folder(tmp_path, egocentric_sequence=[record])
    touch(tmp_path, "video/egocentric_sequence/P01/P01_01.MP4")
    made = load_benchmark("tvbench", tmp_path)
    assert made.video_path(made.by_id["egocentric_sequence-0"]).is_file()


def test_two_options_are_two(tmp_path: Path) -> None:
    """Chance is that of the options each question has."""
    four = {**PLAIN, "candidates": ["1", "2", "3", "4"], "answer": "3"}
    made = load_benchmark("tvbench", folder(tmp_path, action_count=[four]))
    assert made.by_id["action_count-0"].chance == 1 / 4
    assert made.by_id["action_antonym-0"].chance == 1 / 2


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("answer", ..., "has no 'answer'"),
        ("answer", "B", "answer 'B' is none of the options"),
        ("candidates", [], "is none of the options ()"),
        ("candidates", {"A": "x"}, "candidates must be a list"),
        ("end", ..., "has no 'end'"),
        ("start", 30, "before or where it starts"),
        ("video", "x/../../a.mp4", "leads out of the benchmark's folder"),
        ("video", "./a.mp4", "has a shorter spelling"),
        ("video", "list.m3u8", "is a playlist"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    folder(tmp_path, action_sequence=[RIGHT, changed(RIGHT, key, value)])
    message = refusal("tvbench", tmp_path)
    assert said in message
    assert "action_sequence.json, record 2: " in message
    assert len(lenient("tvbench", tmp_path)) == 10


def test_broken_list_is_named(tmp_path: Path) -> None:
    """One list that was cut off is a fault of the file, under either policy."""
    folder(tmp_path)
    path = tmp_path / "json" / "object_count.json"
    path.write_text('[{"video": "a.mp4", ', encoding="utf-8")
    assert f"{path}: not JSON" in refusal("tvbench", tmp_path)


def test_digest_follows_content(tmp_path: Path) -> None:
    """The same lists have one digest wherever they lie; another key has another."""
    first = load_benchmark("tvbench", folder(tmp_path / "a"))
    again = load_benchmark("tvbench", folder(tmp_path / "b"))
    other = {**PLAIN, "answer": "Took the towel."}
    third = load_benchmark("tvbench", folder(tmp_path / "c", action_count=[other]))
    assert first.digest == again.digest != third.digest


@given(key=st.sampled_from(list(RIGHT)), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """Whatever stands in one record, the other is kept and nothing is lost."""
    path = tmp_path_factory.mktemp("any") / "action_sequence.json"
    as_json(path, [RIGHT, changed(RIGHT, key, value)])
    made = lenient("tvbench", path)
    assert "action_sequence-0" in made.by_id
    assert len(made) + len(dropped(made)) == 2
