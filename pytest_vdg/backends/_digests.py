"""Content digests of large files, kept from one session to the next.

Apart from the checkpoint's other files because hashing 16 GB takes a minute,
and because a digest that is kept needs rules: a file is known again by where
it lies and by all that the system tells of it, and what was changed a moment
ago is never trusted, since a second change might show in none of that.

They are kept for the user (``$XDG_CACHE_HOME``, by default ``~/.cache``) and
not in the folder of answers: a checkpoint is used by several projects, and
inodes mean nothing on the next machine, to which a folder of answers may go.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.atomic import write_atomically
from pytest_vdg.errors import StoreError

WORTH_BYTES = 32 << 20
"""Smaller files are hashed each time: that takes no longer than looking."""

SETTLED_NS = 2_000_000_000
"""How long a file must have been left alone before its digest is kept.

Times of files move in steps, of up to two seconds on some systems.
"""

MOST = 1000
"""Files that are remembered; the oldest are forgotten first."""

_VERSION = 1
_BLOCK = 1 << 22


def content_digest(path: Path) -> bytes:
    """Return the SHA-256 of the content of *path*, from memory where that is safe."""
    stat = path.stat()
    if stat.st_size < WORTH_BYTES:
        return _hashed(path)
    name, seen = str(path.resolve()), _identity(stat)
    known = _remembered().get(name)
    if known is not None and known["identity"] == seen:
        return bytes.fromhex(known["sha256"])
    begun = time.time_ns()
    digest = _hashed(path)
    newest = max(stat.st_mtime_ns, stat.st_ctime_ns)
    if newest < begun - SETTLED_NS and _identity(path.stat()) == seen:
        _remember(name, {"identity": seen, "sha256": digest.hex()})
    return digest


def cache_file() -> Path:
    """Return where digests are kept; the file need not exist."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The specification wants a relative path to be ignored.
    base = given if given.is_absolute() else Path("~/.cache").expanduser()
    return base / "pytest-vdg" / "weights.json"


def _identity(stat: os.stat_result) -> list[int]:
    """Return what changes when a file does, however carefully it is changed.

    A program may set the time of a file's content back, but not ``ctime``.
    """
    return [
        stat.st_size,
        stat.st_mtime_ns,
        stat.st_ctime_ns,
        stat.st_ino,
        stat.st_dev,
    ]


def _hashed(path: Path) -> bytes:
    state = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            state.update(block)
    return state.digest()


def _remembered() -> dict[str, Mapping[str, Any]]:
    """Return what is known by path; nothing where the file is not as we write it."""
    try:
        read: Any = json.loads(cache_file().read_bytes())
        if read["version"] != _VERSION:
            return {}
        files = read["files"].items()
        return {name: known for name, known in files if _is_sound(known)}
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # there is none, or whatever became of it


def _is_sound(known: Any) -> bool:  # noqa: ANN401 - whatever the file holds
    try:
        identity, digest = known["identity"], bytes.fromhex(known["sha256"])
    except (KeyError, TypeError, ValueError):
        return False
    return isinstance(identity, list) and len(digest) == hashlib.sha256().digest_size


def _remember(name: str, known: Mapping[str, Any]) -> None:
    """Add a file; another process that writes at the same time may undo it.

    That costs its next session the hashing, and no more.
    """
    files = _remembered()
    files.pop(name, None)  # the newest is the last
    files[name] = known
    kept = dict(list(files.items())[-MOST:])
    text = json.dumps({"version": _VERSION, "files": kept}, indent=1)
    # No home, a full disk: the digest is right all the same.
    with contextlib.suppress(StoreError, RuntimeError):
        write_atomically(cache_file(), text.encode())
