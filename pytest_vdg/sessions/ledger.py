"""`Ledger`: which runs a session will need, which it has, and which failed.

Apart from the session, which knows how to ask, so that the rule stands by itself:
what two want to know is asked once, with the conditions of both, and what failed
fails alike for whoever asks next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask, slice_key

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.slices import Slice

Key = tuple[str, str]
"""Checkpoint, and what its slice is known by."""


class Ledger:
    """The runs of one session by checkpoint and slice."""

    def __init__(self) -> None:
        """Know of none yet."""
        self._planned: dict[Key, tuple[str, ...]] = {}
        self._meant: dict[Key, Slice] = {}
        self._asks: dict[str, Ask] = {}
        self._runs: dict[Key, Run] = {}
        self._failures: dict[Key, CouldNotBeJudged] = {}

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs that were evaluated, in that order."""
        return tuple(self._runs.values())

    @property
    def planned(self) -> tuple[tuple[str, Slice, tuple[str, ...]], ...]:
        """Checkpoint, slice and all conditions of each run that will be needed."""
        return tuple((k[0], self._meant[k], c) for k, c in self._planned.items())

    def evaluated(
        self, slices: Iterable[tuple[Ask, Slice]]
    ) -> tuple[tuple[Run, Slice | None, Ask | None], ...]:
        """Return the runs with their slice and which of *slices* asks for it."""
        asks = {**self._asks, **{slice_key(found): ask for ask, found in slices}}
        return tuple(
            (run, self._meant.get(key), asks.get(key[1]))
            for key, run in self._runs.items()
        )

    def plan(
        self,
        checkpoint: str,
        slice_: Slice,
        conditions: Iterable[str],
        ask: Ask | None = None,
    ) -> Key:
        """Note what is needed, and return what it is known by.

        *ask* finds a slice again that the session was handed.
        """
        key = checkpoint, slice_key(slice_)
        if ask is not None:
            self._asks[key[1]] = ask
        union = (*self._planned.get(key, ()), *conditions)
        self._planned[key] = tuple(dict.fromkeys(union))
        self._meant[key] = slice_
        return key

    def run(self, key: Key, ask: Callable[[Sequence[str]], Run]) -> Run:
        """Return the run of *key*; *ask* makes it, of all conditions that are planned.

        Raises the `CouldNotBeJudged` that *ask* raises, now or when it was called.
        """
        if key in self._failures:
            raise self._failures[key].with_traceback(None)
        held = self._runs.get(key)
        if held is None or not set(self._planned[key]) <= set(held.conditions):
            try:
                self._runs[key] = ask(self._planned[key])
            except CouldNotBeJudged as error:
                self._failures[key] = error
                raise
        return self._runs[key]

    def keep(self, run: Run) -> None:
        """Note a stored run, which nobody was asked for."""
        self._runs[run.checkpoint, f"stored:{run.slice_name}"] = run

    def open_of(self, checkpoint: str) -> Iterator[Slice]:
        """Yield the slices that are planned for *checkpoint* and have not failed."""
        for key in list(self._planned):
            if key[0] == checkpoint and key not in self._failures:
                yield self._meant[key]
