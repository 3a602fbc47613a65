"""`StubServer`: a chat server on loopback that behaves, and misbehaves, as told.

Apart from the tests because all of them need one, and because what it gets is
decoded here as a server would: the pictures that arrive are what was sent.
"""

from __future__ import annotations

import base64
import io
import json
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_vdg.backends._server_sight import COLOUR_QUESTION, COLOURS
from pytest_vdg.backends.openai_server import OpenAIBackend, ServerSettings

Pixels = npt.NDArray[np.uint8]
Model = Callable[[str, Sequence[Pixels]], "str | Mapping[str, float]"]
"""Given the text and the pictures, the reply, or token to probability."""

HTML = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
LONGEST_S = 3.0
"""Seconds after which a test's server lets go of whatever it holds back."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One answer that goes wrong."""

    status: int = 200
    body: bytes | None = None
    """What is sent in place of the answer."""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    """Whether the connection ends amid the answer."""
    drip_s: float = 0.0
    """Seconds between single bytes of the answer."""
    change: Callable[[dict[str, Any]], None] | None = None
    """What is done to an answer that is otherwise right."""


def error(status: int, message: str = "no", **headers: str) -> Fault:
    """Return an error as servers word it, with *headers* (``_`` for ``-``)."""
    body = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault(status=status, body=body, headers=named)


@dataclass(kw_only=True)
class StubServer:
    """What the server does, and what it was asked."""

    model: Model
    name: str = "stub-1"
    """What it calls the model in its answers."""
    tokens_per_image: int = 16
    numbers: bool = False
    """Whether images are numbered, at a token for each digit."""
    tells_usage: bool = True
    seen: Callable[[Sequence[Pixels]], Sequence[Pixels]] = list
    """Which of the pictures reach the model and are counted."""
    gives_logprobs: bool = True
    listed: int = 20
    """Most tokens that are listed."""
    refuses: Mapping[str, str] = field(default_factory=dict)
    """Field to what is said where a request has it."""
    system: str = "fp_1"
    faults: list[Fault] = field(default_factory=list)
    """What goes wrong with the next requests, in turn."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    """Authorization headers, as received."""
    url: str = ""
    under_way: int = 0
    """Requests that have come and are not answered yet."""
    most_at_once: int = 0
    hold_s: float = 0.0
    """Seconds that each answer takes."""

    def __post_init__(self) -> None:
        """Serve nobody yet."""
        self.lock = threading.Lock()

    def enter(self, change: int) -> None:
        """Note that a request began (1) or ended (-1)."""
        with self.lock:
            self.under_way += change
            self.most_at_once = max(self.most_at_once, self.under_way)

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return status and answer to *body*."""
        for name, said in self.refuses.items():
            if name in body:
                return 400, {"error": {"message": said}}
        text, pictures = read_message(body["messages"][0])
        arrived = self.seen(pictures)
        said = self.model(text, arrived)
        reply = said if isinstance(said, str) else max(said, key=lambda t: said[t])
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": reply.strip()},
            "finish_reason": "stop",
        }
        if body.get("logprobs") and self.gives_logprobs and isinstance(said, Mapping):
            choice["logprobs"] = {"content": [listed(said, self.listed)]}
        found: dict[str, Any] = {
            "object": "chat.completion",
            "model": self.name,
            "system_fingerprint": self.system,
            "choices": [choice],
        }
        if self.tells_usage:
            tokens = 8 + len(text.split()) + self.tokens_per_image * len(arrived)
            if self.numbers:
                tokens += sum(len(str(k + 1)) for k in range(len(arrived)))
            found["usage"] = {
                "prompt_tokens": tokens,
                "completion_tokens": 1,
                "total_tokens": tokens + 1,
            }
        return 200, found


def listed(said: Mapping[str, float], most: int) -> dict[str, Any]:
    """Return *said* as the entry of one token."""
    likely = sorted(said, key=lambda token: -said[token])[:most]
    entries = [{"token": t, "logprob": math.log(said[t])} for t in likely]
    return {**entries[0], "top_logprobs": entries}


def read_message(message: Mapping[str, Any]) -> tuple[str, list[Pixels]]:
    """Return the text and the pictures of *message*, decoded."""
    from PIL import Image

    texts, pictures = [], []
    for part in message["content"]:
        if part["type"] == "text":
            texts.append(part["text"])
        elif part["type"] == "image_url":
            data = _data(part["image_url"]["url"])
            pictures.append(np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))
        else:
            pictures += read_video(_data(part["video_url"]["url"]))
    return "\n".join(texts), pictures


def read_video(data: bytes) -> list[Pixels]:
    """Return all frames of the video file *data*."""
    import av

    with av.open(io.BytesIO(data)) as container:
        return [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]


def _data(url: str) -> bytes:
    head, _, data = url.partition(",")
    assert head.startswith("data:")
    assert head.endswith(";base64")
    return base64.b64decode(data)


class _Handler(BaseHTTPRequestHandler):
    stub: StubServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # 40 ms an answer

    def do_POST(self) -> None:
        """Answer a chat."""
        raw = self.rfile.read(int(self.headers["content-length"]))
        stub = self.stub
        stub.enter(1)
        try:
            asked = json.loads(raw)
            with stub.lock:
                stub.bodies.append(asked)
                stub.keys.append(self.headers.get("authorization", ""))
                fault = stub.faults.pop(0) if stub.faults else Fault()
                hold = stub.hold_s
            time.sleep(hold)
            status, found = stub.answer(asked)
            if fault.change is not None:
                fault.change(found)
            body = json.dumps(found).encode() if fault.body is None else fault.body
            status = status if fault.status == 200 else fault.status
        finally:
            stub.enter(-1)
        self._send(status, body, fault)

    def _send(self, status: int, body: bytes, fault: Fault) -> None:
        self.send_response(status)
        kind = "text/html" if body == HTML else "application/json"
        for name, value in {"content-type": kind, **fault.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if fault.cut:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif fault.drip_s:
            self._drip(body, fault.drip_s)
        else:
            self.wfile.write(body)

    def _drip(self, body: bytes, gap_s: float) -> None:
        end = time.monotonic() + LONGEST_S
        self.close_connection = True
        for byte in body:
            if time.monotonic() > end:
                return
            try:
                self.wfile.write(bytes([byte]))
            except OSError:  # who waited has gone
                return
            time.sleep(gap_s)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # with more that wait, the system has them try later

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that has gone: some tests are about that."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextmanager
def serving(stub: StubServer) -> Iterator[StubServer]:
    """Serve *stub* on a port of loopback until the block ends."""
    handler = type("Handler", (_Handler,), {"stub": stub})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def sees_light(text: str, pictures: Sequence[Pixels]) -> str | Mapping[str, float]:
    """Say A of light pictures and B of dark ones or of none, and name colours."""
    if text == COLOUR_QUESTION:
        return _colour(pictures)
    light = bool(pictures) and float(np.mean([p.mean() for p in pictures])) > 10
    yes, no = ("A", " B") if light else (" B", "A")
    return {yes: 0.7, no: 0.2, "C": 0.05, "the": 0.04}


def _colour(pictures: Sequence[Pixels]) -> str:
    shown = [tuple(p.reshape(-1, 3).mean(axis=0).round()) for p in pictures]
    labels = dict(zip(COLOURS.values(), "ABCD", strict=True))
    return labels.get(shown[0], "A") if len(set(shown)) == 1 else "A"


@contextmanager
def connected(
    stub: StubServer, *, scoring: str = "generate", **server: object
) -> Iterator[OpenAIBackend]:
    """Serve *stub*, and give a backend that asks it."""
    with serving(stub):
        settings = ServerSettings.of(
            "stub", {"url": stub.url, **server}, scoring=scoring
        )
        backend = OpenAIBackend(settings)
        try:
            yield backend
        finally:
            backend.close()
