"""Records: none is lost without a word, whatever reading it raises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.source import OnBad
from pytest_vdg.errors import BenchmarkError
from tests.benchmarks.made import question


def made(*names: str, on_bad: OnBad = "skip") -> Records:
    """Return records with a question of each name, a line each."""
    records = Records("made", on_bad)
    for line, name in enumerate(names, 1):
        records.keep("a.csv", f"line {line}", lambda name=name: question(name))  # type: ignore[misc]
    return records


def test_what_is_left_out_on_purpose_is_told_and_no_fault() -> None:
    """``strict`` stops at what cannot be used, not at what is not meant to be."""
    records = made("q1", on_bad="strict")
    records.aside("b.csv", "the whole file", "has no options")
    loaded = records.benchmark(root=Path())
    assert [(p.file, p.reason, p.dropped) for p in loaded.problems] == [
        ("b.csv", "has no options", True)
    ]
    records.bad("a.csv", "line 2", "is empty")
    with pytest.raises(BenchmarkError, match=r"1 of 2 records .*\n  a.csv, line 2"):
        records.benchmark(root=Path())


def test_nothing_but_what_was_left_out_says_so() -> None:
    """An empty benchmark names the reason."""
    records = made()
    records.aside("b.csv", "the whole file", "has no options")
    with pytest.raises(BenchmarkError, match="the whole file: has no options"):
        records.benchmark(root=Path())


@pytest.mark.parametrize("twin", ["q1", "Q1", " q1", "\uff51\uff11"])
def test_all_that_share_an_id_are_left_out(twin: str) -> None:
    """Which of them is meant is not known, however they are spelt."""
    loaded = made("q1", "q2", twin).benchmark(root=Path())
    assert [q.id for q in loaded.questions] == ["q2"]
    told = {p.record: p.reason for p in loaded.problems if p.dropped}
    assert set(told) == {"line 1", "line 3"}
    assert "is given again further on" in told["line 1"]


def overflow() -> Question:
    """Stand for a number beyond every float."""
    return question(str(float(10**400)))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: question(answer={}["answer"]), "has no 'answer'"),
        (lambda: question(text=list("ab")[7]), "is of another form"),
        (lambda: question(text=None.strip()), "is of another form"),  # type: ignore[attr-defined]
        (lambda: question(str(int("x"))), "is of another form"),
        (overflow, "is of another form"),
        (lambda: question(answer="Z"), "answer 'Z' is not one of the labels"),
    ],
)
def test_record_that_cannot_be_read_is_told(
    make: Callable[[], Question], said: str
) -> None:
    """Its place and the reason are noted, and reading goes on."""
    records = made("kept")
    records.keep("a.csv", "line 2", make)
    loaded = records.benchmark(root=Path())
    (problem,) = loaded.problems
    assert (problem.record, problem.dropped) == ("line 2", True)
    assert said in problem.reason
