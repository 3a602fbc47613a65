"""Readers that misbehave, put in place of ours in a decoding process.

What a video is called decides what happens to it; any other is read as usual.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg.errors import MediaError
from pytest_vdg.frames import _decoder, _process
from pytest_vdg.frames._exchange import Look, Read
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import VideoInfo

if TYPE_CHECKING:  # a process that reads imports no pytest
    import pytest

MAIN = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from tests.frames.faulty_reader import main; main()"
)
"""In place of the program that a decoding process runs."""

PATIENCE_S = 600.0
"""The limit of all that does not hang: a slow machine is no reader that hangs."""

_read_clip, _probe = _decoder.read_clip, _decoder.probe


def install(patch: pytest.MonkeyPatch) -> None:
    """Have decoding processes read so, and let only those that hang be late."""
    inner = _process.Process.ask

    def ask(self: _process.Process, task: Read | Look, timeout_s: float) -> object:
        hangs = task.path.name.startswith("hangs")
        return inner(self, task, timeout_s if hangs else PATIENCE_S)

    patch.setattr(_process.Process, "ask", ask)
    # Else one that hangs may end itself before a slow machine sees that it is late.
    patch.setattr(_process, "GRACE_S", PATIENCE_S)
    patch.setattr(_process, "_MAIN", MAIN)


def read_clip(path: Path, *given: object, **named: object) -> Clip:
    """Do what the name of *path* says."""
    if path.name.startswith("hangs"):
        # Foreign code that keeps Python's lock: no handler and no thread runs.
        ctypes.PyDLL(None).sleep(1000)
    if path.name.startswith("crashes"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if path.name.startswith("faulty"):
        raise KeyError("a fault of ours")
    if path.name.startswith("huge"):
        raise MemoryError
    if path.name.startswith("modules"):
        raise MediaError(" ".join(sorted(sys.modules)))
    if path.name.startswith("pid"):
        raise MediaError(str(os.getpid()))
    if path.name.startswith("noisy"):
        os.write(1, b"noise" * 10)
        os.write(2, b"noise" * 10)
        print("more noise")  # noqa: T201
        path = path.with_name(path.name.removeprefix("noisy-"))
    return _read_clip(path, *given, **named)  # type: ignore[arg-type]


def probe(path: Path, **named: float | None) -> VideoInfo:
    """Do what the name of *path* says."""
    if path.name.startswith("hangs-at-once"):
        ctypes.PyDLL(None).sleep(1000)
    return _probe(path, **named)


def main() -> None:
    """Read as told by names."""
    _decoder.read_clip, _decoder.probe = read_clip, probe
    _decoder.main()
