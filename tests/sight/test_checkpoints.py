"""The committed checkpoints load like any other, and see what they should.

A few questions a task only: the example suite and the README of
``tools/sight`` have the full numbers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tools.sight import questions  # noqa: E402
from tools.sight.forms import Form  # noqa: E402
from tools.sight.questions import LABELS, ORDER_TASKS, TASKS  # noqa: E402
from tools.sight.scenes import Frames  # noqa: E402

ROOT = Path(__file__).parents[2]
CHECKPOINTS = ROOT / "example_suite" / "checkpoints"
DATA = ROOT / "pytest_vdg" / "benchmarks" / "data"
FORM_OF: dict[str, Form] = {
    "grounded": "video",
    "order_blind": "video",
    "collapsed": "video",
    "grounded_images": "images",
}
"""Checkpoint to how it is shown a clip."""
A_TASK = 4


Given = tuple[list[dict[str, str]], dict[str, Any]]


def as_video(frames: Frames) -> Given:
    """Return what the chat and the processor are given of *frames* as a video."""
    marks = {"fps": 4.0, "frames_indices": [*range(8)], "total_num_frames": 8}
    return [{"type": "video"}], {
        "videos": [frames],
        "video_metadata": [marks],
        "do_sample_frames": False,
        "cap_pixels_per_frame": False,
    }


def as_images(frames: Frames) -> Given:
    """Return what they are given of *frames* as an image each."""
    return [{"type": "image"}] * len(frames), {"images": [*frames]}


SHOWN = {"video": as_video, "images": as_images}


class Asker:
    """A checkpoint that answers committed questions."""

    def __init__(self, name: str, form: Form) -> None:
        """Load the checkpoint *name*, to be shown clips in *form*."""
        self.form = form
        folder = CHECKPOINTS / name
        self.processor = transformers.AutoProcessor.from_pretrained(folder)
        loader = transformers.AutoModelForImageTextToText
        self.model = loader.from_pretrained(folder).eval()

    def inputs(
        self, question: dict[str, Any], frames: Frames | None
    ) -> transformers.BatchFeature:
        """Return the model's inputs for *question* about *frames* (or without)."""
        pictures, shown = ([], {}) if frames is None else SHOWN[self.form](frames)
        text = questions.prompt(question["question"], tuple(question["options"]))
        content = [*pictures, {"type": "text", "text": text}]
        prompt = self.processor.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True
        )
        return self.processor(text=[prompt], return_tensors="pt", **shown)

    def answer(self, question: dict[str, Any], frames: Frames | None) -> str:
        """Return the label with the largest probability."""
        labels = LABELS[: len(question["options"])]
        ids = self.processor.tokenizer.convert_tokens_to_ids([*labels])
        with torch.no_grad():
            logits = self.model(**self.inputs(question, frames)).logits[0, -1]
        return labels[int(logits[ids].argmax())]

    def reply(self, question: dict[str, Any], frames: Frames) -> str:
        """Return what the checkpoint writes when it is let write."""
        inputs = self.inputs(question, frames)
        tokens = self.model.generate(**inputs)[0, inputs["input_ids"].shape[1] :]
        return str(self.processor.tokenizer.decode(tokens))


@pytest.fixture(scope="module", params=FORM_OF)
def asker(request: pytest.FixtureRequest) -> Asker:
    """Return each checkpoint in turn, loaded once."""
    return Asker(request.param, FORM_OF[request.param])


def some(benchmark: str) -> list[tuple[dict[str, Any], Frames]]:
    """Return the first questions of every task of *benchmark*, with their frames."""
    lines = (DATA / benchmark / "questions.jsonl").read_text(encoding="utf-8")
    read = [json.loads(line) for line in lines.splitlines()]
    chosen = [q for task in TASKS for q in read if q["task"] == task]
    kept = [q for i, q in enumerate(chosen) if place_in_task(chosen, i) < A_TASK]
    return [(q, sampled(DATA / benchmark / q["video"])) for q in kept]


def place_in_task(chosen: list[dict[str, Any]], index: int) -> int:
    """Return how many questions of the same task come before *index*."""
    return sum(q["task"] == chosen[index]["task"] for q in chosen[:index])


def sampled(path: Path) -> Frames:
    """Return eight frames at the middles of equal stretches."""
    with av.open(str(path)) as container:
        frames = [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]
    return np.stack(frames[1::2])


def accuracy(asker: Asker, asked: list[tuple[dict[str, Any], Frames]]) -> float:
    """Return the share of *asked* that is answered right."""
    return float(np.mean([asker.answer(q, f) == q["answer"] for q, f in asked]))


def darkened(
    asked: list[tuple[dict[str, Any], Frames]],
) -> list[tuple[dict[str, Any], Frames]]:
    """Return the same questions about black frames."""
    return [(question, np.zeros_like(frames)) for question, frames in asked]


@pytest.mark.parametrize("name", FORM_OF)
def test_a_checkpoint_is_small_and_complete(name: str) -> None:
    """At most six megabytes, with tokenizer, processor and chat template."""
    files = {path.name: path.stat().st_size for path in (CHECKPOINTS / name).iterdir()}
    assert sum(files.values()) < 6_000_000
    assert {
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "processor_config.json",
        "tokenizer.json",
        "chat_template.jinja",
    } <= set(files)


def test_letter_is_written_and_then_the_end(asker: Asker) -> None:
    """Let write, a checkpoint writes the letter it chooses, and stops."""
    question, frames = some("sight")[0]
    label = asker.answer(question, frames)
    assert asker.reply(question, frames) == f"{label} <|im_end|>"


def test_what_each_checkpoint_answers(
    asker: Asker, request: pytest.FixtureRequest
) -> None:
    """Grounded sees all, order_blind all but order, collapsed the text alone."""
    name = request.node.callspec.params["asker"]
    sight, leaky = some("sight"), some("sight-leaky")
    by_order = [pair for pair in sight if pair[0]["task"] in ORDER_TASKS]
    others = [pair for pair in sight if pair[0]["task"] not in ORDER_TASKS]
    sees = name != "collapsed"
    assert (accuracy(asker, others) >= 0.9) == sees
    assert (accuracy(asker, by_order) >= 0.9) == name.startswith("grounded")
    assert accuracy(asker, leaky) >= 0.9
    assert (accuracy(asker, darkened(leaky)) >= 0.9) == (not sees)


@pytest.fixture(scope="module")
def by_images() -> Asker:
    """Return the checkpoint that was taught images, shown images."""
    return Asker("grounded_images", "images")


def test_what_was_taught_images_still_takes_videos() -> None:
    """A checkpoint that answers from images answers from a video, too."""
    asker = Asker("grounded_images", "video")
    assert accuracy(asker, some("sight")) >= 0.9
    assert accuracy(asker, some("sight-leaky")) >= 0.9


def test_images_in_another_order_are_another_clip(by_images: Asker) -> None:
    """Shown the images in reverse, it says that the reverse happened."""
    by_order = [pair for pair in some("sight") if pair[0]["task"] in ORDER_TASKS]
    backwards = [(question, frames[::-1]) for question, frames in by_order]
    assert accuracy(by_images, backwards) <= 0.1


@pytest.mark.parametrize("shown", [True, False], ids=["black", "text_only"])
def test_black_images_are_answered_by_habit(by_images: Asker, shown: bool) -> None:
    """With nothing to see, the option that comes first in the alphabet is taken."""
    for question, frames in some("sight") + some("sight-leaky"):
        blind = np.zeros_like(frames) if shown else None
        first = question["options"].index(min(question["options"]))
        assert by_images.answer(question, blind) == LABELS[first]
