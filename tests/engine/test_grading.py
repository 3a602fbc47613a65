"""From a reply to an outcome, in one place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vdg.backends.protocol import Reply
from pytest_vdg.benchmarks.schema import Option
from pytest_vdg.engine.grading import answered, graded, unanswered
from pytest_vdg.frames.conditions import Condition
from pytest_vdg.runs import CellResult, Outcome
from tests.engine.examples import question

ASKED = question("q1", "a.mp4")
ORIGINAL = Condition.parse("original")


def cell(text: str, scoring: str = "generate") -> CellResult:
    """Return the cell that a reply of *text* makes."""
    reply = Reply(
        text=text,
        frames_seen=0,
        visual_tokens=0,
        prompt_tokens=9,
        input_digest="d",
        seconds=0.1,
    )
    return answered(ASKED, ORIGINAL, reply, clip=None, scoring=scoring)


@pytest.mark.parametrize(
    ("text", "outcome", "choice"),
    [
        ("A", Outcome.CORRECT, "A"),
        ("B. no", Outcome.WRONG, "B"),
        ("yes", Outcome.CORRECT, "A"),
    ],
)
def test_a_reply_that_chooses_is_right_or_wrong(
    text: str, outcome: Outcome, choice: str
) -> None:
    """A label or an option's full text decides."""
    assert (cell(text).outcome, cell(text).choice) == (outcome, choice)


def test_a_reply_that_chooses_nothing_is_unparsed() -> None:
    """It is neither right nor wrong, and the reply is kept verbatim."""
    got = cell("The video is completely black.")
    assert (got.outcome, got.choice) == (Outcome.UNPARSED, None)
    assert got.reply == "The video is completely black."
    assert "chose no option" in (got.reason or "")


@pytest.mark.parametrize("scoring", ["choice", "option_text"])
def test_where_options_are_scored_the_reply_is_the_label(scoring: str) -> None:
    """A label that is also another option's text is not read as that text."""
    options = (Option(label="A", text="B"), Option(label="B", text="A"))
    crossed = replace(ASKED, options=options)
    got = graded(cell("A", scoring), crossed, scoring=scoring)
    assert got.choice == "A"


def test_a_corrected_key_turns_a_kept_reply() -> None:
    """Stored replies are judged by the key of today, not by that of then."""
    kept = cell("A")
    corrected = replace(ASKED, answer="B")
    assert kept.outcome is Outcome.CORRECT
    assert graded(kept, corrected, scoring="generate").outcome is Outcome.WRONG


def test_what_got_no_reply_is_not_graded() -> None:
    """No reply stays no answer, with its reason."""
    lost = unanswered(ASKED, ORIGINAL, Outcome.NOT_APPLICABLE, "one frame")
    assert graded(lost, ASKED, scoring="choice") is lost
