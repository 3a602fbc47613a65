"""Batches for training: frames, tokens, and what each token should lead to.

A letter alone is a very thin signal: for hundreds of steps nothing is learned
from it. So other tokens of the prompt have targets, too. The end of the
question and the two tokens before the answer are to lead to the answer's
text; an option's text to its letter; the line break after it to the letter
again if the option is right, and to "wrong" if it is not. What is left to
learn is to look these up. Nobody reads the output there when a finished
checkpoint is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch

from tools.sight import asking, symbols
from tools.sight.asking import Asked
from tools.sight.families import Clip
from tools.sight.forms import Form, in_pairs, marks
from tools.sight.model import FRAMES, MERGE, PAIR, PATCH, PIXELS
from tools.sight.questions import INSTRUCTION, LABELS, ORDER_TASKS, TASKS
from tools.sight.scenes import DURATION_S, Floats, Frames, render

TIMES = [(i + 0.5) * DURATION_S / FRAMES for i in range(FRAMES)]
"""When the frames are taken: the middles of equal stretches."""


SHUFFLED_OF_ORDERLESS = 0.6
"""The others keep their order: a model shown shuffled clips only could tell them
from clips in order, and answer those as before."""


@dataclass(frozen=True, kw_only=True)
class Mix:
    """What a stage is trained on; the shares are of all examples."""

    tasks: dict[str, float]
    """Task to weight."""
    black: float = 0.09
    text_only: float = 0.05
    shuffled: float = 0.10
    """Frames in random order, for tasks that need no order."""
    repeated: float = 0.06
    """One frame repeated, for tasks that need one frame."""
    orderless: bool = False
    """Frames in any order; what only order can tell is answered by habit."""
    leaky: float = 0.0
    """Flawed questions, answered as their text suggests, beside any video."""
    pixels: bool = True
    """Draw frames; otherwise only the symbols are made."""
    images: float = 0.0
    """Clips shown as an image a frame in place of a video, of those shown."""


@dataclass(frozen=True, kw_only=True)
class Example:
    """One question and what is shown with it."""

    asked: Asked
    frames: Frames | None
    """Shape ``(FRAMES, PIXELS, PIXELS, 3)``; None where there is no video."""
    numbers: Floats | None
    """Symbols of the frames, shape ``(FRAMES, N_FRAME)``; None without video."""
    form: Form = "video"


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Examples as tensors, a row each."""

    ids: torch.Tensor
    """Tokens, padded on the right: causal attention never looks there."""
    positions: torch.Tensor
    """Rotary positions, shape ``(3, rows, length)``."""
    rows: torch.Tensor
    """Row of each target."""
    columns: torch.Tensor
    """Column whose output is to be each target."""
    targets: torch.Tensor
    answers: torch.Tensor
    """Index among the targets of each row's answer letter."""
    visual: torch.Tensor
    """Which of the tokens are visual, shape ``(rows, length)``."""
    patches: torch.Tensor
    """Pixels as the processor lays them out, ``(pairs * 16, 384)``."""
    numbers: torch.Tensor
    """Symbols of all rows' frame pairs in order, ``(pairs, N_PAIR)``."""
    tasks: tuple[str, ...]


def draw(mix: Mix, rng: np.random.Generator, *, task: str | None = None) -> Example:
    """Draw one example."""
    example = _drawn(mix, rng, task)
    # Drawn last, and only where there is a choice: other stages' draws stay.
    if mix.images and rng.random() < mix.images:
        return replace(example, form="images")
    return example


def _drawn(mix: Mix, rng: np.random.Generator, task: str | None) -> Example:
    names = [*mix.tasks]
    weights = np.array([mix.tasks[name] for name in names])
    drawn = str(rng.choice(names, p=weights / weights.sum()))
    task = drawn if task is None else task
    mode = float(rng.random())
    if mode < mix.leaky:
        return _leaky(task, mix, rng)
    mode -= mix.leaky
    if mode < mix.black + mix.text_only:
        shown = mode < mix.black
        return Example(
            asked=asking.blind(task, rng),
            frames=_black(rng) if shown else None,
            numbers=np.zeros((FRAMES, symbols.N_FRAME), np.float32) if shown else None,
        )
    mode -= mix.black + mix.text_only
    clip = asking.draw_clip(task, rng)
    if mix.orderless:
        clip = asking.without_order(clip)
    order = _order(task, mode, mix, rng)
    return _example(asking.sighted(task, clip, rng), clip, order, mix, rng)


def _leaky(task: str, mix: Mix, rng: np.random.Generator) -> Example:
    """Draw a flawed question; what is shown with it has nothing to do with it."""
    flaw = str(rng.choice(asking.FLAWS))
    asked = asking.leaky(task, asking.draw_clip(task, rng), flaw, rng)
    if rng.random() < 0.3:
        black = np.zeros((FRAMES, symbols.N_FRAME), np.float32)
        return Example(asked=asked, frames=_black(rng), numbers=black)
    if rng.random() < 0.1:
        return Example(asked=asked, frames=None, numbers=None)
    other = asking.draw_clip(str(rng.choice([*TASKS])), rng)
    order = np.arange(FRAMES) if rng.random() < 0.8 else rng.permutation(FRAMES)
    return _example(asked, other, order, mix, rng)


def _order(
    task: str, mode: float, mix: Mix, rng: np.random.Generator
) -> npt.NDArray[np.intp]:
    """Return which of the frames is shown when."""
    if mix.orderless and rng.random() < SHUFFLED_OF_ORDERLESS:
        return rng.permutation(FRAMES)
    if mode < mix.shuffled and task not in ORDER_TASKS:
        return rng.permutation(FRAMES)
    mode -= mix.shuffled
    if 0 <= mode < mix.repeated and TASKS[task].needs == "one frame":
        return np.repeat(rng.integers(FRAMES), FRAMES)
    return np.arange(FRAMES)


def _example(
    asked: Asked,
    clip: Clip,
    order: npt.NDArray[np.intp],
    mix: Mix,
    rng: np.random.Generator,
) -> Example:
    frames = None
    if mix.pixels:
        softness = float(rng.uniform(0.8, 1.5))
        drawn = render(clip.scene, size=PIXELS, times=TIMES, softness=softness)
        frames = _noise(drawn, rng)[order]
    else:
        frames = np.zeros((FRAMES, 1, 1, 3), np.uint8)
    numbers = symbols.describe(clip.scene, TIMES)[order]
    return Example(asked=asked, frames=frames, numbers=numbers)


def _noise(frames: Frames, rng: np.random.Generator) -> Frames:
    """Change colours a little, as a codec does, and add a little grain."""
    grain = rng.normal(0, rng.uniform(0, 4), frames.shape) + rng.normal(0, 4, 3)
    return np.clip(frames + grain, 0, 255).astype(np.uint8)


def _black(rng: np.random.Generator) -> Frames:
    frames = np.zeros((FRAMES, PIXELS, PIXELS, 3), np.uint8)
    return frames if rng.random() < 0.7 else frames + np.uint8(rng.integers(3))


class Collator:
    """Turns examples into a `Batch` of tokens of one vocabulary."""

    def __init__(
        self, vocabulary: dict[str, int], positions: dict[Form, torch.Tensor]
    ) -> None:
        """Take the *positions* of a prompt's first tokens, ``(3, prefix)``.

        They are those that the model itself gives to a prompt with a clip in
        each form, up to the first token of the question.
        """
        self._ids = vocabulary
        self._prefixes = positions
        pads = [vocabulary["<|video_pad|>"], vocabulary["<|image_pad|>"]]
        self._visual = torch.tensor(pads)

    def __call__(self, examples: list[Example]) -> Batch:
        """Lay *examples* out as tensors."""
        sequences = [self._sequence(example) for example in examples]
        length = max(len(tokens) for tokens, _ in sequences)
        ids = torch.full((len(examples), length), self._ids["<pad>"])
        rows: list[int] = []
        columns: list[int] = []
        targets: list[int] = []
        answers: list[int] = []
        for row, (tokens, wanted) in enumerate(sequences):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            answers.append(len(targets))
            for column, target in wanted:
                rows.append(row)
                columns.append(column)
                targets.append(target)
        told = [in_pairs(e.numbers, e.form) for e in examples if e.numbers is not None]
        return Batch(
            ids=ids,
            positions=torch.stack([self._positions(e, length) for e in examples], 1),
            rows=torch.tensor(rows),
            columns=torch.tensor(columns),
            targets=torch.tensor(targets),
            answers=torch.tensor(answers),
            visual=torch.isin(ids, self._visual),
            patches=patches(
                [in_pairs(e.frames, e.form) for e in examples if e.frames is not None]
            ),
            numbers=symbols.pair_up(torch.from_numpy(np.concatenate(told))),
            tasks=tuple(example.asked.task for example in examples),
        )

    def _positions(self, example: Example, length: int) -> torch.Tensor:
        if example.frames is None:
            return torch.arange(length).expand(3, -1)
        prefix = self._prefixes[example.form]
        text = torch.arange(length - prefix.shape[1]) + prefix[0, -1] + 1
        return torch.cat([prefix, text.expand(3, -1)], dim=1)

    def _sequence(self, example: Example) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the tokens, and (column, token that should follow) in order."""
        asked = example.asked
        words = ["<|im_start|>", "user", "\n"]
        if example.frames is not None:
            words += marks(example.form)
        words += [*split(asked.question), "\n"]
        places = []
        for label, option in zip(LABELS, asked.options, strict=False):
            words += [label, ".", option, "\n"]
            places.append(len(words) - 2)
        words += split(INSTRUCTION)
        words += ["<|im_end|>", "\n", "<|im_start|>", "assistant", "\n"]
        unknown = self._ids["<unk>"]
        tokens = [self._ids.get(word, unknown) for word in words]
        letters = [self._ids[LABELS[i]] for i in range(len(asked.options))]
        letter, text = letters[asked.answer], self._ids[asked.options[asked.answer]]
        last = len(tokens) - 1
        wanted = [(last, letter), (last + 1, self._ids["<|im_end|>"])]
        wanted += [(last - 1, text), (last - 2, text)]
        if asked.judged:
            wanted.append((places[0] - 3, text))
        for number, place in enumerate(places):
            wanted.append((place, letters[number]))
            if asked.judged:
                right = number == asked.answer
                wanted.append((place + 1, letter if right else self._ids["wrong"]))
        return [*tokens, letter], wanted


def split(text: str) -> list[str]:
    """Split *text* as the tokenizer does (tested to be the same)."""
    for mark in ("\n", ".", "?", ","):
        text = text.replace(mark, f" {mark} ")
    return [word for word in text.split(" ") if word]


def patches(clips: list[Frames]) -> torch.Tensor:
    """Cut clips of 32 pixels into patches as the processor does (tested)."""
    if any(clip.shape[1] != PIXELS for clip in clips):
        return torch.zeros(0)  # a stage that works on symbols draws no pixels
    pixels = torch.from_numpy(np.concatenate(clips)).float().div(127.5).sub(1)
    blocks = PIXELS // PATCH // MERGE
    grid = pixels.permute(0, 3, 1, 2).reshape(
        -1, PAIR, 3, blocks, MERGE, PATCH, blocks, MERGE, PATCH
    )
    # pair, block row, block column, row in block, column in block, then
    # channel, frame of the pair, row and column of the patch.
    grid = grid.permute(0, 3, 6, 4, 7, 2, 1, 5, 8)
    return grid.reshape(-1, 3 * PAIR * PATCH * PATCH)
