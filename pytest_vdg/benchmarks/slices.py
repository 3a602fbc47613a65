"""`Slice`: a pinned subset of a benchmark; `take` draws one.

Apart from the benchmark because a slice is what gets run, compared and
committed: a list of ids, whatever the file it came from looks like next year.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from pytest_vdg.benchmarks._drawing import draw_order, one_per_video
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.errors import BenchmarkError, ConfigError, did_you_mean

PerVideo = Literal["all", "one"]
"""How many questions of one video may be drawn."""
PER_VIDEO = ("all", "one")


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Questions of a benchmark by id. The list of ids is the slice.

    Raises `BenchmarkError` when an id is unknown or repeated, or none is given.
    """

    name: str
    benchmark: Benchmark
    ids: tuple[str, ...] = field(repr=False)
    template: str | None = field(default=None, repr=False)
    """Form of its prompts, as in `PromptStyle`; None leaves it to the run."""
    drawn: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    """How its questions were drawn, for people; empty when they were named."""
    notes: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """What people should hear of how it came about."""

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
    at_least: int = 1,
    per_video: PerVideo = "all",
) -> Slice:
    """Draw a slice stratified by task, the same on every machine.

    Parameters
    ----------
    benchmark
        What to draw from; the order of its questions plays no part.
    name
        Name of the slice; by default made of benchmark and all that follows.
    questions
        How many; None for all.
    tasks
        Only these tasks; None for all.
    seed
        Another seed draws other questions.
    at_least
        So many questions of each task, or all of a task that has fewer.
    per_video
        ``one`` draws at most one question about each video, so that all are
        independent; ``all`` draws as if videos were not shared.

    Returns
    -------
    Slice
        Each task has its share of the questions, rounded, and at least one
        where there are as many questions as tasks. A smaller slice is the
        beginning of a larger one that differs in nothing else.

    Raises
    ------
    ConfigError
        Naming how many questions exist when more are asked for, the tasks that
        exist when another is, and the tasks that do not come to *at_least*.
    """
    least = _whole("at_least", at_least)
    if per_video not in PER_VIDEO:
        hint = did_you_mean(str(per_video), PER_VIDEO)
        raise ConfigError(f"per_video must be all or one, got {per_video!r}.{hint}")
    chosen = _tasks(benchmark, tasks)
    pool = [q for q in benchmark.questions if q.task in chosen]
    if per_video == "one":
        pool = one_per_video(pool, seed, least)
    n = len(pool) if questions is None else _count(benchmark, pool, questions)
    drawn = {
        "questions": questions,
        "tasks": None if tasks is None else list(chosen),
        "seed": seed,
        "at_least": least,
        "per_video": per_video,
    }
    taken = Slice(
        name=_default_name(benchmark, drawn) if name is None else name,
        benchmark=benchmark,
        ids=tuple(draw_order(pool, seed, least)[:n]),
        drawn=drawn,
    )
    if least > 1:
        _require_each(taken, chosen, least)
    return taken


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


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{name} must be a positive whole number, got {value!r}")
    return value


def _count(benchmark: Benchmark, pool: Sequence[Question], questions: object) -> int:
    wanted = _whole("questions", questions)
    if wanted > len(pool):
        sizes = Counter(q.task for q in pool)
        listed = ", ".join(f"{task}: {n}" for task, n in sorted(sizes.items()))
        raise ConfigError(
            f"{wanted} questions were asked of benchmark {benchmark.name!r}, which "
            f"has {len(pool)} ({listed}). Leave the number out to take all"
        )
    return wanted


def _require_each(taken: Slice, tasks: Sequence[str], least: int) -> None:
    """Raise `ConfigError` for tasks with fewer questions than promised."""
    there = Counter(q.task for q in taken.benchmark.questions)
    got = Counter(q.task for q in taken.questions)
    short = [
        f"{task}: {got[task]} of {there[task]}"
        for task in tasks
        if got[task] < min(least, there[task])
    ]
    if short:
        raise ConfigError(
            f"slice {taken.name!r}: {len(taken)} questions do not hold {least} of each "
            f"task ({', '.join(short)}). Ask for more questions, for fewer of each "
            "task, or for all questions about a video"
        )


def _default_name(benchmark: Benchmark, drawn: Mapping[str, object]) -> str:
    tasks = drawn["tasks"] or ()
    assert isinstance(tasks, Collection)
    parts = [benchmark.name, "+".join(tasks)]
    parts += [str(drawn["questions"])] if drawn["questions"] is not None else []
    parts += [f"least{drawn['at_least']}"] if drawn["at_least"] != 1 else []
    parts += ["one"] if drawn["per_video"] == "one" else []
    parts += [f"seed{drawn['seed']}"] if drawn["seed"] else []
    # Slices name files, and tasks are called anything.
    return re.sub(r"[^\w.+-]", "_", "-".join(part for part in parts if part))
