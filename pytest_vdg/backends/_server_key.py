"""The API key: read from the environment when it is sent, and held by nothing.

Apart from everything that handles requests, so that no object, error or report
of ours can show it, however it is printed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_vdg.backends._server_settings import KEY_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Generator

    import httpx2

HIDDEN = "[API key]"
_LEAST = 6
"""Characters of a key that is looked for in texts; shorter ones are no secret."""


def key_variable() -> str:
    """Return the name of the variable that a key is taken from; empty for none."""
    found = (name for name in KEY_VARIABLES if os.environ.get(name, "").strip())
    return next(found, "")


def without_key(text: str) -> str:
    """Return *text* with the key, where a server repeats it, made unreadable."""
    for variable in KEY_VARIABLES:
        secret = os.environ.get(variable, "").strip()
        if len(secret) >= _LEAST:
            text = text.replace(secret, HIDDEN)
    return text


def make_auth() -> httpx2.Auth:
    """Return what puts the key into a request as it is sent."""
    import httpx2

    class FromEnvironment(httpx2.Auth):
        """Adds the key; a request without one is sent as it is."""

        def auth_flow(
            self, request: httpx2.Request
        ) -> Generator[httpx2.Request, httpx2.Response, None]:
            """Add the header, and give the request on."""
            if key_variable():
                # Never a variable of ours: tracebacks show those.
                request.headers["Authorization"] = (
                    f"Bearer {os.environ[key_variable()].strip()}"
                )
            yield request

    return FromEnvironment()
