"""`Shelf`: clips kept in memory for another run that shows the same frames.

Apart from the reel, which knows what one run needs and when, because what the
next run of a session needs is all of it again, from the first video on. So it is
the first clips that are kept, as many as fit: of the latest, none would be there
by the time that it is their turn.
"""

from __future__ import annotations

import threading
from pathlib import Path

from pytest_vdg.frames._exchange import Read
from pytest_vdg.frames.clip import Clip

ROOM = 512 << 20
"""Bytes of clips that are kept; some 300 of 8 frames of 320 by 240 pixels."""

Stamp = tuple[int, ...]
"""What the system tells of a file, which changes when the file does."""


class Shelf:
    """Clips by what they are made of, as long as their files stay as they were."""

    def __init__(self, room: int = ROOM) -> None:
        """Keep nothing yet, and never more than *room* bytes."""
        self._room = room
        self._lock = threading.Lock()  # clips come from several threads
        self._kept: dict[Read, tuple[Stamp, Clip]] = {}

    def get(self, read: Read) -> Clip | None:
        """Return the clip of *read*, if it was kept and its file is unchanged."""
        kept = self._kept.get(read)
        if kept is None or kept[0] != stamp(read.path):
            return None
        return kept[1]

    def put(self, read: Read, clip: Clip, seen: Stamp | None) -> None:
        """Keep *clip* if it fits; *seen* is the file's `stamp` before it was read."""
        if seen is None or seen != stamp(read.path):
            return  # nobody knows which content was read
        with self._lock:
            old = self._kept.pop(read, None)
            self._room += 0 if old is None else old[1].frames.nbytes
            if clip.frames.nbytes <= self._room:
                self._room -= clip.frames.nbytes
                self._kept[read] = seen, clip


def stamp(path: Path) -> Stamp | None:
    """Return what tells that the file at *path* is unchanged; None for no file.

    A folder of pictures has none: its own times do not tell of its pictures.
    """
    try:
        found = path.stat()
        if path.is_dir():
            return None
    except (OSError, ValueError):
        return None
    times = found.st_mtime_ns, found.st_ctime_ns
    return found.st_dev, found.st_ino, found.st_size, *times
