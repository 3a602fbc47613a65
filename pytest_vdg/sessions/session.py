"""`VdgSession`: one place where slices, models and runs of a session meet.

Apart from pytest so that the command line tool and a notebook use the very
same road. Everything is lazy: what no one asks for is not read, not loaded
and not computed; what two ask for is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask, given_slice, require_slice, take_slice, texts
from pytest_vdg.sessions.compared import require_two
from pytest_vdg.sessions.evaluator import Evaluator
from pytest_vdg.sessions.filtered import filter_notes, stored_notes
from pytest_vdg.sessions.ledger import Ledger
from pytest_vdg.sessions.models import MakeBackend
from pytest_vdg.sessions.replay import Replay
from pytest_vdg.sessions.seat import Seat

if TYPE_CHECKING:
    from pytest_vdg.backends.protocol import Backend
    from pytest_vdg.benchmarks.slices import Slice
    from pytest_vdg.engine.progress import Progress
    from pytest_vdg.store.cells import CellStore

    ShowProgress = Callable[[str, Progress], None]


class VdgSession:
    """The runs of one session, each evaluated once, at first need."""

    def __init__(
        self,
        settings: Settings,
        *,
        make_backend: MakeBackend | None = None,
        progress: ShowProgress | None = None,
        seat: Seat | None = None,
    ) -> None:
        """Use *settings*; load and read nothing yet.

        With a *seat* the work is shared with the processes that have the others.
        """
        self.settings = settings
        self.asked = 0
        """Cells that a model answered."""
        self.cached = 0
        """Cells that the store answered."""
        self.notes: list[str] = []
        """What people should hear at the end, e.g. which file was written."""
        self._evaluator = Evaluator(
            settings, make_backend=make_backend, progress=progress, seat=seat
        )
        self._slices: dict[Ask, Slice] = {}
        self._ledger = Ledger()
        self._replay = None if settings.replay is None else Replay(settings)
        self._other = None if settings.replay is None else Replay(settings.compared)

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs that were evaluated, in that order."""
        return self._ledger.runs

    @property
    def evaluated(self) -> tuple[tuple[Run, Slice | None, Ask | None], ...]:
        """The runs with their slice and how it was asked for, where that is known."""
        return self._ledger.evaluated(self._slices.items())

    @property
    def planned(self) -> tuple[tuple[str, Slice, tuple[str, ...]], ...]:
        """Checkpoint, slice and all conditions of each run that will be needed."""
        return self._ledger.planned

    def require_known(self, ask: Ask) -> None:
        """Raise `ConfigError` for names in *ask* that nothing is known by."""
        if self._replay is None:
            require_slice(self.settings, ask)
        self.conditions(ask)

    def conditions(self, ask: Ask) -> tuple[str, ...]:
        """Return the conditions that *ask* names, or those of the configuration."""
        from pytest_vdg.frames.conditions import Condition

        named = ask.conditions or self.settings.config.conditions
        if self._replay is not None:
            return self._replay.conditions(named)
        return tuple(dict.fromkeys(str(Condition.parse(name)) for name in named))

    def slice(self, ask: Ask) -> Slice:
        """Return the questions that *ask* is about."""
        asked = replace(ask, conditions=None, checkpoint=None)
        if asked not in self._slices:
            self._slices[asked] = take_slice(self.settings, asked)
            self.tell(*self._slices[asked].notes)
        return self._slices[asked]

    def slice_name(self, ask: Ask) -> str:
        """Return what the run of *ask* calls its slice."""
        if self._replay is not None:
            return self._replay.run(ask, ()).slice_name
        return self.slice(ask).name

    def checkpoint(self, ask: Ask) -> str:
        """Return the checkpoint that *ask* is put to; of stored runs its name."""
        if self._replay is not None:
            return self.settings.checkpoint_named(ask.checkpoint) or ""
        found = self.settings.locate(ask.checkpoint)
        if found is None:
            raise ConfigError(
                "no checkpoint is configured. Give --vdg-checkpoint, the variable "
                "VDG_CHECKPOINT, or 'checkpoint' in vdg.yaml"
            )
        return found

    def plan(self, ask: Ask, also: Iterable[str] = ()) -> None:
        """Note that the conditions of *ask* will be needed, and *also* these."""
        wanted = self.conditions(ask)
        if self._replay is not None:
            self._replay.plan(ask, (*wanted, *also))
            return
        self._ledger.plan(self.checkpoint(ask), self.slice(ask), (*wanted, *also))

    def plan_other(self, ask: Ask) -> None:
        """Note that *ask* will be put to the checkpoint that is the baseline, too."""
        wanted = self.conditions(ask)
        if self._other is not None:
            self._other.plan(replace(ask, checkpoint=None), wanted)
            return
        other = self._other_checkpoint()
        require_two(self.settings, self.checkpoint(ask), other)
        self._ledger.plan(other, self.slice(ask), wanted)

    def plan_slice(
        self, ask: Ask, slice_: Slice, conditions: Sequence[str], checkpoint: str
    ) -> None:
        """Note that `run_slice` will be called; reports find *slice_* by *ask*."""
        self._ledger.plan(checkpoint, slice_, conditions, ask)

    def run_other(self, ask: Ask) -> Run:
        """Return the run of *ask* by the checkpoint that is the baseline.

        Raises as `run` does.
        """
        wanted = self.conditions(ask)
        if self._other is not None:
            return self._replayed(self._other, replace(ask, checkpoint=None), wanted)
        return self.run_slice(self.slice(ask), wanted, self._other_checkpoint())

    def _other_checkpoint(self) -> str:
        found = self.settings.compared.locate()
        if found is None:
            raise ConfigError(
                "no other checkpoint is configured: give --vdg-compare-to"
            )
        return found

    def run(self, ask: Ask) -> Run:
        """Return the run that *ask* is about, over all conditions planned for it.

        Raises `CouldNotBeJudged`, and the same again for whoever asks next:
        the model is not asked twice for what failed.
        """
        wanted = self.conditions(ask)
        if self._replay is not None:
            return self._replayed(self._replay, ask, wanted)
        return self.run_slice(self.slice(ask), wanted, self.checkpoint(ask))

    def evaluate(
        self,
        benchmark_or_slice: str | Slice | None = None,
        *,
        conditions: Sequence[str] | None = None,
        questions: int | None = None,
        tasks: str | Sequence[str] | None = None,
        seed: int | None = None,
        checkpoint: str | None = None,
    ) -> Run:
        """Ask the model now and return the run.

        Parameters
        ----------
        benchmark_or_slice : str or Slice, optional
            Name of a slice in ``vdg.yaml``, of a registered benchmark, or a
            slice from `take`; the configured slice by default.
        conditions : sequence of str, optional
            What is done to the clips; the configured ones by default.
        questions, tasks, seed : optional
            Ask fewer questions: a stratified, seeded part.
        checkpoint : str, optional
            Folder or hub id; the command line and the environment win.

        Raises
        ------
        ConfigError
            For names that nothing is known by.
        CouldNotBeJudged
            When the run allows no verdict, e.g. a video cannot be decoded.
        """
        name = benchmark_or_slice if isinstance(benchmark_or_slice, str) else None
        ask = Ask(
            slice=name,
            conditions=None if conditions is None else texts(conditions),
            questions=questions,
            tasks=None if tasks is None else texts(tasks),
            seed=seed,
            checkpoint=checkpoint,
        )
        given: Slice | None = None
        if benchmark_or_slice is not None and name is None:
            given = given_slice(benchmark_or_slice, ask)
            ask = replace(ask, slice=given.name)
        if given is None:
            self.require_known(ask)
        wanted = self.conditions(ask)
        if self._replay is not None:
            return self._replayed(self._replay, ask, wanted).only(wanted)
        slice_ = self.slice(ask) if given is None else given
        if given is not None:
            self.tell(*slice_.notes)
        return self.run_slice(slice_, wanted, self.checkpoint(ask)).only(wanted)

    def model(self, checkpoint: str) -> Backend:
        """Return the backend of *checkpoint*; its weights load when first asked.

        One model is held at a time: asking for another one frees the last.
        """
        if self._replay is not None:
            raise ConfigError(
                f"no model is asked: stored runs are judged ({self._replay.named})"
            )
        return self._evaluator.model(checkpoint)

    def new_backend(self, checkpoint: str, *, fetch: bool = True) -> Backend:
        """Return a backend of its own, not loaded; it may *fetch* what is not here."""
        return self._evaluator.new_backend(checkpoint, fetch=fetch)

    def tell(self, *notes: str) -> None:
        """Keep *notes* for the end of the session; the same one is told once."""
        self.notes += [n for n in dict.fromkeys(notes) if n not in self.notes]

    def close(self) -> None:
        """Free the model, which may raise, and close the store; may be called twice."""
        self.tell(*self._evaluator.models.faults)
        self._evaluator.close()

    def run_slice(
        self, slice_: Slice, conditions: Sequence[str], checkpoint: str
    ) -> Run:
        """Return the run of *slice_* by a checkpoint as `checkpoint` returns it."""
        key = self._ledger.plan(checkpoint, slice_, conditions)
        return self._ledger.run(key, lambda all_: self._ask(slice_, all_, checkpoint))

    def _replayed(self, replay: Replay, ask: Ask, conditions: Sequence[str]) -> Run:
        run = replay.run(ask, conditions)
        self.tell(*stored_notes(run, self.settings, replay.slice_name(ask)))
        self._ledger.keep(run)
        return run

    def _ask(self, slice_: Slice, conditions: Sequence[str], checkpoint: str) -> Run:
        self._finish(but=checkpoint)
        run = self._evaluator.evaluate(slice_, conditions, checkpoint)
        self.tell(*self._evaluator.budget.notes(run), *filter_notes(run, slice_.drawn))
        self.notes[:] = self._evaluator.models.retold(self.notes)
        self.cached += run.cached_cells
        self.asked += len(run.cells) - run.cached_cells
        return run

    def _finish(self, *, but: str) -> None:
        """Evaluate what is planned for the model that is held, unless it is *but*.

        It would be loaded again otherwise. What goes wrong is told to whoever
        asks for that run.
        """
        held = self._evaluator.models.held
        if held is None or held == but:
            return
        for slice_ in self._ledger.open_of(held):
            with suppress(Exception):  # of a backend's own code, too
                self.run_slice(slice_, (), held)

    def contribute(self) -> None:
        """Ask what planned runs need and no other process of the job has taken."""
        order = list(dict.fromkeys(checkpoint for checkpoint, _, _ in self.planned))
        for planned in sorted(self.planned, key=lambda each: order.index(each[0])):
            self._evaluator.contribute(*planned)

    @property
    def store(self) -> CellStore | None:
        """Where answers are kept; None where none are."""
        return self._evaluator.store
