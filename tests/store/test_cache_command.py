"""``vdg cache``: what it prints, what it does, and what it leaves with."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg.store.cells import FILE_NAME, CellStore, Origin
from pytest_vdg.store.records import cell_to_record
from tests.store.examples import cell
from tests.store.test_contents import held_open, key

Output = pytest.CaptureFixture[str]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CellStore:
    """Return the default store of the current folder, with three answers."""
    for name in ("VDG_CACHE_DIR", "VDG_CONFIG", "VDG_CHECKPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    made = CellStore(tmp_path / ".vdg")
    pairs = [(key(i), cell(f"q{i}")) for i in range(2)]
    origin = Origin(checkpoint="step-2000", weights="0123456789abcdef")
    made.put_many(pairs, origin=origin)
    made.put(key(2), cell("q2", "black"))
    made.close()
    return made


def test_each_checkpoint_is_a_line(store: CellStore, capsys: Output) -> None:
    """People see whose answers there are, of what, since when, and how large."""
    assert cli.main(["cache", "list"]) == 0
    first, _, heads, unnamed, named = capsys.readouterr().out.splitlines()
    assert first.startswith(f"3 answers in {store.path}, ")
    assert heads.split()[:4] == ["checkpoint", "weights", "cells", "questions"]
    assert unnamed.split()[:5] == ["(not", "told)", "-", "1", "1"]
    today = datetime.now(timezone.utc).date().isoformat()
    assert named.split()[:4] == ["step-2000", "01234567", "2", "2"]
    assert named.split()[-1] == "original"
    assert named.split()[4] <= today


def test_the_folder_is_that_of_the_configuration(
    store: CellStore, capsys: Output, tmp_path: Path
) -> None:
    """``vdg.yaml``, its environment variable and the option name the folder."""
    (tmp_path / "vdg.yaml").write_text("cache_dir: elsewhere\n")
    assert cli.main(["cache", "list"]) == 0
    elsewhere = tmp_path / "elsewhere" / FILE_NAME
    assert capsys.readouterr().out == f"no answers are kept in {elsewhere}\n"
    assert cli.main(["cache", "list", "--cache-dir", ".vdg"]) == 0
    assert "3 answers" in capsys.readouterr().out


@pytest.mark.parametrize("action", ["list", "verify", "prune --older-than 1d"])
def test_nothing_kept_is_no_error_and_makes_nothing(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """Looking into a cache that is not there leaves no folder behind."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["cache", *action.split()]) == 0
    assert "no answers are kept" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_sound_store_is_said_to_be_sound(store: CellStore, capsys: Output) -> None:
    """Exit code 0 and the number of answers that were read."""
    assert cli.main(["cache", "verify"]) == 0
    assert capsys.readouterr().out == f"3 answers in {store.path}: all are sound\n"


def test_a_damaged_store_is_told_with_its_faults(
    store: CellStore, capsys: Output
) -> None:
    """Exit code 1, the first faults, the number of all, and what to do."""
    connection = store.database.opened()
    for i in range(30):
        connection.execute(
            "INSERT INTO cells (key, record) VALUES (?, '')", (key(100 + i),)
        )
    store.close()
    assert cli.main(["cache", "verify"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"vdg: 30 problems in {store.path}:\n  record 0000")
    assert "and 10 more\nMove it" in said.err


def test_pruning_tells_how_many(store: CellStore, capsys: Output) -> None:
    """First only told, then done, then nothing is left to do."""
    prune = ["cache", "prune", "--checkpoint", "step-2000"]
    assert cli.main([*prune, "--dry-run"]) == 0
    assert cli.main(prune) == 0
    would, did = capsys.readouterr().out.splitlines()
    assert would == f"2 of 3 answers in {store.path} would be thrown away"
    assert did == f"2 of 3 answers in {store.path} thrown away"
    assert store.count() == 1
    store.close()
    assert cli.main(prune) == 4
    assert "no answers of checkpoint 'step-2000'" in capsys.readouterr().err


def test_a_store_that_was_emptied_is_listed(store: CellStore, capsys: Output) -> None:
    """It holds no answer, and is said to; answers without a name can go, too."""
    for name in ("step-2000", "(not told)"):
        assert cli.main(["cache", "prune", "--checkpoint", name]) == 0
    capsys.readouterr()
    assert cli.main(["cache", "list"]) == 0
    assert capsys.readouterr().out.startswith(f"0 answers in {store.path}, ")


@pytest.mark.parametrize(
    ("age", "left"), [("0h", 0), ("47h", 1), ("49h", 3), ("2d", 1), ("1w", 3)]
)
def test_age_is_that_of_the_answer(
    store: CellStore, capsys: Output, age: str, left: int
) -> None:
    """Two answers of 48 hours and a little go, one of an hour and a little stays."""
    connection = store.database.opened()
    connection.execute("DROP TRIGGER cells_never_change")
    now = datetime.now(timezone.utc)
    for hours, wanted in ((48.5, "IN"), (1.5, "NOT IN")):
        moment = now - timedelta(hours=hours)
        connection.execute(
            f"UPDATE cells SET created = ? WHERE key {wanted} (?, ?)",
            (moment.strftime("%Y-%m-%d %H:%M:%S"), key(0), key(1)),
        )
    store.close()
    assert cli.main(["cache", "prune", "--older-than", age]) == 0
    assert store.count() == left
    store.close()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["prune"], "which answers? Give --checkpoint NAME"),
        (["prune", "--older-than", "30"], "a number and a unit"),
        (["prune", "--older-than", "-1d"], "--older-than needs a value: --older-than"),
        (["prune", "--older-than", "999999w"], "before all time"),
        (["prune", "--checkpoint", "step-200"], "Did you mean 'step-2000'?"),
        (["export"], "--to is missing. Type: vdg cache export --to FILE"),
        (["list", "--to", "x"], "vdg cache list has no option '--to'"),
        (["lisst"], "Did you mean 'list'?"),
    ],
)
def test_what_is_wrong_with_the_command_has_its_code(
    store: CellStore, capsys: Output, arguments: list[str], told: str
) -> None:
    """4 for what cannot be meant, and nothing was thrown away."""
    assert cli.main(["cache", *arguments]) == 4
    assert told in capsys.readouterr().err
    assert store.count() == 3
    store.close()


def test_a_store_in_use_is_not_pruned(store: CellStore, capsys: Output) -> None:
    """Exit code 1 and the reason, while a run is under way."""
    process = held_open(store)
    assert cli.main(["cache", "prune", "--checkpoint", "step-2000"]) == 1
    assert "in use by another process" in capsys.readouterr().err
    assert cli.main(["cache", "list"]) == 0  # looking is always possible
    process.communicate("\n", timeout=600)


def test_answers_are_exported_as_lines(
    store: CellStore, capsys: Output, tmp_path: Path
) -> None:
    """Every answer is one line of JSON, with its whole record."""
    assert cli.main(["cache", "export", "--to", "out/answers.jsonl"]) == 0
    assert capsys.readouterr().out == "wrote out/answers.jsonl\n"
    lines = (tmp_path / "out" / "answers.jsonl").read_text().splitlines()
    values = [json.loads(line) for line in lines]
    assert [v["cell"] for v in values] == [
        cell_to_record(each) for each in (cell("q0"), cell("q1"), cell("q2", "black"))
    ]
    assert [v["checkpoint"] for v in values] == ["step-2000", "step-2000", ""]


def test_a_failed_export_leaves_what_was_there(
    store: CellStore, capsys: Output, tmp_path: Path
) -> None:
    """An earlier export is not lost to a damaged store."""
    (tmp_path / "answers.jsonl").write_text("earlier\n")
    store.database.opened().execute(
        "INSERT INTO cells (key, record) VALUES (?, '')", (key(9),)
    )
    store.close()
    assert cli.main(["cache", "export", "--to", "answers.jsonl"]) == 1
    assert "vdg cache verify" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir() if p.suffix] == ["answers.jsonl"]
    assert (tmp_path / "answers.jsonl").read_text() == "earlier\n"


def test_nothing_to_export_is_an_error(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads the file next must not find an old one."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["cache", "export", "--to", "answers.jsonl"]) == 4
    assert "nothing to export" in capsys.readouterr().err
