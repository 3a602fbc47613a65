"""`Models`: the one model that a session holds at a time.

Apart from the session because memory is decided here: a checkpoint is freed
before the next one is made, whoever asks and in whatever order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import LOCAL_BACKENDS
from pytest_vdg.sessions.executors import LOCAL, find_executor, refuse_made_here
from pytest_vdg.sessions.judging import freeing
from pytest_vdg.sessions.seat import Seat, own_part

if TYPE_CHECKING:
    from pytest_vdg.backends.protocol import Backend
    from pytest_vdg.engine.hands import Hands

MakeBackend = Callable[[str, Mapping[str, object]], "Backend | None"]
"""Makes the backend of a name itself, or leaves it to the registry by None."""


class Models:
    """Backends made as *settings* say, one of which is held."""

    def __init__(
        self, settings: Settings, make: MakeBackend | None, seat: Seat | None
    ) -> None:
        """Make nothing yet; raises `ConfigError` for an executor that cannot be."""
        self._settings = settings
        self._make = make
        self._executor = find_executor(settings)
        self._seat = seat
        self._held: tuple[str, Backend] | None = None
        self._told: tuple[str, ...] = ()
        self.faults: list[str] = []
        """What kept backends from being freed for the next one."""

    @property
    def held(self) -> str | None:
        """The checkpoint whose backend is held."""
        return None if self._held is None else self._held[0]

    def of(self, checkpoint: str) -> Backend:
        """Return the backend of *checkpoint*; that of another one is freed first."""
        if self._held is not None and self._held[0] != checkpoint:
            self._make_room()
        if self._held is None:
            self._held = (checkpoint, self.new(checkpoint))
        return self._held[1]

    def hands(self, backend: Backend) -> Hands | None:
        """Return what asks for *backend* elsewhere; None where it is asked here."""
        from pytest_vdg.engine.hands import Hands

        away = self._settings.executor != LOCAL
        return backend if away and isinstance(backend, Hands) else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should hear of the model that is held: that it runs plain."""
        if self._held is None:
            return ()
        checkpoint, backend = self._held
        own = tuple(getattr(backend, "notes", ()))
        sharing = getattr(backend, "sharing", "")
        told = f"{checkpoint} {sharing}; each prompt is read whole"
        return (*own, told) if sharing.startswith("shares nothing") else own

    def retold(self, notes: Sequence[str]) -> list[str]:
        """Return *notes* with those of the model that is held as they are now.

        It may count what it is asked, and is heard after each run.
        """
        before, self._told = self._told, self.notes
        kept = [note for note in notes if note not in before]
        new = (*self._told, *self.faults)
        return [*kept, *(note for note in new if note not in kept)]

    def new(self, checkpoint: str, *, fetch: bool = True) -> Backend:
        """Return a backend of its own, not loaded; it may *fetch* what is not here."""
        settings = self._settings.backend_settings(checkpoint)
        if not fetch and self._settings.backend in LOCAL_BACKENDS:
            settings["local_files_only"] = True
        if self._seat is not None:
            settings |= own_part(self._settings, self._seat)
        name = self._settings.backend
        made = None if self._make is None else self._make(name, settings)
        if made is None:
            return self._executor.make(name, settings)
        if self._settings.executor != LOCAL:
            with suppress(Exception):  # what is wrong is another thing
                made.close()
            raise refuse_made_here(self._settings)
        return made

    def _make_room(self) -> None:
        """Free the backend that is held; what it raises is no fault of the next one."""
        with freeing(self.faults.append):
            self.close()

    def close(self) -> None:
        """Free the backend that is held; may be called twice."""
        held, self._held = self._held, None
        self._told = ()  # what it told is final
        if held is not None:
            held[1].close()

    def end(self) -> None:
        """Free the backend that is held, and leave where it was; as `close`."""
        try:
            self.close()
        finally:
            self._executor.close()
