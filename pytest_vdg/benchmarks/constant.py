"""The best answer that is the same to every question: what need not be looked at.

Apart from the tables of a slice because a checkpoint is held against it, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_vdg.benchmarks.schema import Question


@dataclass(frozen=True, kw_only=True)
class Constant:
    """One answer, given to every question of several."""

    kind: Literal["label", "text"]
    answer: str
    """The label, or the option's text without regard to case and space."""
    right: tuple[bool, ...]
    """Whether it is the answer to each question; at least one."""

    @property
    def share(self) -> float:
        """What it earns, a fraction in (0, 1]."""
        return sum(self.right) / len(self.right)

    @property
    def words(self) -> str:
        """The answer with its kind, e.g. ``the label 'A'``."""
        return f"the {self.kind} {self.answer!r}"


def constants(questions: Sequence[Question]) -> tuple[Constant, Constant]:
    """Return the label and the text that are right most often.

    Of several the first by name; raises `ValueError` for no question.
    """
    if not questions:
        raise ValueError("no answer is right most often to no question")
    labels = [q.answer for q in questions]
    return (
        _best("label", labels),
        _best("text", [folded(q.texts[q.answer]) for q in questions]),
    )


def best_constant(questions: Sequence[Question]) -> Constant:
    """Return the one of `constants` that earns more, the label where they tie."""
    return max(constants(questions), key=lambda each: each.share)


def folded(text: str) -> str:
    """Return *text* without regard to case and white space."""
    return " ".join(text.split()).casefold()


def _best(kind: Literal["label", "text"], given: Sequence[str]) -> Constant:
    counts = Counter(given)
    best = min(counts, key=lambda value: (-counts[value], value))
    return Constant(kind=kind, answer=best, right=tuple(v == best for v in given))
