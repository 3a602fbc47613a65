"""Models that a Python function plays on a node of a cluster, and their misfortunes.

Apart from the other stubs because these know on which node they are asked.
"""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path

from stub import _seen, _weighed

from pytest_vdg import Clip, Prompt, ScriptedBackend
from pytest_vdg.errors import BackendError
from pytest_vdg.store.cells import CellStore

SLOW_S = 0.01
"""How long an answer takes, so that no actor has all lots before others are there."""


def node() -> str:
    """Return on which node this is; ``here`` for a process of no cluster."""
    import ray

    if not ray.is_initialized():
        return "here"
    return str(ray.get_runtime_context().get_node_id())


def asked() -> int:
    """Return how many questions were asked by all so far."""
    return Path("asked.txt").read_text(encoding="utf-8").count("\n")


def once(name: str) -> bool:
    """Return True to the first who asks, in whichever process."""
    with suppress(FileExistsError):
        os.close(os.open(name, os.O_CREAT | os.O_EXCL))
        return True
    return False


def _meet() -> None:
    """Wait until as many nodes have asked something as ``VDG_TEST_MEET`` says."""
    wanted = int(os.environ.get("VDG_TEST_MEET", "1"))
    end = time.monotonic() + 600
    while wanted > 1 and time.monotonic() < end:
        whole, _, _ = Path("asked.txt").read_text(encoding="utf-8").rpartition("\n")
        if len({line.split()[0] for line in whole.splitlines()}) >= wanted:
            return
        time.sleep(0.02)


def _hold() -> None:
    """Answer no more once anything is in the store, where ``VDG_TEST_HOLD`` is set."""
    end = time.monotonic() + 600
    while "VDG_TEST_HOLD" in os.environ and time.monotonic() < end:
        with closing(CellStore(".vdg")) as store:
            if not store.count():
                return
        time.sleep(0.02)


def _noted(befalls: Callable[[str], object]) -> ScriptedBackend:
    """Return a model that looks; *befalls* is told of the video before each answer."""

    def answer(prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
        video = prompt.text.splitlines()[0].split()[-1]
        shown = "" if clip is None else clip.digest()
        cell = hashlib.sha256(repr((prompt, shown)).encode()).hexdigest()[:16]
        with Path("asked.txt").open("ab", buffering=0) as file:
            file.write(f"{node()} {os.getpid()} {cell} {video}\n".encode())
        _meet()
        _hold()
        time.sleep(SLOW_S)
        befalls(video)
        return _weighed(_seen(prompt, clip), prompt, clip)

    return ScriptedBackend(answer, name="any")


def noted(**settings: object) -> object:
    """Make a model that looks, with each question written down."""
    return _noted(lambda video: None)


def dies_once(**settings: object) -> object:
    """Make `noted`, one of whose actors is killed after twenty questions."""

    def befalls(video: str) -> None:
        if asked() > 20 and once("killed"):
            os.kill(os.getpid(), signal.SIGKILL)

    return _noted(befalls)


def stays_on_a_node(**settings: object) -> object:
    """Make `noted`, whose third question on ``VDG_TEST_NODE`` is never answered."""
    mine: list[str] = []

    def befalls(video: str) -> None:
        mine.append(video)
        if node() == os.environ["VDG_TEST_NODE"] and len(mine) == 3:
            Path("stays").touch()
            time.sleep(600)

    return _noted(befalls)


def dies_of_a_video(**settings: object) -> object:
    """Make `noted`, which the third video kills."""

    def befalls(video: str) -> None:
        if video == "03.mp4":
            os.kill(os.getpid(), signal.SIGKILL)

    return _noted(befalls)


def fails(**settings: object) -> object:
    """Make a model that fails on all."""

    def befalls(video: str) -> None:
        raise BackendError("it is dark")

    return _noted(befalls)


def skips(**settings: object) -> object:
    """Make a model that skips the test that asks it."""

    def befalls(video: str) -> None:
        import pytest

        pytest.skip("no GPU here")

    return _noted(befalls)


class Stuck(ScriptedBackend):
    """A model that cannot be freed."""

    def close(self) -> None:
        """Raise."""
        raise OSError("the device is busy")


def stuck(**settings: object) -> object:
    """Make `noted`, which cannot be freed."""
    made = noted(**settings)
    made.__class__ = Stuck  # type: ignore[assignment]
    return made
