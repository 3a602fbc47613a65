"""The benchmark `sight`: which questions on which clips, balanced by design.

For every task, each value is right equally often, stands beside the right
answer equally often, and each label is right equally often. Wordings and
labels are then dealt so that neither tells anything about the other or about
the value. A model that sees nothing is at chance, whatever it does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tools.sight import families
from tools.sight.annotations import Question, place
from tools.sight.families import Clip
from tools.sight.questions import LABELS, TASKS, Task
from tools.sight.seeds import generator

PER_TASK = 24
FAMILIES = ("move", "grow", "sequence", "crowd", "flash")
CARRIERS = {
    "direction": {"move": 24},
    "growth": {"grow": 24},
    "first": {"sequence": 24},
    "count": {"crowd": 24},
    "flashes": {"flash": 24},
    "colour": {"move": 12, "grow": 12},
    "shape": {"move": 8, "grow": 8, "sequence": 8},
}
"""Task to the number of clips of each family that carry it."""
DEALS = 400
"""Random deals of labels and wordings, of which the most even is kept."""


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One question before it has a clip."""

    task: Task
    truth: str
    wrong: tuple[str, ...]
    wanted: dict[str, str]
    """Facts the clip must have."""
    label: int
    question: str


def slots(task: Task) -> list[Slot]:
    """Return the questions of *task*."""
    rng = generator("sight", 10_000 + [*TASKS].index(task.name))
    count = len(task.values)
    # Round r asks for every value once. Which values stand beside it depends
    # on the distance to it, so in each round all values do equally often.
    drafts = [
        _draft(task, number % count, number // count) for number in range(PER_TASK)
    ]
    labels, wordings = _deal(task, [truth for truth, _, _ in drafts], rng)
    return [
        Slot(
            task=task,
            truth=truth,
            wrong=tuple(str(w) for w in rng.permutation(wrong)),
            wanted=wanted,
            label=label,
            question=task.wordings[wording],
        )
        for (truth, wrong, wanted), label, wording in zip(
            drafts, labels, wordings, strict=True
        )
    ]


def _draft(task: Task, value: int, turn: int) -> tuple[str, list[str], dict[str, str]]:
    """Return (right, wrong, facts of the clip) for a value in its *turn*."""
    values = task.values
    ring = [values[(value + step) % len(values)] for step in range(len(values))]
    truth, others = ring[0], ring[1:]
    if task.name == "first":
        # Pairs of distances, so that each colour follows each other one.
        near, far = ((1, 3), (2, 5), (4, 1), (5, 2))[turn]
        wrong = [ring[near], ring[far]]
        return truth, wrong, {"first": truth, "then": " ".join(wrong)}
    if task.name == "flashes":
        staying, absent = ring[1 + turn], ring[1 + (turn + 1) % 5]
        wrong = [v for v in others if v not in (staying, absent)]
        return truth, wrong, {"flashes": truth, "staying": staying}
    if task.n_options < len(values):
        del others[turn % len(others)]
    return truth, others, {task.name: truth}


def _deal(
    task: Task, truths: list[str], rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """Deal labels and wordings to the questions as evenly as can be."""
    numbers = np.arange(len(truths))
    deals = [
        (
            rng.permutation(numbers % task.n_options).tolist(),
            rng.permutation(numbers % len(task.wordings)).tolist(),
        )
        for _ in range(DEALS)
    ]

    def unevenness(deal: tuple[list[int], list[int]]) -> int:
        labels, wordings = deal
        return (
            _crowding(labels, wordings)
            + _crowding(labels, truths)
            + _crowding(wordings, truths)
        )

    return min(deals, key=unevenness)


def _crowding(left: Sequence[object], right: Sequence[object]) -> int:
    """Return how unevenly pairs of *left* and *right* are filled."""
    return sum(n * n for n in Counter(zip(left, right, strict=True)).values())


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A clip with the questions it carries."""

    clip: Clip
    questions: tuple[Question, ...]


def build() -> list[Entry]:
    """Return the clips of `sight` with their questions."""
    by_clip = _assign()
    entries: list[Entry] = []
    asked: Counter[str] = Counter()
    for number, (family, carried) in enumerate(by_clip):
        wanted = {k: v for slot in carried for k, v in slot.wanted.items()}
        clip = families.make(family, generator("sight", number), **wanted)
        questions = []
        for slot in carried:
            questions.append(_question(slot, asked[slot.task.name], number))
            asked[slot.task.name] += 1
        entries.append(Entry(clip=clip, questions=tuple(questions)))
    return entries


def _assign() -> list[tuple[str, list[Slot]]]:
    """Return (family, questions) for every clip."""
    rng = generator("sight", 20_000)
    clips: dict[str, list[list[Slot]]] = {
        family: [[] for _ in range(PER_TASK)] for family in FAMILIES
    }
    for name, carriers in CARRIERS.items():
        waiting = slots(TASKS[name])
        order = rng.permutation(PER_TASK).tolist()
        for family, count in carriers.items():
            chosen = sorted(rng.permutation(PER_TASK)[:count].tolist())
            for number in chosen:
                clips[family][number].append(waiting[order.pop()])
    return [(family, carried) for family in FAMILIES for carried in clips[family]]


def _question(slot: Slot, number: int, clip: int) -> Question:
    return Question(
        id=f"sight-{slot.task.name}-{number:03d}",
        video=f"clips/{clip:04d}.mp4",
        task=slot.task.name,
        question=slot.question,
        options=place(slot.truth, list(slot.wrong), slot.label),
        answer=LABELS[slot.label],
        extra={"needs": slot.task.needs},
    )
