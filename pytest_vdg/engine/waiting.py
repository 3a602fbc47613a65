"""`Waiting`: a window that is made ready while the one before it is asked.

Apart from the job so that all there is to know of the order stands in one place:
windows are asked in the order in which they came, each after the next one was
begun to be made ready, and no more than one waits.
"""

from __future__ import annotations

from pytest_vdg.backends.protocol import Backend, PreparingBackend
from pytest_vdg.engine.asking import Window


class Waiting:
    """Gives windows back when it is their turn to be asked."""

    def __init__(self, backend: Backend, *, may_wait: bool) -> None:
        """Give each back at once where none *may_wait*, or *backend* prepares none."""
        self._backend = backend
        self._may_wait = may_wait
        self._window: Window | None = None

    def take(self, window: Window) -> list[Window]:
        """Have *window* made ready, or none; return what is to be asked now."""
        backend, before = self._backend, self.end()
        if self._may_wait and window.asked and isinstance(backend, PreparingBackend):
            backend.prepare_many(window.requests)
            self._window = window
            return before
        return [*before, window]

    def end(self) -> list[Window]:
        """Return the window that waits, which is to be asked now, if there is one."""
        window, self._window = self._window, None
        return [] if window is None else [window]
