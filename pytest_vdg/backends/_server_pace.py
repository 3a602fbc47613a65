"""When a request may begin, and how long to wait before it is tried again.

Apart from the requests themselves because these are rules over time, which
tests check with a clock of their own.
"""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

FIRST_WAIT_S = 1.0
"""Seconds before the second try; each further one waits twice as long."""
LONGEST_WAIT_S = 60.0
"""Most seconds before a try, unless the server names more."""


class Pace:
    """Lets requests of all threads begin evenly, and none while a server rests."""

    def __init__(
        self,
        per_minute: float | None,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
    ) -> None:
        """Let *per_minute* requests begin in a minute; None for any number.

        *sleep* returns something true where waiting is over for good.
        """
        self._gap = 0.0 if per_minute is None else 60.0 / per_minute
        self._clock, self._sleep = clock, sleep
        self._lock = threading.Lock()
        self._next = -math.inf
        self._rest_until = -math.inf

    def rest(self, seconds: float) -> None:
        """Let no request begin for *seconds*, as the server asked."""
        with self._lock:
            self._rest_until = max(self._rest_until, self._clock() + seconds)

    def wait(self, until: float) -> bool:
        """Wait until a request may begin; False if none may any more.

        At once where that is after *until*, or as soon as waiting is over.
        """
        while True:
            with self._lock:
                now = self._clock()
                start = max(now, self._next, self._rest_until)
                if start > until:
                    return False
                if start <= now:
                    self._next = now + self._gap
                    return True
            if self._sleep(start - now):
                return False


def back_off(tries: int, rng: random.Random) -> float:
    """Return the seconds to wait after *tries* tries (>= 1) that failed.

    Twice as long each time, of which the second half is drawn at random, so that
    requests which failed together do not come back together.
    """
    longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(tries - 1, 30))
    return longest * rng.uniform(0.5, 1.0)


def retry_after(
    headers: Mapping[str, str], now: datetime | None = None
) -> float | None:
    """Return the seconds that a server asks to wait; None where it asks nothing.

    In milliseconds (``retry-after-ms``), in seconds, or as a date.
    """
    thousandths = _number(headers.get("retry-after-ms"))
    if thousandths is not None:
        return thousandths / 1000.0
    given = headers.get("retry-after")
    seconds = _number(given)
    if seconds is not None or given is None:
        return seconds
    try:
        moment = parsedate_to_datetime(given)
    except (TypeError, ValueError, OverflowError):  # a year beyond all time, too
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0.0, (moment - (now or datetime.now(timezone.utc))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
