"""What the plugin knows of one pytest session, kept in ``config.stash``.

Apart from the hooks so that fixtures reach it without importing them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_vdg._plugin.options import load_settings, updates_baseline
from pytest_vdg._plugin.progress import progress_line
from pytest_vdg._plugin.seats import seat_of
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.seat import Seat, require_spread
from pytest_vdg.sessions.session import VdgSession

if TYPE_CHECKING:
    from pytest_vdg.backends.protocol import Backend
    from pytest_vdg.config.settings import Settings
    from pytest_vdg.runs import Run
    from pytest_vdg.store.criteria import Criterion


class State:
    """Settings and session of one pytest session; each made at first need."""

    def __init__(self, config: pytest.Config) -> None:
        """Check the options; read no file."""
        self.config = config
        self.updates_baseline = updates_baseline(config)
        self.recorded: set[str] = set()
        """Slices whose baseline was written in this session."""
        self.candidates: dict[str, Path | None] = {}
        """Slice to the candidate that was left of it; None where it is none."""
        self.claimed: dict[str, list[Criterion]] = {}
        """Slice to what the claims against its baseline were held to."""
        self.compared: dict[tuple[str, str], Run] = {}
        """Checkpoint and slice of a run, to the run that claims hold it against."""
        self.notes: list[str] = []
        """What collection has to tell at the end."""
        self.problem: pytest.UsageError | None = None
        """The first thing wrong that collection found."""
        self.unplanned: list[str] = []
        """Why needs of selected tests could not be planned; the tests will say it."""

    @cached_property
    def settings(self) -> Settings:
        """Where to run; raises `ConfigError`."""
        return load_settings(self.config)

    @cached_property
    def session(self) -> VdgSession:
        """Slices, models and runs."""
        return VdgSession(
            self.settings,
            make_backend=self._make_backend,
            progress=progress_line(self.config),
            seat=self.seat,
        )

    @cached_property
    def seat(self) -> Seat | None:
        """Where this worker sits among those that ask together; None if it is alone.

        Raises `ConfigError` where they must not.
        """
        settings, seat = self.settings, seat_of(self.config)
        if seat is None or not settings.spread or settings.replay is not None:
            return None
        require_spread(settings, seat)
        return seat

    def held_against(self, run: Run, baseline: Run) -> Run:
        """Note for the reports that claims hold *run* against *baseline*; return it."""
        key = run.checkpoint, run.slice_name
        known = self.compared.get(key)
        if known is None or len(known.conditions) < len(baseline.conditions):
            self.compared[key] = baseline
        return baseline

    @property
    def opened(self) -> VdgSession | None:
        """The session if anything asked for it, else None."""
        found: VdgSession | None = self.__dict__.get("session")
        return found

    def free(self) -> None:
        """Free the model, if one was asked for.

        What that raises is told at the end of the session, and changes no verdict.
        """
        session = self.opened
        if session is None:
            return
        from pytest_vdg.sessions.judging import freeing

        with freeing(session.tell):
            session.close()

    def _make_backend(
        self, name: str, settings: Mapping[str, object]
    ) -> Backend | None:
        made: Backend | None = self.config.hook.pytest_vdg_make_backend(
            config=self.config, name=name, settings=settings
        )
        return made


STATE: pytest.StashKey[State] = pytest.StashKey()


def without_checkpoint(state: State, ask: Ask) -> bool:
    """Return whether nothing says which checkpoint *ask* is put to.

    Stored runs need none.
    """
    if state.settings.replay is not None:
        return False
    return state.settings.checkpoint is None and ask.checkpoint is None


NO_CHECKPOINT = (
    "no checkpoint to test (give --vdg-checkpoint, VDG_CHECKPOINT, or 'checkpoint' "
    "in vdg.yaml)"
)
