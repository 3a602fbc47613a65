"""Tests of what may be compared: how a refusal reads, and parts of a baseline.

Apart from ``test_outcomes``, where each kind of difference is refused while
two runs are joined.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.benchmarks.rotation import as_asked
from pytest_vdg.benchmarks.schema import Benchmark, Option, Question
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.comparable import at_questions_of, require_comparable, slice_digest
from pytest_vdg.errors import NotComparable
from pytest_vdg.runs import Run
from tests.assertions.build import make_run


def answered(letters: str, *, known: dict[str, str] | None = None) -> Run:
    """Return a run of so many questions; its fingerprint says *known* of them.

    Without any it has the digest of its questions, as a run of a slice has.
    """
    run = make_run({"original": letters})
    slice_ = {"slice": slice_digest(run.questions)}
    return told(run, known if known is not None else slice_)


def told(run: Run, known: dict[str, str]) -> Run:
    """Return *run* with *known* for all that must be equal."""
    return replace(run, fingerprint=replace(run.fingerprint, comparable=known))


def reworded(run: Run, *rows: int) -> Run:
    """Return *run* with other text for the questions at *rows*."""
    questions = list(run.questions)
    for row in rows:
        questions[row] = replace(questions[row], digest=f"another {row}")
    return replace(run, questions=tuple(questions))


def first_questions(run: Run, number: int) -> Run:
    """Return *run* as if only its first questions had been asked."""
    kept = run.questions[:number]
    cells = {(q.id, c): run.cells[q.id, c] for q in kept for c in run.conditions}
    part = replace(run, questions=kept, cells=cells, planned={"all": len(kept)})
    return told(part, {"slice": slice_digest(kept)})


def refusal(run: Run, baseline: Run, **options: str) -> str:
    """Return the text with which the two are refused."""
    with pytest.raises(NotComparable) as caught:
        require_comparable(run, baseline, **options)
    return str(caught.value)


def test_one_question_and_several_are_told_in_english() -> None:
    """People read these sentences: one is, two are; its text, their text."""
    two, three, four = (answered("C" * n) for n in (2, 3, 4))
    assert "1 question is not in the baseline (first: q0002)" in refusal(three, two)
    assert "2 questions are not in the baseline (first: q0002, q0003)" in refusal(
        four, two
    )
    assert "1 question changed its text" in refusal(reworded(two, 0), two)
    assert "2 questions changed their text" in refusal(reworded(two, 0, 1), two)


def test_a_few_ids_stand_for_all() -> None:
    """A thousand other questions are counted, and only the first ones named."""
    run = answered("C" * 1000)
    text = refusal(reworded(run, *range(1000)), run)
    assert "1000 questions changed" in text
    assert "(first: q0000, " in text
    assert text.count("q0") < 10


def test_the_last_line_is_what_to_do() -> None:
    """By default it names the option to type; who knows better says so."""
    run, other = answered("C", known={"seed": "0"}), answered("C", known={"seed": "1"})
    assert "--vdg-update-baseline" in refusal(run, other).splitlines()[-1]
    assert refusal(run, other, advice="Ask again.").splitlines()[-1] == "Ask again."


def test_text_is_not_held_against_what_never_held_it() -> None:
    """A log and a benchmark digest a question differently, and differ by source."""
    of_log = answered("CC", known={"source": "imported logs"})
    of_slice = answered("CC", known={})
    text = refusal(reworded(of_log, 0, 1), of_slice)
    assert "source: imported logs, was None" in text
    assert "changed" not in text
    labels = of_log.questions[0].labels
    fewer = replace(of_log.questions[0], labels=labels[:2])
    assert "1 question changed its text, options or key (first: q0000)" in refusal(
        replace(of_log, questions=(fewer, *of_log.questions[1:])), of_slice
    )


def test_two_logs_of_one_kind_are_held_to_their_text() -> None:
    """Where both digest in the same way, another digest is another question."""
    run = answered("CC", known={"source": "imported logs"})
    assert "1 question changed its text" in refusal(reworded(run, 1), run)


@settings(max_examples=10)
@given(st.permutations("abcd"))
def test_a_slice_and_a_run_of_it_have_one_digest(names: list[str]) -> None:
    """A run is known by its questions as the slice is, whatever order they are in."""
    questions = tuple(
        Question(
            id=name,
            text=f"What is {name}?",
            options=(Option(label="A", text="x"), Option(label="B", text="y")),
            answer="A",
            task="all",
            video=f"{name}.mp4",
        )
        for name in names
    )
    benchmark = Benchmark(name="made", root=Path(), questions=questions, source="here")
    slice_ = take(benchmark)
    assert slice_digest(map(as_asked, questions)) == slice_.digest
    assert slice_digest(map(as_asked, questions[1:])) != slice_.digest


@given(st.integers(1, 6))
def test_a_baseline_is_taken_at_the_questions_of_a_run(number: int) -> None:
    """Of six questions as many as were asked are left, and fit the run."""
    whole = answered("CWCWCW")
    part = first_questions(whole, number)
    taken = at_questions_of(part, whole)
    assert taken == part
    require_comparable(part, taken)


def test_a_baseline_without_one_of_the_questions_stays_whole() -> None:
    """What it lacks is then told, with all that it holds."""
    run = answered("CWCWCW")
    fewer = first_questions(run, 4)
    assert at_questions_of(run, fewer) is fewer
    assert "2 questions are not in the baseline" in refusal(run, fewer)


def test_a_baseline_edited_by_hand_stays_whole() -> None:
    """Its slice is not that of its questions, which no restriction may hide."""
    whole = answered("CWCWCW")
    part = first_questions(whole, 2)
    edited = reworded(whole, 5)
    assert at_questions_of(part, edited) is edited
    assert "4 questions are only in the baseline" in refusal(part, edited)
