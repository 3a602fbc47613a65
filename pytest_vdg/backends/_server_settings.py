"""`ServerSettings`: which server is asked for which model, and how; checked when made.

Apart from the backend so that a wrong setting is refused by a module that
imports nothing of it, and before anything is sent anywhere.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pytest_vdg.errors import ConfigError, did_you_mean

KEY_VARIABLES = ("VDG_API_KEY", "OPENAI_API_KEY")
"""Where the API key is taken from, the first that is set."""
FRAMES_AS = ("images", "video")
IMAGE_FORMATS = ("png", "jpeg")
LOGPROBS = ("auto", "off")
SCORINGS = ("generate", "choice")
OURS = frozenset({"model", "messages", "n", "stream", "logprobs", "top_logprobs"})
"""Fields of a request that ``request`` may not set."""
PRICES = ("prompt", "completion")
_CHOICES = {
    "frames_as": FRAMES_AS,
    "image_format": IMAGE_FORMATS,
    "logprobs": LOGPROBS,
    "scoring": SCORINGS,
}
_LEAST = {"max_concurrent": 1, "retries": 0, "frames_per_token": 1, "max_new_tokens": 1}
_ABOVE_ZERO = ("timeout_s", "deadline_s", "requests_per_minute")


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Which server, which of its models, and how. The API key is no setting."""

    model: str
    """The model's name, as the server knows it."""
    url: str = field(repr=False)
    """Base URL, e.g. ``http://localhost:8000/v1``."""
    scoring: Literal["generate", "choice"] = "generate"
    """Whether the reply's text is parsed, or its most probable label is taken."""
    max_new_tokens: int = 16
    """Longest reply under ``generate``, in tokens."""
    frames_as: Literal["images", "video"] = "images"
    """Each frame an image, or all frames one video."""
    image_format: Literal["png", "jpeg"] = "png"
    """``png`` loses nothing; ``jpeg`` (quality 95) is smaller."""
    frames_per_token: int = 1
    """Frames that the model merges into one visual token; images are not merged."""
    max_concurrent: int = 8
    """Requests under way at a time."""
    requests_per_minute: float | None = None
    """Most requests begun within a minute, evenly; None for no limit."""
    timeout_s: float = 120.0
    """Seconds after which one try is given up."""
    deadline_s: float = 900.0
    """Seconds after which a request is given up, all tries and waits included."""
    retries: int = 5
    """Tries after the first one."""
    logprobs: Literal["auto", "off"] = "auto"
    """Whether probabilities of the labels are asked for."""
    price_per_million: Mapping[str, float] = field(default_factory=dict)
    """Price of a million tokens, ``prompt`` and ``completion``, in any currency."""
    reuse_hours: float = 0.0
    """Hours for which answers may be reused; 0: within one session only."""
    request: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of each request; null takes one of ours out."""

    def __post_init__(self) -> None:
        """Refuse what no server could be asked with."""
        if not isinstance(self.model, str) or not self.model:
            raise ConfigError("a server needs the name of a model: set checkpoint")
        check_url(self.url)
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                raise ConfigError(
                    f"{name} cannot be {value!r} with a server."
                    + did_you_mean(str(value), known)
                )
        self._check_numbers()
        _check_prices(self.price_per_million)
        _check_request(self.request)
        if self.scoring == "choice" and self.logprobs == "off":
            raise ConfigError(
                "scoring: choice takes the most probable label, and server.logprobs: "
                "off asks for no probabilities. Set: scoring: generate"
            )
        if self.frames_as == "images" and self.frames_per_token != 1:
            raise ConfigError(
                "server.frames_per_token is of videos: frames that are sent as images "
                "are not merged. Remove it, or set server.frames_as: video"
            )

    def _check_numbers(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ConfigError(
                    f"{name} must be a whole number of at least {least}, got {value!r}"
                )
        for name in _ABOVE_ZERO:
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and value > 0):
                raise ConfigError(f"{name} must be a number above 0, got {value!r}")
        if not (_is_number(self.reuse_hours) and self.reuse_hours >= 0):
            raise ConfigError(
                f"reuse_hours must be a number of at least 0, got {self.reuse_hours!r}"
            )

    @classmethod
    def of(cls, checkpoint: object, server: object, **asked: object) -> ServerSettings:
        """Return the settings that ``vdg.yaml`` writes as ``server: {...}``."""
        if not isinstance(server, Mapping) or "url" not in server:
            raise ConfigError(
                "backend 'openai' needs the address of a server. Write into vdg.yaml: "
                "server: {url: http://localhost:8000/v1}"
            )
        elsewhere = {"model", "scoring", "max_new_tokens"}
        known = [f.name for f in fields(cls) if f.name not in elsewhere]
        for key in server:
            if key not in known:
                raise ConfigError(
                    f"server has no setting {key!r}.{did_you_mean(str(key), known)}"
                    f"{KEY_ADVICE if 'key' in str(key).lower() else ''}"
                )
        return cls(model=checkpoint, **asked, **server)  # type: ignore[arg-type]

    def require_same_way(self, frames_as: object) -> None:
        """Refuse a local model's *frames_as* that says otherwise; None says nothing."""
        if frames_as not in (None, self.frames_as):
            raise ConfigError(
                f"frames_as: {frames_as} is for local models, and a server is shown "
                f"frames as {self.frames_as}. Set: server: {{frames_as: {frames_as}}}"
            )

    @property
    def name(self) -> str:
        """The model's name for people; of a folder's path, the folder's."""
        path = Path(self.model)
        return path.name if path.is_absolute() else self.model

    @property
    def endpoint(self) -> str:
        """Where chats are sent."""
        base = self.url.rstrip("/")
        return (
            base if base.endswith("/chat/completions") else f"{base}/chat/completions"
        )

    @property
    def host(self) -> str:
        """Host and port, which is all of the address that is told."""
        return urlsplit(self.url).netloc

    @property
    def extra(self) -> str:
        """The further fields of a request as canonical JSON; empty for none."""
        if not self.request:
            return ""
        return json.dumps(self.request, sort_keys=True, separators=(",", ":"))


KEY_ADVICE = (
    f" The key is no setting: it is read from the environment variable "
    f"{KEY_VARIABLES[0]}, or {KEY_VARIABLES[1]}, and kept nowhere."
)


def check_url(url: object) -> None:
    """Refuse what is no base URL, and say nothing of what may be secret in it."""
    parts = urlsplit(url) if isinstance(url, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            "server.url must be an address such as http://localhost:8000/v1"
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ConfigError(
            "server.url must be a plain address, without user, password, '?' or '#': "
            f"what is in it may be shown.{KEY_ADVICE}"
        )


def _check_prices(prices: object) -> None:
    if not isinstance(prices, Mapping):
        raise ConfigError(
            f"price_per_million must name {' and '.join(PRICES)}, got {prices!r}"
        )
    for key, price in prices.items():
        if key not in PRICES:
            hint = did_you_mean(str(key), PRICES)
            raise ConfigError(f"price_per_million has no {key!r}.{hint}")
        if not (_is_number(price) and price >= 0):
            raise ConfigError(
                f"price_per_million.{key} must be a number of at least 0, got {price!r}"
            )


def _check_request(request: object) -> None:
    if not isinstance(request, Mapping) or not all(isinstance(k, str) for k in request):
        raise ConfigError("server.request must be a mapping from field to value")
    for key in request:
        if key in OURS:
            raise ConfigError(f"server.request cannot set {key!r}, which we set")
        if "key" in key.lower() or key.lower() in ("authorization", "headers"):
            raise ConfigError(f"server.request cannot set {key!r}.{KEY_ADVICE}")
    try:
        json.dumps(request, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"server.request is no JSON: {error}") from None


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(float(str(value)))
