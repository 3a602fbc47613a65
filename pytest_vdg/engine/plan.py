"""Which cells a run consists of, and in which order they are asked.

Pure, and apart from the runner, so that a plan can be shown, counted and
divided among workers before a video is opened or a model loaded.

Cells are grouped by video, because opening one is what questions share.
Their order is that of names, not of the slice: it is the same in every
process, and results cannot come to depend on it unnoticed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import ConditionNotApplicable, ConfigError, CouldNotBeJudged
from pytest_vdg.frames.conditions import Condition, derange, needs_partner

TEXT_ONLY = "text_only"
"""The one condition that shows no video."""

K = TypeVar("K", bound=Hashable)


def shows_video(condition: Condition) -> bool:
    """Whether the model is shown any frames under *condition*."""
    return condition.name != TEXT_ONLY


@dataclass(frozen=True, kw_only=True)
class VideoPlan:
    """One video and all that is asked about it."""

    video: str
    path: Path
    questions: tuple[Question, ...]
    partner: str | None
    """The video that ``mismatched`` shows instead; None where none is needed."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All cells of one run, grouped by video."""

    conditions: tuple[Condition, ...]
    """In the order asked for, each once."""
    videos: tuple[VideoPlan, ...]
    """Sorted by name, each with its questions sorted by id."""
    no_partner: str | None
    """Why no video has a partner, though a condition needs one."""

    @property
    def total(self) -> int:
        """Number of cells."""
        return len(self.conditions) * sum(len(v.questions) for v in self.videos)

    def cells(self) -> Iterator[tuple[VideoPlan, Question, Condition]]:
        """Yield all cells in the order they are asked."""
        for video in self.videos:
            for question in video.questions:
                for condition in self.conditions:
                    yield video, question, condition


def make_plan(slice_: Slice, conditions: Sequence[str], *, seed: int) -> Plan:
    """Plan *slice_* under *conditions*.

    Raises `ConfigError` for no or an unknown condition, and
    `CouldNotBeJudged` for a slice without questions.
    """
    parsed = parse_conditions(conditions)
    groups: dict[str, list[Question]] = {}
    for question in slice_.questions:
        groups.setdefault(question.video, []).append(question)
    if not groups:
        raise CouldNotBeJudged(
            f"slice {slice_.name!r} holds no question, so there is nothing to judge"
        )
    partners, problem = _partners(sorted(groups), parsed, seed)
    videos = tuple(
        VideoPlan(
            video=name,
            path=slice_.benchmark.video_path(groups[name][0]),
            questions=tuple(sorted(groups[name], key=lambda q: q.id)),
            partner=partners.get(name),
        )
        for name in sorted(groups)
    )
    return Plan(conditions=parsed, videos=videos, no_partner=problem)


def parse_conditions(specs: Sequence[str]) -> tuple[Condition, ...]:
    """Return the conditions that *specs* name, each once, in order."""
    if isinstance(specs, str):
        raise ConfigError(
            f"conditions must be a list, got the text {specs!r}. "
            f"Write conditions=[{specs!r}]"
        )
    if isinstance(specs, (set, frozenset)):
        raise ConfigError(
            f"conditions must be a list, got the set {sorted(map(str, specs))!r}, "
            "whose order differs from process to process"
        )
    parsed = tuple(dict.fromkeys(Condition.parse(spec) for spec in specs))
    if not parsed:
        raise ConfigError(
            "no condition was asked for. Name at least one, e.g. "
            "conditions=['original', 'black']"
        )
    return parsed


def union(needs: Iterable[tuple[K, Sequence[str]]]) -> dict[K, tuple[str, ...]]:
    """Return the conditions that all *needs* of each key name together.

    A key is whatever makes cells shareable, e.g. (checkpoint, slice name).
    Keys and conditions keep the order of first appearance.

    >>> union([("a", ["original", "black"]), ("a", ["black", "shuffled"])])
    {'a': ('original', 'black', 'shuffled')}
    """
    together: dict[K, dict[str, None]] = {}
    for key, specs in needs:
        conditions = together.setdefault(key, {})
        conditions.update(dict.fromkeys(str(c) for c in parse_conditions(specs)))
    return {key: tuple(conditions) for key, conditions in together.items()}


def _partners(
    videos: Sequence[str], conditions: Sequence[Condition], seed: int
) -> tuple[dict[str, str], str | None]:
    if not any(needs_partner(condition) for condition in conditions):
        return {}, None
    try:
        return derange(videos, seed), None
    except ConditionNotApplicable as e:
        return {}, str(e)
