"""Tests of servers that fail: what may pass is tried again, nothing is made up."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_vdg.backends import Prompt, _server_http, _server_pace
from pytest_vdg.backends.openai_server import OpenAIBackend, ServerSettings
from pytest_vdg.backends.protocol import Request
from pytest_vdg.errors import BackendError, CouldNotBeJudged
from tests.backends.conftest import make_clip
from tests.backends.stubserver import (
    HTML,
    Fault,
    StubServer,
    connected,
    error,
    sees_light,
    serving,
)
from tests.backends.test_server_pace import Clock
from tests.serving import own_port

CLIP = make_clip(4)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_server_pace, "FIRST_WAIT_S", 0.002)


@pytest.fixture
def served() -> StubServer:
    """Return a server that is well."""
    return StubServer(model=sees_light)


@pytest.fixture
def backend(served: StubServer, prompt: Prompt) -> Iterator[OpenAIBackend]:
    """Return a backend that has asked *served* once and tries three times."""
    with connected(served, retries=2, timeout_s=600) as made:
        made.ask(prompt, CLIP)
        served.bodies.clear()
        yield made


def empty(found: dict[str, object]) -> None:
    """Leave an answer without a choice."""
    found["choices"] = []


PASSING = {
    "429": error(429),
    "429 with seconds": error(429, retry_after="0.01"),
    "429 with a date": error(429, retry_after="Mon, 01 Jan 2024 00:00:00 GMT"),
    "429 with nonsense": error(429, retry_after="soon"),
    "500": error(500),
    "502, a page": Fault(status=502, body=HTML),
    "503": error(503),
    "529": error(529),
    "200, a page": Fault(body=HTML),
    "200, nothing": Fault(body=b""),
    "200, half of it": Fault(body=b'{"choices": [{"mess'),
    "200, a list": Fault(body=b"[]"),
    "200, an error": Fault(body=b'{"error": {"message": "overloaded"}}'),
    "200, deep": Fault(body=b"[" * 100_000),
    "cut off": Fault(cut=True),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_is_tried_again(
    name: str, served: StubServer, backend: OpenAIBackend, prompt: Prompt
) -> None:
    """Twice it fails, the third time it is answered; only the count shows it."""
    served.faults = [PASSING[name]] * 2
    assert backend.ask(prompt, CLIP).text == "A"
    assert len(served.bodies) == 3
    assert (backend.counts.retries, backend.counts.failed) == (2, 0)


@pytest.mark.parametrize("name", PASSING)
def test_what_does_not_pass_is_a_failure(
    name: str, served: StubServer, backend: OpenAIBackend, prompt: Prompt
) -> None:
    """After the last try there is an error that says what came, and no reply."""
    served.faults = [PASSING[name]] * 3
    with pytest.raises(BackendError, match=r"stub at 127\.0\.0\.1:.* gave no answer"):
        backend.ask(prompt, CLIP)
    assert len(served.bodies) == 3
    assert backend.counts.failed == 1
    assert backend.ask(prompt, CLIP).text == "A"


FINAL = {
    "400": (error(400, "image too large"), "image too large"),
    "401": (error(401, "bad key"), "VDG_API_KEY"),
    "403": (error(403), "VDG_API_KEY"),
    "404": (error(404, "no such model"), "no such model"),
    "413": (Fault(status=413, body=HTML), "413"),
    "422": (Fault(status=422, body=b'{"detail": "Unexpected fields"}'), "Unexpected"),
    "307": (Fault(status=307, headers={"location": "http://127.0.0.1:9/"}), "307"),
    "no money": (
        Fault(status=429, body=b'{"error": {"code": "insufficient_quota"}}'),
        "insufficient_quota",
    ),
    "no choice": (Fault(change=empty), "without a choice"),
}


@pytest.mark.parametrize("name", FINAL)
def test_what_cannot_pass_is_not_tried_again(
    name: str, served: StubServer, backend: OpenAIBackend, prompt: Prompt
) -> None:
    """The same request would be refused again; the reason is the server's."""
    fault, message = FINAL[name]
    served.faults = [fault]
    with pytest.raises(BackendError, match=message):
        backend.ask(prompt, CLIP)
    assert len(served.bodies) == 1


def test_one_failure_leaves_the_others(
    served: StubServer, backend: OpenAIBackend, prompt: Prompt
) -> None:
    """Of many, the one that fails has its error in its place."""
    served.faults = [error(400)]
    answers = backend.ask_many([Request(prompt=prompt, clip=CLIP)] * 6)
    failed = [isinstance(each, BackendError) for each in answers]
    assert failed.count(True) == 1


MESSAGE = {"role": "user", "content": [{"type": "text", "text": "A or B?"}]}


@contextmanager
def wired(served: StubServer, **server: object) -> Iterator[_server_http.Wire]:
    """Serve, and give a wire to it that sends nothing but what it is given."""
    with serving(served):
        settings = {"url": served.url, "retries": 0, **server}
        wire = _server_http.Wire(ServerSettings.of("stub", settings))
        try:
            yield wire
        finally:
            wire.close()


def test_a_slow_answer_is_given_up(served: StubServer) -> None:
    """Byte by byte it would come in an hour; each byte comes in time."""
    served.faults = [Fault(drip_s=0.05)]
    with (
        wired(served, timeout_s=0.3) as wire,
        pytest.raises(BackendError, match=r"no answer in 0\.3 s"),
    ):
        wire.post({"messages": [MESSAGE]})


def test_a_server_that_holds_back_is_given_up(served: StubServer) -> None:
    """Where nothing at all comes, the time that was allowed ends the wait."""
    served.hold_s = 1.0
    with (
        wired(served, timeout_s=0.2) as wire,
        pytest.raises(BackendError, match=r"no answer in 0\.2 s"),
    ):
        wire.post({"messages": [MESSAGE]})


def test_a_wait_beyond_the_deadline_is_not_begun(
    served: StubServer, prompt: Prompt
) -> None:
    """A server that wants an hour of rest is told of at once."""
    with connected(served, deadline_s=600) as backend:
        backend.ask(prompt, None)
        served.faults = [error(429, "come back later", retry_after="3600")]
        with pytest.raises(BackendError, match=r"status 429 \(come back later\)"):
            backend.ask(prompt, None)
        assert backend.counts.retries == 0


def test_all_rest_when_a_server_asks_for_it(served: StubServer) -> None:
    """Fifty seconds, by a clock that moves while someone sleeps; whoever was told."""
    clock = Clock()
    with serving(served):
        settings = ServerSettings.of("stub", {"url": served.url, "retries": 0})
        wire = _server_http.Wire(settings, clock=clock, sleep=clock.sleep)
        served.faults = [error(429, retry_after="50")]
        with pytest.raises(BackendError, match="status 429"):
            wire.post({"messages": [MESSAGE]})
        assert clock.now == 0
        wire.post({"messages": [MESSAGE]})
        assert clock.now == 50
        wire.close()


def test_nobody_there_is_told(prompt: Prompt) -> None:
    """A refused connection is tried again, and then known without trying."""
    with own_port() as port:
        url = f"http://127.0.0.1:{port}/v1"
        made = OpenAIBackend(ServerSettings.of("stub", {"url": url, "retries": 1}))
        for _ in range(2):
            with pytest.raises(
                BackendError, match=r"the connection failed.*server\.url is its address"
            ):
                made.ask(prompt, CLIP)
        made.close()
    assert made.counts.requests == 2


def test_a_server_that_goes_away_ends_the_run(
    served: StubServer,
    backend: OpenAIBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hundreds of questions are not each tried for minutes.

    Begun are at most those three that were given up before the fourth, and the
    eight that are under way at a time; each is tried three times.
    """
    monkeypatch.setattr(_server_http, "GONE_AFTER", 4)
    served.faults = [error(503)] * 1000
    with pytest.raises(CouldNotBeJudged, match="4 requests in a row were given up"):
        backend.ask_many([Request(prompt=prompt, clip=CLIP)] * 50)
    assert len(served.bodies) <= 3 * (3 + 8)


def test_a_flood_is_cut_off(
    served: StubServer,
    backend: OpenAIBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An answer without end does not fill the memory."""
    monkeypatch.setattr(_server_http, "MOST_BYTES", 1000)
    served.faults = [Fault(change=lambda found: found.update(more="x" * 2_000_000))]
    assert backend.ask(prompt, CLIP).text == "A"
    assert backend.counts.retries == 1


def test_no_error_hangs_on_another(
    served: StubServer, backend: OpenAIBackend, prompt: Prompt
) -> None:
    """The library's errors hold frames with headers in them, and the key in those."""
    served.faults = [Fault(cut=True)] * 3
    with pytest.raises(BackendError) as caught:
        backend.ask(prompt, CLIP)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


SECRET = "sk-hunter22-0123456789"


@pytest.mark.parametrize(
    "fault",
    [
        error(401, f"Incorrect API key provided: {SECRET}"),
        Fault(status=500, body=f"<p>Bearer {SECRET}</p>".encode()),
        Fault(body=f"Bearer {SECRET}".encode()),
        Fault(cut=True),
        Fault(change=lambda found: found["choices"][0].update(message={})),
    ],
)
def test_the_key_is_sent_and_shown_nowhere(
    fault: Fault,
    served: StubServer,
    backend: OpenAIBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not in errors, tracebacks with all variables, reprs, notes, or the identity."""
    monkeypatch.setenv("VDG_API_KEY", SECRET)
    served.faults = [fault] * 3
    with pytest.raises(BackendError) as caught:
        backend.ask(prompt, CLIP)
    assert served.keys[-1] == f"Bearer {SECRET}"
    stack = traceback.TracebackException.from_exception(
        caught.value, capture_locals=True
    )
    ours = [frame for frame in stack.stack if "pytest_vdg" in frame.filename]
    assert ours
    shown = [str(caught.value), [frame.locals for frame in ours], vars(backend)]
    shown += [vars(backend._wire), backend.identity, backend.notes, backend.observed]
    assert SECRET not in repr(shown)


def test_a_reply_that_holds_the_key_does_not_keep_it(
    served: StubServer,
    backend: OpenAIBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Replies are stored, so what a server echoes is made unreadable there too."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    served.model = lambda text, pictures: f"your key is {SECRET}"
    served.system = SECRET
    assert backend.ask(prompt, None).text == "your key is [API key]"
    assert SECRET not in repr(backend.observed)


@pytest.mark.parametrize("ours", [SECRET, ""])
def test_ours_wins_over_the_common_variable(
    ours: str,
    served: StubServer,
    backend: OpenAIBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`VDG_API_KEY` before `OPENAI_API_KEY`; an empty one says nothing."""
    monkeypatch.setenv("VDG_API_KEY", ours)
    monkeypatch.setenv("OPENAI_API_KEY", "common-key")
    backend.ask(prompt, None)
    assert served.keys[-1] == f"Bearer {ours or 'common-key'}"


def test_a_key_that_cannot_be_sent_is_told(
    backend: OpenAIBackend, prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two lines make no header; neither of them is shown."""
    monkeypatch.setenv("VDG_API_KEY", "hunter22\nlines-of-key")
    with pytest.raises(BackendError, match="cannot be sent") as caught:
        backend.ask(prompt, None)
    assert "hunter22" not in str(caught.value)
    assert "lines-of-key" not in str(caught.value)
