"""The plain loop: each cell decoded, processed and read by itself.

Apart from the engine because it is what people write without one: a loop over
questions and conditions, with one forward pass a cell.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._hf_inputs import build_inputs
from pytest_vdg.backends._hf_scoring import choose
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.identity import prompt_for
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.conditions import Condition, apply
from pytest_vdg.frames.decode import read_clip


@dataclass(frozen=True, kw_only=True)
class Loop:
    """Result of `plain_loop`."""

    seconds: float
    lm_tokens: int
    vision_tokens: int
    decodes: int
    choices: dict[tuple[str, str], str]
    """(question, condition) to label."""


def plain_loop(
    loaded: Any,  # noqa: ANN401 - a loaded model of the transformers backend
    slice_: Slice,
    conditions: Sequence[str],
    settings: RunSettings,
) -> Loop:
    """Ask every cell, one after the other, keeping nothing between two."""
    lm = vision = decodes = 0
    choices = {}
    began = time.perf_counter()
    for question in slice_.questions:
        prompt = prompt_for(question, settings.instruction)
        for name in conditions:
            clip = None
            if name != "text_only":
                decodes += 1
                path = slice_.benchmark.video_path(question)
                clip = apply(
                    Condition.parse(name),
                    read_clip(path, settings.sampling),
                    question_id=question.id,
                    seed=settings.seed,
                )
            inputs = build_inputs(loaded, prompt.text, clip)
            choices[question.id, name] = choose(loaded, inputs, prompt.labels).best
            lm += inputs.prompt_tokens
            vision += inputs.visual_tokens
    return Loop(
        seconds=time.perf_counter() - began,
        lm_tokens=lm,
        vision_tokens=vision,
        decodes=decodes,
        choices=choices,
    )
