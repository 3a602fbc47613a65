"""Tests of the connections to a server: none is closed under a request, or left."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from pytest_vdg.backends._server_connections import Connections
from tests.backends.stubserver import Pixels, StubServer, sees_light, serving


@pytest.fixture
def served() -> Iterator[StubServer]:
    """Serve one that answers."""
    with serving(StubServer(model=sees_light)) as stub:
        yield stub


def ask(connections: Connections, served: StubServer) -> int:
    """Send one request; return the status of its answer."""
    body = {"messages": [{"content": [{"type": "text", "text": "A or B?"}]}]}
    url = f"{served.url}/chat/completions"
    with connections.used() as client:
        return client.post(url, json=body, timeout=600).status_code


def test_closing_waits_for_those_under_way(served: StubServer) -> None:
    """Whoever was sent is answered; only then does the pool end."""
    connections, go_on = Connections(4), threading.Event()

    def waits(text: str, pictures: Sequence[Pixels]) -> str:
        assert go_on.wait(600)
        return "A"

    served.model = waits
    with ThreadPoolExecutor(5) as threads:
        answers = [threads.submit(ask, connections, served) for _ in range(4)]
        while served.under_way < 4:
            threading.Event().wait(0.001)
        closing = threads.submit(connections.close)
        assert connections.closed.wait(600)
        assert not closing.done()
        go_on.set()
        closing.result()
        assert served.under_way == 0
    assert [answer.result() for answer in answers] == [200] * 4


def test_a_connection_that_is_being_opened_is_closed_too(
    served: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the moment before the handshake, the pool knows of no socket to close."""
    opening, go_on = threading.Event(), threading.Event()
    connect = socket.create_connection
    opened: list[socket.socket] = []

    def slow(
        address: tuple[str, int], timeout: float, *, source_address: None
    ) -> socket.socket:
        opening.set()
        assert go_on.wait(600)
        opened.append(connect(address, timeout, source_address))
        return opened[-1]

    monkeypatch.setattr(socket, "create_connection", slow)
    connections = Connections(1)
    with ThreadPoolExecutor(2) as threads:
        answer = threads.submit(ask, connections, served)
        assert opening.wait(600)
        closing = threads.submit(connections.close)
        assert connections.closed.wait(600)
        go_on.set()
        assert answer.result() == 200
        closing.result()
    assert [each.fileno() for each in opened] == [-1]


def test_closed_ones_are_not_used_until_they_are_opened(served: StubServer) -> None:
    """After the end nobody opens what nobody would close; twice closed is closed."""
    connections = Connections(1)
    assert ask(connections, served) == 200
    connections.close()
    connections.close()
    with pytest.raises(httpx2.ConnectError, match="closed"):
        ask(connections, served)
    connections.open()
    assert ask(connections, served) == 200
    connections.close()
