"""Outcomes of cells, and the runs made of them.

Apart from the engine that makes runs and the assertions that judge them, so
that both, the store and the reports speak of the same plain values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cached_property

from pytest_vdg.errors import CouldNotBeJudged, did_you_mean

TaskFilter = str | Collection[str] | None
"""One task, several tasks, or None for all."""


class Outcome(str, Enum):
    """What became of one cell. Only the first two are answers."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    """A reply that chose no option."""
    FAILED = "failed"
    """No reply: decoding, memory, backend."""
    NOT_APPLICABLE = "not_applicable"
    """The condition has no meaning for this clip."""

    def __str__(self) -> str:
        """Return the bare word, under every version of Python."""
        return self.value

    @property
    def judged(self) -> bool:
        """Whether the model replied, so that the cell counts in a pair."""
        return self in (Outcome.CORRECT, Outcome.WRONG, Outcome.UNPARSED)


_NUMBERS = {outcome: number for number, outcome in enumerate(Outcome)}


@dataclass(frozen=True, kw_only=True)
class AskedQuestion:
    """What a run must know of a question to be joined with another run."""

    id: str
    video: str
    """Name of the video: the cluster that questions rise and fall with."""
    task: str
    labels: tuple[str, ...]
    answer: str
    """Label of the right option."""
    digest: str
    """Content digest of text, options and answer; differs when they do."""
    video_digest: str = ""
    """Content digest of the video; empty where it is not known."""
    of: str = ""
    """Id of the question that this is another order of; empty where it is none."""

    @property
    def question(self) -> str:
        """Id of the question that is asked, the same under every order."""
        return self.of or self.id

    def __post_init__(self) -> None:
        """Refuse a key that is not among the labels."""
        if self.answer not in self.labels:
            wrong = f"answer {self.answer!r} is not one of {self.labels!r}"
            raise ValueError(f"question {self.id!r}: {wrong}")


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """What one question got under one condition."""

    question_id: str
    condition: str
    outcome: Outcome
    choice: str | None = None
    """Label chosen; None unless the outcome is correct or wrong."""
    reply: str | None = None
    """The reply verbatim; None where there was none."""
    probabilities: Mapping[str, float] | None = None
    label_mass: float | None = None
    reason: str | None = None
    """Why there is no answer, for unparsed, failed and not_applicable."""
    frames_seen: int = 0
    visual_tokens: int = 0
    times_s: tuple[float, ...] = ()
    """Presentation times of the sampled frames, in seconds."""
    reader: str | None = None
    """What decoded the video."""
    input_digest: str | None = None
    prompt_tokens: int = field(default=0, compare=False)
    """All input tokens; 0 where they are not told."""
    seconds: float | None = field(default=None, compare=False)
    """Time of the model's answer; None where it is not told."""
    cached: bool = field(default=False, compare=False)
    """Whether the answer came from the store."""


@dataclass(frozen=True, kw_only=True)
class Fingerprint:
    """Everything that can change a run's answers, by how it is compared."""

    comparable: Mapping[str, str]
    """Must be equal for two runs to be compared: slice, prompt, frames, seed,
    scoring, dtype, device, attention, quantisation ..."""
    subject: Mapping[str, str]
    """What is under test: weights, checkpoint."""
    informative: Mapping[str, str]
    """Package versions; a difference is announced, never refused."""

    def differences(self, other: Fingerprint) -> tuple[str, ...]:
        """Return the `comparable` fields that differ, as ``name: a, was b``."""
        names = sorted({*self.comparable, *other.comparable})
        pairs = ((n, self.comparable.get(n), other.comparable.get(n)) for n in names)
        return tuple(f"{n}: {a}, was {b}" for n, a, b in pairs if a != b)


@dataclass(frozen=True, kw_only=True)
class Caps:
    """How much may be missing before a run cannot be judged; fractions."""

    failed: float = 0.02
    """Largest share of failed cells in any condition."""
    failed_difference: float = 0.02
    """Largest difference of that share between two conditions."""
    unparsed: float = 0.02
    unparsed_difference: float = 0.02

    def __post_init__(self) -> None:
        """Refuse anything that is no share."""
        for name, value in vars(self).items():
            if not 0 <= value <= 1:
                raise ValueError(f"cap {name} must lie in [0, 1], got {value!r}")


@dataclass(frozen=True, kw_only=True)
class ConditionCounts:
    """How many cells of one condition came to what."""

    correct: int
    wrong: int
    unparsed: int
    failed: int
    not_applicable: int

    @property
    def judged(self) -> int:
        """Cells with a reply."""
        return self.correct + self.wrong + self.unparsed

    @property
    def accuracy(self) -> float | None:
        """Correct over judged, in [0, 1]; None when nothing was judged."""
        return self.correct / self.judged if self.judged else None


@dataclass(frozen=True, kw_only=True, repr=False)
class Run:
    """All cells of one checkpoint on one slice, with its fingerprint.

    What every claim asks for is counted once and kept beside the fields, where
    neither a comparison nor a pickle sees it.
    """

    checkpoint: str
    slice_name: str
    questions: tuple[AskedQuestion, ...]
    conditions: tuple[str, ...]
    cells: Mapping[tuple[str, str], CellResult]
    """(question id, condition) to result; holds every pair of the two."""
    fingerprint: Fingerprint
    caps: Caps = Caps()
    planned: Mapping[str, int] | None = None
    """Questions of each task of the slice, where the run does not hold them all."""
    created: str = field(default="", compare=False)
    """When, ISO 8601 with zone; empty where it does not matter."""

    def __post_init__(self) -> None:
        """Refuse duplicate ids, holes and misfiled cells."""
        times = Counter(q.id for q in self.questions)
        repeated = [k for k, n in times.items() if n > 1]
        if repeated:
            raise ValueError(f"question ids must be unique, repeated: {repeated[:5]}")
        videos = {q.question: q.video for q in self.questions}
        moved = [q.id for q in self.questions if q.video != videos[q.question]]
        if moved:
            raise ValueError(f"orders of one question on several videos: {moved[:5]}")
        expected = {(q.id, c) for q in self.questions for c in self.conditions}
        if expected != set(self.cells):
            holes = sorted(expected ^ set(self.cells))[:3]
            raise ValueError(
                f"a run holds one cell for each question and condition; "
                f"missing or unexpected: {holes}"
            )
        for key, cell in self.cells.items():
            own = cell.question_id, cell.condition
            if key != own:
                raise ValueError(f"cell {key} holds the result of {own}")

    def __repr__(self) -> str:
        """Show the size instead of every cell: it stands in failing tests."""
        return (
            f"Run({self.checkpoint!r} on {self.slice_name!r}: "
            f"{len(self.questions)} questions, {', '.join(self.conditions)})"
        )

    def __getstate__(self) -> dict[str, object]:
        """Leave out of pickles what can be counted again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def tasks(self) -> tuple[str, ...]:
        """Task names in order of first appearance."""
        return tuple(self._rows_by_task)

    @property
    def cached_cells(self) -> int:
        """Number of cells answered from the store."""
        return sum(cell.cached for cell in self.cells.values())

    @cached_property
    def _rows_by_task(self) -> Mapping[str, list[int]]:
        rows: dict[str, list[int]] = {}
        for row, question in enumerate(self.questions):
            rows.setdefault(question.task, []).append(row)
        return rows

    def rows(self, task: TaskFilter) -> Sequence[int]:
        """Return where in `questions` those of *task* stand, in that order."""
        if task is None:
            return range(len(self.questions))
        wanted = (task,) if isinstance(task, str) else tuple(task)
        if not wanted:
            raise ValueError("an empty list of tasks selects nothing; None is for all")
        for name in wanted:
            if name not in self._rows_by_task:
                raise ValueError(
                    f"slice {self.slice_name!r} has no task {name!r}."
                    + did_you_mean(name, self.tasks)
                )
        return sorted(row for name in set(wanted) for row in self._rows_by_task[name])

    def selected(self, task: TaskFilter) -> tuple[AskedQuestion, ...]:
        """Return the questions of *task*; an unknown task, or none, raises."""
        if task is None:
            return self.questions
        return tuple(self.questions[row] for row in self.rows(task))

    @cached_property
    def _columns(self) -> Mapping[str, bytes]:
        ids = [q.id for q in self.questions]
        numbers = {key: _NUMBERS[cell.outcome] for key, cell in self.cells.items()}
        return {c: bytes([numbers[q, c] for q in ids]) for c in self.conditions}

    def column(self, condition: str, task: TaskFilter = None) -> bytes:
        """Return what became of each question of *task* under *condition*.

        One byte a question, in the order of `selected`: its place in `Outcome`.
        """
        self.require(condition)
        column = self._columns[condition]
        return column if task is None else bytes(column[r] for r in self.rows(task))

    def counts(self, condition: str, task: TaskFilter = None) -> ConditionCounts:
        """Count the outcomes of *condition* over the questions of *task*."""
        found = self.column(condition, task)
        return ConditionCounts(**{o.value: found.count(n) for o, n in _NUMBERS.items()})

    def chance(self, task: TaskFilter = None) -> float:
        """Return the mean of 1/K over the questions of *task*."""
        chosen = self.selected(task)
        if not chosen:
            raise CouldNotBeJudged(f"slice {self.slice_name!r} holds no question")
        return sum(1 / len(q.labels) for q in chosen) / len(chosen)

    def require(self, *conditions: str) -> None:
        """Raise `CouldNotBeJudged` unless the run holds all *conditions*."""
        for condition in conditions:
            if condition not in self.conditions:
                raise CouldNotBeJudged(
                    f"condition {condition!r} was not run on slice "
                    f"{self.slice_name!r} (ran: {', '.join(self.conditions)}). "
                    f"It takes a run made with conditions=[..., {condition!r}], by the "
                    "test's marker or otherwise"
                )

    def only(self, conditions: Iterable[str]) -> Run:
        """Return the run restricted to *conditions*, in the order given."""
        kept = tuple(dict.fromkeys(conditions))
        self.require(*kept)
        cells = {key: cell for key, cell in self.cells.items() if key[1] in kept}
        return replace(self, conditions=kept, cells=cells)
