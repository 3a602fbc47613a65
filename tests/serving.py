"""`serving`: a real server, ``transformers serve``, on loopback.

Apart from the tests that ask it because it takes packages that a server needs
and we do not; where they are missing, such a test is skipped.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

STARTS_IN_S = 600.0
_MAIN = "from transformers.cli.transformers import main; main()"


@contextmanager
def serving(folder: Path, checkpoint: Path | None = None) -> Iterator[str]:
    """Give the address of a server; it is ended afterwards.

    It serves *checkpoint*, or what a request names by its path. What it says is
    written into *folder*.
    """
    needed = ("torch", "transformers", "fastapi", "uvicorn", "openai", "requests")
    for package in needed:
        pytest.importorskip(package, reason="needs the extra transformers[serving]")
    with own_port() as port, _started(folder, checkpoint, port) as url:
        yield url


@contextmanager
def own_port() -> Iterator[int]:
    """Give a port that nobody else gets until who it is for listens on it.

    A socket that is bound and does not listen keeps it: the system gives it to no
    other, and who asks for it by number may have it.
    """
    with socket.socket() as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]


@contextmanager
def _started(folder: Path, checkpoint: Path | None, port: int) -> Iterator[str]:
    log = folder / "log.txt"
    named = [] if checkpoint is None else [str(checkpoint)]
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    command = [sys.executable, "-c", _MAIN, "serve", *named, *options]
    quiet = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--dtype", "float32"],
            stdout=out,
            stderr=out,
            env={**os.environ, **quiet},
        )
    try:
        _wait(process, f"http://127.0.0.1:{port}/health", log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:  # it waits for someone who has gone
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], health: str, log: Path) -> None:
    end = time.monotonic() + STARTS_IN_S
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(health, timeout=60):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"transformers serve did not start:\n{log.read_text()[-2000:]}")
