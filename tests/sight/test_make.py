"""The committed files are what ``python -m tools.sight.make`` writes."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from tools.sight import make
from tools.sight.annotations import Question, place
from tools.sight.plan import Entry
from tools.sight.scenes import Frames, frame_times, render

DATA = Path(__file__).parents[2] / "pytest_vdg" / "benchmarks" / "data"
EACH = pytest.mark.parametrize("name", [*make.BENCHMARKS])
CODEC_NOISE = 3.0
"""Mean absolute difference of a decoded frame, out of 255; 2.1 was measured."""


def decode(path: Path) -> tuple[Frames, list[float]]:
    """Return the frames of a clip, and when each is shown, in seconds."""
    with av.open(str(path)) as container:
        pictures = list(container.decode(video=0))
    frames = np.stack([picture.to_ndarray(format="rgb24") for picture in pictures])
    return frames, [float(picture.time or 0.0) for picture in pictures]


@EACH
def test_annotations_come_out_byte_for_byte(name: str) -> None:
    """Building the plan again gives the committed lines exactly."""
    committed = (DATA / name / "questions.jsonl").read_bytes()
    assert make.jsonl(make.BENCHMARKS[name]()).encode() == committed


@EACH
def test_every_clip_shows_its_scene(name: str) -> None:
    """Each committed clip decodes to the rendered frames, within codec noise."""
    for entry in make.BENCHMARKS[name]():
        frames, _ = decode(DATA / name / entry.questions[0].video)
        assert frames.shape == (make.FRAMES, make.SIZE, make.SIZE, 3)
        # Four of the sixteen: drawing all of all clips takes long.
        some = [1, 5, 10, 15]
        times = [frame_times(make.FRAMES)[number] for number in some]
        drawn = render(entry.clip.scene, size=make.SIZE, times=times)
        difference = np.abs(frames[some].astype(float) - drawn).mean((1, 2, 3))
        assert difference.max() < CODEC_NOISE


@EACH
def test_a_clip_can_be_written_again(name: str, tmp_path: Path) -> None:
    """Encoding the first clip anew gives the committed frames, within codec noise."""
    entry = make.BENCHMARKS[name]()[0]
    make.write(tmp_path, [entry])
    video = entry.questions[0].video
    committed, _ = decode(DATA / name / video)
    again, _ = decode(tmp_path / video)
    assert np.abs(again.astype(float) - committed).mean() < CODEC_NOISE


@EACH
def test_every_answer_is_true_of_its_scene(name: str) -> None:
    """The right option is the fact that the scene was made from."""
    for entry in make.BENCHMARKS[name]():
        for question in entry.questions:
            answer = question.options["ABCDE".index(question.answer)]
            assert answer == entry.clip.facts[question.task]


@EACH
def test_a_clip_is_sixteen_frames_in_two_seconds(name: str) -> None:
    """128 pixels, 16 frames, one each eighth of a second from 0 on."""
    frames, times = decode(DATA / name / "clips" / "0000.mp4")
    assert frames.shape == (16, 128, 128, 3)
    assert times == pytest.approx(np.arange(16) / 8)


def test_a_true_option_of_another_kind_is_never_offered() -> None:
    """A red square is never offered both "red" and "square"."""
    for entry in make.BENCHMARKS["sight-leaky"]():
        for question in entry.questions:
            true = set(entry.clip.facts.values()) & set(question.options)
            assert true == {entry.clip.facts[question.task]}


@EACH
def test_questions_of_a_clip_name_one_video(name: str) -> None:
    """All questions of an entry are about one file that no other entry has."""
    entries: list[Entry] = make.BENCHMARKS[name]()
    videos = [{q.video for q in entry.questions} for entry in entries]
    assert all(len(one) == 1 for one in videos)
    assert len(set.union(*videos)) == len(entries)


@pytest.mark.parametrize("label", [0, 1, 2])
def test_the_answer_lands_on_its_label(label: int) -> None:
    """The right option is where it was put, the others keep their order."""
    options = place("right", ["one", "two"], label)
    assert options[label] == "right"
    assert [o for o in options if o != "right"] == ["one", "two"]


def test_an_answer_without_an_option_is_refused() -> None:
    """A question whose answer is no label of its options cannot be made."""
    with pytest.raises(ValueError, match="q: no option has the label 'C'"):
        Question(
            id="q",
            video="clips/0000.mp4",
            task="growth",
            question="?",
            options=("growing", "shrinking"),
            answer="C",
            extra={},
        )
