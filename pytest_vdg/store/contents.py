"""What is in a store, for people: listed, checked, thrown away, handed on.

Apart from `CellStore` because an engine only gets and puts. Nothing here is
needed for a verdict, and all of it may take its time.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_vdg.errors import StoreError
from pytest_vdg.runs import CellResult, Outcome
from pytest_vdg.store._schema import guard, shown, unguard
from pytest_vdg.store.cells import CellStore
from pytest_vdg.store.records import cell_from_record, cell_to_record, loads

_KEY = re.compile(r"[0-9a-f]{64}")
_ROWS = (
    "SELECT key, record, created, question, condition, coalesce(checkpoint, ''), "
    "coalesce(weights, '') FROM cells LEFT JOIN origins ON id = origin ORDER BY key"
)
_CHOSEN = (
    "(:checkpoint IS NULL OR :checkpoint = "
    "coalesce((SELECT checkpoint FROM origins WHERE id = origin), '')) "
    "AND (:before IS NULL OR created < :before)"
)


@dataclass(frozen=True, kw_only=True)
class Held:
    """What a store holds of one checkpoint."""

    checkpoint: str
    """Its name; empty for answers from before names were noted."""
    weights: str
    cells: int
    questions: int
    conditions: tuple[str, ...]
    first: str
    """When its first answer was kept: ``YYYY-MM-DD HH:MM:SS``, UTC."""
    last: str
    size: int
    """Bytes of its records."""


def held(store: CellStore) -> list[Held]:
    """Return what *store* holds, a checkpoint's weights after the other."""
    connection = store.database.existing()
    if connection is None:
        return []
    with store.database.explained():
        return [
            Held(
                checkpoint=checkpoint,
                weights=weights,
                cells=cells,
                questions=questions,
                conditions=_conditions(connection, checkpoint, weights),
                first=first,
                last=last,
                size=size,
            )
            for checkpoint, weights, cells, questions, first, last, size in _groups(
                connection
            )
        ]


def _groups(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT coalesce(checkpoint, '') AS name, coalesce(weights, '') AS digest, "
        "count(*), count(DISTINCT question), min(created), max(created), "
        "sum(length(record)) FROM cells LEFT JOIN origins ON id = origin "
        "GROUP BY name, digest ORDER BY name, min(created)"
    ).fetchall()


def _conditions(
    connection: sqlite3.Connection, checkpoint: str, weights: str
) -> tuple[str, ...]:
    found = connection.execute(
        "SELECT DISTINCT condition FROM cells LEFT JOIN origins ON id = origin "
        "WHERE coalesce(checkpoint, '') = ? AND coalesce(weights, '') = ? "
        "ORDER BY condition",
        (checkpoint, weights),
    )
    return tuple(condition for (condition,) in found)


def problems(store: CellStore) -> Iterator[str]:
    """Yield what is wrong with *store*, a fault each; nothing if it is sound.

    The file itself is checked first, then each key and each record.
    """
    connection = store.database.existing()
    if connection is None:
        return
    try:
        found = connection.execute("PRAGMA integrity_check").fetchall()
        yield from (f"file: {text}" for (text,) in found if text != "ok")
        for key, record, _, question, condition, *_ in connection.execute(_ROWS):
            fault = _fault(key, record, (question, condition))
            if fault is not None:
                yield f"record {str(key)[:12]}: {fault}"
    except sqlite3.DatabaseError as error:
        yield f"file: cannot be read to its end: {error}"


def _fault(key: object, record: object, noted: tuple[str, str]) -> str | None:
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        return "its key is none (64 hexadecimal digits)"
    cell = _read(record)
    if isinstance(cell, str):
        return cell
    if noted != (shown(cell.question_id), shown(cell.condition)):
        return f"stands under {noted}, and is of {cell.question_id, cell.condition}"
    return None


def _read(record: object) -> CellResult | str:
    """Return the cell in *record*, or why there is none."""
    try:
        cell = cell_from_record(loads(str(record)))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return f"is no answer: {error}"
    if cell.outcome is Outcome.FAILED:
        return "is a failed cell, which is no answer"
    return cell


def exported(store: CellStore) -> Iterator[dict[str, Any]]:
    """Yield each answer of *store* as JSON values, sorted by key.

    Raises `StoreError` for a record that is none.
    """
    connection = store.database.existing()
    if connection is None:
        return
    with store.database.explained():
        rows = connection.execute(_ROWS)
        for key, record, created, _, _, checkpoint, weights in rows:
            cell = _read(record)
            if isinstance(cell, str):
                raise StoreError(
                    f"record {key[:12]} in {store.path} {cell}. All that is wrong is "
                    "listed by: vdg cache verify"
                )
            yield {
                "key": key,
                "checkpoint": checkpoint,
                "weights": weights,
                "created": created.replace(" ", "T") + "Z",
                "cell": cell_to_record(cell),
            }


def prune(
    store: CellStore,
    *,
    checkpoint: str | None,
    before: str | None,
    dry_run: bool = False,
) -> int:
    """Throw answers away, and return how many.

    The one way out of an append-only file: its guards are lifted and put back
    in the transaction that deletes, while no other process has the file open,
    and the file is then written anew without the holes.

    Parameters
    ----------
    store : CellStore
        Where; it is closed afterwards.
    checkpoint : str or None
        Only answers of this name, empty for those without one; None for all.
    before : str or None
        Only answers kept before this moment, ``YYYY-MM-DD HH:MM:SS`` in UTC.
    dry_run : bool
        Only count.

    Raises
    ------
    StoreError
        When another process has the file open; nothing is thrown away then.
    """
    connection = store.database.existing()
    if connection is None:
        return 0
    chosen = {"checkpoint": checkpoint, "before": before}
    with store.database.explained():
        found = connection.execute(
            f"SELECT count(*) FROM cells WHERE {_CHOSEN}",  # noqa: S608 - a constant
            chosen,
        ).fetchone()
    count = int(found[0])
    if dry_run or not count:
        return count
    try:
        _alone(store, connection)
        with store.database.transaction():
            unguard(connection)
            count = connection.execute(
                f"DELETE FROM cells WHERE {_CHOSEN}",  # noqa: S608 - a constant
                chosen,
            ).rowcount
            connection.execute(
                "DELETE FROM origins WHERE id NOT IN (SELECT origin FROM cells)"
            )
            guard(connection)
        with store.database.explained():
            connection.execute("VACUUM")
    finally:
        store.close()
    return count


def _alone(store: CellStore, connection: sqlite3.Connection) -> None:
    """Take the file for this process alone, until it is closed, or refuse.

    A write-ahead log is only left while nobody else has the file open; that
    finds a process that is between two writes, too.
    """
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"answers in {store.path} are in use by another process, so none was "
            "thrown away. Wait until it has ended, or stop it"
        ) from error
