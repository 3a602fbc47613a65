"""Files that are there whole or not at all.

Apart from run files because every file that is written beside a running
process needs the same few steps in the same order.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Callable, Iterable
from itertools import chain, count
from pathlib import Path

from pytest_vdg.errors import StoreError


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Put *data*, whole or in parts, at *path* through a synced file beside it.

    What is there and is no file, as a pipe or a device, is written to as it is.
    Raises `StoreError` where that is impossible; what was there then stays.
    """
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.tmp")
    parts = [data] if isinstance(data, bytes) else data
    try:
        if is_stream(path):
            with path.open("ab") as stream:  # what was said before stays
                stream.writelines(parts)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("xb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _sync_folder(path.parent)
    except OSError as e:
        raise StoreError(f"{path} cannot be written: {e}") from e
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def is_stream(path: Path) -> bool:
    """Whether *path* is a pipe or a device: not to be replaced by a file.

    So is ``/dev/stdout``, which is the system's link even where it leads to a file.
    """
    if not path.exists() or path.is_dir():
        return False
    ours = path.absolute().parts[1:2] not in (("dev",), ("proc",))
    return not path.is_file() or (path.is_symlink() and not ours)


def keep_broken(path: Path, read: Callable[[Path], object]) -> Path | None:
    """Move what *read* refuses at *path* aside, so that writing loses nothing.

    Returns where it is then: beside it as ``.bak``, or ``.bak2`` and so on where
    something was kept before. None where there was nothing to keep.
    """
    if not path.exists():
        return None
    try:
        read(path)
    except StoreError:
        names = (f"{path.name}.bak{number}" for number in chain([""], count(2)))
        kept = next(p for p in map(path.with_name, names) if not os.path.lexists(p))
        try:
            path.replace(kept)
        except OSError as e:
            raise StoreError(f"{path} cannot be moved aside: {e}") from e
        return kept
    return None


def _sync_folder(folder: Path) -> None:
    # The new name survives a power cut only once the folder is on disk, too.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
