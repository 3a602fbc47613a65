"""`OpenAIBackend`: ask a model behind an OpenAI-compatible server.

Apart from its ``_server_*`` parts, each about one thing, so that this file shows
the order of events: try out, look whether pictures arrive, count, ask, tell.
"""

from __future__ import annotations

import importlib.util
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from importlib.metadata import version
from typing import TypeVar

from pytest_vdg.backends._server_asking import Asking
from pytest_vdg.backends._server_chat import Chat
from pytest_vdg.backends._server_http import Counts, Wire
from pytest_vdg.backends._server_media import Media
from pytest_vdg.backends._server_settings import ServerSettings
from pytest_vdg.backends._server_told import Told
from pytest_vdg.backends.protocol import (
    UNKNOWN_WEIGHTS,
    BackendIdentity,
    Prompt,
    Reply,
    Request,
)
from pytest_vdg.errors import BackendError, BackendUnavailable, VdgError
from pytest_vdg.frames.clip import Clip

__all__ = ["OpenAIBackend", "ServerSettings"]

T = TypeVar("T")
_SESSION = uuid.uuid4().hex
_PACKAGES = {"httpx2": "httpx2", "PIL": "pillow"}


class OpenAIBackend:
    """Asks one model of one server, several requests at a time.

    Making one sends nothing. The first `ask` finds out what the server takes,
    and whether pictures reach the model.
    """

    def __init__(
        self, settings: ServerSettings, *, not_used: Iterable[str] = ()
    ) -> None:
        """Check that requests can be made.

        *not_used* are settings that are the server's own affair; they are told.
        Raises `BackendUnavailable` where packages are missing.
        """
        for package, distribution in _PACKAGES.items():
            if importlib.util.find_spec(package) is None:
                raise BackendUnavailable("openai", distribution, extra="server")
        self.settings = settings
        self._not_used = tuple(not_used)
        self._wire = Wire(settings)
        self._media = Media(settings)
        self._chat = Chat(settings, self._wire, self._media)
        self._told = Told(settings)
        self._asking = Asking(
            settings, wire=self._wire, chat=self._chat, told=self._told
        )
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._load_error: VdgError | None = None

    @property
    def name(self) -> str:
        """The model's name; of a folder's path, the folder's."""
        return self.settings.name

    @property
    def frames_per_token(self) -> int:
        """Frames that the model merges into one visual token, as was set."""
        return self.settings.frames_per_token

    @cached_property
    def identity(self) -> BackendIdentity:
        """What can change an answer, as far as it is known: not the weights."""
        settings = self.settings
        environment = {
            "backend": "openai",
            "scoring": settings.scoring,
            "decoding": "greedy",
            "frames_as": settings.frames_as,
        }
        if settings.frames_as == "images":
            environment["image_format"] = settings.image_format
        if settings.scoring == "generate":
            environment["max_new_tokens"] = str(settings.max_new_tokens)
        if settings.extra:
            environment["request"] = settings.extra
        return BackendIdentity(
            subject={"weights": UNKNOWN_WEIGHTS, "model": self.name},
            environment=environment,
            versions={dist: version(dist) for dist in _PACKAGES.values()},
            reuse=_reuse(settings.reuse_hours),
        )

    @property
    def observed(self) -> Mapping[str, str]:
        """What the server said of itself while it was asked."""
        return self._told.observed(self._chat.left_out)

    @property
    def counts(self) -> Counts:
        """What was sent since the backend was made."""
        return self._wire.counts

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should hear at the end: counts, costs, and what is not known."""
        return self._told.notes(
            self._wire.counts,
            counts_tokens=self._asking.counts_tokens,
            not_used=self._not_used,
        )

    def import_libraries(self) -> None:
        """Import the client library."""
        import httpx2  # noqa: F401

    def load(self) -> None:
        """Find out which request the server takes, once; `ask` does so by itself.

        Raises `BackendError` where it answers none, and the same again without
        trying anew when it is called again.
        """
        with self._lock:
            if self._load_error is not None:
                raise self._load_error
            if self._asking.counts_tokens is not None:
                return
            self._wire.open()
            try:
                self._asking.try_out()
            except VdgError as error:
                self._load_error = error
                raise

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Ask *prompt* about *clip* (None: no video at all).

        Raises `BackendError` if there is no answer, whatever the reason,
        `VideoNotConsumed` if pictures do not reach the model, and
        `CouldNotBeJudged` if another model began to answer.
        """
        answer = self.ask_many([Request(prompt=prompt, clip=clip)])[0]
        if isinstance(answer, BackendError):
            raise answer
        return answer

    def ask_many(self, requests: Sequence[Request]) -> list[Reply | BackendError]:
        """Return the answer to each of *requests*, or its error in its place.

        Up to ``max_concurrent`` are under way at a time. What ends a run raises.
        """
        self.load()
        self._wire.open()
        clips = [each.clip for each in requests if each.clip is not None]
        if clips:
            self._asking.check_sight(max(clips, key=len))
        answers: dict[int, Reply | BackendError] = {}
        # Prompts without a video first: they tell what the text of the others costs.
        for shown in (False, True):
            places = [
                i for i, r in enumerate(requests) if (r.clip is not None) == shown
            ]
            lost = self._count(requests[i].prompt.text for i in places if shown)
            calls = [partial(self._reply, requests[i], lost) for i in places]
            answers |= dict(zip(places, self._together(calls), strict=True))
        return [answers[i] for i in range(len(requests))]

    def close(self) -> None:
        """Close the connections; a later `ask` opens them again."""
        self._wire.close()
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)
        self._media.close()

    def _reply(self, request: Request, lost: Mapping[str, BackendError]) -> Reply:
        if request.prompt.text in lost:
            raise lost[request.prompt.text]
        return self._asking.reply(request)

    def _count(self, texts: Iterable[str]) -> dict[str, BackendError]:
        """Find out what each of *texts* costs alone; return why it was not told."""
        new = [t for t in dict.fromkeys(texts) if not self._asking.is_counted(t)]
        found = self._together([partial(self._asking.tokens, t, None) for t in new])
        pairs = zip(new, found, strict=True)
        return {text: each for text, each in pairs if isinstance(each, BackendError)}

    def _together(self, calls: Sequence[Callable[[], T]]) -> list[T | BackendError]:
        """Return what each of *calls* returns, or the error that is its answer."""
        over = threading.Event()
        if len(calls) < 2:
            return [_attempt(call, over) for call in calls]
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.settings.max_concurrent, "vdg-ask")
            futures = [self._pool.submit(_attempt, call, over) for call in calls]
        try:
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()  # where one of them ended the run


def _attempt(call: Callable[[], T], over: threading.Event) -> T | BackendError:
    """Return what *call* returns, or the error that is its answer.

    What ends the run is raised, and sets *over*: whoever waits for the answers may
    hear of it late, and no other call is begun meanwhile.
    """
    if over.is_set():
        return BackendError("the run has ended")
    try:
        return call()
    except BackendError as error:
        return error
    except BaseException:
        over.set()
        raise


def _reuse(hours: float) -> str:
    """Return what answers have in common that may be reused for each other.

    With no hours, the session: all processes of one run of pytest-xdist are one.
    """
    if hours > 0:
        return f"{hours:g}h:{int(time.time() // (hours * 3600))}"
    return os.environ.get("PYTEST_XDIST_TESTRUNUID") or _SESSION
