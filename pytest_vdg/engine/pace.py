"""`Pace`: how fast cells have been answered of late.

Apart from the job because a rate is a matter of its own: the first answers
wait for the weights, cells come many at a time, and those of the store cost
nothing; a mean since the beginning promises an end that does not come.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

RECENT_S = 60.0
"""How far back the rate looks."""
_APART_S = 0.25
"""Moments nearer than this are one, so that few are kept."""


class Pace:
    """Counts the cells that were asked, with the time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start now."""
        self._clock = clock
        self._asked = 0
        self._points: deque[tuple[float, int]] = deque([(clock(), 0)])
        self._warm = False

    def note(self, cells: int) -> None:
        """Note that the model answered *cells* more."""
        self._asked += cells
        now = self._clock()
        if len(self._points) > 1 and now - self._points[-2][0] < _APART_S:
            self._points.pop()
        self._points.append((now, self._asked))
        if not self._warm and len(self._points) == 3:
            # Until the first answer the weights were loaded.
            self._points.popleft()
            self._warm = True
        while len(self._points) > 2 and now - self._points[1][0] > RECENT_S:
            self._points.popleft()

    @property
    def rate(self) -> float | None:
        """Cells a second; None while nothing was asked."""
        (begin, before), (end, after) = self._points[0], self._points[-1]
        if after == before or end <= begin:
            return None
        return (after - before) / (end - begin)

    def past(self, until: float | None) -> bool:
        """Whether the moment *until* has come; None never does."""
        return until is not None and self._clock() >= until

    def room(self, cells: int, until: float | None) -> int:
        """Return *cells*, or how many fit into the time until *until*; at least 1."""
        rate = self.rate
        if until is None or rate is None:
            return cells
        return max(1, min(cells, int(max(0.0, until - self._clock()) * rate)))
