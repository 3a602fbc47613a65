"""Which pieces of work a process has taken, so that no other one does them too.

Apart from the answers because it means nothing after the job: it lies in a
folder of the job's own, on this machine's disk, and is thrown away with it.

A claim is a lock that the system keeps on one byte of a file. Whoever dies,
by whatever signal, loses its locks at that moment, so that nobody has to guess
from a process id or the age of a note whether the owner still lives.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.errors import StoreError
from pytest_vdg.runs import CellResult, Outcome
from pytest_vdg.store.records import cell_from_record, cell_to_record, dumps, loads

_TAKEN = (errno.EACCES, errno.EAGAIN)


class Claims:
    """What *workers* processes of one job have taken and asked.

    One a process: the system forgets a process' locks as soon as it closes any
    one of its handles on the file.
    """

    def __init__(self, folder: Path, *, workers: int) -> None:
        """Use *folder*, which all processes of the job see; create nothing yet."""
        if workers < 1:
            raise ValueError(f"workers must be at least 1, got {workers!r}")
        self.folder = folder
        self.workers = workers
        """How many processes share the work."""
        self._locks: int | None = None
        self._held: set[str] = set()
        self._asked: dict[str, CellResult | None] = {}
        self._read = 0  # bytes of the other file that were taken in

    def take(self, name: str, *, wait: bool = False) -> bool:
        """Take the piece of work *name*; return whether it is ours now.

        With *wait* it always is, in the end: when its owner released it or died.
        Waiting while holding another piece is a ``ValueError``, because two that
        do so may wait for each other.
        """
        if name in self._held:
            return True
        if wait and self._held:
            raise ValueError(f"waiting for {name!r} while holding {len(self._held)}")
        how = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
        try:
            fcntl.lockf(self._file(), how, 1, _place(name))
        except OSError as error:
            if error.errno in _TAKEN and not wait:
                return False
            raise self._broken(error) from error
        self._held.add(name)
        return True

    def release(self, names: Iterable[str] | None = None) -> None:
        """Give back those of *names* that are ours; all of them by default."""
        given = self._held & set(self._held if names is None else names)
        for name in given:
            fcntl.lockf(self._file(), fcntl.LOCK_UN, 1, _place(name))
        self._held -= given

    def note(self, cells: Iterable[tuple[str, CellResult]]) -> None:
        """Tell the others which keys were asked, with cells that no store takes.

        A cell that failed is not kept for the next job, and still must not be
        asked again in this one.
        """
        lines = [_line(key, cell) for key, cell in cells]
        if not lines:
            return
        try:
            # In one piece: others write to the end of the same file.
            with (self.folder / "asked.jsonl").open("ab", buffering=0) as file:
                file.write(("\n" + "".join(lines)).encode("ascii"))
        except OSError as error:
            raise self._broken(error) from error

    def asked(self) -> Mapping[str, CellResult | None]:
        """Return the keys that were asked in this job, with the cells that failed."""
        try:
            with (self.folder / "asked.jsonl").open("rb") as file:
                file.seek(self._read)
                new = file.read()
        except FileNotFoundError:
            return self._asked
        except OSError as error:
            raise self._broken(error) from error
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            self._asked.update(_told(line))
        return self._asked

    def close(self) -> None:
        """Give all back; may be called twice."""
        if self._locks is not None:
            os.close(self._locks)
        self._locks = None
        self._held.clear()

    def _file(self) -> int:
        if self._locks is None:
            try:
                flags = os.O_RDWR | os.O_CREAT
                self._locks = os.open(self.folder / "claims.lock", flags, 0o600)
            except OSError as error:
                raise self._broken(error) from error
        return self._locks

    def _broken(self, why: object) -> StoreError:
        return StoreError(
            f"workers cannot share their work in {self.folder}: {why}. Set TMPDIR to a "
            "folder on a disk of this machine, or leave --vdg-spread out"
        )


def _place(name: str) -> int:
    """Return the byte that stands for *name*; it need not exist to be locked.

    Two names of one byte would only wait for each other.
    """
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 2


def _line(key: str, cell: CellResult) -> str:
    kept = cell_to_record(cell) if cell.outcome is Outcome.FAILED else None
    return dumps([key, kept]) + "\n"


def _told(line: bytes) -> dict[str, CellResult | None]:
    """Return what *line* tells; half of one, by a writer that died, tells nothing."""
    try:
        key, record = loads(line.decode("ascii"))
        return {str(key): _cell(record)}
    except (ValueError, KeyError, TypeError):
        return {}


def _cell(record: Any) -> CellResult | None:  # noqa: ANN401
    return None if record is None else cell_from_record(record)
