"""The best constant answer: what need not be looked at."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.constant import best_constant, constants
from pytest_vdg.benchmarks.schema import Question
from tests.benchmarks.made import question

COLOURS = ("red", "green", "blue")


def asked(pairs: Sequence[tuple[str, int]]) -> list[Question]:
    """Return questions with these answers, the options turned by so many places."""
    made = []
    for number, (label, turn) in enumerate(pairs):
        texts = dict(zip("ABC", COLOURS[turn:] + COLOURS[:turn], strict=True))
        made.append(question(f"q{number}", texts=texts, answer=label))
    return made


def test_a_text_that_is_often_right_is_found_behind_balanced_labels() -> None:
    """Each label is the answer once, and it is always the red thing."""
    found = asked([("A", 0), ("C", 1), ("B", 2)])
    label, text = constants(found)
    assert (label.words, label.share) == ("the label 'A'", 1 / 3)
    assert (text.words, text.share) == ("the text 'red'", 1.0)
    assert best_constant(found) == text


def test_texts_are_the_same_without_regard_to_case_and_space() -> None:
    """``Red thing`` and ``red  thing`` are one answer."""
    texts = ({"A": "Red thing", "B": "x"}, {"A": "y", "B": "red  thing"})
    found = [
        question("a", texts=texts[0], answer="A"),
        question("b", texts=texts[1], answer="B"),
    ]
    assert best_constant(found).right == (True, True)


@given(
    st.lists(
        st.tuples(st.sampled_from("ABC"), st.integers(0, 2)), min_size=1, max_size=20
    )
)
def test_no_constant_label_or_text_earns_more(pairs: list[tuple[str, int]]) -> None:
    """The share is that of counting every answer there is."""
    found = asked(pairs)
    labels = [q.answer for q in found]
    texts = [q.texts[q.answer] for q in found]
    most = max(*map(labels.count, labels), *map(texts.count, texts))
    assert best_constant(found).share == most / len(found)


def test_nothing_is_no_answer() -> None:
    """Of no question there is no best answer, and none is made up."""
    with pytest.raises(ValueError, match="no question"):
        constants([])
