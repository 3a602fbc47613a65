"""The seven tasks: how a question is worded, and which options it may have.

Kept apart from clips: which values can be right, and which options stand
beside them, is decided here for the benchmark files and for training alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tools.sight.families import DIRECTIONS, GROWTHS, NUMBERS
from tools.sight.scenes import COLOURS, SHAPES

LABELS = "ABCDEFGH"
INSTRUCTION = "Answer with the letter of the correct option."


@dataclass(frozen=True, kw_only=True)
class Task:
    """One kind of question."""

    name: str
    values: tuple[str, ...]
    """Every answer there is; the other options come from here, too."""
    n_options: int
    needs: str
    """How much of the clip an answer takes: one frame, many frames or order."""
    families: tuple[str, ...]
    """The families of clips that carry it."""
    wordings: tuple[str, ...]


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="colour",
            values=tuple(COLOURS),
            n_options=5,
            needs="one frame",
            families=("move", "grow", "still"),
            wordings=(
                "What colour is the shape?",
                "Which colour does the shape have?",
                "What is the colour of the shape?",
            ),
        ),
        Task(
            name="shape",
            values=SHAPES,
            n_options=4,
            needs="one frame",
            families=("move", "grow", "still", "sequence"),
            wordings=(
                "What shape is shown?",
                "Which shape can be seen?",
                "What kind of shape is in the video?",
            ),
        ),
        Task(
            name="count",
            values=NUMBERS,
            n_options=4,
            needs="one frame",
            families=("crowd",),
            wordings=(
                "How many shapes are there?",
                "How many shapes can be seen?",
                "What is the number of shapes in the video?",
            ),
        ),
        Task(
            name="flashes",
            values=tuple(COLOURS),
            n_options=4,
            needs="many frames",
            families=("flash",),
            wordings=(
                "What colour flashes?",
                "Which colour is seen only for a moment?",
                "What is the colour of the flash?",
            ),
        ),
        Task(
            name="first",
            values=tuple(COLOURS),
            n_options=3,
            needs="order",
            families=("sequence",),
            wordings=(
                "Which colour comes first?",
                "What colour is shown first?",
                "Which of the colours is the first?",
            ),
        ),
        Task(
            name="direction",
            values=tuple(DIRECTIONS),
            n_options=4,
            needs="order",
            families=("move",),
            wordings=(
                "Which way does the shape move?",
                "In which direction does the shape move?",
                "Where does the shape go?",
            ),
        ),
        Task(
            name="growth",
            values=GROWTHS,
            n_options=2,
            needs="order",
            families=("grow",),
            wordings=(
                "Is the shape growing or shrinking?",
                "What happens to the size of the shape?",
                "Which is it, growing or shrinking?",
            ),
        ),
    )
}
ORDER_TASKS = tuple(name for name, task in TASKS.items() if task.needs == "order")
LEAKY_TASKS = ("colour", "shape", "count", "flashes")

FOLLOW_UPS = {
    "colour": "What colour is it?",
    "shape": "What shape is it?",
    "count": "How many are there?",
    "flashes": "What colour flashes?",
}
"""What is asked after a sentence that already speaks of the video."""


def sentence(about: str, value: str, rng: np.random.Generator) -> str:
    """Say in a sentence that *value* is what *about* (a task) asks for."""
    if about == "count":
        is_one = value == "one"
        there, shapes, stay = _SINGULAR if is_one else _PLURAL
        forms_of_count = [
            f"There {there} {value} {shapes} on screen.",
            f"The {value} {shapes} {stay} on screen.",
        ]
        return str(rng.choice(forms_of_count))
    forms = {
        "colour": ("The {} shape stays on screen.", "A {} shape can be seen."),
        "shape": ("The {} stays on screen.", "A {} can be seen."),
        "flashes": ("A {} shape flashes for a moment.", "The {} flash is short."),
    }
    return str(rng.choice(forms[about])).format(value)


_SINGULAR = ("is", "shape", "stays")
_PLURAL = ("are", "shapes", "stay")


def prompt(question: str, options: tuple[str, ...]) -> str:
    """Return the text that a model is sent, as the package writes it."""
    lines = [question]
    lines += [f"{label}. {text}" for label, text in zip(LABELS, options, strict=False)]
    return "\n".join([*lines, INSTRUCTION])
