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
from collections.abc import Callable, Iterable, Iterator
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
from pytest_vdg.frames.shelf import Shelf, Stamp, stamp

__all__ = ["Decoders", "Want"]

ENCODING_TAKES = 20.0
"""How much longer a video may take that is encoded again: all of its frames are
decoded, and encoding is ten times slower than decoding."""

MOST_LOOKS = 64
"""Videos that are looked at ahead; what is known of a long one is large."""

Place = tuple[Path, float | None]
"""A video, and the pictures a second of one that is a folder."""


class Decoders(AbstractContextManager["Decoders"]):
    """Reads clips, in *workers* processes or, with 0, in this one."""

    def __init__(
        self,
        *,
        sampling: Sampling,
        reader: str = "auto",
        workers: int = 1,
        timeout_s: float = 120.0,
        shelf: Shelf | None = None,
    ) -> None:
        """Start nothing yet: a run whose answers are all known reads no video.

        What is on *shelf* is not read, and what is read is put there.
        """
        # An interpreter inside another program has none to start anew.
        self.workers = workers if sys.executable else 0
        self.decodes = 0
        """How often a video was read."""
        self._sampling = sampling
        self._reader = reader
        self._timeout_s = timeout_s
        self._shelf = shelf
        self._idle = [Process() for _ in range(self.workers)]
        self._all = tuple(self._idle)
        self._pool: ThreadPoolExecutor | None = None
        self._to_look: Iterator[Place] = iter(())
        self._looks: dict[Place, Callable[[], VideoInfo]] = {}

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
        task = Read(want=want, sampling=self._sampling, reader=self._reader)
        if self._shelf is None:
            return self._begin_read(task)
        seen, kept = stamp(task.path), self._shelf.get(task)
        if kept is not None:
            return partial(_given, kept)
        return partial(self._put, self._begin_read(task), task, seen)

    def _begin_read(self, task: Read) -> Callable[[], Clip]:
        self.decodes += 1
        if not self.workers:
            return partial(self._here, task.want)
        return cast(
            "Callable[[], Clip]", self._threads().submit(self._there, task).result
        )

    def _put(self, read: Callable[[], Clip], task: Read, seen: Stamp | None) -> Clip:
        clip = read()
        if self._shelf is not None:
            self._shelf.put(task, clip, seen)
        return clip

    def look(self, path: Path, *, picture_rate: float | None = None) -> VideoInfo:
        """Return what `probe` does, now, and as safely as clips are read."""
        if not self.workers:
            return probe(path, picture_rate=picture_rate)
        place = path, picture_rate
        begun = self._looks.pop(place, None) or self._begin_look(place)
        found = begun()
        self._look_further()
        return found

    def look_ahead(self, places: Iterable[Place]) -> None:
        """Begin to look at *places*, in the order in which `look` will be asked.

        Those of an earlier call are forgotten. Without processes nothing is begun.
        """
        self._to_look, self._looks = iter(places), {}
        self._look_further()

    def _look_further(self) -> None:
        while self.workers and len(self._looks) < MOST_LOOKS:
            place = next(self._to_look, None)
            if place is None:
                return
            if place not in self._looks:
                self._looks[place] = self._begin_look(place)

    def _begin_look(self, place: Place) -> Callable[[], VideoInfo]:
        path, picture_rate = place
        task = Look(path=path, picture_rate=picture_rate)
        begun = self._threads().submit(self._there, task)
        return cast("Callable[[], VideoInfo]", begun.result)

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
            also=want.also,
            crf=want.crf,
        )

    def _there(self, task: Read | Look) -> object:
        # One thread a process, so that there is always one to take.
        process = self._idle.pop()
        encodes = isinstance(task, Read) and task.want.crf is not None
        limit = self._timeout_s * (ENCODING_TAKES if encodes else 1)
        try:
            found = process.ask(task, limit)
        finally:
            self._idle.append(process)
        if isinstance(found, Clip):
            for array in (found.frames, found.timestamps_s):
                array.setflags(write=False)  # as they were before they were sent
        return found


def _given(clip: Clip) -> Clip:
    return clip
