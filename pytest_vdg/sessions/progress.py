"""How far a long evaluation is, in one line that is replaced now and then.

Apart from who shows it: pytest writes it below its capturing, the command line
tool beside what it prints.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from pytest_vdg.spelling import duration

if TYPE_CHECKING:
    from pytest_vdg.engine.progress import Progress

EVERY_S = 0.5
QUIET_S = 2.0
"""What takes less than this is not told."""


class Screen(Protocol):
    """What is needed of a terminal."""

    def show(self, text: str) -> None:
        """Replace the line by *text*; empty text clears it."""


class ProgressLine:
    """Tells a `Progress` now and then, and clears the line when it is done."""

    def __init__(
        self, screen: Screen, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Write to *screen*; nothing until there is progress."""
        self._screen = screen
        self._clock = clock
        self._last = clock()
        self._shown = False

    def __call__(self, name: str, progress: Progress) -> None:
        """Tell how far the evaluation of slice *name* is."""
        if progress.done >= progress.total:
            if self._shown:
                self._screen.show("")
            self._shown = False
            return
        now = self._clock()
        if progress.seconds < QUIET_S or now - self._last < EVERY_S:
            return
        self._last, self._shown = now, True
        self._screen.show(progress_text(name, progress))


def progress_text(name: str, progress: Progress) -> str:
    """Return the line, e.g. ``vdg: sight 312/672 cells, 41 cells/s, 9 s left``.

    The rate is that of the recent past. Cells from the store cost nothing, and
    count neither in it nor in what is left.
    """
    text = f"vdg: {name} {progress.done}/{progress.total} cells"
    left = progress.left_s
    if progress.rate is None or left is None:
        return text
    return f"{text}, {progress.rate:.3g} cells/s, {duration(left)} left"
