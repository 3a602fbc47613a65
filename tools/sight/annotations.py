"""One line of a benchmark's ``questions.jsonl``."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from tools.sight.questions import LABELS


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question about a committed clip."""

    id: str
    video: str
    """Path of the clip, relative to the folder of the benchmark."""
    task: str
    question: str
    options: tuple[str, ...]
    answer: str
    """Label of the right option."""
    extra: dict[str, str]

    def __post_init__(self) -> None:
        if self.answer not in LABELS[: len(self.options)]:
            raise ValueError(f"{self.id}: no option has the label {self.answer!r}")

    def line(self) -> str:
        """Return the question as a line of JSON."""
        return json.dumps(asdict(self)) + "\n"


def place(truth: str, wrong: list[str], label: int) -> tuple[str, ...]:
    """Return the options in order, with *truth* at number *label*."""
    return (*wrong[:label], truth, *wrong[label:])
