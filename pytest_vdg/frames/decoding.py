"""`Decoders`: clips read ahead of the model, by processes that can be killed.

Apart from ``decode.py``, which reads a clip, because this is about when and
where: no reader can be trusted to return (some spin for ever with Python's lock
held, so that no thread and no signal handler gets a word in), and while a model
works the next videos can be read.

A process is started as a new interpreter and told by pipe what to read. It
inherits nothing of the run, neither the model's memory nor files, and the
script that asks is not imported again, as `multiprocessing` would do.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from functools import partial
from types import TracebackType
from typing import IO

from pytest_vdg.errors import CouldNotBeJudged, MediaError
from pytest_vdg.frames._exchange import READY, Job, Late, Want, receive, send
from pytest_vdg.frames._files import safe_text
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.sampling import Sampling

__all__ = ["Decoders", "Want"]

START_S = 120.0
"""How long a new process may take to import what it needs."""
GRACE_S = 5.0
"""Seconds that a process outlives its limit where no run is there to end it."""
_MAIN = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from pytest_vdg.frames._decoder import main; main()"
)


class Decoders(AbstractContextManager["Decoders"]):
    """Reads clips, in *workers* processes or, with 0, in this one."""

    def __init__(
        self,
        *,
        sampling: Sampling,
        reader: str = "auto",
        workers: int = 1,
        timeout_s: float = 120.0,
    ) -> None:
        """Start nothing yet: a run whose answers are all known reads no video."""
        # An interpreter inside another program has none to start anew.
        self.workers = workers if sys.executable else 0
        self.decodes = 0
        """How often a video was read."""
        self._sampling = sampling
        self._reader = reader
        self._timeout_s = timeout_s
        self._idle = [_Process() for _ in range(self.workers)]
        self._all = tuple(self._idle)
        self._pool: ThreadPoolExecutor | None = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all processes, finished or not."""
        self.close()

    def submit(self, want: Want) -> Callable[[], Clip]:
        """Have *want* read; return what waits for the clip, to be called once.

        It raises `MediaError` for a video that cannot give these frames, took
        longer than the limit, or ended the process that read it. Without
        processes the video is read when the clip is asked for.
        """
        self.decodes += 1
        if not self.workers:
            return partial(self._here, want)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.workers, "vdg-decode")
        return self._pool.submit(self._there, want).result

    def close(self) -> None:
        """End all processes, whatever they do; may be called twice."""
        for process in self._all:
            process.forbid()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        for process in self._all:
            process.end()

    def _here(self, want: Want) -> Clip:
        return read_clip(
            want.path,
            self._sampling,
            excerpt=want.excerpt,
            reader=self._reader,
            size=want.size,
        )

    def _there(self, want: Want) -> Clip:
        # One thread a process, so that there is always one to take.
        process = self._idle.pop()
        try:
            return process.read(
                Job(
                    want=want,
                    sampling=self._sampling,
                    reader=self._reader,
                    limit_s=self._timeout_s + GRACE_S,
                ),
                self._timeout_s,
            )
        finally:
            self._idle.append(process)


class _Process:
    """One decoding process, started when it is needed and again when it died."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._forbidden = False

    def read(self, job: Job, timeout_s: float) -> Clip:
        """Return the clip of *job*, or raise what stands in its way."""
        path = safe_text(job.want.path)
        child = self._started()
        try:
            send(_fd(child.stdin), job)
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
        assert isinstance(reply, Clip)
        for array in (reply.frames, reply.timestamps_s):
            array.setflags(write=False)  # as they were before they were sent
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
                raise _cannot_start(said or ending) from error
        assert ready == READY
        return child


def _start(complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    paths = [path for path in sys.path if isinstance(path, str)]
    try:
        return subprocess.Popen(  # noqa: S603 - this interpreter, and our own text
            [sys.executable, "-c", _MAIN, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            bufsize=0,
        )
    except OSError as error:
        raise _cannot_start(str(error)) from error


def _cannot_start(why: str) -> CouldNotBeJudged:
    last = safe_text((why.strip().splitlines() or ["no reason was given"])[-1])
    return CouldNotBeJudged(
        f"the process that reads videos cannot be started: {last}. Set decode_workers: "
        "0 in vdg.yaml to read them in this process, where none can be stopped"
    )


def _fd(pipe: IO[bytes] | None) -> int:
    assert pipe is not None
    return pipe.fileno()
