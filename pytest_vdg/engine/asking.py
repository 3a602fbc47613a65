"""Cells put to a backend, together where it takes many; and where they stand.

Apart from the job so that how many are asked at a time is decided in one
place: no answer may depend on it, and no test of answers needs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from pytest_vdg.backends.protocol import (
    Backend,
    ChoosyBackend,
    LoadingBackend,
    ManyBackend,
    MeasuredBackend,
    Prompt,
    Reply,
    Request,
    TellingBackend,
)
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.errors import BackendError, BackendUnavailable
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import Condition
from pytest_vdg.runs import CellResult


@dataclass(frozen=True, eq=False, kw_only=True)
class Entry:
    """One cell on its way: known already, or a request."""

    question: Question
    condition: Condition
    has_light: Callable[[], bool]
    """Whether the original differs visibly from black; may decode."""
    source: Clip | None = None
    """The original, where it was decoded."""
    prompt: Prompt | None = None
    """What to ask; None where the cell is known."""
    shown: Clip | None = None
    """What to show; None for no video."""
    cell: CellResult | None = None
    """The cell; None where the model has to be asked."""
    kept: bool = False
    """Whether the cell was there before, and need not be kept again."""
    elsewhere: bool = False
    """Whether the cell was asked elsewhere, and counts as a request."""


@dataclass(eq=False, kw_only=True)
class Window:
    """Cells that are put together, up to *cells* requests and *room* bytes."""

    cells: int
    room: int
    entries: list[Entry] = field(default_factory=list)
    asked: int = 0
    """How many of the entries are requests, or were."""

    def __post_init__(self) -> None:
        """Hold no clip."""
        self._clips: dict[int, int] = {}

    def add(self, entry: Entry) -> None:
        """Put *entry* to the others; a clip that several show counts once."""
        self.entries.append(entry)
        self.asked += entry.cell is None or entry.elsewhere
        for clip in (entry.source, entry.shown):
            if clip is not None:
                # Held by the entry, so that no other clip gets its id.
                self._clips[id(clip)] = clip.frames.nbytes

    @property
    def unknown(self) -> list[Entry]:
        """The entries that are requests."""
        return [entry for entry in self.entries if entry.cell is None]

    @cached_property
    def order(self) -> list[int]:
        """Places among `unknown`, equal clips together; asked when it is closed."""
        unknown = self.unknown
        return sorted(range(len(unknown)), key=_alike(unknown))

    @cached_property
    def requests(self) -> list[Request]:
        """The requests in `order`, made once: they are known by what they are."""
        unknown = self.unknown
        return [_request(unknown[i]) for i in self.order]

    @property
    def full(self) -> bool:
        """Whether it is time to ask; at once where there is nothing to ask."""
        if self.asked in (0, self.cells):
            return True
        return self.asked > self.cells or sum(self._clips.values()) >= self.room


def takes_many(backend: Backend) -> bool:
    """Return whether *backend* answers many requests at a time."""
    return isinstance(backend, ManyBackend)


def check_conditions(backend: Backend, conditions: Iterable[Condition]) -> None:
    """Raise `ConfigError` for *conditions* that *backend* cannot be asked under."""
    # Some Pythons look at every property for `isinstance`; one hashes the weights.
    if hasattr(backend, ChoosyBackend.check_conditions.__name__):
        cast("ChoosyBackend", backend).check_conditions([str(c) for c in conditions])


def observed(backend: Backend) -> Mapping[str, str]:
    """Return what *backend* found out of its model, where it offers to tell."""
    return backend.observed if isinstance(backend, TellingBackend) else {}


def memory_told(backend: Backend) -> str:
    """Return what memory *backend* needs, where it offers to tell; empty elsewhere."""
    # Some Pythons look at every property for `isinstance`; one hashes the weights.
    if not hasattr(backend, MeasuredBackend.memory_told.__name__):
        return ""
    return cast("MeasuredBackend", backend).memory_told()


def import_libraries(backend: Backend) -> None:
    """Have *backend* import what it needs now, where it offers to."""
    if isinstance(backend, LoadingBackend):
        backend.import_libraries()


def load(backend: Backend) -> None:
    """Have *backend* load now what its first answer takes, where it offers to.

    An error is told by the cells that are asked, as if it were met there first.
    """
    if isinstance(backend, LoadingBackend):
        with suppress(BackendError):
            backend.load()


def replies(backend: Backend, window: Window) -> Iterator[Reply | BackendError]:
    """Yield what *backend* says to the requests of *window*, in order of entries.

    A request that fails has its error in its place. Raises
    `BackendUnavailable`, as no other request would fare better.
    """
    if isinstance(backend, ManyBackend):
        yield from _together(backend, window)
        return
    for entry in window.unknown:
        assert entry.prompt is not None
        try:
            yield backend.ask(entry.prompt, entry.shown)
        except BackendUnavailable:
            raise
        except BackendError as error:
            yield error


def _together(backend: ManyBackend, window: Window) -> Iterator[Reply | BackendError]:
    answers = _answers(backend, window.requests)
    placed = dict(zip(window.order, answers, strict=True))
    for place in range(len(placed)):
        answer = placed[place]
        if isinstance(answer, BackendUnavailable):
            raise answer
        yield answer


def _answers(
    backend: ManyBackend, requests: Sequence[Request]
) -> Sequence[Reply | BackendError]:
    try:
        answers = backend.ask_many(requests)
    except BackendUnavailable:
        raise
    except BackendError as error:  # of each, as if it had been asked alone
        return [error] * len(requests)
    if len(answers) == len(requests):
        return answers
    wrong = BackendError(
        f"{backend.name} was asked {len(requests)} questions together and gave "
        f"{len(answers)} answers"
    )
    return [wrong] * len(requests)


def _alike(entries: Sequence[Entry]) -> Callable[[int], tuple[int, ...]]:
    """Return where each entry belongs, so that equal clips stand together.

    No video first, then black clips by their size, which all videos share,
    then clip by clip; otherwise the order stays.
    """
    places: dict[Hashable, int] = {}

    def place(i: int) -> tuple[int, ...]:
        clip = entries[i].shown
        if clip is None:
            return 0, 0, i
        if entries[i].condition.name == "black":
            look: Hashable = clip.frames.shape
            return 1, places.setdefault(look, i), i
        look = (str(entries[i].condition), id(entries[i].source))
        return 2, places.setdefault(look, i), i

    return place


def _request(entry: Entry) -> Request:
    assert entry.prompt is not None
    return Request(prompt=entry.prompt, clip=entry.shown)
