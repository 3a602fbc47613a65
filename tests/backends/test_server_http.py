"""Tests of `Wire` by its own clock: how often it tries, how long, and when it ends."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends._server_http import Refused, Wire
from pytest_vdg.backends._server_settings import ServerSettings
from pytest_vdg.errors import BackendError, CouldNotBeJudged
from tests.backends.test_server_pace import Clock

Answer = tuple[int, dict[str, str], bytes]
GOOD: Answer = (200, {}, b'{"choices": []}')


class Played(Wire):
    """A wire whose server gives *answers* in turn, each after so many seconds."""

    def __init__(
        self, answers: Sequence[Answer], *, takes: float = 0.0, **server: object
    ) -> None:
        self.time = Clock()
        url = "http://127.0.0.1:8000/v1"
        settings = ServerSettings.of("stub", {"url": url, **server})
        super().__init__(settings, clock=self.time, sleep=self.time.sleep)
        self._rng = random.Random(0)
        self._answers = list(answers)
        self._takes = takes
        self.begun: list[float] = []
        """When each try began."""

    def _sent(self, sent: bytes, until: float) -> Answer:
        self.begun.append(self.time())
        self.time.sleep(self._takes)
        return self._answers.pop(0)


def refusal(status: int, message: str = "no", **headers: str) -> Answer:
    """Return an error as servers word it, with *headers* (``_`` for ``-``)."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, named, json.dumps({"error": {"message": message}}).encode()


def fails(wire: Wire) -> BackendError | CouldNotBeJudged:
    """Return the error that a request ends in."""
    with pytest.raises((BackendError, CouldNotBeJudged)) as caught:
        wire.post({})
    return caught.value


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_a_passing_trouble_is_tried_again(status: int) -> None:
    """Those that the documentation lists."""
    wire = Played([refusal(status), GOOD])
    assert wire.post({}) == {"choices": []}
    assert len(wire.begun) == 2


@pytest.mark.parametrize("status", [201, 301, 400, 401, 403, 404, 410, 413, 422, 501])
def test_what_is_final_is_refused_at_once(status: int) -> None:
    """With the status and the words, for whoever can ask otherwise."""
    wire = Played([refusal(status, "not this")])
    error = fails(wire)
    assert isinstance(error, Refused)
    assert (error.status, error.said) == (status, "not this")
    assert len(wire.begun) == 1


@pytest.mark.parametrize("status", [500, 503])
def test_only_a_spent_quota_is_final(status: int) -> None:
    """The word in another answer says nothing of ours; under 429 it does."""
    wire = Played([refusal(status, "insufficient_quota"), GOOD])
    assert wire.post({})
    assert isinstance(fails(Played([refusal(429, "insufficient_quota")])), Refused)


@given(st.integers(0, 6))
def test_it_is_tried_as_often_as_was_set(retries: int) -> None:
    """Once, and so many times again; the waits double from a second on."""
    wire = Played([refusal(503)] * 10, retries=retries)
    assert "status 503" in str(fails(wire))
    assert len(wire.begun) == retries + 1
    counts = wire.counts
    assert (counts.requests, counts.retries, counts.failed) == (retries + 1, retries, 1)
    for tries, (first, second) in enumerate(
        zip(wire.begun, wire.begun[1:], strict=False)
    ):
        assert 2**tries / 2 <= second - first <= 2**tries


@pytest.mark.parametrize("asked", [7, 120])
def test_who_is_asked_to_wait_waits_that_long(asked: int) -> None:
    """So many seconds, and the first wait of its own on top, never less."""
    wire = Played([refusal(429, retry_after=str(asked)), GOOD])
    wire.post({})
    assert asked + 0.5 <= wire.begun[1] <= asked + 1


@given(
    st.lists(
        st.builds(
            refusal,
            st.sampled_from([429, 500, 503]),
            retry_after=st.sampled_from(["", "0", "3", "40", "500"]),
        ),
        min_size=12,
        max_size=12,
    ),
    st.floats(0, 50),
    st.floats(1, 200),
)
def test_no_try_begins_after_the_deadline(
    answers: list[Answer], takes: float, deadline: float
) -> None:
    """Whatever a server asks for, and however long it takes to say so."""
    wire = Played(answers, takes=takes, deadline_s=deadline, retries=10)
    assert "gave no answer" in str(fails(wire))
    assert max(wire.begun) <= deadline
    assert wire.time() <= max(wire.begun) + takes  # nor does it wait for nothing


def test_a_wait_that_there_is_no_time_for_is_not_made_up_by_haste() -> None:
    """Half a second at least is waited before the second try, or there is none."""
    wire = Played([refusal(503)] * 3, deadline_s=0.4)
    fails(wire)
    assert len(wire.begun) == 1


def test_nothing_is_sent_to_a_server_that_rests_too_long() -> None:
    """Told by another request; a later one begins when the rest is over."""
    wire = Played([refusal(429, retry_after="500"), GOOD], deadline_s=300)
    fails(wire)
    assert "no time for a single try" in str(fails(wire))
    assert len(wire.begun) == 1
    wire.time.sleep(201)
    wire.post({})
    assert wire.begun == [0, 500]


def test_twenty_given_up_in_a_row_end_the_run() -> None:
    """Of a server that answered before; any answer between begins a new row."""
    down = [refusal(503)]
    wire = Played([GOOD, *down * 19, GOOD, *down * 20], retries=0)
    wire.post({})
    first = [fails(wire) for _ in range(19)]
    wire.post({})
    second = [fails(wire) for _ in range(20)]
    assert not any(isinstance(each, CouldNotBeJudged) for each in first + second[:-1])
    assert isinstance(second[-1], CouldNotBeJudged)
    assert "20 requests in a row were given up" in str(second[-1])


def test_a_server_that_never_answered_is_not_gone() -> None:
    """Nothing was learnt of it: each request says why it failed."""
    wire = Played([refusal(503)] * 25, retries=0)
    assert not any(isinstance(fails(wire), CouldNotBeJudged) for _ in range(25))


def test_refusals_are_no_sign_of_a_server_that_is_gone() -> None:
    """One that refuses a kind of question is there, and answers the others."""
    wire = Played([GOOD, *[refusal(400)] * 25, refusal(503)], retries=0)
    wire.post({})
    assert all(isinstance(fails(wire), Refused) for _ in range(25))
    assert not isinstance(fails(wire), CouldNotBeJudged)


@pytest.mark.parametrize("count", [0, -3, True, 2.5, "9", None, 10**400])
def test_tokens_that_are_no_count_are_not_counted(count: object) -> None:
    """What comes with others is, of each kind alone."""
    usages = [
        {"prompt_tokens": 7, "completion_tokens": count},
        {"prompt_tokens": count, "completion_tokens": 2},
        count,
    ]
    answers = [(200, {}, json.dumps({"usage": usage}).encode()) for usage in usages]
    wire = Played(answers)
    for _ in usages:
        wire.post({})
    assert (wire.counts.prompt_tokens, wire.counts.completion_tokens) == (7, 2)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "too  long\\n"}}', "(too long)"),
        (b'{"error": "busy"}', "(busy)"),
        (b'{"detail": "bad field"}', "(bad field)"),
        (b'{"message": "no"}', "(no)"),
        (b'{"error": {"code": 5}}', '({"code": 5})'),
        (b"<p>Bad\ngateway</p>", "(<p>Bad gateway</p>)"),
        (b"", "status 400"),
        (b"\xff", "(\ufffd)"),
    ],
)
def test_a_refusal_is_told_in_the_servers_words(body: bytes, said: str) -> None:
    """In whichever form it says them, on one line."""
    error = fails(Played([(400, {}, body)]))
    assert str(error).endswith(said)
    assert "\n" not in str(error)


def test_a_long_refusal_is_shortened() -> None:
    """A page of a proxy does not fill the report."""
    error = fails(Played([(400, {}, b"word " * 10_000)]))
    assert str(error).endswith("...)")
    assert len(str(error)) < 400


def test_closing_ends_a_wait_and_begins_no_try() -> None:
    """Whoever stops a run does not wait for a minute that a server asked for."""
    tried = threading.Event()

    class Busy(Wire):
        tries = 0

        def _sent(self, sent: bytes, until: float) -> Answer:
            self.tries += 1
            tried.set()
            return refusal(503, retry_after="300")

    wire = Busy(ServerSettings.of("stub", {"url": "http://127.0.0.1:8000/v1"}))
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(fails, wire)
        assert tried.wait(600)
        wire.close()
        assert "status 503" in str(waiting.result())
    assert wire.tries == 1
