"""`Chat`: a prompt and a clip as one request, and what of it a server takes.

Apart from the backend so that what is sent is read in one place: the same for
every condition, but for the pictures.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pytest_vdg.backends._server_http import Refused, Wire
from pytest_vdg.backends._server_media import Media
from pytest_vdg.backends._server_settings import ServerSettings
from pytest_vdg.frames.clip import Clip

FRAMES = "{frames}"
"""In ``request``, stands for the number of frames that are shown."""
_TOPS = (20, 5)
"""Numbers of likeliest tokens to ask for, the first that the server allows."""
_NOT_TAKEN = frozenset({400, 404, 422})


class Chat:
    """Makes the requests to one server, of fields that it was found to take."""

    def __init__(self, settings: ServerSettings, wire: Wire, media: Media) -> None:
        """Suppose that the server takes everything; `try_out` finds out."""
        self._settings = settings
        self._wire = wire
        self._media = media
        self._tops = list(_TOPS) if settings.logprobs == "auto" else []
        self._seed = True
        self._most = "max_tokens"
        self.left_out: list[str] = []
        """Fields that the server does not take."""

    def body(
        self, text: str, clip: Clip | None, *, most: int | None = None
    ) -> dict[str, Any]:
        """Return the request that asks *text* about *clip* (None: no video at all).

        *most* is the longest reply in tokens; None is that of the settings.
        """
        settings = self._settings
        if most is None:
            most = 1 if settings.scoring == "choice" else settings.max_new_tokens
        parts = [] if clip is None else self._media.parts(clip)
        content = [*parts, {"type": "text", "text": text}]
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": [{"role": "user", "content": content}],
            "temperature": 0,
            self._most: most,
        }
        if self._seed:
            body["seed"] = 0
        if self._tops:
            body |= {"logprobs": True, "top_logprobs": self._tops[0]}
        frames = None if clip is None else len(clip)
        for field, value in settings.request.items():
            body[field] = _filled(copy.deepcopy(value), frames)
        return {field: value for field, value in body.items() if value is not None}

    def try_out(self, text: str) -> dict[str, Any]:
        """Return the answer to *text* alone, once the server takes the request.

        What it says it does not take is left out, where the answers do not
        depend on it: the seed, the probabilities, or the name that the most
        tokens go by. Everything else is raised.
        """
        try:
            return self._wire.post(self.body(text, None, most=1))
        except Refused as error:
            if error.status not in _NOT_TAKEN or not self._without(error.said):
                raise
        return self.try_out(text)  # with less, and so not for ever

    def _without(self, said: str) -> bool:
        """Leave out what a server's words name; False where that is nothing."""
        if "logprobs" in said and self._tops:
            self._tops.pop(0)
            if not self._tops:
                self.left_out.append("logprobs")
            return True
        if "seed" in said and self._seed:
            self._seed = False
            self.left_out.append("seed")
            return True
        if "max_completion_tokens" in said and self._most == "max_tokens":
            self._most = "max_completion_tokens"
            return True
        return False


def digest_of(body: Mapping[str, Any]) -> str:
    """Return a SHA-256 hex digest of all that is sent."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _filled(value: Any, frames: int | None) -> Any:  # noqa: ANN401 - any JSON
    """Return *value* with the number of frames; without its place where none are."""
    if value == FRAMES:
        return frames
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if frames or v != FRAMES}
        return {k: _filled(v, frames) for k, v in kept.items()}
    if isinstance(value, list):
        return [_filled(v, frames) for v in value if frames or v != FRAMES]
    return value
