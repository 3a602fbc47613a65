"""`Wire`: one request to a server, tried until it is answered or given up.

Apart from what is asked because a request that fails is no answer: whatever a
server does, what leaves this module is a JSON object or a `BackendError`.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._server_answer import token_count
from pytest_vdg.backends._server_connections import Connections
from pytest_vdg.backends._server_key import without_key
from pytest_vdg.backends._server_pace import Pace, back_off, retry_after
from pytest_vdg.backends._server_settings import KEY_VARIABLES, ServerSettings
from pytest_vdg.errors import BackendError, CouldNotBeJudged

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Status codes after which the same request may well be answered."""
MOST_BYTES = 32 << 20
"""Bytes of an answer after which it is none."""
GONE_AFTER = 20
"""Requests given up in a row, after one was answered, that end a run."""
_SHOWN = 300


class Refused(BackendError):
    """The server does not take a request of this kind; asking again is no use."""

    def __init__(self, message: str, *, status: int, said: str) -> None:
        """Keep *said*, the server's own words, for whoever can ask otherwise."""
        super().__init__(message)
        self.status = status
        self.said = said


@dataclass(kw_only=True)
class Counts:
    """What was sent since the server was first asked."""

    requests: int = 0
    """Tries included."""
    retries: int = 0
    failed: int = 0
    """Requests that were given up."""
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class _Miss:
    """A try that was not answered."""

    reason: str
    may_pass: bool
    wait_s: float | None = None
    """What the server asked to wait."""
    status: int = 0
    said: str = ""


class Wire:
    """Sends requests to one server; used by many threads."""

    def __init__(
        self,
        settings: ServerSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        """Open nothing yet. Tests bring their own *clock* and *sleep*."""
        self._settings = settings
        self._clock = clock
        self._connections = Connections(settings.max_concurrent)
        self._sleep = sleep or self._wait
        self._pace = Pace(settings.requests_per_minute, clock=clock, sleep=self._sleep)
        self._rng = random.Random()  # noqa: S311 - spreads retries, decides nothing
        self._lock = threading.Lock()
        self._row = 0
        self._answered = False
        self.counts = Counts()

    def post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON object that the server answers *body* with.

        Raises `Refused` for a request that it does not take, `BackendError` when
        all tries failed, and `CouldNotBeJudged` when a server that answered
        before has stopped to.
        """
        until = self._clock() + self._settings.deadline_s
        # In ASCII: half a letter, of a broken annotation, has no other form.
        sent = json.dumps(body, allow_nan=False).encode()
        miss = _Miss(reason="there was no time for a single try", may_pass=False)
        for tries in range(1, self._settings.retries + 2):
            if not self._pace.wait(until) or self._connections.closed.is_set():
                break
            self._count(requests=1, retries=int(tries > 1))
            found = self._try(sent, until)
            if isinstance(found, dict):
                self._succeed(found)
                return found
            miss = found
            if not miss.may_pass or not self._rest(miss, tries, until):
                break
        raise self._given_up(miss)

    def open(self) -> None:
        """Let requests be sent, again where it was closed."""
        self._connections.open()

    def close(self) -> None:
        """End all waiting and close the connections; may be called twice."""
        self._connections.close()

    def _wait(self, seconds: float) -> bool:
        return self._connections.closed.wait(seconds)

    def _rest(self, miss: _Miss, tries: int, until: float) -> bool:
        """Wait before the next try; False if there is none or no time for it."""
        asked = 0.0 if miss.wait_s is None else miss.wait_s
        self._pace.rest(asked)  # so do the other threads
        if tries > self._settings.retries:
            return False
        seconds = asked + back_off(tries, self._rng)
        if self._clock() + seconds > until:
            return False
        self._sleep(seconds)
        return True

    def _try(self, sent: bytes, until: float) -> dict[str, Any] | _Miss:
        import httpx2

        # No error of the library's leaves here, nor hangs on one of ours as its
        # cause: its frames hold the headers, and with them the key.
        try:
            status, headers, raw = self._sent(sent, until)
        except httpx2.TimeoutException:
            return _Miss(
                reason=f"no answer in {self._settings.timeout_s:g} s", may_pass=True
            )
        except httpx2.LocalProtocolError:  # its text may quote a header
            return _Miss(reason="cannot be sent: LocalProtocolError", may_pass=False)
        except httpx2.HTTPError as error:
            what = f"{type(error).__name__}: {error}"
        except (httpx2.InvalidURL, UnicodeError, ValueError) as error:
            return _Miss(
                reason=f"cannot be sent: {type(error).__name__}", may_pass=False
            )
        else:
            return _read(status, headers, raw)
        return _Miss(
            reason=f"the connection failed ({_short(what)}). See that the server runs, "
            "and that server.url is its address",
            may_pass=True,
        )

    def _sent(self, sent: bytes, until: float) -> tuple[int, dict[str, str], bytes]:
        import httpx2

        limit = min(until, self._clock() + self._settings.timeout_s)
        got = bytearray()
        with (
            self._connections.used() as client,
            client.stream(
                "POST",
                self._settings.endpoint,
                content=sent,
                headers={"content-type": "application/json"},
                timeout=max(0.001, limit - self._clock()),
            ) as response,
        ):
            for chunk in response.iter_bytes():
                got += chunk
                # The library's limit is on each wait; a trickle would never end.
                if self._clock() > limit:
                    raise httpx2.ReadTimeout("too slow", request=response.request)
                if len(got) > MOST_BYTES:
                    break
            headers = {name.lower(): value for name, value in response.headers.items()}
            return response.status_code, headers, bytes(got)

    def _count(self, **more: int) -> None:
        with self._lock:
            for name, number in more.items():
                setattr(self.counts, name, getattr(self.counts, name) + number)

    def _succeed(self, found: Mapping[str, Any]) -> None:
        told = ("prompt_tokens", "completion_tokens")
        usage = found.get("usage")
        self._count(**{name: token_count(usage, name) or 0 for name in told})
        with self._lock:
            self._row, self._answered = 0, True

    def _given_up(self, miss: _Miss) -> BackendError | CouldNotBeJudged:
        self._count(failed=1)
        settings = self._settings
        message = f"{settings.name} at {settings.host} gave no answer: {miss.reason}"
        if not miss.may_pass and miss.status:
            return Refused(message, status=miss.status, said=miss.said)
        with self._lock:
            self._row += 1
            gone = self._answered and self._row >= GONE_AFTER
        if gone:
            return CouldNotBeJudged(
                f"{GONE_AFTER} requests in a row were given up, so the run was "
                f"stopped. The last: {message}"
            )
        return BackendError(message)


def _read(
    status: int, headers: Mapping[str, str], raw: bytes
) -> dict[str, Any] | _Miss:
    """Return the JSON object of an answer, or why it is none."""
    text = raw.decode("utf-8", "replace")
    if status != 200:
        return _refusal(status, headers, text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        kind = headers.get("content-type", "no type")
        what = f"an answer that is no JSON ({_short(kind)}: {_short(text)!r})"
        return _Miss(reason=what, may_pass=True)
    if not isinstance(found, dict):
        return _Miss(reason="an answer that is no JSON object", may_pass=True)
    if "error" in found and "choices" not in found:  # some proxies answer so
        return _Miss(reason=f"an error ({_said(text)})", may_pass=True)
    return found


def _refusal(status: int, headers: Mapping[str, str], text: str) -> _Miss:
    said = _said(text)
    reason = f"status {status}" + (f" ({said})" if said else "")
    spent = status == 429 and "insufficient_quota" in text
    if status in (401, 403):
        reason += f". Set the environment variable {KEY_VARIABLES[0]} to your key"
    return _Miss(
        reason=reason,
        may_pass=status in PASSING and not spent,
        wait_s=retry_after(headers),
        status=status,
        said=said,
    )


def _said(text: str) -> str:
    """Return what an error of a server says, in whichever form it says it."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return _short(text)
    for name in ("error", "detail", "message"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    return _short(found if isinstance(found, str) else json.dumps(found))


def _short(text: str) -> str:
    """Return *text* on one line, without the key (cut after it is taken out)."""
    words = " ".join(without_key(text).split())
    return words if len(words) <= _SHOWN else words[: _SHOWN - 3] + "..."
