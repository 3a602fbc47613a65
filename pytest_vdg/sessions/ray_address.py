"""Which Ray cluster is meant, and how to come to it without a word or a long wait.

Apart from what is done there: Ray waits for minutes for a cluster that is not there,
and talks on standard output, and neither must reach whoever runs tests.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pytest_vdg.errors import ConfigError

_ANY, _NEW = "auto", "local"
"""Addresses that Ray knows: of a cluster that runs, and of one to be begun."""
_ANSWER_S = 5.0


def connect(ray: Any, address: str | None, *, begin: bool = True) -> bool:  # noqa: ANN401
    """Connect to the cluster at *address*, to one that is there, or *begin* one.

    Return whether there is one. Raises `ConfigError` where nobody answers at an
    address that was named.
    """
    named = address or os.environ.get("RAY_ADDRESS") or None
    if named is not None:
        _require_answer(named)
    where = named or _running()
    options = {"log_to_driver": False, "logging_level": logging.ERROR}
    with _quiet():
        if where != _NEW:
            try:
                ray.init(address=where, **options)
            except (ConnectionError, RuntimeError, ValueError) as error:
                if named is not None:
                    raise _nobody(named, error) from error
                where = _NEW
        if where == _NEW and not begin:
            return False
        if where == _NEW:
            ray.init(address=_NEW, include_dashboard=False, **options)
    _mute(ray)
    return True


def _require_answer(address: str) -> None:
    """Raise `ConfigError` where nobody answers at *address*.

    Ray itself tries again and again, for a quarter of an hour.
    """
    if address in (_ANY, _NEW):
        return
    host, _, port = address.rpartition(":")
    if "://" in address or not (host and re.fullmatch("[0-9]{1,5}", port)):
        raise ConfigError(
            f"ray.address must be HOST:PORT of the cluster's head, got {address!r}. "
            "Run pytest on one of its nodes"
        )
    fault = _silence(host, int(port))
    if fault is not None:
        raise _nobody(address, fault)


def _silence(host: str, port: int) -> OSError | None:
    """Return why nobody answers there; None where somebody does."""
    try:
        socket.create_connection((host, port), timeout=_ANSWER_S).close()
    except OSError as error:
        return error
    return None


def _nobody(address: str, why: BaseException) -> ConfigError:
    return ConfigError(
        f"no Ray cluster answers at {address!r}: {_short(why)}. Begin one with: ray "
        "start --head, or leave ray.address and RAY_ADDRESS out"
    )


def _running() -> str:
    """Return how to come to the cluster that runs here; a new one if it is dead."""
    folder = Path(os.environ.get("RAY_TMPDIR", tempfile.gettempdir()))
    try:
        noted = (folder / "ray" / "ray_current_cluster").read_text("utf-8").strip()
        host, _, port = noted.rpartition(":")
        return _ANY if _silence(host, int(port)) is None else _NEW
    except (OSError, ValueError):
        return _ANY


def _mute(ray: Any) -> None:  # noqa: ANN401
    """Have Ray write nothing to standard output, where results may go as JSON.

    It has no setting for what it writes of processes that died, which we tell.
    """
    with suppress(AttributeError):
        ray._private.worker.print_to_stdstream = lambda *_, **__: None  # noqa: SLF001


@contextmanager
def _quiet() -> Iterator[None]:
    """Have Ray say nothing here that is not about the run, and tell nobody of it.

    And not take over what SIGTERM does: a session that is ended goes on with the
    next test where the first one raised `SystemExit`.
    """
    name = "RAY_USAGE_STATS_ENABLED"
    before = os.environ.get(name)
    os.environ[name] = before or "0"
    ended_by = signal.getsignal(signal.SIGTERM)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        with suppress(TypeError, ValueError):  # none of Python's; another thread
            signal.signal(signal.SIGTERM, ended_by)
        if before is None:
            del os.environ[name]


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]
