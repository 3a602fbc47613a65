"""Answers on disk: many writers, sudden deaths, broken files."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pytest_vdg.errors import StoreError
from pytest_vdg.runs import Outcome
from pytest_vdg.store.cells import FILE_NAME, CellStore, Cost, Origin
from pytest_vdg.store.records import cell_to_record, dumps
from tests.store.examples import cell

ROOT = Path(__file__).parents[2]
WRITER = """
import sys
from pytest_vdg.store import _database
from pytest_vdg.store.cells import CellStore
from tests.store.examples import cell
_database.PATIENCE_S = 600.0  # a slow disk is no process that hangs
store = CellStore(sys.argv[1])
for i in range(int(sys.argv[3])):
    store.put(f"{sys.argv[2]}-{i}", cell(f"{sys.argv[2]}-{i}"))
    print(i, flush=True)
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CellStore]:
    """Return a store whose folder does not exist yet."""
    made = CellStore(tmp_path / ".vdg" / "answers")
    yield made
    made.close()


def writer(folder: Path, name: str, cells: int) -> subprocess.Popen[str]:
    """Start a process that puts *cells* answers and prints each number."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(cells)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_an_answer_comes_back_whole_and_is_marked_as_cached(store: CellStore) -> None:
    """Every field survives, floats to the last bit."""
    store.put("k", cell())
    found = store.get("k")
    assert found == cell()
    assert found is not None
    assert found.cached


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.FAILED])
def test_every_outcome_but_failed_is_kept(store: CellStore, outcome: Outcome) -> None:
    """What the model made of a clip is an answer, whatever it is worth."""
    kept = cell(outcome=outcome, reason="why")
    store.put("k", kept)
    assert store.get("k") == kept


def test_a_failed_cell_is_refused(store: CellStore) -> None:
    """A failure that was kept would be found again instead of asked again."""
    with pytest.raises(ValueError, match="failed cells are not kept"):
        store.put("k", cell(outcome=Outcome.FAILED))
    assert store.count() == 0


def test_many_are_kept_and_found_at_once(store: CellStore) -> None:
    """More keys than one query takes come back, each with its own answer."""
    pairs = [(f"k{i}", cell(f"q{i}")) for i in range(1203)]
    store.put_many(pairs)
    wanted = [f"k{i}" for i in range(0, 1300, 2)]
    assert store.get_many(wanted) == {f"k{i}": cell(f"q{i}") for i in range(0, 1203, 2)}
    assert all(found.cached for found in store.get_many(wanted).values())


def test_many_are_kept_together_or_not_at_all(store: CellStore) -> None:
    """One cell that cannot be kept leaves none of its batch behind."""
    pairs = [("k1", cell()), ("k2", cell(outcome=Outcome.FAILED))]
    with pytest.raises(ValueError, match="failed cells are not kept"):
        store.put_many(pairs)
    store.put_many([])
    assert store.count() == 0
    assert not store.path.exists()


def test_a_write_that_breaks_off_leaves_nothing(store: CellStore) -> None:
    """What interrupts a batch, whatever it is, takes the whole batch back."""
    store.put("k", cell())

    def interrupted() -> None:
        with store.database.transaction() as connection:
            connection.execute("INSERT INTO cells (key, record) VALUES ('half', '')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.count() == 1
    store.put("after", cell())
    assert store.count() == 2


def test_a_repeated_key_keeps_the_first_of_a_batch(store: CellStore) -> None:
    """Within a batch, too, an answer under a key never changes."""
    store.put_many([("k", cell(reply="first")), ("k", cell(reply="second"))])
    found = store.get("k")
    assert found is not None
    assert found.reply == "first"


def test_what_an_answer_cost_is_kept_and_makes_no_difference(store: CellStore) -> None:
    """Tokens and time survive; cells that differ only in them are equal."""
    store.put("k", cell(prompt_tokens=np.int64(321), seconds=np.float32(0.25)))
    found = store.get("k")
    assert found is not None
    assert (found.prompt_tokens, found.seconds) == (321, 0.25)
    assert found == cell()


def test_a_clock_that_went_wrong_costs_no_answer(store: CellStore) -> None:
    """A time that is no number is left out, and the answer kept."""
    store.put("k", cell(seconds=float("nan")))
    found = store.get("k")
    assert found is not None
    assert found.seconds is None


def test_costs_are_those_of_the_same_weights_and_setup(store: CellStore) -> None:
    """Neither other weights nor another way to ask tell what an answer costs."""
    asked = Origin(checkpoint="a", weights="w", setup="s")
    renamed = replace(asked, checkpoint="b")
    for i, origin in enumerate(
        [asked, renamed, replace(asked, weights="x"), replace(asked, setup="t"), None]
    ):
        one = cell(condition="black", prompt_tokens=10 + i, seconds=float(i))
        store.put(f"k{i}", one, origin=origin)
    assert sorted(c.tokens or 0 for c in store.costs(asked)) == [10, 11]
    assert {c.condition for c in store.costs(asked)} == {"black"}
    assert list(store.costs(Origin(weights="none"))) == []


def test_costs_are_those_of_the_last_answers(
    store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large store is not read whole, and what was measured last counts."""
    monkeypatch.setattr("pytest_vdg.store.cells.SAMPLE", 2)
    origin = Origin(weights="w")
    for i, name in enumerate("cab"):
        for condition in ("original", "black"):
            one = cell(condition=condition, prompt_tokens=10 + i)
            store.put(f"{name}-{condition}", one, origin=origin)
    assert [(c.condition, c.tokens) for c in store.costs(origin)] == [
        ("black", 12),
        ("black", 11),
        ("original", 12),
        ("original", 11),
    ]


def test_costs_that_were_not_told_are_none(store: CellStore) -> None:
    """An answer from a backend that counts nothing is no free answer."""
    origin = Origin(weights="w")
    store.put("k", cell(), origin=origin)
    assert list(store.costs(origin)) == [
        Cost(condition="original", tokens=None, seconds=None)
    ]


def test_names_that_are_no_text_are_kept(store: CellStore) -> None:
    """Half a character in an id or a name breaks neither key nor record."""
    odd = cell(question_id="q\ud800", condition="original")
    store.put("k", odd, origin=Origin(checkpoint="c\ud800", weights="w\ud800"))
    assert store.get("k") == odd


LAYOUT_1 = """
CREATE TABLE cells (
    key TEXT PRIMARY KEY NOT NULL,
    record TEXT NOT NULL,
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID;
CREATE TRIGGER cells_never_change BEFORE UPDATE ON cells
    BEGIN SELECT RAISE(ABORT, 'answers are append-only'); END;
CREATE TRIGGER cells_never_leave BEFORE DELETE ON cells
    BEGIN SELECT RAISE(ABORT, 'answers are append-only'); END;
PRAGMA user_version = 1;
"""
"""The file as it was before origins were noted."""


def old_file(folder: Path, *records: str) -> None:
    """Write a file of layout 1 with *records* under k0, k1 ..."""
    connection = sqlite3.connect(folder / FILE_NAME)
    connection.executescript(LAYOUT_1)
    rows = [
        (f"k{i}", record, "2025-01-02 03:04:05") for i, record in enumerate(records)
    ]
    connection.executemany("INSERT INTO cells VALUES (?, ?, ?)", rows)
    connection.commit()
    connection.close()


def test_answers_of_an_older_layout_are_found_again(tmp_path: Path) -> None:
    """Nothing is asked anew because the file got more columns."""
    kept = cell("q7", "black")
    old_file(tmp_path, dumps(cell_to_record(kept)), "[1, 2")
    store = CellStore(tmp_path)
    assert store.get("k0") == kept
    store.put("new", cell())
    store.close()
    connection = sqlite3.connect(store.path)
    rows = connection.execute(
        "SELECT question, condition, created FROM cells WHERE key LIKE 'k%' "
        "ORDER BY key"
    ).fetchall()
    connection.close()
    assert rows == [("q7", "black", "2025-01-02 03:04:05"), ("", "", rows[1][2])]


@pytest.mark.parametrize("order", ["UPDATE cells SET record = ''", "DELETE FROM cells"])
def test_an_older_layout_is_guarded_again(tmp_path: Path, order: str) -> None:
    """Lifting the guards for new columns did not leave them lifted."""
    old_file(tmp_path, dumps(cell_to_record(cell())))
    store = CellStore(tmp_path)
    assert store.count() == 1
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.database.opened().execute(order)
    store.close()


def test_an_older_layout_is_whole_or_untouched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies in adding columns leaves the old file as it was."""
    old_file(tmp_path, dumps(cell_to_record(cell())))

    def dies(connection: sqlite3.Connection) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("pytest_vdg.store._schema.guard", dies)
        with pytest.raises(KeyboardInterrupt):
            CellStore(tmp_path).get("k0")
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert len(connection.execute("SELECT * FROM cells").fetchone()) == 3
    connection.close()
    store = CellStore(tmp_path)
    assert store.get("k0") == cell()
    store.close()


def test_an_unknown_key_gives_nothing(store: CellStore) -> None:
    """What was never asked is absent, with and without a file."""
    assert store.get("k") is None
    store.put("k", cell())
    assert store.get("other") is None


def test_nothing_is_on_disk_before_the_first_answer(tmp_path: Path) -> None:
    """Opening and searching a store leaves no trace."""
    store = CellStore(tmp_path / "new" / "answers")
    store.get("k")
    store.count()
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_ignores_itself(store: CellStore) -> None:
    """Answers are a cache: git must not offer them for a commit."""
    store.put("k", cell())
    text = (store.path.parent / ".gitignore").read_text()
    assert text.splitlines()[-1] == "*"


def test_a_folder_with_other_things_is_not_hidden_from_git(tmp_path: Path) -> None:
    """A store at the top of a repository does not ignore the repository."""
    (tmp_path / "mine.py").write_text("")
    store = CellStore(tmp_path)
    store.put("k", cell())
    store.close()
    assert not (tmp_path / ".gitignore").exists()


def test_the_first_answer_stays(store: CellStore) -> None:
    """An answer under a key never changes, whoever comes second."""
    store.put("k", cell(reply="first"))
    store.put("k", cell(reply="second"))
    found = store.get("k")
    assert found is not None
    assert found.reply == "first"


@pytest.mark.parametrize("order", ["UPDATE cells SET record = ''", "DELETE FROM cells"])
def test_the_file_itself_refuses_change(store: CellStore, order: str) -> None:
    """Append-only is kept by the file, not by the good will of programs."""
    store.put("k", cell())
    store.close()
    connection = sqlite3.connect(store.path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(order)
    connection.close()


def test_numbers_of_numpy_are_kept(store: CellStore) -> None:
    """A backend's float32 does not break the write half-way."""
    store.put("k", cell(label_mass=np.float32(0.5), frames_seen=np.int64(3)))
    found = store.get("k")
    assert found is not None
    assert (found.label_mass, found.frames_seen) == (0.5, 3)


def test_nan_is_never_written(store: CellStore) -> None:
    """A NaN is refused at the door; nothing of it is on disk."""
    with pytest.raises(ValueError, match="JSON"):
        store.put("k", cell(label_mass=float("nan")))
    assert store.count() == 0


def test_broken_text_survives(store: CellStore) -> None:
    """A reply may hold NUL, quotes and half a character."""
    reply = "a\0b\"'\ud800\u2028é"
    store.put("k", cell(reply=reply))
    found = store.get("k")
    assert found is not None
    assert found.reply == reply


def test_four_processes_lose_nothing(tmp_path: Path) -> None:
    """Four writers at once, from the very first answer on, all arrive."""
    # Hazard 63: read-modify-write files kept 8 of these 200 entries.
    folder = tmp_path / "answers"
    writers = [writer(folder, f"w{i}", 50) for i in range(4)]
    for process in writers:
        process.communicate(timeout=600)
    assert [process.returncode for process in writers] == [0] * 4
    store = CellStore(folder)
    assert store.count() == 200
    assert store.get("w3-49") == cell("w3-49")
    store.close()


def test_answers_are_readable_while_another_process_writes(tmp_path: Path) -> None:
    """What another process has put is found before that process ends."""
    folder = tmp_path / "answers"
    process = writer(folder, "w", 100_000)
    assert process.stdout is not None
    last = [process.stdout.readline() for _ in range(20)][-1].strip()
    store = CellStore(folder)
    assert store.get(f"w-{last}") is not None
    process.kill()
    process.communicate()
    store.close()


@pytest.mark.parametrize("answers", [0, 1, 40])
def test_a_killed_writer_loses_only_what_was_in_flight(
    tmp_path: Path, answers: int
) -> None:
    """After SIGKILL all announced answers are there, and writing goes on."""
    folder = tmp_path / "answers"
    process = writer(folder, "w", 100_000)
    assert process.stdout is not None
    for _ in range(answers):
        process.stdout.readline()
    if not answers:
        time.sleep(0.05)  # somewhere in starting or creating the file
    os.kill(process.pid, signal.SIGKILL)
    rest = process.communicate()[0].split()
    announced = answers + len(rest)
    store = CellStore(folder)
    assert announced <= store.count() <= announced + 1
    store.put("after", cell("after"))
    assert store.get("after") == cell("after")
    store.close()


def test_an_empty_file_is_a_new_store(tmp_path: Path) -> None:
    """A process that died in creating the file does not block the next."""
    (tmp_path / FILE_NAME).touch()
    store = CellStore(tmp_path)
    assert store.get("k") is None
    store.put("k", cell())
    assert store.count() == 1
    store.close()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    """The error names the path and what to do, before anything is asked."""
    path = tmp_path / FILE_NAME
    path.write_text("<html>not found</html>")
    with pytest.raises(StoreError, match="not a database") as caught:
        CellStore(tmp_path)
    assert str(path) in str(caught.value)
    assert "Move it" in str(caught.value)
    assert path.read_text() == "<html>not found</html>"


def test_a_damaged_database_is_named(store: CellStore) -> None:
    """Damage inside the file is an error with its path, not a cache miss."""
    for i in range(200):
        store.put(f"k{i}", cell())
    store.close()
    data = bytearray(store.path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    store.path.write_bytes(data)
    with pytest.raises(StoreError, match=FILE_NAME):
        store.get("k7")
    store.close()


@pytest.mark.parametrize("record", ["[1, 2", "[1, 2]", "{}", '{"outcome": "correct"}'])
def test_a_record_that_means_nothing_is_named(store: CellStore, record: str) -> None:
    """A row from elsewhere is an error, not an answer and not a miss."""
    store.put("k", cell())
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("INSERT INTO cells (key, record) VALUES ('bad', ?)", (record,))
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="record bad"):
        store.get("bad")


def test_another_layout_is_refused(store: CellStore) -> None:
    """Answers of a later version of the package are not guessed at."""
    store.put("k", cell())
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="layout 99") as caught:
        store.get("k")
    assert "newer one wrote it" in str(caught.value)


def test_a_file_in_place_of_the_folder_is_found_early(tmp_path: Path) -> None:
    """A path that can never be a folder is refused before a model is loaded."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(StoreError, match="is a file, not a folder"):
        CellStore(tmp_path / "taken" / "answers")


def test_a_folder_that_is_not_writable_is_found_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only folder is refused before a model is loaded."""
    # Permissions do not bind root, whom CI often is; so the system's answer
    # is replaced.
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(StoreError, match="not writable"):
        CellStore(tmp_path / "answers")


def test_a_full_disk_is_not_called_a_damaged_file(
    store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The advice fits the cause: nobody is told to delete sound answers."""
    store.put("k", cell())
    connection = store.database.opened()
    limit = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {limit}")
    with pytest.raises(StoreError, match="free space"):
        store.put("big", cell(reply="x" * 100_000))


def test_a_forked_process_does_not_share_the_connection(store: CellStore) -> None:
    """A child that inherits a store opens its own connection."""
    store.put("parent", cell())
    inherited = store.database.opened()
    store.database._owner = -1  # what a child sees after a fork
    store.put("child", cell())
    assert store.database.opened() is not inherited
    assert store.count() == 2
    inherited.close()


def test_a_folder_that_cannot_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only shows when the first answer comes is still told plainly."""
    store = CellStore(tmp_path / "answers")

    def refuse(self: Path, **options: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreError, match="Read-only file system"):
        store.put("k", cell())


def test_opening_waits_for_a_process_that_is_writing(
    store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is locked for a moment is no error."""
    inner, tries = store.database._set_up, []

    def locked_once() -> sqlite3.Connection:
        tries.append(1)
        if len(tries) == 1:
            raise sqlite3.OperationalError("database is locked")
        return inner()

    monkeypatch.setattr(store.database, "_set_up", locked_once)
    store.put("k", cell())
    assert len(tries) == 2


def test_a_file_that_stays_locked_is_named(
    store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waiting has an end, and the advice is to look who holds the file."""

    def locked() -> sqlite3.Connection:
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(store.database, "_set_up", locked)
    monkeypatch.setattr("pytest_vdg.store._database.PATIENCE_S", -1.0)
    with pytest.raises(StoreError, match="who else has it open"):
        store.put("k", cell())
