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

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import cast

from pytest_vdg.frames._exchange import Look, Read, Want
from pytest_vdg.frames._process import Process
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import VideoInfo, probe, read_clip
from pytest_vdg.frames.sampling import Sampling

__all__ = ["Decoders", "Want"]


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
        self._idle = [Process() for _ in range(self.workers)]
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
        task = Read(want=want, sampling=self._sampling, reader=self._reader)
        return cast(
            "Callable[[], Clip]", self._threads().submit(self._there, task).result
        )

    def look(self, path: Path, *, picture_rate: float | None = None) -> VideoInfo:
        """Return what `probe` does, now, and as safely as clips are read."""
        if not self.workers:
            return probe(path, picture_rate=picture_rate)
        task = Look(path=path, picture_rate=picture_rate)
        return cast("VideoInfo", self._threads().submit(self._there, task).result())

    def close(self) -> None:
        """End all processes, whatever they do; may be called twice."""
        for process in self._all:
            process.forbid()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        for process in self._all:
            process.end()

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.workers, "vdg-decode")
        return self._pool

    def _here(self, want: Want) -> Clip:
        return read_clip(
            want.path,
            self._sampling,
            excerpt=want.excerpt,
            reader=self._reader,
            size=want.size,
        )

    def _there(self, task: Read | Look) -> object:
        # One thread a process, so that there is always one to take.
        process = self._idle.pop()
        try:
            found = process.ask(task, self._timeout_s)
        finally:
            self._idle.append(process)
        if isinstance(found, Clip):
            for array in (found.frames, found.timestamps_s):
                array.setflags(write=False)  # as they were before they were sent
        return found
