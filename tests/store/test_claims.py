"""Claims: one owner at a time, freed by death, and what was asked is told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_vdg.errors import StoreError
from pytest_vdg.runs import CellResult, Outcome
from pytest_vdg.store.claims import Claims
from tests.store.examples import cell

HOLD = """
import sys
from pathlib import Path
from pytest_vdg.store.claims import Claims
claims = Claims(Path(sys.argv[1]), workers=2)
for name in sys.argv[2:]:
    assert claims.take(name)
print("holding", flush=True)
for line in sys.stdin:
    claims.release(line.split())
    print("released", flush=True)
"""


@contextmanager
def owner(folder: Path, *names: str) -> Iterator[subprocess.Popen[str]]:
    """Give another process that holds *names*; it releases what it is told."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        try:
            yield process
        finally:
            process.kill()


def test_what_one_process_holds_no_other_gets(tmp_path: Path) -> None:
    """Other pieces are free, and a piece that was given back is so at once."""
    claims = Claims(tmp_path, workers=2)
    with owner(tmp_path, "a", "b") as other:
        assert not claims.take("a")
        assert claims.take("c")
        assert claims.take("c")  # ours already
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdin.write("a\n")
        other.stdin.flush()
        assert other.stdout.readline() == "released\n"
        assert claims.take("a")
        assert not claims.take("b")


def test_death_gives_back_at_once(tmp_path: Path) -> None:
    """SIGKILL leaves no time to tidy up, and whoever waits comes next."""
    claims = Claims(tmp_path, workers=2)
    with owner(tmp_path, "a") as other:
        assert not claims.take("a")
        other.kill()
        assert claims.take("a", wait=True)


def test_closing_gives_all_back(tmp_path: Path) -> None:
    """What is taken afterwards is taken anew, and only where nobody else has it."""
    claims = Claims(tmp_path, workers=2)
    assert claims.take("a")
    for _ in range(2):
        claims.close()
    with owner(tmp_path, "a"):
        assert not claims.take("a")


def test_waiting_while_holding_is_refused(tmp_path: Path) -> None:
    """Two processes that do so would wait for each other."""
    claims = Claims(tmp_path, workers=2)
    assert claims.take("a")
    with pytest.raises(ValueError, match="while holding 1"):
        claims.take("b", wait=True)
    claims.release()
    assert claims.take("b", wait=True)


def test_all_see_what_was_asked_and_what_failed(tmp_path: Path) -> None:
    """Keys come as they are noted, each failure with its cell."""
    mine, other = (Claims(tmp_path, workers=2) for _ in range(2))
    failed = CellResult(
        question_id="q2", condition="black", outcome=Outcome.FAILED, reason="dark"
    )
    assert mine.asked() == {}
    mine.note([("k1", cell()), ("k2", failed)])
    assert other.asked() == {"k1": None, "k2": failed}
    other.note([("k3", cell())])
    assert mine.asked() == {"k1": None, "k2": failed, "k3": None}


def test_half_a_line_of_a_dead_writer_spoils_no_other(tmp_path: Path) -> None:
    """What was being written is lost, what follows is not."""
    claims = Claims(tmp_path, workers=2)
    claims.note([("k1", cell())])
    with (tmp_path / "asked.jsonl").open("ab") as file:
        file.write(b'["k2", nu')
    claims.note([("k3", cell())])
    assert set(claims.asked()) == {"k1", "k3"}


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """The message says what to set instead."""
    claims = Claims(tmp_path / "gone", workers=2)
    with pytest.raises(StoreError, match=r"gone: .*Set TMPDIR"):
        claims.take("a")
