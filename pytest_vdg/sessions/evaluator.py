"""`Evaluator`: a model, a store and a time budget, and runs made with them.

Apart from the session, which knows what is needed and by whom, because this is
all that asking takes, whether one process does it or several share it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_vdg.config.settings import Settings
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import about_slice
from pytest_vdg.sessions.budget import TimeBudget
from pytest_vdg.sessions.judging import endings_told
from pytest_vdg.sessions.models import MakeBackend, Models
from pytest_vdg.sessions.seat import Seat

if TYPE_CHECKING:
    from pytest_vdg.backends.protocol import Backend
    from pytest_vdg.benchmarks.slices import Slice
    from pytest_vdg.engine.progress import Progress
    from pytest_vdg.frames.shelf import Shelf
    from pytest_vdg.store.cells import CellStore
    from pytest_vdg.store.claims import Claims

    ShowProgress = Callable[[str, Progress], None]


class Evaluator:
    """Makes runs as *settings* say; with a *seat*, shared with other processes."""

    def __init__(
        self,
        settings: Settings,
        *,
        make_backend: MakeBackend | None,
        progress: ShowProgress | None,
        seat: Seat | None,
    ) -> None:
        """Open and load nothing yet."""
        self.settings = settings
        self.models = Models(settings, make_backend, seat)
        self.budget = TimeBudget(settings.time_budget)
        self._progress = progress
        self._seat = seat
        self._store: CellStore | None = None
        self._share: Claims | None = None
        self._shelf: Shelf | None = None

    def evaluate(
        self, slice_: Slice, conditions: Sequence[str], checkpoint: str
    ) -> Run:
        """Return the run of *checkpoint* on *slice_*, asking what is not known."""
        from pytest_vdg.engine.runner import evaluate

        with endings_told(), about_slice(slice_.name):
            backend = self.models.of(checkpoint)
            return evaluate(
                slice_,
                backend,
                conditions,
                self.settings.run_settings(),
                store=self.store,
                progress=self._shown(slice_.name),
                until=self.budget.until(),
                shelf=self.shelf,
                share=self.share,
                hands=self.models.hands(backend),
            )

    def model(self, checkpoint: str) -> Backend:
        """Return the backend of *checkpoint*, which is then the one that is held."""
        with endings_told():
            return self.models.of(checkpoint)

    def new_backend(self, checkpoint: str, *, fetch: bool) -> Backend:
        """Return a backend of its own, not loaded; it may *fetch* what is not here."""
        with endings_told():
            return self.models.new(checkpoint, fetch=fetch)

    def contribute(
        self, checkpoint: str, slice_: Slice, conditions: Sequence[str]
    ) -> None:
        """Ask what no other process has taken of one run.

        What goes wrong is left to the process that needs the run: it comes
        across it again, in a test that can say so.
        """
        from pytest_vdg.engine.runner import contribute

        store, share = self.store, self.share
        if store is None or share is None:
            return
        with suppress(Exception), endings_told():
            contribute(
                slice_,
                self.models.of(checkpoint),
                conditions,
                self.settings.run_settings(),
                store=store,
                share=share,
                until=self.budget.until(),
                shelf=self.shelf,
            )

    @property
    def store(self) -> CellStore | None:
        """Where answers are kept; None where none are."""
        if self._store is None and self.settings.keeps_answers:
            from pytest_vdg.store.cells import CellStore

            self._store = CellStore(self.settings.cache_dir)
        return self._store

    @property
    def shelf(self) -> Shelf | None:
        """Clips for the second checkpoint, which sees the same; None without one."""
        if self._shelf is None and self.settings.compare_to is not None:
            from pytest_vdg.frames.shelf import Shelf

            self._shelf = Shelf()
        return self._shelf

    @property
    def share(self) -> Claims | None:
        """What the processes that share the work have taken; None where none do."""
        if self._share is None and self._seat is not None:
            from pytest_vdg.store.claims import Claims

            self._share = Claims(self._seat.folder, workers=self._seat.workers)
        return self._share

    def close(self) -> None:
        """Free the model and close the files; may be called twice.

        Raises what freeing the model raises.
        """
        try:
            self.models.end()
        finally:
            self._close_files()

    def _close_files(self) -> None:
        self._shelf = None
        if self._share is not None:
            self._share.close()
            self._share = None
        if self._store is not None:
            self._store.close()
            self._store = None

    def _shown(self, name: str) -> Callable[[Progress], None] | None:
        show = self._progress
        if show is None:
            return None
        return lambda progress: show(name, progress)
