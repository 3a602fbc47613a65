"""Answers that were given once, so that no model is asked twice.

One SQLite file in write-ahead mode. Apart from run files because the two have
opposite needs: this one takes many writers and sudden deaths and is no one's
reading matter; a baseline is written once and read by people.

Append-only, by triggers in the file itself: an answer under a key never
changes, so whoever comes second is ignored, and no reader sees two answers.
"""

from __future__ import annotations

import os
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

from pytest_vdg.errors import StoreError
from pytest_vdg.runs import CellResult, Outcome
from pytest_vdg.store._folder import make_folder, require_writable
from pytest_vdg.store.keys import SCHEMA
from pytest_vdg.store.records import cell_from_record, cell_to_record, dumps, loads

FILE_NAME = "cells.sqlite"
PATIENCE_S = 60.0
"""How long a process waits for another one's write, in seconds."""

_INHERITED: list[sqlite3.Connection | None] = []
_MAGIC = b"SQLite format 3\x00"
_CREATE = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS cells (
    key TEXT PRIMARY KEY NOT NULL,
    record TEXT NOT NULL,
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS cells_never_change BEFORE UPDATE ON cells
    BEGIN SELECT RAISE(ABORT, 'answers are append-only'); END;
CREATE TRIGGER IF NOT EXISTS cells_never_leave BEFORE DELETE ON cells
    BEGIN SELECT RAISE(ABORT, 'answers are append-only'); END;
"""


class CellStore:
    """Answers by key, in ``cells.sqlite`` of a folder.

    Nothing is created before the first answer is put. Safe under several
    processes; a killed one loses at most the answer it was about to put.
    """

    def __init__(self, folder: Path | str) -> None:
        """Raise `StoreError` when *folder* cannot be used; create nothing."""
        self.path = Path(folder) / FILE_NAME
        """The database file, which need not exist yet."""
        self._connection: sqlite3.Connection | None = None
        self._owner = os.getpid()
        require_writable(self.path.parent)
        if self.path.exists():
            self._require_database()

    def get(self, key: str) -> CellResult | None:
        """Return the cell under *key* marked as cached, or None."""
        connection = self._existing()
        if connection is None:
            return None
        try:
            row = connection.execute(
                "SELECT record FROM cells WHERE key = ?", (key,)
            ).fetchone()
        except sqlite3.Error as e:
            raise self._broken(e) from e
        return None if row is None else self._cell(key, row[0])

    def put(self, key: str, cell: CellResult) -> None:
        """Keep *cell* under *key*, unless there is one already.

        A ``failed`` cell raises ``ValueError``: a failure is no answer, and
        must not be found by the next run.
        """
        if cell.outcome is Outcome.FAILED:
            raise ValueError(
                f"question {cell.question_id!r}, condition {cell.condition!r}: "
                "failed cells are not kept, they are asked again"
            )
        record = dumps(cell_to_record(cell))
        connection = self._opened()
        try:
            connection.execute(
                "INSERT OR IGNORE INTO cells (key, record) VALUES (?, ?)",
                (key, record),
            )
        except sqlite3.Error as e:
            raise self._broken(e) from e

    def count(self) -> int:
        """Return the number of answers kept."""
        connection = self._existing()
        if connection is None:
            return 0
        try:
            return int(connection.execute("SELECT count(*) FROM cells").fetchone()[0])
        except sqlite3.Error as e:
            raise self._broken(e) from e

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._connection is not None and self._owner == os.getpid():
            self._connection.close()
        self._connection = None

    def _existing(self) -> sqlite3.Connection | None:
        return self._opened() if self.path.exists() else None

    def _opened(self) -> sqlite3.Connection:
        if self._owner != os.getpid():
            # A connection carried over a fork would corrupt the file, and so
            # might closing it; it stays as it is until this process ends.
            _INHERITED.append(self._connection)
            self._connection, self._owner = None, os.getpid()
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

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
                    raise self._broken(e) from e
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
            self._require_schema(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _require_schema(self, connection: sqlite3.Connection) -> None:
        version = _version(connection)
        if version == 0:
            connection.executescript(
                f"{_CREATE} PRAGMA user_version = {SCHEMA}; COMMIT;"
            )
            version = _version(connection)
        if version != SCHEMA:
            raise StoreError(
                f"{self.path} has schema {version}, this version of pytest-vdg "
                f"reads {SCHEMA}. Move it away; its questions are then asked again"
            )

    def _require_database(self) -> None:
        try:
            with self.path.open("rb") as file:
                head = file.read(len(_MAGIC))
        except OSError as e:
            raise StoreError(f"answers in {self.path} cannot be read: {e}") from e
        # An empty file is what a process leaves that dies in creating it.
        if head and head != _MAGIC:
            raise self._broken("file is not a database")

    def _cell(self, key: str, record: str) -> CellResult:
        try:
            return replace(cell_from_record(loads(record)), cached=True)
        except (ValueError, KeyError, TypeError) as e:
            raise self._broken(f"record {key[:12]}: {e}") from e

    def _broken(self, why: object) -> StoreError:
        if isinstance(why, sqlite3.OperationalError):
            advice = "Check free space, permissions, and who else has it open"
        else:
            advice = (
                f"Move it and {self.path.name}-* beside it away, or delete them; "
                "their questions are then asked again"
            )
        return StoreError(f"answers in {self.path} cannot be used: {why}. {advice}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
