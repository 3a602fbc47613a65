"""The blind gap: small, large or undecided, held against a ceiling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_accuracy_above,
    assert_blind_gap_below,
)
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import make_run, outcome


def blind(right: int, of: int) -> dict[str, str]:
    """Return text-only cells with so many right; chance is a fourth."""
    return {"text_only": "C" * right + "W" * (of - right)}


def test_answers_at_chance_pass() -> None:
    """75 of 300 right is no blind gap; Wilson: .204, .302 (closed form)."""
    finding = assert_blind_gap_below(make_run(blind(75, 300)), 0.05)
    assert finding.summary == (
        "ok blind gap +0.0pp [-4.6, +5.2] vs ceiling +5.0pp "
        "(n=300 questions, 300 videos)"
    )
    assert finding.accuracies == (("text_only", 0.25),)


def test_answers_in_the_text_are_above_the_ceiling() -> None:
    """105 of 300: a gap of ten points, above a ceiling of two."""
    with pytest.raises(ClaimFailed) as caught:
        assert_blind_gap_below(make_run(blind(105, 300)), 0.02)
    finding = caught.value.finding
    assert finding.verdict is Verdict.ABOVE_CEILING
    assert (finding.bound, finding.bound_is) == (0.02, "ceiling")
    assert finding.summary == (
        "ABOVE CEILING blind gap +10.0pp [+4.8, +15.6] vs ceiling +2.0pp "
        "(n=300 questions, 300 videos)"
    )
    assert "smallest detectable rise" in finding.message


def test_few_questions_decide_nothing() -> None:
    """Three of ten right may be chance or a gap of twenty points."""
    finding = outcome(lambda: assert_blind_gap_below(make_run(blind(3, 10)), 0.05))
    assert finding.verdict is Verdict.INCONCLUSIVE


def test_chance_is_of_the_questions_judged() -> None:
    """Each question counts 1/K; here all have four options."""
    finding = assert_blind_gap_below(make_run(blind(40, 160)), 0.1)
    assert "chance 25.0%" in finding.message


def test_black_frames_can_be_meant() -> None:
    """The other blind condition has its own gap."""
    run = make_run({"black": "C" * 25 + "W" * 75})
    finding = assert_blind_gap_below(run, 0.12, condition="black")
    assert finding.measure == "blind gap (black)"


def test_a_condition_that_shows_the_video_has_no_blind_gap() -> None:
    """Accuracy above chance with the video is another claim."""
    with pytest.raises(ValueError, match="shows nothing"):
        assert_blind_gap_below(make_run(blind(1, 4)), 0.1, condition="original")


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 80), st.floats(-0.2, 0.7))
def test_it_is_the_mirror_of_accuracy_above(right: int, ceiling: float) -> None:
    """Shown below a ceiling is not shown above it, and the reverse."""
    run = make_run(blind(right, 80))
    below = outcome(lambda: assert_blind_gap_below(run, ceiling)).verdict
    above = outcome(
        lambda: assert_accuracy_above(
            run, ceiling + 0.25, condition="text_only", evidence="bound"
        )
    ).verdict
    if above is Verdict.PASS:
        assert below is Verdict.ABOVE_CEILING
    if below is Verdict.PASS:
        assert above is Verdict.BELOW_FLOOR
