"""`Connections`: the connections to one server, closed once nobody uses them.

Apart from `Wire` because requests end where they like and a run ends anywhere:
a connection that opens in a pool already closed would belong to nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_vdg.backends._server_key import make_auth

if TYPE_CHECKING:
    import httpx2


class Connections:
    """Up to *most* connections, opened as they are needed; used by many threads."""

    def __init__(self, most: int) -> None:
        """Open nothing yet."""
        self._most = most
        self._change = threading.Condition()
        self._users = 0
        self._client: httpx2.Client | None = None
        self.closed = threading.Event()
        """Set from the moment that `close` is called until `open` is."""

    def open(self) -> None:
        """Let them be used, again where they were closed."""
        self.closed.clear()

    def close(self) -> None:
        """Let nobody begin, wait until all have ended, and close; may be repeated."""
        self.closed.set()
        with self._change:
            self._change.wait_for(lambda: self._users == 0)
            client, self._client = self._client, None
        if client is not None:
            client.close()

    @contextmanager
    def used(self) -> Iterator[httpx2.Client]:
        """Give the client that sends requests over them.

        Raises ``httpx2.ConnectError`` when they are closed.
        """
        client = self._begin()
        try:
            yield client
        finally:
            with self._change:
                self._users -= 1
                self._change.notify_all()

    def _begin(self) -> httpx2.Client:
        import httpx2

        with self._change:
            if self.closed.is_set():  # nobody would close a new one
                raise httpx2.ConnectError("closed")
            if self._client is None:
                self._client = httpx2.Client(
                    auth=make_auth(),
                    limits=httpx2.Limits(
                        max_connections=self._most,
                        max_keepalive_connections=self._most,
                    ),
                    # A redirect would take the key to another place.
                    follow_redirects=False,
                )
            self._users += 1
            return self._client
