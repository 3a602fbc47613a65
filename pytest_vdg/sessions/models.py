"""`Models`: the one model that a session holds at a time.

Apart from the session because memory is decided here: a checkpoint is freed
before the next one is made, whoever asks and in whatever order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import LOCAL_BACKENDS
from pytest_vdg.sessions.seat import Seat, own_part

if TYPE_CHECKING:
    from pytest_vdg.backends.protocol import Backend

MakeBackend = Callable[[str, Mapping[str, object]], "Backend"]


class Models:
    """Backends made as *settings* say, one of which is held."""

    def __init__(
        self, settings: Settings, make: MakeBackend | None, seat: Seat | None
    ) -> None:
        """Make nothing yet."""
        self._settings = settings
        self._make = make or _make_backend
        self._seat = seat
        self._held: tuple[str, Backend] | None = None
        self._told: tuple[str, ...] = ()

    @property
    def held(self) -> str | None:
        """The checkpoint whose backend is held."""
        return None if self._held is None else self._held[0]

    def of(self, checkpoint: str) -> Backend:
        """Return the backend of *checkpoint*; that of another one is freed first."""
        if self._held is not None and self._held[0] != checkpoint:
            self.close()
        if self._held is None:
            self._held = (checkpoint, self.new(checkpoint))
        return self._held[1]

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
        return [*kept, *(note for note in self._told if note not in kept)]

    def new(self, checkpoint: str, *, fetch: bool = True) -> Backend:
        """Return a backend of its own, not loaded; it may *fetch* what is not here."""
        settings = self._settings.backend_settings(checkpoint)
        if not fetch and self._settings.backend in LOCAL_BACKENDS:
            settings["local_files_only"] = True
        if self._seat is not None:
            settings |= own_part(self._settings, self._seat)
        return self._make(self._settings.backend, settings)

    def close(self) -> None:
        """Free the backend that is held; may be called twice."""
        held, self._held = self._held, None
        self._told = ()  # what it told is final
        if held is not None:
            held[1].close()


def _make_backend(name: str, settings: Mapping[str, object]) -> Backend:
    from pytest_vdg.backends import make_backend

    return make_backend(name, settings)
