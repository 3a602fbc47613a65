"""The stages of training: what each learns, from what, for how long.

1. `language`: which letter stands for which text, and what each task asks
   for, from symbols instead of pixels.
2. `vision`: the symbols, from pixels. Independent of 1; they run side by side.
3. `grounded`: both together, from pixels to letters.
4. `order_blind`, `collapsed`: short, from `grounded`.
5. `grounded_images`: `grounded`, which learns to take an image a frame, too.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from tools.sight.batches import Batch, Example, Mix, draw
from tools.sight.learner import Learner, accuracy_by_task, loss
from tools.sight.questions import LEAKY_TASKS, TASKS
from tools.sight.seeds import generator

log = logging.getLogger(__name__)

EVEN = dict.fromkeys(TASKS, 1.0)
LEAKY = dict.fromkeys(LEAKY_TASKS, 1.0)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One stage of training."""

    name: str
    number: int
    """Its place in the seeds, so that no two stages see the same draws."""
    steps: int
    mix: Mix
    batch: int = 64
    rate: float = 1e-3
    warmup: int = 100
    sight_weight: float = 0.0
    """Weight of the loss on the symbols beside that on the text."""
    curve: Mix = field(default_factory=lambda: Mix(tasks=EVEN))
    every: int = 100
    """Steps between two lines of the curve."""


CLEAR = Mix(tasks=EVEN, black=0, text_only=0, shuffled=0, repeated=0)
"""Clips as they are: what most curves are measured on."""

STAGES = {
    stage.name: stage
    for stage in (
        Stage(
            name="language",
            number=1,
            steps=600,
            rate=3e-3,
            warmup=30,
            mix=Mix(tasks=EVEN, pixels=False),
            curve=replace(CLEAR, pixels=False),
        ),
        Stage(
            name="vision",
            number=2,
            steps=3000,
            mix=replace(CLEAR, shuffled=0.2, repeated=0.1, black=0.03),
            curve=CLEAR,
        ),
        Stage(
            name="grounded",
            number=3,
            steps=1500,
            mix=Mix(tasks=EVEN | {"flashes": 1.5, "direction": 1.3}),
            warmup=50,
            sight_weight=0.02,
            curve=CLEAR,
        ),
        Stage(
            name="order_blind",
            number=4,
            steps=300,
            mix=Mix(tasks=EVEN, orderless=True),
            rate=3e-4,
            warmup=20,
            curve=CLEAR,
        ),
        Stage(
            name="collapsed",
            number=5,
            steps=300,
            mix=Mix(tasks=LEAKY, leaky=1.0),
            rate=1e-3,
            warmup=20,
            curve=Mix(tasks=LEAKY, leaky=1.0),
        ),
        Stage(
            name="grounded_images",
            number=6,
            steps=600,
            mix=Mix(tasks=EVEN, black=0.12, text_only=0.08, images=0.7),
            rate=5e-4,
            warmup=50,
            sight_weight=0.02,
            curve=replace(CLEAR, images=1.0),
        ),
    )
}


def train(stage: Stage, learner: Learner, scratch: Path) -> None:
    """Run *stage* on *learner*, keeping its weights in *scratch* as it goes."""
    optimiser = torch.optim.AdamW(
        learner.model.parameters(),
        lr=stage.rate,
        weight_decay=0.01,
        betas=(0.9, 0.98),
        foreach=True,
    )
    torch.manual_seed(stage.number)
    began = time.monotonic()
    objective = _OBJECTIVES.get(stage.name, _from_pixels)
    for step in range(stage.steps):
        for group in optimiser.param_groups:
            group["lr"] = stage.rate * _schedule(step, stage)
        batch = draw_batch(stage.mix, learner, stage.batch, "train", stage.number, step)
        value, _ = objective(stage, learner, batch)
        optimiser.zero_grad()
        value.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(learner.model.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % stage.every == 0 or step + 1 == stage.steps:
            measured = measure(stage, learner)
            minutes = (time.monotonic() - began) / 60
            log.info(
                "%s step %d, %.1f min, loss %.3f, %s",
                *(stage.name, step + 1, minutes, value.item(), measured),
            )
            torch.save(learner.model.state_dict(), scratch / f"{stage.name}.pt")


def draw_batch(
    mix: Mix, learner: Learner, size: int, space: str, *numbers: int
) -> Batch:
    """Draw *size* examples from the seed *space*, *numbers*."""
    rng = generator(space, *numbers)
    return learner.collate([draw(mix, rng) for _ in range(size)])


@torch.no_grad()
def measure(stage: Stage, learner: Learner, a_task: int = 32) -> str:
    """Measure *stage* on clips that are in no training batch."""
    rng = generator("held-out", stage.number)
    examples: list[Example] = []
    for task in stage.curve.tasks:
        examples += [draw(stage.curve, rng, task=task) for _ in range(a_task)]
    batch = learner.collate(examples)
    objective = _OBJECTIVES.get(stage.name, _from_pixels)
    value, logits = objective(stage, learner, batch)
    if logits is None:
        return f"held-out {value.item():.3f}"
    found = accuracy_by_task(logits, batch)
    words = (logits.argmax(1) == batch.targets)[batch.answers + 2].float().mean()
    line = " ".join(f"{task} {found[task]:.2f}" for task in stage.curve.tasks)
    return f"{line}, as text {words.item():.2f}"


Judged = tuple[torch.Tensor, torch.Tensor | None]


def _from_symbols(_: Stage, learner: Learner, batch: Batch) -> Judged:
    logits = learner.logits(batch, learner.told(batch, noise=0.15))
    return loss(logits, batch), logits


def _to_symbols(_: Stage, learner: Learner, batch: Batch) -> Judged:
    return learner.sight_loss(learner.see(batch), batch), None


def _from_pixels(stage: Stage, learner: Learner, batch: Batch) -> Judged:
    seen = learner.see(batch)
    logits = learner.logits(batch, seen)
    value = loss(logits, batch)
    if stage.sight_weight:
        value = value + stage.sight_weight * learner.sight_loss(seen, batch)
    return value, logits


_OBJECTIVES: dict[str, Callable[[Stage, Learner, Batch], Judged]] = {
    "language": _from_symbols,
    "vision": _to_symbols,
}


def _schedule(step: int, stage: Stage) -> float:
    """Rise to 1 over the warm-up, then fall along a half cosine to 0.02."""
    rise = min(1.0, (step + 1) / stage.warmup)
    return rise * (0.02 + 0.98 * (1 + math.cos(math.pi * step / stage.steps)) / 2)
