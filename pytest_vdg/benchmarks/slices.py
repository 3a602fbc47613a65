"""`Slice`: a pinned subset of a benchmark; `take` draws one.

Apart from the benchmark because a slice is what gets run, compared and
committed: a list of ids, whatever the file it came from looks like next year.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.errors import BenchmarkError, ConfigError, did_you_mean


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Questions of a benchmark by id. The list of ids is the slice.

    Raises `BenchmarkError` when an id is unknown or repeated, or none is given.
    """

    name: str
    benchmark: Benchmark
    ids: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse holes and repeats, so that n is the number of ids."""
        if not self.ids:
            raise BenchmarkError(f"slice {self.name!r} holds no question")
        repeated = [i for i, n in Counter(self.ids).items() if n > 1]
        unknown = [i for i in self.ids if i not in self.benchmark.by_id]
        for ids, what in (
            (repeated, "stand in it more than once"),
            (unknown, f"are not in benchmark {self.benchmark.name!r}"),
        ):
            if ids:
                raise BenchmarkError(
                    f"slice {self.name!r}: {len(ids)} of {len(self.ids)} ids {what} "
                    f"(first: {', '.join(map(repr, ids[:3]))})"
                )

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.ids)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions in the order of `ids`."""
        return tuple(self.benchmark.by_id[i] for i in self.ids)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over ids and question digests, whatever their order."""
        rows = sorted([q.id, q.digest] for q in self.questions)
        text = json.dumps(rows, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    @property
    def tasks(self) -> tuple[str, ...]:
        """Task names in order of first appearance."""
        return tuple(dict.fromkeys(q.task for q in self.questions))

    @property
    def chance(self) -> float:
        """Mean of 1/K over the questions."""
        return sum(q.chance for q in self.questions) / len(self.ids)


def take(
    benchmark: Benchmark,
    *,
    name: str | None = None,
    questions: int | None = None,
    tasks: str | Collection[str] | None = None,
    seed: int = 0,
) -> Slice:
    """Draw a slice stratified by task, the same on every machine.

    Parameters
    ----------
    benchmark
        What to draw from; the order of its questions plays no part.
    name
        Name of the slice; by default made of benchmark, tasks, number and seed.
    questions
        How many; None for all.
    tasks
        Only these tasks; None for all.
    seed
        Another seed draws other questions.

    Returns
    -------
    Slice
        Each task has its share of the questions, rounded, and at least one
        where there are as many questions as tasks. A smaller
        slice is the beginning of a larger one of the same seed and tasks.

    Raises
    ------
    ConfigError
        Naming how many questions exist when more are asked for, or the tasks
        that exist when another is.
    """
    chosen = _tasks(benchmark, tasks)
    pool = [q for q in benchmark.questions if q.task in chosen]
    n = len(pool) if questions is None else _count(benchmark, pool, questions)
    if name is None:
        name = _default_name(
            benchmark, questions, () if tasks is None else chosen, seed
        )
    order = _draw_order(pool, seed)
    return Slice(name=name, benchmark=benchmark, ids=tuple(order[:n]))


def _tasks(
    benchmark: Benchmark, tasks: str | Collection[str] | None
) -> tuple[str, ...]:
    if tasks is None:
        return benchmark.tasks
    wanted = (tasks,) if isinstance(tasks, str) else tuple(sorted(set(tasks)))
    if not wanted:
        raise ConfigError("tasks is an empty list; leave it out to take all tasks")
    for task in wanted:
        if task not in benchmark.tasks:
            hint = did_you_mean(task, benchmark.tasks)
            raise ConfigError(
                f"benchmark {benchmark.name!r} has no task {task!r}.{hint}"
            )
    return wanted


def _count(benchmark: Benchmark, pool: Sequence[Question], questions: object) -> int:
    if isinstance(questions, bool) or not isinstance(questions, int) or questions < 1:
        raise ConfigError(
            f"questions must be a positive whole number, got {questions!r}"
        )
    if questions > len(pool):
        sizes = Counter(q.task for q in pool)
        listed = ", ".join(f"{task}: {n}" for task, n in sorted(sizes.items()))
        raise ConfigError(
            f"{questions} questions were asked of benchmark {benchmark.name!r}, which "
            f"has {len(pool)} ({listed}). Leave the number out to take all"
        )
    return questions


def _default_name(
    benchmark: Benchmark, questions: int | None, tasks: Sequence[str], seed: int
) -> str:
    parts = [benchmark.name, "+".join(tasks)]
    parts += [str(questions)] if questions is not None else []
    parts += [f"seed{seed}"] if seed else []
    # Slices name files, and tasks are called anything.
    return re.sub(r"[^\w.+-]", "_", "-".join(part for part in parts if part))


def _draw_order(pool: Sequence[Question], seed: int) -> list[str]:
    """Return all ids in the order in which growing slices take them.

    Question number r (from 0) of a task of size s stands at (2r + 1) / 2s of
    the way, so that the tasks fill up evenly: Sainte-Lague's rule. The largest
    remainder would now and then take a question back from a task as the slice
    grows, and slices would not nest. Every first question goes ahead of all
    second ones, those of large tasks first. With tasks ``a`` of 5 and ``b`` of 2::

        a   0.1       0.3   0.5   0.7        0.9
        b       0.25                  0.75          ->  a b a a a b a

    Order within a task, and between tasks at equal marks, is by hash.
    """
    strata: dict[str, list[Question]] = defaultdict(list)
    for question in pool:
        strata[question.task].append(question)
    placed: list[tuple[tuple[int, Fraction, str], str]] = []
    for task, members in strata.items():
        members.sort(key=lambda q: _hash(seed, q.id))
        size = len(members)
        for rank, question in enumerate(members):
            mark = Fraction(2 * rank + 1, 2 * size)
            tie = _hash(seed, f"{rank}:{task}")
            placed.append(((min(rank, 1), mark, tie), question.id))
    return [question_id for _, question_id in sorted(placed)]


def _hash(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed}:{text}".encode()).hexdigest()
