"""Spatial and diversity delta: the claims of `temporal` on the lower steps."""

from __future__ import annotations

import pytest

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_diversity_delta,
    assert_spatial_delta,
)
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import arms, make_run, outcome


def stepped(treated: str, control: str, **counts: int) -> Run:
    """Return a run of two conditions other than ``original`` with these counts."""
    cells = arms(**counts)
    return make_run({treated: cells["original"], control: cells["black"]})


def test_one_frame_against_none_is_the_spatial_delta() -> None:
    """The paper's LLaVA counts, put on another step, give the same interval.

    212 and 29 of 600: Tango .260405, .349425 (see ``test_vdg``).
    """
    run = stepped(
        "single_frame",
        "black",
        both=180,
        treated_only=212,
        control_only=29,
        neither=179,
    )
    finding = assert_spatial_delta(run, 0.10)
    assert finding.summary == (
        "ok spatial delta +30.5pp [+26.0, +34.9] vs floor +10.0pp "
        "(n=600 questions, 600 videos)"
    )
    assert finding.claim == "assert_spatial_delta"


def test_more_frames_against_one_is_the_diversity_delta() -> None:
    """Without discordance the upper bound of 60 questions is 5.8 points.

    At .0580, n d - ½ = 2.98 is z sqrt(n d (1 - d)) = 1.645 * 1.81.
    """
    run = stepped("shuffled", "single_frame", both=50, neither=10)
    with pytest.raises(ClaimFailed) as caught:
        assert_diversity_delta(run, 0.06)
    assert caught.value.finding.summary == (
        "BELOW FLOOR diversity delta +0.0pp [-6.0, +6.0] vs floor +6.0pp "
        "(n=60 questions, 60 videos)"
    )
    assert "right under single_frame too (50)" in str(caught.value)


def test_few_questions_decide_nothing() -> None:
    """A floor inside the bounds is neither met nor missed."""
    run = stepped("single_frame", "black", both=3, treated_only=4, neither=2)
    assert outcome(lambda: assert_spatial_delta(run, 0.4)).verdict is (
        Verdict.INCONCLUSIVE
    )


def test_a_lost_step_is_a_regression() -> None:
    """What one picture was worth in the baseline, and is no longer."""
    then = stepped("single_frame", "black", treated_only=60, neither=40)
    now = stepped("single_frame", "black", treated_only=5, neither=95)
    with pytest.raises(ClaimFailed) as caught:
        assert_spatial_delta(now, baseline=then, margin=0.05)
    assert caught.value.finding.verdict is Verdict.REGRESSION
    assert str(caught.value).startswith("REGRESSION spatial delta -55.0pp [")
    assert "lost grounding (55)" in str(caught.value)


def test_a_kept_step_passes() -> None:
    """A run against itself has lost nothing of a step that is there."""
    run = stepped("shuffled", "single_frame", both=90, treated_only=80, neither=30)
    finding = assert_diversity_delta(run, baseline=run)
    assert finding.verdict is Verdict.PASS
    assert finding.measure == "diversity delta change"


def test_a_baseline_without_the_step_protects_nothing() -> None:
    """A claim that could never fail is an error, not a pass."""
    run = stepped("single_frame", "black", both=100, neither=100)
    with pytest.raises(CouldNotBeJudged, match="itself has none to lose"):
        assert_spatial_delta(run, baseline=run)


def test_variants_of_the_conditions_are_named() -> None:
    """The middle frame against no video is the same step, and says so."""
    run = stepped("single_frame:middle", "text_only", treated_only=50, neither=10)
    finding = assert_spatial_delta(
        run, 0.1, treated="single_frame:middle", against="text_only"
    )
    assert finding.measure == "spatial delta (single_frame:middle - text_only)"


@pytest.mark.parametrize(
    ("treated", "against"), [("original", "black"), ("single_frame", "shuffled")]
)
def test_another_step_is_not_the_spatial_delta(treated: str, against: str) -> None:
    """A name that would measure something else is refused."""
    run = make_run(arms(both=9, treated_only=9))
    with pytest.raises(ValueError, match="one frame against none"):
        assert_spatial_delta(run, 0.1, treated=treated, against=against)


def test_another_step_is_not_the_diversity_delta() -> None:
    """One picture against another of them has no diversity."""
    run = make_run(arms(both=9, treated_only=9))
    with pytest.raises(ValueError, match="without their order against one frame"):
        assert_diversity_delta(run, 0.1, against="black")


@pytest.mark.parametrize("both", [True, False])
def test_a_floor_or_a_baseline_but_not_both(both: bool) -> None:
    """The two are different claims; neither is assumed."""
    run = stepped("single_frame", "black", treated_only=9)
    arguments = {"floor": 0.1, "baseline": run} if both else {}
    with pytest.raises(ValueError, match="either a floor or a baseline"):
        assert_spatial_delta(run, **arguments)  # type: ignore[arg-type]
