"""One SQLite file that several processes use: opened, waited for, explained.

Apart from what is kept in it because all of this is about the file: forks,
locks, write-ahead mode, and errors that name the path and what to do.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_vdg.errors import StoreError
from pytest_vdg.store._folder import make_folder, require_writable
from pytest_vdg.store._schema import LAYOUT, lay_out

PATIENCE_S = 60.0
"""How long a process waits for another one's write, in seconds."""

_INHERITED: list[sqlite3.Connection | None] = []
_MAGIC = b"SQLite format 3\x00"


class Database:
    """The file at *path*; nothing is created before something is written."""

    def __init__(self, path: Path) -> None:
        """Raise `StoreError` when *path* cannot be used; create nothing."""
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._owner = os.getpid()
        require_writable(path.parent)
        if path.exists():
            self._require_database()

    def existing(self) -> sqlite3.Connection | None:
        """Return a connection, or None where there is no file yet."""
        return self.opened() if self.path.exists() else None

    def opened(self) -> sqlite3.Connection:
        """Return this process' connection, in autocommit mode; make the file."""
        if self._owner != os.getpid():
            # A connection carried over a fork would corrupt the file, and so
            # might closing it; it stays as it is until this process ends.
            _INHERITED.append(self._connection)
            self._connection, self._owner = None, os.getpid()
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Let SQLite's errors inside name the file and what to do."""
        try:
            yield
        except sqlite3.Error as e:
            raise self.broken(e) from e

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give a connection whose writes inside arrive together or not at all."""
        connection = self.opened()
        with self.explained():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._connection is not None and self._owner == os.getpid():
            self._connection.close()
        self._connection = None

    def broken(self, why: object) -> StoreError:
        """Return the error that says *why* the file cannot be used."""
        if isinstance(why, sqlite3.OperationalError):
            advice = "Check free space, permissions, and who else has it open"
        else:
            advice = (
                f"Move it and {self.path.name}-* beside it away, or delete them; "
                "their questions are then asked again"
            )
        return StoreError(f"answers in {self.path} cannot be used: {why}. {advice}")

    def _connect(self) -> sqlite3.Connection:
        make_folder(self.path.parent)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self._set_up()
            except sqlite3.Error as e:  # noqa: PERF203
                # Switching to write-ahead mode does not wait for others,
                # whatever the timeout says; so this does.
                if "locked" not in str(e) or time.monotonic() > deadline:
                    raise self.broken(e) from e
                time.sleep(0.01)

    def _set_up(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=PATIENCE_S, isolation_level=None
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # With a write-ahead log NORMAL survives the death of any process;
            # only a power cut may cost the last answers, never the file.
            connection.execute("PRAGMA synchronous = NORMAL")
            self._require_layout(lay_out(connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def _require_layout(self, version: int) -> None:
        if version != LAYOUT:
            raise StoreError(
                f"{self.path} has layout {version}, and this version of pytest-vdg "
                f"knows up to {LAYOUT}: a newer one wrote it. Use that one, or move "
                "the file away; its questions are then asked again"
            )

    def _require_database(self) -> None:
        try:
            with self.path.open("rb") as file:
                head = file.read(len(_MAGIC))
        except OSError as e:
            raise StoreError(f"answers in {self.path} cannot be read: {e}") from e
        # An empty file is what a process leaves that dies in creating it.
        if head and head != _MAGIC:
            raise self.broken("file is not a database")
