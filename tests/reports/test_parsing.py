"""How the parser did on a file of replies: ``vdg parse-check``, from outside."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg.runs import Run
from pytest_vdg.store.runfile import save_run
from tests.assertions.build import make_run

Check = Callable[[Path], tuple[int, str, str]]
CARS = ["a red car", "a blue car"]


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    """Return what runs the command on a file: exit code, output, complaint."""

    def run(path: Path) -> tuple[int, str, str]:
        code = cli.main(["parse-check", str(path)])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def row(reply: object = "B", condition: str = "original", **more: object) -> object:
    """Return a record of a reply."""
    return {"reply": reply, "options": CARS, "condition": condition, **more}


def write(folder: Path, records: list[object]) -> Path:
    """Write *records* as JSON Lines."""
    path = folder / "replies.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def cells(out: str, condition: str) -> list[str]:
    """Return the cells of the table's row for *condition*."""
    line = next(x for x in out.splitlines() if x.startswith(condition))
    return line.split()


def test_parsed_shares_are_shown_by_condition(check: Check, tmp_path: Path) -> None:
    """20 letters, then 15 and 5 refusals: 100 and 75 percent, with their interval."""
    records = [row() for _ in range(20)]
    records += [row("A", "black") for _ in range(15)]
    records += [row("I cannot see the video.", "black") for _ in range(5)]
    code, out, _ = check(write(tmp_path, records))
    assert code == 0
    assert cells(out, "original")[1:4] == ["20", "20", "1.00"]
    # Wilson, by hand: (0.75 + 1.92/20 +- 1.96 sqrt(0.1875/20 + 0.96/400)) / 1.192.
    black = ["black", "20", "15", ".750", "[.53,", ".89]", "5"]
    assert cells(out, "black") == black
    assert "black against original: -25.0 points" in out
    assert "not parsed (5):" in out
    assert "line 36: I cannot see the video." in out


def test_close_rates_are_not_remarked_on(check: Check, tmp_path: Path) -> None:
    """Two points are what the assertions allow."""
    records = [row() for _ in range(50)]
    records += [row("A", "black") for _ in range(49)] + [row("No idea", "black")]
    assert "against" not in check(write(tmp_path, records))[1]


def test_a_misread_reply_fails(check: Check, tmp_path: Path) -> None:
    """Where a person read another label, the reply is shown and the code is 1."""
    records = [row("A", expected="B", id="q7"), row("B", expected="B")]
    code, out, _ = check(write(tmp_path, records))
    assert code == 1
    assert cells(out, "original")[-2:] == ["0", "1"]
    assert "original q7: A, not B: A" in out


def test_a_reply_that_chooses_none_may_not_be_read(
    check: Check, tmp_path: Path
) -> None:
    """An empty `expected` is a reading: no option was chosen."""
    code, out, _ = check(write(tmp_path, [row("A", expected="")]))
    assert code == 1
    assert "A, not none: A" in out


def test_a_missed_reply_is_counted_and_does_not_fail(
    check: Check, tmp_path: Path
) -> None:
    """What the parser leaves is a loss, not a lie."""
    code, out, _ = check(write(tmp_path, [row("It is the second.", expected="B")]))
    assert code == 0
    assert cells(out, "original")[-2:] == ["1", "0"]


def test_the_key_is_not_what_a_reply_chose(check: Check, tmp_path: Path) -> None:
    """A wrong answer is a fault of the model, not of the parser."""
    code, out, _ = check(write(tmp_path, [row("A", answer="B")]))
    assert code == 0
    assert "misread" not in out


def test_a_table_may_spell_options_in_columns(check: Check, tmp_path: Path) -> None:
    """Spreadsheets have a column an option, or one cell for all of them."""
    path = tmp_path / "replies.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["reply", "A", "B", "options"])
        writer.writerow(["a blue car", *CARS, json.dumps(CARS)])
        writer.writerow(["two\nlines\nB", *CARS, "A. a red car, B. a blue car"])
    code, out, _ = check(path)
    assert code == 0
    assert cells(out, "all")[1:4] == ["2", "2", "1.00"]
    path.write_text("reply,A,B\na blue car,a red car,a blue car\n", encoding="utf-8")
    assert cells(check(path)[1], "all")[1:4] == ["1", "1", "1.00"]


def test_records_that_cannot_be_used_are_told(check: Check, tmp_path: Path) -> None:
    """One by one, with their place; the others are parsed."""
    bad = [row(None), row(options=["one"]), row(expected="Z"), row(options=7), ["B"]]
    code, out, _ = check(write(tmp_path, [row(), *bad]))
    assert code == 0
    assert cells(out, "original")[1] == "1"
    assert "5 records cannot be used" in out
    for place in ("line 2: reply", "line 3: options", "line 4: expected 'Z'", "line 5"):
        assert place in out


@pytest.mark.parametrize(
    ("content", "code", "told"),
    [
        (None, 4, "are not there"),
        ("", 1, "the file is empty"),
        ("{", 1, "replies.jsonl"),
        ('{"reply": 1}\n', 1, "no reply can be used; line 1: reply must be text"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    check: Check, tmp_path: Path, content: str | None, code: int, told: str
) -> None:
    """Nothing is never all right."""
    path = tmp_path / "replies.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    found = check(path)
    assert found[0] == code
    assert told in found[2]


def spoken(run: Run) -> Run:
    """Return *run* with a reply in each cell."""
    said = {
        key: replace(cell, reply=f"The answer is {cell.choice or 'unclear'}.")
        for key, cell in run.cells.items()
    }
    return replace(run, cells=said)


def test_a_run_that_was_kept_whole_can_be_checked(check: Check, tmp_path: Path) -> None:
    """It holds no option texts, and the report says so."""
    path = tmp_path / "run.jsonl"
    run = make_run({"original": "CCWW", "black": "CWCU"})
    save_run(spoken(run), path, full=True)
    code, out, _ = check(path)
    assert code == 0
    assert "only labels were looked for" in out
    assert cells(out, "original")[1:4] == ["4", "4", "1.00"]
    assert cells(out, "black")[1:4] == ["4", "3", ".750"]
    assert "though the" in out  # the run knew the texts when it was judged
    assert "counts as not correct" not in out
    save_run(spoken(run), path)
    code, _, complaint = check(path)
    assert code == 4
    assert "full=True" in complaint


def test_no_reply_can_forge_or_widen_the_report(check: Check, tmp_path: Path) -> None:
    """Control signs, line ends and length of foreign text stay inside its line."""
    evil = "\x1b[31mno\nnote: all parsed\u202e" + "x" * 500
    records = [row(evil, f"{evil}{i}", id=evil) for i in range(2)]
    _, out, _ = check(write(tmp_path, records))
    assert out.isascii()
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert not any(line.startswith("note: all") for line in out.splitlines())


def test_an_option_that_is_no_text_is_told(check: Check, tmp_path: Path) -> None:
    """A list in a column of options is a fault of its record, and stops nothing."""
    good = {"reply": "B", "A": "red", "B": "blue"}
    code, out, _ = check(write(tmp_path, [good | {"A": ["red"]}, good]))
    assert code == 0
    assert "line 1: option 'A' must be text, got ['red']" in out


def test_columns_of_the_import_table_are_read(check: Check, tmp_path: Path) -> None:
    """One file of results serves ``vdg import`` and ``vdg parse-check``."""
    record = {"reply": "blue", "option_A": "red", "option_B": "blue", "option_C": ""}
    code, out, _ = check(write(tmp_path, [record]))
    assert (code, cells(out, "all")[1:3]) == (0, ["1", "1"])
