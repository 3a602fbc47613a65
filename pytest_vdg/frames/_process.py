"""`Process`: another interpreter that reads videos, and can be killed.

Apart from ``decoding.py`` because starting, asking and ending it is one thing,
and what to ask when another.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from typing import IO

from pytest_vdg.errors import CouldNotBeJudged, MediaError
from pytest_vdg.frames._exchange import READY, Job, Late, Look, Read, receive, send
from pytest_vdg.frames._files import safe_text

START_S = 120.0
"""How long a new process may take to import what it needs."""
GRACE_S = 5.0
"""Seconds that a process outlives its limit where no run is there to end it."""
LONGEST_S = 1e6
"""Longest limit; the kernel's timers take no more than 24 days."""
PIPE_BYTES = 1 << 20
"""What a pipe may hold at most that belongs to anybody, by Linux's default."""
_MAIN = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from pytest_vdg.frames._decoder import main; main()"
)


class _Killed(CouldNotBeJudged):
    """A process was killed before it was ready, by someone else."""


class Process:
    """One decoding process, started when it is needed and again when it died."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._forbidden = False

    def ask(self, task: Read | Look, timeout_s: float) -> object:
        """Return what *task* asks for, or raise what stands in its way.

        That is `MediaError` where it takes longer than *timeout_s* or ends the
        process.
        """
        timeout_s = min(timeout_s, LONGEST_S)
        path, child = safe_text(task.path), self._started()
        try:
            send(_fd(child.stdin), Job(task=task, limit_s=timeout_s + GRACE_S))
            reply = receive(_fd(child.stdout), time.monotonic() + timeout_s)
        except Late:
            self.end()
            raise MediaError(
                f"{path}: reading it took longer than {timeout_s:g} s, so it was "
                "stopped. If it is only long, set decode_timeout_s in vdg.yaml"
            ) from None
        except (EOFError, OSError):
            raise MediaError(
                f"{path}: the process that read it ended ({self._last_words()})"
            ) from None
        except BaseException:
            self.end()  # half a message may be left in the pipe
            raise
        if isinstance(reply, Exception):
            raise reply
        return reply

    def forbid(self) -> None:
        """Kill the process, and let no other one take its place."""
        with self._lock:
            self._forbidden = True
            if self._child is not None:
                self._child.kill()

    def end(self) -> int | None:
        """Kill the process and forget it; return what it ended with, if it did."""
        with self._lock:
            child, self._child = self._child, None
        if child is None:
            return None
        child.kill()
        code = child.wait()
        for pipe in (child.stdin, child.stdout):
            assert pipe is not None
            pipe.close()
        return code

    def _last_words(self) -> str:
        """Say how a process ended that closed its pipe."""
        if self._child is not None:
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(1.0)  # so that its own signal is told, not ours
        code = self.end()
        return f"signal {-code}" if code is not None and code < 0 else f"code {code}"

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is not None:
            self.end()  # between two videos: none of them is to blame
        if self._child is not None:
            return self._child
        try:
            return self._new()
        except _Killed:  # by whoever needed memory: a moment later there may be some
            return self._new()

    def _new(self) -> subprocess.Popen[bytes]:
        with tempfile.TemporaryFile() as complaints:
            with self._lock:
                if self._forbidden:
                    raise MediaError("the run has ended")
                child = self._child = _start(complaints)
            try:
                ready = receive(_fd(child.stdout), time.monotonic() + START_S)
            except (Late, EOFError) as error:
                ending = self._last_words()
                complaints.seek(0)
                said = complaints.read().decode(errors="replace")
                killed = isinstance(error, EOFError) and ending.startswith("signal")
                raise _cannot_start(said or ending, killed=killed) from error
        assert ready == READY
        return child


def _start(complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    paths = [path for path in sys.path if isinstance(path, str)]
    try:
        child = subprocess.Popen(  # noqa: S603 - this interpreter, and our own text
            [sys.executable, "-c", _MAIN, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            bufsize=0,
        )
    except OSError as error:
        raise _cannot_start(str(error)) from error
    _widen(_fd(child.stdout))
    return child


def _widen(fd: int) -> None:
    """Have the pipe *fd* hold more, where the system lets us.

    Each piece that is read waits for the interpreter, which another thread may use
    for milliseconds; a large clip comes in sixteen times fewer of them.
    """
    with suppress(ImportError, AttributeError, OSError):
        fcntl = importlib.import_module("fcntl")  # not on every system
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def _cannot_start(why: str, *, killed: bool = False) -> CouldNotBeJudged:
    last = safe_text((why.strip().splitlines() or ["no reason was given"])[-1])
    return (_Killed if killed else CouldNotBeJudged)(
        f"the process that reads videos cannot be started: {last}. Set decode_workers: "
        "0 in vdg.yaml to read them in this process, where none can be stopped"
    )


def _fd(pipe: IO[bytes] | None) -> int:
    assert pipe is not None
    return pipe.fileno()
