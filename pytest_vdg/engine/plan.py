"""Which cells a run consists of, and in which order they are asked.

Pure, and apart from the runner, so that a plan can be shown, counted and
divided among workers before a video is opened or a model loaded.

Cells are grouped by video and by the part of it that is shown, because
opening one is what questions share. Their order is that of names, not of the
slice: it is the same in every process, and results cannot come to depend on it
unnoticed. Where videos stand in for each other, each is followed by the one
that stands in for it, so that both uses of a video lie together.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pytest_vdg.benchmarks._drawing import draw_order
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import ConditionNotApplicable, ConfigError, CouldNotBeJudged
from pytest_vdg.frames.conditions import Condition, derange, needs_partner
from pytest_vdg.frames.excerpt import WHOLE, Excerpt

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
    """Those about one excerpt together, and sorted by id."""
    partner: str | None
    """The video that ``mismatched`` shows instead; None where none is needed."""
    partner_excerpt: Excerpt = WHOLE
    """The part of it that its own first question, by id, is about."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All cells of one run, grouped by video."""

    conditions: tuple[Condition, ...]
    """In the order asked for, each once."""
    videos: tuple[VideoPlan, ...]
    """Sorted by name, or each followed by its partner."""
    no_partner: str | None
    """Why no video has a partner, though a condition needs one."""
    beside: Mapping[str, Path] = field(default_factory=dict, repr=False)
    """Where videos lie that only stand in for those of a part of a plan."""

    @property
    def total(self) -> int:
        """Number of cells."""
        return len(self.conditions) * sum(len(v.questions) for v in self.videos)

    @cached_property
    def paths(self) -> Mapping[str, Path]:
        """Where each video lies."""
        own = {video.video: video.path for video in self.videos}
        return {**self.beside, **own}

    def in_order(self, videos: Sequence[str]) -> Plan:
        """Return the plan with its videos in the order of *videos*, which has all."""
        place = {video: i for i, video in enumerate(videos)}
        ordered = sorted(self.videos, key=lambda each: place[each.video])
        return replace(self, videos=tuple(ordered))

    def part(self, videos: Sequence[VideoPlan]) -> Plan:
        """Return the plan of *videos* alone, each with its partner as before."""
        partners = {video.partner for video in videos if video.partner is not None}
        beside = {name: self.paths[name] for name in sorted(partners)}
        return replace(self, videos=tuple(videos), beside=beside)

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
            questions=tuple(sorted(groups[name], key=_by_excerpt)),
            partner=partners.get(name),
            partner_excerpt=_first_excerpt(groups.get(partners.get(name, ""), ())),
        )
        for name in _in_turn(sorted(groups), partners)
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


def fair_order(slice_: Slice, seed: int) -> list[str]:
    """Return the videos of *slice_* so that every beginning is a fair sample.

    Stratified by task as slices are drawn. Each video stands where one of its
    questions is drawn; which one must not depend on how many it has, else videos
    with many questions would come first.
    """
    groups: dict[str, list[Question]] = {}
    for question in slice_.questions:
        groups.setdefault(question.video, []).append(question)
    for_all = [min(g, key=lambda q: _hash(seed, q.id)) for g in groups.values()]
    drawn = draw_order(for_all, seed)
    return [slice_.benchmark.by_id[question_id].video for question_id in drawn]


def _hash(seed: int, question_id: str) -> bytes:
    text = f"stands for its video:{seed}:{question_id}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _in_turn(videos: Sequence[str], partners: Mapping[str, str]) -> list[str]:
    """Return *videos* so that each is followed by its partner, as far as it can."""
    order: dict[str, None] = {}
    for first in videos:
        video: str | None = first
        while video is not None and video not in order:
            order[video] = None
            video = partners.get(video)
    return list(order)


def _by_excerpt(question: Question) -> tuple[float, float, float, str]:
    """Return where *question* stands among those about its video."""
    part = question.excerpt
    end = math.inf if part.end_s is None else part.end_s
    return part.start_s, end, part.picture_rate or 0.0, question.id


def _first_excerpt(questions: Sequence[Question]) -> Excerpt:
    """Return the excerpt of the first of *questions* by id; all where none is."""
    first = min(questions, key=lambda q: q.id, default=None)
    return WHOLE if first is None else first.excerpt


def _partners(
    videos: Sequence[str], conditions: Sequence[Condition], seed: int
) -> tuple[dict[str, str], str | None]:
    if not any(needs_partner(condition) for condition in conditions):
        return {}, None
    try:
        return derange(videos, seed), None
    except ConditionNotApplicable as e:
        return {}, str(e)
