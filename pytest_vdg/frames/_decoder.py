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
from pytest_vdg.frames._exchange import READY, Job, receive, send
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import read_clip


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
        send(replies, answer(job))
        signal.setitimer(signal.ITIMER_REAL, 0)


def answer(job: Job) -> Clip | Exception:
    """Return the clip that *job* asks for, or what stands in its way."""
    want = job.want
    try:
        return read_clip(
            want.path,
            job.sampling,
            excerpt=want.excerpt,
            reader=job.reader,
            size=want.size,
        )
    except VdgError as error:
        return error
    except MemoryError:
        return MediaError(f"{want.path}: its frames do not fit into memory")
    except Exception:  # noqa: BLE001 - a fault of ours, shown where the run is
        return RuntimeError(f"decoding {want.path} failed:\n{traceback.format_exc()}")
