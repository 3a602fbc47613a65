"""Ordinary accuracy, and how little it says."""

from __future__ import annotations

import pytest

from pytest_vdg.assertions import ClaimFailed, assert_accuracy_above
from pytest_vdg.stats.detectable import smallest_detectable_share
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import NO_CAPS, make_run, outcome

# 0 of 10: Wilson's interval is [0, .278], z²/(n + z²) = 3.8415/13.8415.
NEVER = make_run({"original": "W" * 10})
MOSTLY = make_run({"original": "C" * 80 + "W" * 20, "black": "C" * 79 + "W" * 21})


def test_the_estimate_decides_by_default() -> None:
    """That is what people mean by an accuracy test."""
    finding = assert_accuracy_above(MOSTLY, 0.79)
    assert finding.verdict is Verdict.PASS
    # Wilson for 80 of 100: (.8 + .0192 -+ 1.96 sqrt(.0016 + .000096)) / 1.0384
    assert finding.summary == (
        "ok accuracy 80.0% [71.1, 86.7] vs floor 79.0% by estimate only "
        "(n=100 questions, 100 videos)"
    )


def test_an_accuracy_at_the_floor_is_not_above_it() -> None:
    """The claim is strict."""
    with pytest.raises(ClaimFailed, match=r"BELOW FLOOR accuracy 80\.0%"):
        assert_accuracy_above(MOSTLY, 0.80)


@pytest.mark.parametrize(
    ("floor", "verdict"),
    [
        (0.70, Verdict.PASS),
        (0.80, Verdict.INCONCLUSIVE),
        (0.90, Verdict.BELOW_FLOOR),
    ],
)
def test_bounds_give_three_answers(floor: float, verdict: Verdict) -> None:
    """Shown to be above, shown not to be, and neither."""
    found = outcome(lambda: assert_accuracy_above(MOSTLY, floor, evidence="bound"))
    assert found.verdict is verdict


def test_never_right_has_an_interval() -> None:
    """Ten wrong answers do not show an accuracy of exactly zero.

    With so few the interval ends at the one-sided bound: for 0 of n with half a
    question, (z² + 1 + z sqrt(z² + 2 - 1/n)) / 2 (n + z²), which at z² = 2.7055 is
    (3.7055 + 1.6449 * 2.1461) / 25.411 = 28.5 %.
    """
    with pytest.raises(ClaimFailed) as caught:
        assert_accuracy_above(NEVER, 0.0)
    assert "accuracy 0.0% [0.0, 28.5] vs floor 0.0%" in caught.value.finding.summary


def test_any_condition_can_be_asked() -> None:
    """The accuracy under black frames is a number like any other."""
    finding = assert_accuracy_above(MOSTLY, 0.5, condition="black")
    assert finding.measure == "accuracy black"
    assert finding.accuracies == (("black", 0.79),)
    assert finding.summary.startswith("ok black accuracy 79.0% [")


def test_failed_cells_leave_and_unparsed_count_as_wrong() -> None:
    """A missing reply is no answer; a reply without a choice is not right."""
    run = make_run({"original": "CCCFU"}, caps=NO_CAPS)
    finding = assert_accuracy_above(run, 0.5)
    assert (finding.n, finding.estimate) == (4, 0.75)
    text = " ".join(finding.message.split())
    assert "1 of 5 questions left the pair: original 1 failed, 1 unparsed" in text


def test_the_smallest_drop_is_one_from_the_share_that_was_found() -> None:
    """A drop from 80 of 100, which is not one from 20."""
    drop = smallest_detectable_share(successes=80, n=100)
    assert drop != smallest_detectable_share(successes=20, n=100)
    finding = assert_accuracy_above(MOSTLY, 0.5)
    assert finding.smallest_detectable == pytest.approx(drop)


def test_chance_stands_beside_the_accuracy() -> None:
    """Four options are guessed one time in four."""
    assert "25.0% by guessing" in assert_accuracy_above(MOSTLY, 0.5).message
