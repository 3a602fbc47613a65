"""The history: every run once, whoever writes, and whoever dies of it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import StoreError
from pytest_vdg.store import history
from pytest_vdg.store.history import (
    FILE_NAME,
    Level,
    PastRun,
    from_record,
    past_runs,
    read_history,
    remember,
    to_record,
)

Untyped = Any  # fields of a dataclass, each of its own type
ROOT = Path(__file__).parents[2]


def level(name: str = "VDG", estimate: float = 0.25, **changes: Untyped) -> Level:
    """Return a level with an interval around *estimate*."""
    ends = {"low": estimate - 0.1, "high": estimate + 0.1}
    return Level(name=name, estimate=estimate, n=40, **(ends | changes))


def past(**changes: Untyped) -> PastRun:
    """Return a past run with every field set, and *changes*."""
    values: dict[str, Any] = {
        "when": "2026-03-01T12:00:00+00:00",
        "origin": "pytest",
        "checkpoint": "step-500",
        "weights": "w1",
        "step": 500,
        "slice_name": "sight",
        "slice_digest": "s1",
        "environment": "h100",
        "questions": 40,
        "videos": 20,
        "accuracies": (level("original", 0.75), level("black", 0.5)),
        "effects": (level(),),
        "verdicts": (("sees", "ok"), ("order", "BELOW FLOOR")),
        "comparable": "c1",
        "asked": "a1",
    }
    return PastRun(**(values | changes))


texts = st.text(min_size=1, max_size=8)
fractions = st.floats(-1, 1)


@st.composite
def levels(draw: st.DrawFn) -> Level:
    """Return any level."""
    low, middle, high = sorted(draw(st.tuples(fractions, fractions, fractions)))
    n = draw(st.integers(1, 10**6))
    return Level(name=draw(texts), estimate=middle, low=low, high=high, n=n)


@st.composite
def runs(draw: st.DrawFn) -> PastRun:
    """Return any past run."""
    unlike = st.lists(levels(), max_size=3, unique_by=lambda each: each.name)
    videos = draw(st.integers(0, 50))
    return PastRun(
        when=draw(texts),
        origin=draw(texts),
        checkpoint=draw(texts),
        weights=draw(st.text(max_size=4)),
        step=draw(st.none() | st.integers(0, 10**9)),
        slice_name=draw(texts),
        environment=draw(st.none() | texts),
        questions=videos + draw(st.integers(0, 50)),
        videos=videos,
        accuracies=tuple(draw(unlike)),
        effects=tuple(draw(unlike)),
        verdicts=tuple(draw(st.lists(st.tuples(texts, texts), max_size=3))),
        comparable=draw(st.text(max_size=4)),
    )


@given(run=runs())
def test_a_record_is_read_back_as_it_was_written(run: PastRun) -> None:
    """Through JSON and back nothing is lost but digits below one in a million."""
    again = from_record(json.loads(json.dumps(to_record(run), allow_nan=False)))
    for name in ("accuracies", "effects"):
        for one, other in zip(getattr(run, name), getattr(again, name), strict=True):
            assert other.estimate == pytest.approx(one.estimate, abs=1e-6)
            assert (other.name, other.n) == (one.name, one.n)
    bare: dict[str, Any] = {"accuracies": (), "effects": ()}
    assert replace(again, **bare) == replace(run, **bare)


def test_what_is_remembered_is_found_again(tmp_path: Path) -> None:
    """The history holds the runs in the order they came; a slice can be named."""
    first, second = past(), past(slice_name="order")
    assert remember(tmp_path, [first]) == 1
    assert remember(tmp_path, [second]) == 1
    assert past_runs(tmp_path) == (first, second)
    assert past_runs(tmp_path, slice_name="order") == (second,)


def test_where_there_is_no_history_nothing_is_made(tmp_path: Path) -> None:
    """Looking creates no file, and neither does remembering nothing."""
    assert past_runs(tmp_path / "new") == ()
    assert remember(tmp_path / "new", []) == 0
    assert not (tmp_path / "new").exists()


def test_the_folder_is_kept_out_of_git(tmp_path: Path) -> None:
    """A new folder for the history ignores itself, as that of answers does."""
    remember(tmp_path / ".vdg", [past()])
    assert "*" in (tmp_path / ".vdg" / ".gitignore").read_text().splitlines()


def test_the_same_run_is_not_doubled(tmp_path: Path) -> None:
    """Asked again, with the same numbers, at another time and by another command."""
    remember(tmp_path, [past()])
    later = past(when="2026-03-02T12:00:00+00:00", origin="vdg run")
    assert remember(tmp_path, [later, later]) == 0
    assert len(past_runs(tmp_path)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"weights": "w2"},
        {"step": 1000},
        {"effects": (level(estimate=0.26),)},
        {"verdicts": (("sees", "ok"),)},
        {"comparable": "c2"},
        {"environment": None},
        {"questions": 41},
        {"asked": "a2"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_run_that_differs_is_another_one(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    """Each thing that a reader would see keeps two runs apart."""
    assert remember(tmp_path, [past(), past(**change)]) == 2


def test_a_return_to_an_old_checkpoint_is_news(tmp_path: Path) -> None:
    """After A and B, A again is a third run: a trend must not end with B."""
    a, b = past(step=None), past(step=None, weights="w2", effects=(level("VDG", 0.0),))
    assert remember(tmp_path, [a, b, a]) == 3


def test_two_checkpoints_by_turns_are_not_doubled(tmp_path: Path) -> None:
    """Two names judged every night are two lines, each with its own last run."""
    both = [past(checkpoint="old"), past(checkpoint="new")]
    assert remember(tmp_path, both) == 2
    assert remember(tmp_path, both) == 0


def test_a_return_to_another_checkpoint_is_news(tmp_path: Path) -> None:
    """After old and new on other nights, old again ends the trend where it was."""
    nights = [f"2026-03-0{day}T12:00:00+00:00" for day in (1, 2, 3, 4)]
    for name, when in zip(("old", "new", "old", "old"), nights, strict=True):
        remember(tmp_path, [past(checkpoint=name, when=when)])
    assert [run.checkpoint for run in past_runs(tmp_path)] == ["old", "new", "old"]


@given(
    before=st.lists(st.sets(st.sampled_from("abc"), min_size=1), max_size=4),
    together=st.permutations("abc"),
)
def test_a_session_that_is_repeated_comes_to_an_end(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[set[str]],
    together: list[str],
) -> None:
    """Checkpoints that come to the same every night add no line for ever."""
    folder = tmp_path_factory.mktemp("nights")
    nights = [*map(sorted, before), *[together] * 3]
    added = [
        remember(folder, [past(checkpoint=name, when=f"night {i}") for name in names])
        for i, names in enumerate(nights)
    ]
    # The first brings all into the trend, the second puts them side by side.
    assert added[-1] == 0


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("end", ["estimate", "low", "high"])
def test_a_number_that_is_none_is_refused(end: str, number: float) -> None:
    """NaN and infinity never reach the file: a gap in a trend would hide them."""
    with pytest.raises(ValueError, match="finite"):
        level(**{end: number})


def test_a_line_with_a_nan_is_no_run(tmp_path: Path) -> None:
    """What another program wrote into the file is passed over, and counted."""
    remember(tmp_path, [past()])
    path = tmp_path / FILE_NAME
    text = path.read_text(encoding="utf-8")
    path.write_text(text + text.replace("0.25", "NaN"), encoding="utf-8")
    assert read_history(tmp_path) == ((past(),), 1)


@given(cut=st.integers(0, 10**4))
def test_half_a_line_costs_no_other(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    """Wherever the last line was torn, the ones before it and after it are whole."""
    folder = tmp_path_factory.mktemp("torn")
    first, second, third = (past(step=number) for number in (1, 2, 3))
    remember(folder, [first, second])
    path = folder / FILE_NAME
    data = path.read_bytes()
    start = data.index(b"\n") + 1
    torn = start + cut % (len(data) - start)
    path.write_bytes(data[:torn])
    assert past_runs(folder)[:1] == (first,)
    remember(folder, [third])
    kept, lost = read_history(folder)
    assert kept[0] == first
    assert kept[-1] == third
    # A line that lacks only its end of line is whole; one of nothing is none.
    assert len(kept) + lost == 3 - (torn == start)


def test_a_line_of_a_later_version_stays(tmp_path: Path) -> None:
    """An older program neither reads nor removes what a newer one wrote."""
    path = tmp_path / FILE_NAME
    path.write_text('{"v":2,"mood":"good"}\n', encoding="utf-8")
    remember(tmp_path, [past()])
    assert read_history(tmp_path) == ((past(),), 1)
    assert path.read_text(encoding="utf-8").startswith('{"v":2,"mood":"good"}\n')


_WRITER = """
import sys
from tests.store.test_history import past
from pytest_vdg.store import history
history.PATIENCE_S = 600.0  # a slow disk is no process that hangs
for turn in range(25):
    history.remember(sys.argv[1], [past(step=turn, checkpoint=sys.argv[2])])
"""


def test_many_processes_lose_no_run(tmp_path: Path) -> None:
    """Four processes with 25 runs each leave 100 lines, all whole."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path), f"writer-{number}"], cwd=ROOT
        )
        for number in range(4)
    ]
    assert [writer.wait() for writer in writers] == [0] * 4
    kept, lost = read_history(tmp_path)
    assert lost == 0
    assert len({(run.checkpoint, run.step) for run in kept}) == len(kept) == 100


_VICTIM = """
import os, signal, sys
from tests.store.test_history import past
from pytest_vdg.store import history
whole = os.write
def half(descriptor, data):
    whole(descriptor, data[: len(data) // 2])
    os.kill(os.getpid(), signal.SIGKILL)
history.os.write = half
history.remember(sys.argv[1], [past(step=2)])
"""


def test_a_writer_killed_in_the_middle_holds_nobody_up(tmp_path: Path) -> None:
    """Its lock dies with it, its half line is passed over, and the next is kept."""
    remember(tmp_path, [past(step=1)])
    died = subprocess.run(
        [sys.executable, "-c", _VICTIM, str(tmp_path)], cwd=ROOT, check=False
    )
    assert died.returncode < 0
    assert remember(tmp_path, [past(step=3)]) == 1
    kept, lost = read_history(tmp_path)
    assert [run.step for run in kept] == [1, 3]
    assert lost == 1


def test_a_full_disk_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could be written of a line is taken back, and the error names the file."""
    remember(tmp_path, [past(step=1)])
    path = tmp_path / FILE_NAME
    before = path.read_bytes()
    whole = history.os.write
    written: list[int] = []

    def full(descriptor: int, data: bytes) -> int:
        if written:
            raise OSError(28, "No space left on device")
        written.append(whole(descriptor, data[:10]))
        return 10

    monkeypatch.setattr(history.os, "write", full)
    with pytest.raises(StoreError, match=FILE_NAME):
        remember(tmp_path, [past(step=2)])
    monkeypatch.undo()
    assert path.read_bytes() == before


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    """The error says which path cannot be used, not that a system call failed."""
    (tmp_path / "occupied").touch()
    with pytest.raises(StoreError, match="occupied is a file"):
        remember(tmp_path / "occupied", [past()])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"when": ""}, "when"),
        ({"videos": 41}, "videos"),
        ({"effects": (level(), level())}, "twice"),
        ({"confidence": 95}, "confidence"),
    ],
)
def test_a_run_that_cannot_be_is_refused(change: dict[str, Any], said: str) -> None:
    """What no reader could place is an error where it is made."""
    with pytest.raises(ValueError, match=said):
        past(**change)


@given(run=runs(), data=st.data())
def test_a_line_with_a_value_of_another_kind_is_no_run(
    run: PastRun, data: st.DataObject
) -> None:
    """What a text editor left is passed over, and not met again by who draws it."""
    record = {"v": 1, **to_record(run)}
    name = data.draw(st.sampled_from(sorted(to_record(run))))
    kinds = [None, True, "", {"a": 1}, [[1]], [None], 2**70, "text", 0.5]
    wrong = [each for each in kinds if type(each) is not type(record[name])]
    record[name] = data.draw(st.sampled_from(wrong))
    line = json.dumps(record).encode()
    assert history._parsed(line) == ((), 1)


def test_a_line_that_is_nested_without_end_is_no_run(tmp_path: Path) -> None:
    """Python gives up on it by another error than on other nonsense."""
    (tmp_path / "history.jsonl").write_bytes(b"[" * 100_000 + b"\n")
    assert past_runs(tmp_path) == ()
