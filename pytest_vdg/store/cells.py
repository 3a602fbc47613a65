"""Answers that were given once, so that no model is asked twice.

One SQLite file in write-ahead mode. Apart from run files because the two have
opposite needs: this one takes many writers and sudden deaths and is no one's
reading matter; a baseline is written once and read by people.

Append-only, by triggers in the file itself: an answer under a key never
changes, so whoever comes second is ignored, and no reader sees two answers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pytest_vdg.errors import StoreError
from pytest_vdg.runs import CellResult, Outcome
from pytest_vdg.store._database import Database
from pytest_vdg.store._schema import shown
from pytest_vdg.store.records import cell_from_record, cell_to_record, dumps, loads

FILE_NAME = "cells.sqlite"
SAMPLE = 500
"""Answers of one condition that are looked at to tell what one costs."""
_SAME = "origin IN (SELECT id FROM origins WHERE weights = ? AND setup = ?)"
_AT_ONCE = 500
"""Keys of one query; older SQLite takes 999 values."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Whose answer it is; for looking and estimating, and part of no key."""

    checkpoint: str = ""
    """What people call the checkpoint; empty where it is not told."""
    weights: str = ""
    """Content digest of the weights."""
    setup: str = ""
    """Digest of how it was asked, as far as that decides what asking costs."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one answer cost when it was given."""

    condition: str
    tokens: int | None
    """Input tokens; None where they were not told."""
    seconds: float | None
    """Time of the model's answer alone; None where it was not told."""


class CellStore:
    """Answers by key, in ``cells.sqlite`` of a folder.

    Nothing is created before the first answer is put. Safe under several
    processes, which see each other's answers at once; a killed one loses at
    most what it was about to put.
    """

    def __init__(self, folder: Path | str) -> None:
        """Raise `StoreError` when *folder* cannot be used; create nothing."""
        self.path = Path(folder) / FILE_NAME
        """The database file, which need not exist yet."""
        self.database = Database(self.path)
        """The way into the file, for `store.contents`."""

    def get(self, key: str) -> CellResult | None:
        """Return the cell under *key* marked as cached, or None."""
        return self.get_many((key,)).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, CellResult]:
        """Return the cells under those of *keys* that there are, as cached."""
        connection = self.database.existing()
        if connection is None:
            return {}
        found: dict[str, CellResult] = {}
        for some in _batches(keys, _AT_ONCE):
            marks = ",".join("?" * len(some))
            with self.database.explained():
                rows = connection.execute(
                    f"SELECT key, record FROM cells WHERE key IN ({marks})",  # noqa: S608
                    some,
                ).fetchall()
            found.update((key, self._cell(key, record)) for key, record in rows)
        return found

    def put(self, key: str, cell: CellResult, *, origin: Origin | None = None) -> None:
        """Keep *cell* under *key*, unless there is one already; as `put_many`."""
        self.put_many([(key, cell)], origin=origin)

    def put_many(
        self, pairs: Iterable[tuple[str, CellResult]], *, origin: Origin | None = None
    ) -> None:
        """Keep all cells of *pairs* under their keys, or none of them.

        A key that has a cell already keeps it. A ``failed`` cell raises
        ``ValueError``: a failure is no answer, and must not be found by the
        next run. So does a number that is none.
        """
        rows = [_row(key, cell) for key, cell in pairs]
        if not rows:
            return
        with self.database.transaction() as connection:
            number = 0 if origin is None else _number(connection, origin)
            connection.executemany(
                "INSERT OR IGNORE INTO cells (key, record, question, condition, "
                "origin) VALUES (?, ?, ?, ?, ?)",
                [(*row, number) for row in rows],
            )

    def costs(self, origin: Origin) -> Iterator[Cost]:
        """Yield what answers of the same weights and setup as *origin*'s cost.

        Of each condition the last `SAMPLE` at most.
        """
        connection = self.database.existing()
        if connection is None:
            return
        given = shown(origin.weights), shown(origin.setup)
        with self.database.explained():
            conditions = connection.execute(
                f"SELECT DISTINCT condition FROM cells WHERE {_SAME}",  # noqa: S608
                given,
            ).fetchall()
            query = (
                f"SELECT key, record FROM cells WHERE {_SAME} "  # noqa: S608
                "AND condition = ? ORDER BY rowid DESC LIMIT ?"
            )
            rows = [
                row
                for (condition,) in conditions
                for row in connection.execute(query, (*given, condition, SAMPLE))
            ]
        for key, record in rows:
            cell = self._cell(key, record)
            yield Cost(
                condition=cell.condition,
                tokens=cell.prompt_tokens or None,
                seconds=cell.seconds,
            )

    def count(self) -> int:
        """Return the number of answers kept."""
        connection = self.database.existing()
        if connection is None:
            return 0
        with self.database.explained():
            return int(connection.execute("SELECT count(*) FROM cells").fetchone()[0])

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.database.close()

    def _cell(self, key: str, record: str) -> CellResult:
        try:
            return replace(cell_from_record(loads(record)), cached=True)
        except (ValueError, KeyError, TypeError) as e:
            raise self._bad_record(key, e) from e

    def _bad_record(self, key: str, why: Exception) -> StoreError:
        return self.database.broken(f"record {key[:12]}: {why}")


def _row(key: str, cell: CellResult) -> tuple[str, str, str, str]:
    if cell.outcome is Outcome.FAILED:
        raise ValueError(
            f"question {cell.question_id!r}, condition {cell.condition!r}: "
            "failed cells are not kept, they are asked again"
        )
    record = dumps(cell_to_record(cell))
    return key, record, shown(cell.question_id), shown(cell.condition)


def _number(connection: sqlite3.Connection, origin: Origin) -> int:
    """Return the number of *origin* in the file, within a transaction.

    Looked up each time: pruning may have taken it away since the last.
    """
    given = tuple(map(shown, (origin.checkpoint, origin.weights, origin.setup)))
    connection.execute(
        "INSERT OR IGNORE INTO origins (checkpoint, weights, setup) VALUES (?, ?, ?)",
        given,
    )
    found = connection.execute(
        "SELECT id FROM origins WHERE checkpoint = ? AND weights = ? AND setup = ?",
        given,
    ).fetchone()
    return int(found[0])


def _batches(keys: Iterable[str], size: int) -> Iterator[Sequence[str]]:
    rest = iter(keys)
    while some := list(islice(rest, size)):
        yield some
