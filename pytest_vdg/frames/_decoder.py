"""The process that decodes: reads videos for the run that started it.

Apart from ``decoding.py``, its other end, because this is all that the process
runs: it knows no model and no test, and imports torch only where decord is
used. A video may stop native code for ever, with Python's lock held; so the
process lets the kernel end it, even when the run that would is dead by then.
"""

from __future__ import annotations

import importlib
import os
import signal
import traceback
from contextlib import suppress

from pytest_vdg.errors import MediaError, VdgError
from pytest_vdg.frames._exchange import READY, Job, Look, Read, receive, send
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import VideoInfo, probe, read_clip


def main() -> None:
    """Answer jobs from standard input on standard output until it is closed."""
    # Ctrl-C is for the run; it ends this process by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    jobs, replies = os.dup(0), os.dup(1)
    # Native code writes where it likes; it must not write into a message.
    silence = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(silence, fd)
    with suppress(ImportError):  # whoever needs it says so
        importlib.import_module("av")  # now, and not in the first video's time
    try:
        send(replies, READY)
        serve(jobs, replies)
    except (EOFError, BrokenPipeError):
        return  # the run has ended, in whatever way


def serve(jobs: int, replies: int) -> None:
    """Answer jobs that come by one pipe on another; raises `EOFError` at the end."""
    while True:
        job = receive(jobs)
        assert isinstance(job, Job)
        signal.setitimer(signal.ITIMER_REAL, job.limit_s)
        send(replies, answer(job.task))
        signal.setitimer(signal.ITIMER_REAL, 0)


def answer(task: Read | Look) -> Clip | VideoInfo | Exception:
    """Return what *task* asks for, or what stands in its way."""
    try:
        return done(task)
    except VdgError as error:
        return error
    except MemoryError:
        return MediaError(f"{task.path}: its frames do not fit into memory")
    except Exception:  # noqa: BLE001 - a fault of ours, shown where the run is
        return RuntimeError(f"reading {task.path} failed:\n{traceback.format_exc()}")


def done(task: Read | Look) -> Clip | VideoInfo:
    """Return what *task* asks for."""
    if isinstance(task, Look):
        return probe(task.path, picture_rate=task.picture_rate)
    want = task.want
    return read_clip(
        want.path,
        task.sampling,
        excerpt=want.excerpt,
        reader=task.reader,
        size=want.size,
        also=want.also,
        crf=want.crf,
    )
