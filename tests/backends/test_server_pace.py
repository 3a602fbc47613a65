"""Tests of waiting: when a request may begin, and how long until the next try."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends._server_pace import (
    LONGEST_WAIT_S,
    Pace,
    back_off,
    retry_after,
)

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=timezone.utc)


class Clock:
    """Time that passes only while someone sleeps."""

    def __init__(self) -> None:
        """Start at zero."""
        self.now = 0.0

    def __call__(self) -> float:
        """Return the seconds since the start."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let *seconds* pass."""
        self.now += seconds


def pace(per_minute: float | None) -> tuple[Pace, Clock]:
    """Return a pace and the clock that it looks at."""
    clock = Clock()
    return Pace(per_minute, clock=clock, sleep=clock.sleep), clock


@given(st.floats(1, 6000), st.integers(1, 30))
def test_requests_begin_evenly(per_minute: float, requests: int) -> None:
    """The nth begins n - 1 gaps after the first, and never earlier."""
    paced, clock = pace(per_minute)
    for n in range(requests):
        assert paced.wait(1e9)
        assert clock.now == pytest.approx(n * 60 / per_minute)


def test_without_a_rate_nobody_waits() -> None:
    """No limit is no waiting."""
    paced, clock = pace(None)
    assert all(paced.wait(0) for _ in range(100))
    assert clock.now == 0


def test_all_wait_while_the_server_rests() -> None:
    """What one request was told holds for those of other threads."""
    paced, clock = pace(None)
    paced.rest(7)
    paced.rest(3)  # does not shorten it
    assert paced.wait(100)
    assert clock.now == 7


def test_who_has_no_time_to_wait_is_told_at_once() -> None:
    """Waiting beyond the deadline would only delay the failure."""
    paced, clock = pace(None)
    paced.rest(60)
    assert not paced.wait(30)
    assert clock.now == 0


def test_nobody_waits_once_waiting_is_over() -> None:
    """A rest that a server asked for is slept once, and not begun anew for ever."""
    clock = Clock()
    slept: list[float] = []

    def over(seconds: float) -> bool:
        slept.append(seconds)
        assert len(slept) < 3
        return True

    paced = Pace(None, clock=clock, sleep=over)
    paced.rest(300)
    assert not paced.wait(900)
    assert slept == [300]


@given(st.integers(1, 10_000), st.integers(0, 2**32))
def test_waits_double_up_to_a_bound(tries: int, seed: int) -> None:
    """After n tries between half of 2^(n-1) seconds and all of it, a minute at most."""
    wait = back_off(tries, random.Random(seed))
    whole = min(LONGEST_WAIT_S, 2.0 ** min(tries - 1, 30))
    assert whole / 2 <= wait <= whole


@pytest.mark.parametrize(
    ("tries", "seconds"), [(1, 1), (2, 2), (6, 32), (7, 60), (1000, 60)]
)
def test_no_wait_is_longer_than_a_minute(tries: int, seconds: int) -> None:
    """Drawn at its longest, it doubles from a second on until it is one."""

    class Longest(random.Random):
        def uniform(self, a: float, b: float) -> float:
            return b

    assert back_off(tries, Longest()) == seconds


def test_requests_that_failed_together_do_not_come_back_together() -> None:
    """The waits of many differ."""
    rng = random.Random(0)
    assert len({back_off(1, rng) for _ in range(50)}) == 50


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=90))}, 90.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=90))}, 0.0),
        ({"retry-after": "Sun, 01 Mar 2026 13:01:30 +0100"}, 90.0),
        ({"retry-after": "Sun, 01 Mar 2026 12:01:30 -0000"}, 90.0),  # RFC 5322, 3.3
        ({"retry-after": "Sun, 01 Mar 2026 12:01:30"}, 90.0),
        ({"retry-after": "Sun, 01 Mar 99999999999 12:01:30 GMT"}, None),
        ({"retry-after": "Sun, 01 Mar 2026 12:01:30 +9999999999999"}, None),
    ],
)
def test_what_a_server_asks_to_wait(
    headers: dict[str, str], seconds: float | None
) -> None:
    """Seconds, milliseconds or a date (RFC 9110, 10.2.3); nonsense asks nothing."""
    assert retry_after(headers, NOW) == seconds


texts = st.text(max_size=40) | st.builds(
    "Sun, {} Mar {} {}:00:00 {:+05}".format,
    *[st.integers(-(10**12), 10**12) | st.integers(0, 2030)] * 4,
)


@given(texts)
def test_no_header_breaks_it(text: str) -> None:
    """Whatever a server writes, dates beyond all time too: seconds or nothing."""
    found = retry_after({"retry-after": text})
    assert found is None or found >= 0
