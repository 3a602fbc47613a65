"""Stability under a harmless change: few flips, and no net loss."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_destructive_ratio_below,
    assert_stable_under,
)
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import arms, make_run, outcome

CRF = "compressed:38"


def flipping(broken: int, mended: int, of: int = 600) -> dict[str, str]:
    """Return cells of which some break and some mend under compression."""
    same = of - broken - mended
    right = same * 2 // 3
    return arms(
        both=right,
        treated_only=broken,
        control_only=mended,
        neither=same - right,
        control=CRF,
    )


def test_published_flips_leave_ninety_percent_stable() -> None:
    """Qwen2-VL at CRF 38: 32 break, 27 mend, 90.2 % stable (VDG paper, S11)."""
    # The net change of -5 has a standard deviation of sqrt(59) = 7.7 questions:
    # -5 - ½ - 1.645 * 7.7 = -18.2 of 600 does not exclude a loss of 3 points.
    finding = assert_stable_under(make_run(flipping(32, 27)), CRF, 0.85, margin=0.04)
    assert finding.verdict is Verdict.PASS
    assert "stable    90.2% [87.5, 92.3] of answers | net change -0.8pp [" in (
        finding.message
    )


def test_flips_that_cancel_are_no_stability() -> None:
    """A flat accuracy with one in five answers flipped is below the floor."""
    with pytest.raises(ClaimFailed) as caught:
        assert_stable_under(make_run(flipping(60, 60)), CRF, 0.9, margin=0.1)
    assert caught.value.finding.verdict is Verdict.BELOW_FLOOR
    assert caught.value.finding.summary.startswith(
        "BELOW FLOOR stable share 80.0% [76.6, 83.0] vs floor 90.0% "
        "(under compressed:38, n=600 questions"
    )
    assert "broken by compressed:38 (60)" in " ".join(str(caught.value).split())


def test_what_broke_and_what_mended_is_named() -> None:
    """Right before and wrong after is broken; a claim of either kind says the same."""
    run = make_run({"original": "CCWW", CRF: "CWCW"})
    claims = (
        lambda: assert_stable_under(run, CRF, 0.9),
        lambda: assert_destructive_ratio_below(run, 2, against=CRF),
    )
    for claim in claims:
        text = " ".join(outcome(claim).message.split())
        assert "flipped broken by compressed:38 (1): q0001 (B->C) mended" in text
        assert "mended by compressed:38 (1): q0002 (D->C)" in text


def test_a_net_loss_is_a_regression() -> None:
    """Few flips, but all in one direction."""
    with pytest.raises(ClaimFailed) as caught:
        assert_stable_under(make_run(flipping(40, 0)), CRF, 0.85)
    finding = caught.value.finding
    assert finding.verdict is Verdict.REGRESSION
    assert finding.summary.startswith(
        "REGRESSION accuracy under compressed:38 -6.7pp ["
    )
    assert finding.bound == -0.03


def test_few_questions_decide_nothing() -> None:
    """Twenty questions without a flip may hide one in eight."""
    finding = outcome(
        lambda: assert_stable_under(make_run(flipping(0, 0, of=20)), CRF, 0.9)
    )
    assert finding.verdict is Verdict.INCONCLUSIVE


def test_flips_on_visual_questions_are_shown() -> None:
    """Where black frames were run, it is told which questions flip.

    All 30 flipped questions need the video, as do 30 of 90 others.
    """
    cells = {
        "original": "C" * 120,
        CRF: "W" * 30 + "C" * 90,
        "black": "W" * 60 + "C" * 60,
    }
    finding = outcome(lambda: assert_stable_under(make_run(cells), CRF, 0.5))
    text = " ".join(finding.message.split())
    assert "flips 100.0% of the flipped and 33.3% of the stable questions" in text
    assert "Fisher p<0.001" in text


def test_the_original_is_not_a_change() -> None:
    """Stability of a condition against itself is refused."""
    with pytest.raises(ValueError, match="with itself"):
        assert_stable_under(make_run(arms(both=9)), "original", 0.9)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 40), st.integers(0, 40), st.floats(0, 1), st.floats(0, 0.3))
def test_mending_more_never_makes_a_regression(
    broken: int, mended: int, floor: float, margin: float
) -> None:
    """A verdict of loss needs more broken than mended questions."""
    run = make_run(flipping(broken, mended, of=120))
    finding = outcome(lambda: assert_stable_under(run, CRF, floor, margin=margin))
    if finding.verdict is Verdict.REGRESSION:
        assert broken > mended
    if finding.verdict is Verdict.PASS:
        assert (broken + mended) / 120 < 1 - floor
