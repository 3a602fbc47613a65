"""Position bias: answers that lean to a label, against the key and not chance."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import ClaimFailed, assert_no_position_bias
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import AskedQuestion, CellResult, Fingerprint, Outcome, Run
from pytest_vdg.stats.detectable import smallest_detectable_paired_difference
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import NO_CAPS, make_run, outcome

LABELS = ("A", "B", "C", "D")


def answering(
    answers: str,
    key: str,
    condition: str = "original",
    labels: tuple[str, ...] = LABELS,
) -> Run:
    """Return a run that chose these labels where those are right; - is unparsed."""
    questions = tuple(
        AskedQuestion(
            id=f"q{i:03d}",
            video=f"{i}.mp4",
            task="all",
            labels=labels,
            answer=right,
            digest=f"d{i}",
        )
        for i, right in enumerate(key)
    )
    cells = {
        (q.id, condition): CellResult(
            question_id=q.id,
            condition=condition,
            outcome=Outcome.UNPARSED
            if chosen == "-"
            else Outcome.CORRECT
            if chosen == q.answer
            else Outcome.WRONG,
            choice=None if chosen == "-" else chosen,
        )
        for q, chosen in zip(questions, answers, strict=True)
    }
    return Run(
        checkpoint="new",
        slice_name="sight",
        questions=questions,
        conditions=(condition,),
        cells=cells,
        fingerprint=Fingerprint(comparable={}, subject={}, informative={}),
        caps=NO_CAPS,
    )


def test_two_labels_have_a_position() -> None:
    """Always the first of two is right in half and a bias of fifty points."""
    run = answering("A" * 100, "AB" * 50, labels=("A", "B"))
    finding = outcome(lambda: assert_no_position_bias(run))
    assert finding.verdict is Verdict.ABOVE_CEILING
    assert finding.estimate == 0.5


def test_it_is_told_what_the_most_frequent_answer_explains() -> None:
    """Always A is right in 60 of 120, as the run is: all of what is above a fourth.

    A run at chance has nothing above it to explain.
    """
    key = "A" * 60 + "BCD" * 20
    told = outcome(lambda: assert_no_position_bias(answering("A" * 120, key)))
    assert "answer alone explains 100% of what is above chance" in " ".join(
        told.message.split()
    )
    at_chance = answering("A" * 120, "ABCD" * 30)
    silent = outcome(lambda: assert_no_position_bias(at_chance))
    assert "explains" not in silent.message


def test_it_is_told_which_rise_would_have_been_seen() -> None:
    """An excess is held against a ceiling, so what it could hide is a rise.

    Answers of A beyond its key are the losses of a drop: 30 gained, 10 lost.
    """
    key = "A" * 40 + "B" * 160
    answers = "A" * 30 + "B" * 10 + "A" * 30 + "B" * 130
    finding = outcome(lambda: assert_no_position_bias(answering(answers, key)))
    assert finding.measure == "excess of label A"
    known = smallest_detectable_paired_difference(
        treated_only=10, control_only=30, n=200
    )
    assert finding.smallest_detectable == pytest.approx(known)


def test_always_right_is_no_bias_whatever_the_key() -> None:
    """A skewed key skews the answers of who knows them."""
    key = "A" * 60 + "BCD" * 20
    finding = assert_no_position_bias(answering(key, key))
    assert finding.verdict is Verdict.PASS
    assert finding.estimate == 0


def test_always_the_same_label_is_a_bias() -> None:
    """A is answered in all cases and right in a fourth: an excess of 75 points."""
    with pytest.raises(ClaimFailed) as caught:
        assert_no_position_bias(answering("A" * 120, "ABCD" * 30))
    finding = caught.value.finding
    assert finding.verdict is Verdict.ABOVE_CEILING
    assert finding.summary.startswith("ABOVE CEILING excess of label A +75.0pp [")
    assert "] vs ceiling +10.0pp (n=120 questions" in finding.summary
    text = " ".join(str(caught.value).split())
    assert "answers A 100.0% B 0.0% C 0.0% D 0.0% | entropy 0.00 bits" in text
    assert "always answering A is right in 25.0%" in text


def test_few_questions_decide_nothing() -> None:
    """A lean of one in eight answers may be chance."""
    run = answering("AAAAABCD", "ABCDABCD")
    finding = outcome(lambda: assert_no_position_bias(run))
    assert finding.verdict is Verdict.INCONCLUSIVE


def test_a_bias_can_be_sought_without_sight() -> None:
    """Under black frames alone, where it shows most."""
    run = answering("B" * 100, "ABCD" * 25, condition="black")
    finding = outcome(lambda: assert_no_position_bias(run, condition="black"))
    assert finding.verdict is Verdict.ABOVE_CEILING
    assert "label B" in finding.measure


def test_a_reply_without_a_choice_counts_for_no_label() -> None:
    """It stays among the questions: its right label was not answered."""
    finding = outcome(
        lambda: assert_no_position_bias(answering("ABC-" * 5, "ABCD" * 5))
    )
    assert finding.n == 20
    assert "5 unparsed" in finding.message


def test_a_log_that_only_knows_right_and_wrong_is_refused() -> None:
    """Without the choices there is nothing to be biased."""
    run = answering("ABCD", "ABCA")
    cells = {k: replace(c, choice=None) for k, c in run.cells.items()}
    with pytest.raises(CouldNotBeJudged, match="does not hold which option"):
        assert_no_position_bias(replace(run, cells=cells))


def test_one_option_is_no_position() -> None:
    """Where all questions offer A only, A is always right."""
    run = make_run({"original": "CCCC"})
    questions = tuple(replace(q, labels=("A",), answer="A") for q in run.questions)
    cells = {k: replace(c, choice="A") for k, c in run.cells.items()}
    with pytest.raises(CouldNotBeJudged, match="one label only"):
        assert_no_position_bias(replace(run, questions=questions, cells=cells))


@settings(deadline=None, max_examples=30)
@given(st.text("ABCD", min_size=8, max_size=60), st.permutations(LABELS))
def test_the_names_of_labels_do_not_matter(
    answers: str, order: tuple[str, ...]
) -> None:
    """Renaming all labels moves the bias with its label, and changes no verdict."""
    key = ("ABCD" * 15)[: len(answers)]
    renamed = str.maketrans("ABCD", "".join(order))
    one = outcome(lambda: assert_no_position_bias(answering(answers, key)))
    other = outcome(
        lambda: assert_no_position_bias(
            answering(answers.translate(renamed), key.translate(renamed))
        )
    )
    assert one.verdict is other.verdict
    assert one.estimate == pytest.approx(other.estimate)
