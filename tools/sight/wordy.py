"""A text-only model of words: what language alone makes of the questions of `sight`.

A logistic choice between options by words that go together in question and
option, by an option's text standing in the question, and by its label. It is
trained on generated questions, never on the committed ones, as checkpoints are;
it stands for a language model where an audit is tried without one. Apart from the
checkpoints because it cannot be shown a video.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.backends.scripted import ScriptedBackend
from pytest_vdg.frames.clip import Clip
from tools.sight import asking
from tools.sight.questions import LABELS, LEAKY_TASKS, TASKS
from tools.sight.seeds import generator

QUESTIONS = 3000
"""So many questions are read in training."""
ROUNDS, RATE = 3, 0.3
_WORD = re.compile(r"[a-z]+")
Weights = Mapping[str, float]


def make_wordy(checkpoint: str = "wordy-0", **_: object) -> ScriptedBackend:
    """Return the model called *checkpoint*; its number seeds what it has read.

    A factory of a backend, for ``--text-backend python:tools.sight.wordy:make_wordy``.
    """
    seed = int(checkpoint.rpartition("-")[2])

    def answer(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        if clip is not None:
            raise ValueError("a model of words cannot be shown a video")
        question = prompt.text.partition("\n")[0]
        chances = probabilities(trained(seed), question, prompt.option_texts)
        return dict(zip(prompt.labels, chances, strict=True))

    return ScriptedBackend(answer, name=checkpoint, scoring="choice")


def probabilities(
    weights: Weights, question: str, options: Sequence[str]
) -> list[float]:
    """Return how likely each of *options* is to be the answer; they sum to 1."""
    scores = [
        sum(weights.get(f, 0.0) for f in _features(question, option, place))
        for place, option in enumerate(options)
    ]
    top = max(scores)
    raised = [math.exp(score - top) for score in scores]
    return [value / sum(raised) for value in raised]


@cache
def trained(seed: int) -> Weights:
    """Return weights after reading questions, half of which have a flaw."""
    rng = generator("wordy", seed)
    weights: dict[str, float] = {}
    read = []
    for number in range(QUESTIONS):
        flawed = number % 2 == 0
        task = str(rng.choice(LEAKY_TASKS if flawed else tuple(TASKS)))
        clip = asking.draw_clip(task, rng)
        flaw = asking.FLAWS[number // 2 % len(asking.FLAWS)]
        read.append(
            asking.leaky(task, clip, flaw, rng)
            if flawed
            else asking.sighted(task, clip, rng)
        )
    for round_ in range(ROUNDS):
        for asked in read:
            _learn(weights, asked, RATE / (1 + round_))
    return weights


def _learn(weights: dict[str, float], asked: asking.Asked, rate: float) -> None:
    """Move *weights* up the likelihood of the answer."""
    found = probabilities(weights, asked.question, asked.options)
    for place, (option, chance) in enumerate(zip(asked.options, found, strict=True)):
        step = rate * ((place == asked.answer) - chance)
        for feature in _features(asked.question, option, place):
            weights[feature] = weights.get(feature, 0.0) + step


def _features(question: str, option: str, place: int) -> list[str]:
    """Return what a choice rests on: pairs of words, the text itself, the label."""
    asked, offered = _WORD.findall(question.lower()), _WORD.findall(option.lower())
    own = " ".join(offered)
    named = "named" if f" {own} " in f" {' '.join(asked)} " else "not named"
    return [
        f"label {LABELS[place]}",
        named,
        *(f"{a} + {o}" for a in set(asked) for o in set(offered)),
    ]
