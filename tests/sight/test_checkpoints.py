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
from tools.sight.questions import LABELS, ORDER_TASKS, TASKS  # noqa: E402
from tools.sight.scenes import Frames  # noqa: E402

ROOT = Path(__file__).parents[2]
CHECKPOINTS = ROOT / "example_suite" / "checkpoints"
DATA = ROOT / "pytest_vdg" / "benchmarks" / "data"
NAMES = ("grounded", "order_blind", "collapsed")
A_TASK = 4


class Asker:
    """A checkpoint that answers committed questions."""

    def __init__(self, name: str) -> None:
        """Load the checkpoint *name*."""
        folder = CHECKPOINTS / name
        self.processor = transformers.AutoProcessor.from_pretrained(folder)
        loader = transformers.AutoModelForImageTextToText
        self.model = loader.from_pretrained(folder).eval()

    def inputs(
        self, question: dict[str, Any], frames: Frames
    ) -> transformers.BatchFeature:
        """Return the model's inputs for *question* about *frames*."""
        text = questions.prompt(question["question"], tuple(question["options"]))
        content = [{"type": "video"}, {"type": "text", "text": text}]
        prompt = self.processor.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True
        )
        marks = {"fps": 4.0, "frames_indices": [*range(8)], "total_num_frames": 8}
        return self.processor(
            text=[prompt],
            videos=[frames],
            video_metadata=[marks],
            do_sample_frames=False,
            cap_pixels_per_frame=False,
            return_tensors="pt",
        )

    def answer(self, question: dict[str, Any], frames: Frames) -> str:
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


@pytest.fixture(scope="module", params=NAMES)
def asker(request: pytest.FixtureRequest) -> Asker:
    """Return each checkpoint in turn, loaded once."""
    return Asker(request.param)


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


@pytest.mark.parametrize("name", NAMES)
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
    assert (accuracy(asker, by_order) >= 0.9) == (name == "grounded")
    assert accuracy(asker, leaky) >= 0.9
    assert (accuracy(asker, darkened(leaky)) >= 0.9) == (not sees)
