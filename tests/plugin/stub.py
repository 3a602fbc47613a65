"""Models that a Python function plays, given as ``python:stub:NAME``.

Apart from the tests because pytest runs inside the tests import it by name,
in this process and in workers of xdist.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from pytest_vdg import Clip, Prompt, Reply, ScriptedBackend
from pytest_vdg.backends.protocol import Request
from pytest_vdg.errors import BackendError

COLOURS = ("red", "green", "blue")


def _note_load(what: str) -> None:
    """Write a line where the test counts how often a model was loaded."""
    log = os.environ.get("VDG_TEST_LOADS")
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{what}\n")


def _weighed(label: str, prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
    """Prefer *label*, with the last digits moved by what is seen, as in a model."""
    moved = 0.0 if clip is None else float(clip.frames.mean()) * 1e-6
    return {each: 0.9 + moved if each == label else 0.01 for each in prompt.labels}


def _seen(prompt: Prompt, clip: Clip | None) -> str:
    """Return the label of the colour in the clip; the first one in the dark."""
    if clip is None or not clip.frames.any():
        return prompt.labels[0]
    colour = COLOURS[int(np.argmax(clip.frames.mean(axis=(0, 1, 2))))]
    return prompt.labels[prompt.option_texts.index(colour)]


def _read(prompt: Prompt, clip: Clip | None) -> str:
    """Return the label of the colour that the question gives away."""
    question = prompt.text.splitlines()[0]
    named = [c for c in COLOURS if c in question]
    return prompt.labels[prompt.option_texts.index(named[0])]


def _backend(answer: object, settings: Mapping[str, object], **more: object) -> object:
    checkpoint = Path(str(settings["checkpoint"])).name
    loaded: list[bool] = []

    def asked(prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
        if not loaded:
            loaded.append(True)
            _note_load(checkpoint)
        return _weighed(answer(prompt, clip), prompt, clip)  # type: ignore[operator]

    # The name stands for the weights: what answers otherwise is called otherwise.
    name = checkpoint if answer is _seen else f"{checkpoint}-that-reads"
    return ScriptedBackend(asked, name=name, **more)  # type: ignore[arg-type]


def sighted(**settings: object) -> object:
    """Make a model that looks."""
    return _backend(_seen, settings)


def blind(**settings: object) -> object:
    """Make a model that answers from the question alone, and always rightly."""
    return _backend(_read, settings)


def dropped(**settings: object) -> object:
    """Make a model whose video is lost on the way."""
    return _backend(_read, settings, consumes_video=False)


def checkpoint_decides(**settings: object) -> object:
    """Make `blind` for a checkpoint called so, `sighted` for any other."""
    return (blind if "blind" in str(settings["checkpoint"]) else sighted)(**settings)


def crashes_once(**settings: object) -> object:
    """Make a model that kills its process at the first question, once."""

    def seen_or_dead(prompt: Prompt, clip: Clip | None) -> str:
        if not Path("crashed").exists():
            Path("crashed").touch()
            os._exit(3)
        return _seen(prompt, clip)

    return _backend(seen_or_dead, settings)


def fails_in_the_dark(**settings: object) -> object:
    """Make a model that fails on black frames."""

    def seen_or_failed(prompt: Prompt, clip: Clip | None) -> str:
        if clip is not None and not clip.frames.any():
            raise BackendError("it is dark")
        return _seen(prompt, clip)

    return _backend(seen_or_failed, settings)


def _note_ask(prompt: Prompt, clip: Clip | None) -> int:
    """Write down who asked which cell; return how many were asked so far.

    What the question says of its video is what tells the cells apart.
    """
    shown = "" if clip is None else clip.digest()
    text = repr((prompt.text, prompt.labels, prompt.option_texts, shown))
    cell = hashlib.sha256(text.encode()).hexdigest()[:16]
    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    with Path("asked.txt").open("ab", buffering=0) as file:
        video = prompt.text.splitlines()[0].split()[-1]
        file.write(f"{worker} {cell} {video}\n".encode())
    return Path("asked.txt").read_text(encoding="utf-8").count("\n")


def _meet() -> None:
    """Wait until every worker asks something, where the test wants all to take part.

    Once in a process: a worker that never comes costs minutes, not some a cell.
    """
    if not os.environ.get("VDG_TEST_MEET") or not _once(f"met-{os.getpid()}"):
        return
    Path(f"here-{os.environ.get('PYTEST_XDIST_WORKER')}").touch()
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        if len(list(Path().glob("here-*"))) >= workers:
            return
        time.sleep(0.01)


def _once(name: str) -> bool:
    """Return True to the first who asks, in whichever process."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(name, os.O_CREAT | os.O_EXCL))
        return True
    return False


def counted(**settings: object) -> object:
    """Make `sighted`, with each cell that is asked written down."""

    def asked(prompt: Prompt, clip: Clip | None) -> str:
        _note_ask(prompt, clip)
        _meet()
        return _seen(prompt, clip)

    return _backend(asked, settings)


class Together:
    """A backend that is asked many at a time, of one that is not."""

    def __init__(self, inner: ScriptedBackend) -> None:
        """Ask *inner*, one after the other."""
        self._inner = inner
        self.name = inner.name
        self.identity = inner.identity
        self.frames_per_token = inner.frames_per_token
        self.ask = inner.ask
        self.close = inner.close

    def ask_many(self, requests: Sequence[Request]) -> list[Reply]:
        """Answer each of *requests*."""
        return [self.ask(request.prompt, request.clip) for request in requests]


def counted_together(**settings: object) -> object:
    """Make `counted`, asked many at a time."""
    return Together(counted(**settings))  # type: ignore[arg-type]


def _killing(kill: Callable[[int], None], settings: Mapping[str, object]) -> object:
    """Make `counted`, which *kill* is told of before each answer."""

    def asked(prompt: Prompt, clip: Clip | None) -> str:
        kill(_note_ask(prompt, clip))
        _meet()
        return _seen(prompt, clip)

    return _backend(asked, settings)


def kills_a_worker(**settings: object) -> object:
    """Make `counted`, whose worker ``VDG_TEST_VICTIM`` dies at its third question."""
    mine: list[int] = []

    def kill(asked: int) -> None:
        mine.append(asked)
        victim = os.environ["VDG_TEST_VICTIM"]
        named = os.environ.get("PYTEST_XDIST_WORKER") == victim
        if named and len(mine) == 3 and _once("killed"):
            os.kill(os.getpid(), signal.SIGKILL)

    return _killing(kill, settings)


def kills_all(**settings: object) -> object:
    """Make `counted`; from question ``VDG_TEST_MOMENT`` on all processes die, once."""

    def kill(asked: int) -> None:
        if asked >= int(os.environ["VDG_TEST_MOMENT"]) and _once("killed"):
            os.killpg(0, signal.SIGKILL)

    return _killing(kill, settings)


def fails_in_the_dark_counted(**settings: object) -> object:
    """Make `fails_in_the_dark`, with each cell that is asked written down."""

    def asked(prompt: Prompt, clip: Clip | None) -> str:
        _note_ask(prompt, clip)
        _meet()
        if clip is not None and not clip.frames.any():
            raise BackendError("it is dark")
        return _seen(prompt, clip)

    return _backend(asked, settings)


class Alone:
    """A model that notes when it is loaded and freed, and whether it was alone."""

    alive: ClassVar[list[str]] = []

    def __init__(self, name: str, answer: Callable[[Prompt, Clip | None], str]) -> None:
        """Hold nothing before the first question."""
        self._inner = ScriptedBackend(self._asked, name=name)
        self._answer = answer
        self.name = name
        self.identity = self._inner.identity
        self.frames_per_token = 1
        self.ask = self._inner.ask

    def _asked(self, prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
        if self.name not in self.alive:
            self.alive.append(self.name)
            _note_load(f"load {self.name}" + (" too" * (len(self.alive) - 1)))
        return _weighed(self._answer(prompt, clip), prompt, clip)

    def close(self) -> None:
        """Note that it is freed, if it was loaded."""
        if self.name in self.alive:
            self.alive.remove(self.name)
            _note_load(f"free {self.name}")


def alone(**settings: object) -> object:
    """Make a model that tells of its life; one called so is `blind`."""
    name = Path(str(settings["checkpoint"])).name
    return Alone(name, _read if "blind" in name else _seen)


def merges_frames_when_old(**settings: object) -> object:
    """Make `alone`, which merges two frames into one token when called ``old``."""
    made = alone(**settings)
    if isinstance(made, Alone) and made.name == "old":
        made.frames_per_token = 2
    return made


class Placed:
    """`sighted` on the device that ``VDG_TEST_DEVICE`` names."""

    def __init__(self, inner: ScriptedBackend) -> None:
        """Ask *inner*; only what it is said to run on differs."""
        device = os.environ.get("VDG_TEST_DEVICE", "cpu")
        environment = {**inner.identity.environment, "device": device}
        self.identity = replace(inner.identity, environment=environment)
        self.name = inner.name
        self.frames_per_token = inner.frames_per_token
        self.ask = inner.ask
        self.close = inner.close


def placed(**settings: object) -> object:
    """Make a model that looks, on a device that the test names."""
    return Placed(sighted(**settings))  # type: ignore[arg-type]


def interrupted(**settings: object) -> object:
    """Make `counted`; at question ``VDG_TEST_MOMENT`` someone presses Ctrl-C.

    Which a process that was started in the background would not hear.
    """

    def kill(asked: int) -> None:
        if asked == int(os.environ["VDG_TEST_MOMENT"]):
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.kill(os.getpid(), signal.SIGINT)

    return _killing(kill, settings)
