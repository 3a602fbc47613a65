"""What goes over the pipes between a run and the processes that decode for it.

Apart from both ends so that they cannot disagree. A message is a pickle whose
arrays follow it as they lie in memory, so that a clip is copied once::

    number of buffers | length of each part | pickle | buffer | buffer ...

Either end may die in the middle of one: a message is whole or it is no message.
"""

from __future__ import annotations

import os
import pickle
import select
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from pytest_vdg.frames.excerpt import Excerpt
from pytest_vdg.frames.sampling import Sampling

READY = "ready"
"""First message of a decoding process, once it has imported what it needs."""
_COUNT = struct.Struct("!I")
_LENGTH = struct.Struct("!Q")
_PIECE = 1 << 20
"""Bytes that are asked of a pipe at once."""


class Late(Exception):
    """The other end did not finish its message in time."""


@dataclass(frozen=True, kw_only=True)
class Want:
    """A part of a video, as the frames that are to be shown of it."""

    path: Path
    excerpt: Excerpt
    size: tuple[int, int] | None
    """Height and width to scale to; None: as in the file."""
    also: tuple[Sampling, ...] = ()
    """Samplings besides the run's own, whose frames are taken in the same pass."""
    crf: int | None = None
    """Constant rate factor at which the video is encoded again; None: as it is."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """What a clip is made of."""

    want: Want
    sampling: Sampling
    reader: str

    @property
    def path(self) -> Path:
        """Where the video lies."""
        return self.want.path


@dataclass(frozen=True, kw_only=True)
class Look:
    """What is known of a video before it is read; `decode.probe`."""

    path: Path
    picture_rate: float | None


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a decoding process is asked for."""

    task: Read | Look
    limit_s: float
    """Seconds after which the process ends itself, whatever it is doing."""


def send(fd: int, message: object) -> None:
    """Write *message* to the pipe *fd*; raises `OSError` where no one reads."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    lengths = b"".join(_LENGTH.pack(part.nbytes) for part in parts)
    _write(fd, memoryview(_COUNT.pack(len(parts)) + lengths))
    for part in parts:
        _write(fd, part)


def receive(fd: int, deadline: float | None = None) -> object:
    """Return the next message from the pipe *fd*.

    Raises `EOFError` where the other end closed it, and `Late` at the
    *deadline* (of `time.monotonic`).
    """
    (count,) = _COUNT.unpack(_read(fd, _COUNT.size, deadline))
    packed = _read(fd, count * _LENGTH.size, deadline)
    head, *rest = (
        _read(fd, length, deadline) for (length,) in _LENGTH.iter_unpack(packed)
    )
    # The other end is our own process, told by us what to read.
    return pickle.loads(head, buffers=rest)  # noqa: S301


def _write(fd: int, data: memoryview) -> None:
    while data:
        data = data[os.write(fd, data) :]


def _read(fd: int, length: int, deadline: float | None) -> bytearray:
    whole = bytearray(length)
    room = memoryview(whole)
    while room:
        if deadline is not None:
            _await(fd, deadline)
        got = os.readv(fd, [room[:_PIECE]])
        if not got:
            raise EOFError
        room = room[got:]
    return whole


def _await(fd: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    left = deadline - time.monotonic()
    if left <= 0 or not poll.poll(left * 1000):
        raise Late
