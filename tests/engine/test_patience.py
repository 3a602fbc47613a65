"""When a backend that has never answered is given up: no sooner, and no later."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.engine.patience import Patience
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import Caps, CellResult, Outcome
from tests.engine.examples import SETTINGS


def cell(number: int, outcome: Outcome = Outcome.FAILED) -> CellResult:
    """Return the cell of question *number*."""
    return CellResult(
        question_id=f"q{number}",
        condition="original",
        outcome=outcome,
        reason=f"out of memory ({number})",
    )


def failures_until_given_up(patience: Patience, most: int = 1000) -> int | None:
    """Return how many failures it takes; None where *most* do not suffice."""
    for number in range(1, most + 1):
        try:
            patience.failed(cell(number))
        except CouldNotBeJudged:  # noqa: PERF203 - it ends the loop
            return number
    return None


@given(limit=st.integers(1, 30))
def test_what_never_answered_is_given_up_after_so_many(limit: int) -> None:
    """The first failure is told: what came later may only follow from it."""
    patience = Patience(limit)
    for number in range(1, limit):
        patience.failed(cell(number))
    with pytest.raises(CouldNotBeJudged, match=rf"the first {limit} cells") as caught:
        patience.failed(cell(limit))
    assert "question 'q1', condition 'original'): out of memory (1)" in str(
        caught.value
    )
    assert len(patience.failures) == limit


@given(limit=st.integers(2, 30), before=st.integers(0, 28))
def test_one_answer_is_enough_to_go_on(limit: int, before: int) -> None:
    """From then on a failure is a cell, and the caps are there for them."""
    patience = Patience(limit)
    for number in range(min(before, limit - 1)):
        patience.failed(cell(number))
    patience.answered()
    assert failures_until_given_up(patience) is None


@pytest.mark.parametrize(
    ("cells", "resumed", "failures"),
    [
        (1000, False, 5),
        # Of 1000 cells 2 % may fail: the 21st is one too many.
        (1000, True, 21),
        # Of 100 two may, which is less than what a fresh run waits for.
        (100, True, 5),
    ],
)
def test_a_run_taken_up_again_waits_for_what_its_caps_allow(
    cells: int, resumed: bool, failures: int
) -> None:
    """It asks first what failed the last time, and that may be all that is left."""
    settings = replace(SETTINGS, give_up_after=5, caps=Caps(failed=0.02))
    patience = Patience.of(settings, cells=cells, resumed=resumed)
    assert failures_until_given_up(patience) == failures


def test_of_what_was_asked_elsewhere_only_the_backends_failures_count() -> None:
    """A video that cannot be read says nothing of the backend, an answer all."""
    patience = Patience(2)
    broken = {("q1", "original"), ("q4", "original"), ("q5", "original")}
    patience.take_in([cell(1), cell(2), cell(3)], broken)
    assert [each.question_id for each in patience.failures] == ["q1"]
    with pytest.raises(CouldNotBeJudged, match="first 2 cells"):
        patience.take_in([cell(4)], broken)
    other = Patience(2)
    other.take_in([cell(1), cell(2, Outcome.UNPARSED), cell(4), cell(5)], broken)
    assert len(other.failures) == 3
