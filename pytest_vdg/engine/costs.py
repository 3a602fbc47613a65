"""What a run will cost before it is made: cells, videos, tokens, time.

Apart from the runner because no weights are loaded and no video is decoded
for it. Cells and videos are counted, by the rules of the run itself; tokens
and time are told only from what answers of this very checkpoint cost before,
asked in the same way. Nobody's guess is shown as a number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

from pytest_vdg.backends.protocol import Backend
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.asking import memory_told
from pytest_vdg.engine.footage import digests
from pytest_vdg.engine.identity import RunIdentity
from pytest_vdg.engine.plan import Plan, make_plan
from pytest_vdg.engine.recall import CellId, cell_keys, parts_shown, recall
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.engine.views import check_views
from pytest_vdg.frames.conditions import Condition, crf_of
from pytest_vdg.store.cells import CellStore, Cost

N = TypeVar("N", int, float)

_Typical = tuple[float | None, float | None]
"""Tokens and seconds of one answer."""


@dataclass(frozen=True, kw_only=True)
class ConditionCost:
    """What one condition of a run will cost."""

    condition: str
    cells: int
    cached: int
    """Cells that the store answers."""
    videos: frozenset[str]
    """Names of the videos that are decoded for the others."""
    tokens: int | None
    """Input tokens of the others; None where none was measured before."""
    seconds: float | None
    """Time of the model's answers to them; None where none was measured."""
    encodings: int = 0
    """Videos, or excerpts of them, that are encoded again for the others."""

    def __post_init__(self) -> None:
        """Refuse counts that cannot be."""
        if not 0 <= self.cached <= self.cells:
            raise ValueError(f"{self.cached} of {self.cells} cells cannot be cached")

    @property
    def to_ask(self) -> int:
        """Cells that the model is asked."""
        return self.cells - self.cached


@dataclass(frozen=True, kw_only=True)
class RunCost:
    """What a run of one checkpoint on one slice will cost."""

    checkpoint: str
    weights: str
    """Content digest of the weights; empty where a backend has none."""
    slice_name: str
    conditions: tuple[ConditionCost, ...]
    """In the order of the run."""
    unreadable: tuple[str, ...]
    """Names of the videos that are not there or cannot be read, sorted."""
    shared: int = 0
    """Cells counted as cached because an earlier run will have asked them."""
    memory: str = ""
    """Memory that the model needs and that there is; empty where nobody knows."""
    keys: frozenset[str] = field(default=frozenset(), repr=False)
    """What the store can answer after this run."""

    @property
    def together(self) -> ConditionCost:
        """All conditions as one; its name is ``all``, a video counts once."""
        parts = self.conditions
        return ConditionCost(
            condition="all",
            cells=sum(part.cells for part in parts),
            cached=sum(part.cached for part in parts),
            videos=frozenset().union(*(part.videos for part in parts)),
            tokens=_sum(part.tokens for part in parts),
            seconds=_sum(part.seconds for part in parts),
            encodings=sum(part.encodings for part in parts),
        )


def run_cost(
    slice_: Slice,
    backend: Backend,
    conditions: Sequence[str],
    settings: RunSettings,
    *,
    store: CellStore | None = None,
    earlier: Collection[str] = (),
) -> RunCost:
    """Return what `evaluate` with the same arguments will cost.

    *earlier* are keys that *store* will hold by then, of runs made before.
    *backend* is asked who it is, and no question. Videos are read, for their
    digests, and not decoded. Raises what `evaluate` raises before it asks,
    but for videos that cannot be read: these are told.
    """
    settings = settings.on(slice_)
    plan = make_plan(slice_, conditions, seed=settings.seed)
    check_views(plan.conditions, settings)
    identity = RunIdentity.of(backend, settings)
    content = digests(plan.paths)
    keys = cell_keys(plan, identity, content)
    held = recall(keys, store)
    shared = {c for c, key in keys.items() if c not in held and key in earlier}
    kept = shared | held.keys()
    measured = _medians(() if store is None else store.costs(identity.origin))
    return RunCost(
        checkpoint=identity.name,
        weights=identity.origin.weights,
        slice_name=slice_.name,
        conditions=tuple(_cost(plan, c, kept, measured) for c in plan.conditions),
        unreadable=tuple(sorted({v.video for v in plan.videos} - content.keys())),
        shared=len(shared),
        memory=memory_told(backend),
        keys=frozenset(() if store is None else keys.values()),
    )


def _cost(
    plan: Plan,
    condition: Condition,
    kept: Collection[CellId],
    measured: Mapping[str, _Typical],
) -> ConditionCost:
    name = str(condition)
    cells = [(v, q) for v, q, c in plan.cells() if c == condition]
    asked = [(v, q) for v, q in cells if (q.id, name) not in kept]
    tokens, seconds = measured.get(name, (None, None))
    spent_tokens = _times(len(asked), tokens)
    parts = {part for v, q in asked for part in parts_shown(v, q, condition)}
    return ConditionCost(
        condition=name,
        cells=len(cells),
        cached=len(cells) - len(asked),
        videos=frozenset(video for video, _ in parts),
        tokens=None if spent_tokens is None else round(spent_tokens),
        seconds=_times(len(asked), seconds),
        encodings=0 if crf_of(condition) is None else len(parts),
    )


def _medians(costs: Iterable[Cost]) -> dict[str, _Typical]:
    """Return tokens and seconds of the middle answer of each condition.

    The middle one: the first answer of a session also pays for warming up.
    """
    found: dict[str, tuple[list[int], list[float]]] = {}
    for cost in costs:
        tokens, seconds = found.setdefault(cost.condition, ([], []))
        if cost.tokens is not None:
            tokens.append(cost.tokens)
        if cost.seconds is not None:
            seconds.append(cost.seconds)
    return {
        name: (median(t) if t else None, median(s) if s else None)
        for name, (t, s) in found.items()
    }


def _times(number: int, each: float | None) -> float | None:
    """Return *number* times *each*; nothing costs nothing, measured or not."""
    if number == 0:
        return 0.0
    return None if each is None else number * each


def _sum(values: Iterable[N | None]) -> N | None:
    """Return the sum of *values*; None if one of them is not known."""
    given = list(values)
    known = [value for value in given if value is not None]
    return sum(known) if len(known) == len(given) else None
