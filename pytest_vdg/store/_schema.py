"""How ``cells.sqlite`` is laid out, and how an older file comes to be so.

Apart from the connection so that all SQL that defines something is on one
page. The layout has a version of its own: files change more easily than the
meaning of keys, and an answer that is still good must not be asked again.
"""

from __future__ import annotations

import sqlite3

from pytest_vdg.store.records import loads

LAYOUT = 2
"""Kept in the file as ``user_version``. 1: no origins, no columns to look at."""

_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS origins (
        id INTEGER PRIMARY KEY,
        checkpoint TEXT NOT NULL,
        weights TEXT NOT NULL,
        setup TEXT NOT NULL,
        UNIQUE (checkpoint, weights, setup)
    )
    """,
    # Origin 0 is that of answers from before origins were noted. What stands
    # beside the record is for looking only: the record alone is the answer.
    # Rows stand in the order they came, as keys have none: sorted by key, each
    # new answer would write a page of its own.
    """
    CREATE TABLE IF NOT EXISTS cells (
        key TEXT PRIMARY KEY NOT NULL,
        record TEXT NOT NULL,
        created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
        origin INTEGER NOT NULL DEFAULT 0,
        question TEXT NOT NULL DEFAULT '',
        condition TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX IF NOT EXISTS cells_by_origin ON cells (origin, condition)",
)
_GUARDS = {
    f"{table}_never_{verb}": f"BEFORE {order} ON {table} "
    "BEGIN SELECT RAISE(ABORT, 'answers are append-only'); END"
    for table in ("cells", "origins")
    for verb, order in (("change", "UPDATE"), ("leave", "DELETE"))
}
"""Append-only is kept by the file, not by the good will of programs."""


def guard(connection: sqlite3.Connection) -> None:
    """Let the file refuse every change of what is in it."""
    for name, rule in _GUARDS.items():
        connection.execute(f"CREATE TRIGGER IF NOT EXISTS {name} {rule}")


def unguard(connection: sqlite3.Connection) -> None:
    """Lift that, for the transaction under way; it must `guard` at its end."""
    for name in _GUARDS:
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")


def layout_of(connection: sqlite3.Connection) -> int:
    """Return the version of the file's layout; 0 for a file that has none yet."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def lay_out(connection: sqlite3.Connection) -> int:
    """Make what is missing in the file, in one step; return its version then.

    A file of a version that is not known is left as it is.
    """
    version = layout_of(connection)
    if version in (0, 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            _within(connection)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        version = layout_of(connection)
    return version


def _within(connection: sqlite3.Connection) -> None:
    version = layout_of(connection)  # another process may have been first
    if version not in (0, 1):
        return
    if version == 1:
        unguard(connection)
        connection.execute("ALTER TABLE cells RENAME TO cells_of_layout_1")
    for statement in _TABLES:
        connection.execute(statement)
    if version == 1:
        _fill(connection)
        connection.execute("DROP TABLE cells_of_layout_1")
    guard(connection)
    connection.execute(f"PRAGMA user_version = {LAYOUT}")


def _fill(connection: sqlite3.Connection) -> None:
    """Copy the answers of layout 1, with what their records tell."""
    rows = connection.execute(
        "SELECT key, record, created FROM cells_of_layout_1 ORDER BY created, key"
    )
    connection.executemany(
        "INSERT INTO cells (key, record, created, question, condition) "
        "VALUES (?, ?, ?, ?, ?)",
        ((key, record, created, *_told(record)) for key, record, created in rows),
    )


def _told(record: str) -> tuple[str, str]:
    """Return question and condition of *record*; empty for a broken one."""
    try:
        values = loads(record)
        return shown(values["question_id"]), shown(values["condition"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", ""  # `vdg cache verify` names it


def shown(text: str) -> str:
    """Return *text* as SQLite takes it: half a character becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode()
