"""MVBench: constructed folders of both revisions, which are never mixed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.mvbench import MAIN, REVISIONS
from pytest_vdg.benchmarks.prompts import render
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
from tests.benchmarks.published import (
    Record,
    any_json,
    as_json,
    changed,
    dropped,
    lenient,
    refusal,
    remarks,
    touch,
)

RIGHT: Record = {
    "video": "ZS9XR.mp4",
    "question": "What happened after the person took the food?",
    "candidates": ["Ate the medicine.", "Tidied up.", "Put down the cup."],
    "answer": "Tidied up.",
    "start": 11.1,
    "end": 19.6,
}
UNBOUNDED: Record = {k: v for k, v in RIGHT.items() if k not in ("start", "end")}
BOUNDED = {
    "action_sequence",
    "action_prediction",
    "object_interaction",
    "action_localization",
    "episodic_reasoning",
}
"""The five tasks whose official readers use `start` and `end`."""


def folder(path: Path, **changes: object) -> Path:
    """Write the lists of all twenty tasks, some of them changed."""
    for name in MAIN:
        as_json(path / "json" / f"{name}.json", changes.get(name, [RIGHT]))
    return path


def test_all_tasks_are_read(tmp_path: Path) -> None:
    """Twenty lists make twenty tasks; ids count from 0 in each, as in harness logs."""
    made = load_benchmark("mvbench", folder(tmp_path, state_change=[RIGHT, RIGHT]))
    assert len(made) == 21
    assert set(made.tasks) == set(MAIN)
    assert {"state_change-0", "state_change-1", "action_count-0"} <= set(made.by_id)
    question = made.by_id["action_count-0"]
    assert question.text == RIGHT["question"]
    assert dict(question.texts) == {
        "A": "Ate the medicine.",
        "B": "Tidied up.",
        "C": "Put down the cup.",
    }
    assert question.answer == "B"
    assert made.source.count("sha256:") == 20
    assert made.prompt is not None


def test_only_bounded_tasks_are_cut(tmp_path: Path) -> None:
    """Times that other tasks carry along are not applied, as in the official code."""
    made = load_benchmark("mvbench", folder(tmp_path))
    cut = {q.task for q in made.questions if q.excerpt.end_s is not None}
    assert cut == BOUNDED
    assert made.by_id["action_sequence-0"].excerpt == Excerpt(start_s=11.1, end_s=19.6)
    assert made.by_id["action_count-0"].excerpt == WHOLE


def test_folder_of_pictures_has_its_rate(tmp_path: Path) -> None:
    """Episodic reasoning is pictures, three a second, and bounded."""
    made = load_benchmark(
        "mvbench", folder(tmp_path, episodic_reasoning=[{**RIGHT, "video": "bbt_s01"}])
    )
    question = made.by_id["episodic_reasoning-0"]
    assert question.video == "tvqa/frames_fps3_hq/bbt_s01"
    assert question.excerpt == Excerpt(start_s=11.1, end_s=19.6, picture_rate=3.0)


def test_cut_revision_is_not_cut_again(tmp_path: Path) -> None:
    """Under ``video`` every clip is shown whole, and lies in that revision's folder."""
    made = load_benchmark("mvbench", folder(tmp_path), variant="video")
    assert {q.excerpt for q in made.questions} == {WHOLE}
    videos = {q.task: q.video for q in made.questions}
    assert videos["action_sequence"] == "star/Charades_segment/ZS9XR.mp4"
    assert videos["action_localization"] == "sta/sta_video_segment/ZS9XR.mp4"
    assert videos["episodic_reasoning"] == "tvqa/video_fps3_hq_segment/ZS9XR.mp4"
    assert videos["fine_grained_pose"] == "nturgbd_convert/ZS9XR.mp4"
    assert videos["action_count"] == "perception/videos/ZS9XR.mp4"


def test_prompt_is_the_authors_example(tmp_path: Path) -> None:
    """The prompt printed in the benchmark's notebook, word for word."""
    texts = ["Ate the medicine.", "Tidied up the blanket."]
    record = {**RIGHT, "candidates": texts, "answer": texts[0]}
    made = load_benchmark("mvbench", folder(tmp_path, action_count=[record]))
    assert render(made.by_id["action_count-0"], made.prompt) == (
        "Carefully watch the video and pay attention to the cause and sequence of "
        "events, the detail and movement of objects, and the action and pose of "
        "persons. Based on your observations, select the best option that accurately "
        "addresses the question.\n"
        "Question: What happened after the person took the food?\n"
        "Options:\n"
        "(A) Ate the medicine.\n"
        "(B) Tidied up the blanket.\n"
        "Only give the best option."
    )


@pytest.mark.parametrize(
    ("listed", "there", "taken"),
    [
        ("1.webm", (), "1.mp4"),
        ("1.webm", ("1.mp4",), "1.mp4"),
        ("1.webm", ("1.webm",), "1.webm"),
        ("1.mp4", (), "1.mp4"),
        ("1.x", (), "1.x.mp4"),
    ],
)
def test_converted_clip_has_its_new_ending(
    tmp_path: Path, listed: str, there: tuple[str, ...], taken: str
) -> None:
    """The cut revision holds .mp4 where the lists may still say .webm."""
    folder(tmp_path, action_antonym=[{**UNBOUNDED, "video": listed}])
    touch(tmp_path / "video/ssv2_video_mp4", *there)
    made = load_benchmark("mvbench", tmp_path, variant="video")
    assert made.by_id["action_antonym-0"].video == f"ssv2_video_mp4/{taken}"
    main = load_benchmark("mvbench", folder(tmp_path / "main"))
    assert main.by_id["action_antonym-0"].video == "ssv2_video/ZS9XR.mp4"


def differing() -> list[tuple[str, str, str]]:
    """Return task and both folders where the revisions differ."""
    pairs = [(n, t.folder, REVISIONS["video"][n].folder) for n, t in MAIN.items()]
    return [pair for pair in pairs if pair[1] != pair[2]]


@pytest.mark.parametrize(("task", "main", "video"), differing())
@pytest.mark.parametrize("nested", ["", "data0613/"])
def test_videos_of_the_other_revision_are_refused(
    tmp_path: Path, task: str, main: str, video: str, nested: str
) -> None:
    """One folder of the other revision is enough to stop, in words."""
    folder(tmp_path)
    for ours, theirs, asked, other in (
        (main, video, "main", "video"),
        (video, main, "video", "main"),
    ):
        root = tmp_path / asked
        touch(root, f"{nested}{theirs}/1.mp4")
        for on_bad in ("strict", "skip"):
            with pytest.raises(Exception, match="never mixed") as caught:
                load_benchmark(
                    "mvbench",
                    tmp_path,
                    videos=root,
                    variant=asked,
                    on_bad_records=on_bad,
                )
            assert f"Set variant: {other}" in str(caught.value)
            assert theirs in str(caught.value)
        touch(root, f"{ours}/1.mp4")
        assert (
            len(load_benchmark("mvbench", tmp_path, videos=root, variant=asked)) == 20
        )


def test_revisions_differ_for_seven_tasks() -> None:
    """Those cut, converted or made from pictures; see the two data set pages."""
    assert {task for task, _, _ in differing()} == {
        *BOUNDED,
        "action_antonym",
        "fine_grained_pose",
    }


def test_archives_may_nest_their_folders(tmp_path: Path) -> None:
    """Where ``data0613`` holds the folder, and nothing else does, it is taken."""
    folder(tmp_path)
    touch(tmp_path, "video/data0613/clevrer/video_validation/ZS9XR.mp4")
    made = load_benchmark("mvbench", tmp_path)
    question = made.by_id["moving_count-0"]
    assert question.video == "data0613/clevrer/video_validation/ZS9XR.mp4"
    assert made.video_path(question).is_file()
    assert made.by_id["action_count-0"].video == "perception/videos/ZS9XR.mp4"


def test_videos_may_lie_beside_the_lists(tmp_path: Path) -> None:
    """A harness keeps them in the benchmark's own folder, a person in ``video``."""
    folder(tmp_path)
    assert load_benchmark("mvbench", tmp_path).root == tmp_path / "."
    (tmp_path / "video").mkdir()
    for path in (tmp_path, tmp_path / "json", tmp_path / "json/action_count.json"):
        assert load_benchmark("mvbench", path).root == tmp_path / "video"


def test_one_list_is_one_task(tmp_path: Path) -> None:
    """A single file can be given; a file of no task cannot."""
    folder(tmp_path)
    made = load_benchmark("mvbench", tmp_path / "json" / "action_count.json")
    assert list(made.by_id) == ["action_count-0"]
    path = as_json(tmp_path / "action_cuont.json", [RIGHT])
    assert "is no task. Did you mean 'action_count'?" in refusal("mvbench", path)


def test_missing_and_foreign_lists_are_told(tmp_path: Path) -> None:
    """Nineteen tasks are not the benchmark; a twenty-first is not part of it."""
    folder(tmp_path)
    (tmp_path / "json" / "action_count.json").unlink()
    as_json(tmp_path / "json" / "notes.json", [])
    assert "action_count.json, file: is not in json/" in refusal("mvbench", tmp_path)
    made = lenient("mvbench", tmp_path)
    assert len(made) == 19
    assert remarks(made) == [("file", "is of no task, and was not read")]
    (tmp_path / "no").mkdir()
    assert "holds no list of questions such as" in refusal("mvbench", tmp_path / "no")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("answer", "Tidied", "answer 'Tidied' is none of the options"),
        ("answer", 1, "1 must be text"),
        ("candidates", ["Tidied up."], "2 to 26 options, got 1"),
        ("candidates", ["Tidied up.", "Tidied up."], "is 2 of the options"),
        ("candidates", "Tidied up.", "candidates must be a list"),
        ("candidates", ["Tidied up.", 7], "7 must be text"),
        ("start", None, "start must be a number, got None"),
        ("start", ..., "has no 'start'"),
        ("end", 11.1, "ends at 11.1 s, before or where it starts"),
        ("end", "19.6", "end must be a number"),
        ("video", "../../ZS9XR.mp4", "leads out of the benchmark's folder"),
        ("video", "/etc/passwd", "has a shorter spelling"),
        ("video", 7, "video must be text, got 7"),
        ("question", "", "question text is empty"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run; under ``skip`` the ids of others stay."""
    records = [RIGHT, changed(RIGHT, key, value), RIGHT]
    folder(tmp_path, action_sequence=records)
    message = refusal("mvbench", tmp_path)
    assert said in message
    assert "action_sequence.json, record 2: " in message
    made = lenient("mvbench", tmp_path / "json" / "action_sequence.json")
    assert list(made.by_id) == ["action_sequence-0", "action_sequence-2"]


def test_record_of_another_kind_is_told(tmp_path: Path) -> None:
    """An element that is no object keeps its number, so that ids do not shift."""
    path = as_json(tmp_path / "action_count.json", [RIGHT, ["x"], RIGHT])
    made = lenient("mvbench", path)
    assert list(made.by_id) == ["action_count-0", "action_count-2"]
    assert dropped(made) == [
        ("action_count.json", "record 2", "must be an object, got ['x']")
    ]


def test_start_before_the_first_frame_is_the_first(tmp_path: Path) -> None:
    """The official index rule takes the larger of both."""
    folder(tmp_path, action_sequence=[{**RIGHT, "start": -0.4}])
    made = load_benchmark("mvbench", tmp_path)
    assert made.by_id["action_sequence-0"].excerpt == Excerpt(start_s=0, end_s=19.6)


def test_option_without_text_is_left_out_and_told(tmp_path: Path) -> None:
    """It cannot be chosen, so it does not count for chance."""
    texts = ["Ate it.", "", "Tidied up."]
    path = as_json(tmp_path / "action_count.json", [{**RIGHT, "candidates": texts}])
    made = load_benchmark("mvbench", path)
    assert made.questions[0].labels == ("A", "B")
    assert made.questions[0].answer == "B"
    said = "has an option without text, which is left out"
    assert remarks(made) == [("record 1", said)]


def test_digest_follows_content(tmp_path: Path) -> None:
    """The same lists have one digest wherever they lie; other times have another."""
    first = load_benchmark("mvbench", folder(tmp_path / "a"))
    again = load_benchmark("mvbench", folder(tmp_path / "b"))
    later = {**RIGHT, "end": 20.6}
    third = load_benchmark("mvbench", folder(tmp_path / "c", action_sequence=[later]))
    assert first.digest == again.digest != third.digest


@pytest.mark.parametrize("variant", list(REVISIONS))
@given(key=st.sampled_from(list(RIGHT)), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, variant: str, key: str, value: object
) -> None:
    """Whatever stands in one record, the others are kept and nothing is lost."""
    path = tmp_path_factory.mktemp("any") / "episodic_reasoning.json"
    as_json(path, [RIGHT, changed(RIGHT, key, value), value, RIGHT])
    made = lenient("mvbench", path, variant)
    assert {"episodic_reasoning-0", "episodic_reasoning-3"} <= set(made.by_id)
    assert len(made) + len(dropped(made)) == 4
