"""What is in a store, for people: listed, checked, thrown away, handed on."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vdg.errors import StoreError
from pytest_vdg.runs import CellResult, Outcome
from pytest_vdg.store._schema import guard
from pytest_vdg.store.cells import CellStore, Origin
from pytest_vdg.store.contents import exported, held, problems, prune
from pytest_vdg.store.records import cell_to_record, dumps
from tests.store.examples import cell

ROOT = Path(__file__).parents[2]
OLD, NEW = "2025-01-02 03:04:05", "2026-02-03 04:05:06"
BETWEEN = "2025-06-01 00:00:00"
HOLDER = """
import sys
from pytest_vdg.store.cells import CellStore
store = CellStore(sys.argv[1])
store.count()
print("open", flush=True)
sys.stdin.readline()
if sys.argv[2:]:
    from tests.store.examples import cell
    store.put("f" * 64, cell("late"))
"""
"""Has the file open until it is told to end, and writes nothing meanwhile."""


def key(number: int) -> str:
    """Return a key as digests look."""
    return f"{number:064x}"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CellStore]:
    """Return a store of two checkpoints: a has three answers, b two old ones."""
    made = CellStore(tmp_path / "answers")
    a, b = (Origin(checkpoint=n, weights=f"w{n}", setup="s") for n in "ab")
    given = [
        (a, cell("q1", "original")),
        (a, cell("q1", "black")),
        (a, cell("q2", "original")),
        (b, cell("q1", "original")),
        (b, cell("q1", "shuffled")),
    ]
    for number, (origin, each) in enumerate(given):
        made.put(key(number), each, origin=origin)
    connection = made.database.opened()
    connection.execute("DROP TRIGGER cells_never_change")
    connection.execute(
        "UPDATE cells SET created = CASE WHEN key < ? THEN ? ELSE ? END",
        (key(3), NEW, OLD),
    )
    guard(connection)
    made.close()
    yield made
    made.close()


def test_each_checkpoint_is_listed_with_its_answers(store: CellStore) -> None:
    """Cells, questions, conditions and dates are those of one checkpoint."""
    a, b = held(store)
    assert (a.checkpoint, a.weights, a.cells, a.questions) == ("a", "wa", 3, 2)
    assert (a.conditions, a.first, a.last) == (("black", "original"), NEW, NEW)
    assert (b.checkpoint, b.cells, b.questions, b.first) == ("b", 2, 1, OLD)
    assert a.size == sum(
        len(dumps(cell_to_record(each)))
        for each in (cell("q1"), cell("q1", "black"), cell("q2"))
    )


def test_an_empty_store_holds_nothing(tmp_path: Path) -> None:
    """Looking, checking and pruning create no file."""
    store = CellStore(tmp_path / "answers")
    assert held(store) == []
    assert list(problems(store)) == []
    assert list(exported(store)) == []
    assert prune(store, checkpoint=None, before=None) == 0
    assert list(tmp_path.iterdir()) == []


def test_answers_without_an_origin_are_listed_without_a_name(tmp_path: Path) -> None:
    """Answers from before names were noted are not hidden."""
    store = CellStore(tmp_path)
    store.put(key(1), cell())
    assert [(h.checkpoint, h.cells) for h in held(store)] == [("", 1)]
    store.close()


def test_a_sound_store_has_no_problem(store: CellStore) -> None:
    """What the package wrote itself is sound."""
    assert list(problems(store)) == []


@pytest.mark.parametrize(
    ("number", "record", "told"),
    [
        ("not a digest", dumps(cell_to_record(cell())), "its key is none"),
        (key(9), "[1, 2", "is no answer"),
        (key(9), '{"question_id": "q1"}', "is no answer"),
        (key(9), '{"question_id": NaN}', "is no answer"),
        (
            key(9),
            dumps(cell_to_record(cell(outcome=Outcome.FAILED))),
            "is a failed cell",
        ),
        (key(9), dumps(cell_to_record(cell("q2"))), "stands under"),
    ],
)
def test_each_bad_record_is_named(
    store: CellStore, number: str, record: str, told: str
) -> None:
    """A row that no engine could use, or would use wrongly, is found."""
    store.database.opened().execute(
        "INSERT INTO cells (key, record, question, condition) VALUES (?, ?, ?, ?)",
        (number, record, "q1", "original"),
    )
    (problem,) = problems(store)
    assert problem.startswith(f"record {number[:12]}: ")
    assert told in problem


def test_damage_of_the_file_is_a_problem(tmp_path: Path) -> None:
    """Pages that were overwritten are found, not passed over."""
    store = CellStore(tmp_path)
    store.put_many([(key(i), cell(f"q{i}")) for i in range(300)])
    store.close()
    data = bytearray(store.path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 8192] = b"\xff" * 8192
    store.path.write_bytes(data)
    found = list(problems(store))
    store.close()
    assert found
    assert all(problem.startswith("file: ") for problem in found)


def test_all_answers_are_handed_on_whole(store: CellStore) -> None:
    """Each line tells key, whose answer, when, and the whole record."""
    found = list(exported(store))
    assert [values["key"] for values in found] == [key(i) for i in range(5)]
    assert found[3] == {
        "key": key(3),
        "checkpoint": "b",
        "weights": "wb",
        "created": "2025-01-02T03:04:05Z",
        "cell": cell_to_record(cell("q1")),
    }


def test_a_bad_record_is_not_handed_on(store: CellStore) -> None:
    """An export is whole or it is none; the error says how to see all faults."""
    store.database.opened().execute(
        "INSERT INTO cells (key, record) VALUES (?, 'x')", (key(9),)
    )
    with pytest.raises(StoreError, match="vdg cache verify"):
        list(exported(store))


@pytest.mark.parametrize(
    ("checkpoint", "before", "left"),
    [
        ("a", None, [3, 4]),
        ("b", None, [0, 1, 2]),
        (None, BETWEEN, [0, 1, 2]),
        ("a", BETWEEN, [0, 1, 2, 3, 4]),
        ("b", BETWEEN, [0, 1, 2]),
        ("", None, [0, 1, 2, 3, 4]),
        (None, None, []),
    ],
)
def test_only_what_was_chosen_is_thrown_away(
    store: CellStore, checkpoint: str | None, before: str | None, left: list[int]
) -> None:
    """Name and age both count; what stays is whole, and told beforehand."""
    kept = store.get_many(map(key, left))
    told = prune(store, checkpoint=checkpoint, before=before, dry_run=True)
    assert store.count() == 5
    assert prune(store, checkpoint=checkpoint, before=before) == told == 5 - len(left)
    assert store.get_many(map(key, range(5))) == kept
    assert sum(h.cells for h in held(store)) == len(left)
    assert list(problems(store)) == []


@pytest.mark.parametrize("order", ["UPDATE cells SET record = ''", "DELETE FROM cells"])
def test_a_pruned_file_is_guarded_again(store: CellStore, order: str) -> None:
    """After pruning the file is append-only as before, and takes answers."""
    prune(store, checkpoint="b", before=None)
    store.put(key(7), cell("q7"), origin=Origin(checkpoint="b", weights="wb"))
    assert store.count() == 4
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.database.opened().execute(order)


def test_a_pruned_file_is_smaller(tmp_path: Path) -> None:
    """The file is written anew: what went makes room on the disk."""
    store = CellStore(tmp_path)
    a, b = Origin(checkpoint="a"), Origin(checkpoint="b")
    many: list[tuple[str, CellResult]] = [(key(i), cell(f"q{i}")) for i in range(500)]
    store.put_many(many[1:], origin=a)
    store.put_many(many[:1], origin=b)
    store.close()
    before = store.path.stat().st_size
    prune(store, checkpoint="a", before=None)
    assert store.path.stat().st_size < before / 4


def test_whom_it_was_of_is_thrown_away_too(store: CellStore) -> None:
    """A checkpoint's name does not stay in the file when all its answers went."""
    secret = Origin(checkpoint="unreleased-9b", weights="w9")
    store.put(key(7), cell("q7"), origin=secret)
    store.close()
    assert b"unreleased-9b" in store.path.read_bytes()
    prune(store, checkpoint="unreleased-9b", before=None)
    assert b"unreleased-9b" not in store.path.read_bytes()


def test_a_pruned_file_is_free_for_others(store: CellStore) -> None:
    """The lock that pruning takes ends with it, not with whoever pruned."""
    prune(store, checkpoint="a", before=None)
    other = CellStore(store.path.parent)
    other.put(key(7), cell("q7"))
    assert other.count() == 3
    other.close()


def held_open(store: CellStore, *more: str) -> subprocess.Popen[str]:
    """Start a process that has the file of *store* open, and wait until it has."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store.path.parent), *more],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


def test_a_file_in_use_is_not_pruned(store: CellStore) -> None:
    """A run under way, even between two writes, loses nothing; it is named."""
    process = held_open(store, "write")
    with pytest.raises(StoreError, match="in use by another process"):
        prune(store, checkpoint="a", before=None)
    assert store.count() == 5
    process.communicate("\n", timeout=600)
    assert process.returncode == 0
    assert store.count() == 6
    assert prune(store, checkpoint="a", before=None) == 3
    assert store.count() == 3


def test_pruning_that_breaks_off_changes_nothing(
    store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A death in the middle leaves all answers, and the guards in place."""

    def dies(connection: sqlite3.Connection) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("pytest_vdg.store.contents.guard", dies)
        with pytest.raises(KeyboardInterrupt):
            prune(store, checkpoint=None, before=None)
    assert store.count() == 5
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.database.opened().execute("DELETE FROM cells")
