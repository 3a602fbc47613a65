"""The destructive ratio: what a change breaks for each answer it mends."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import ClaimFailed, assert_destructive_ratio_below
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.stats.detectable import smallest_detectable_share
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import arms, make_run, outcome

CRF = "compressed:28"


def test_a_change_that_mends_as_it_breaks_passes() -> None:
    """Sixty each way: a ratio of 1, far below 2."""
    run = make_run(arms(both=80, treated_only=60, control_only=60, control=CRF))
    finding = assert_destructive_ratio_below(run, 2, against=CRF)
    assert finding.verdict is Verdict.PASS
    assert finding.estimate == 0.5
    assert finding.bound == pytest.approx(2 / 3)
    assert "vs ceiling 66.7% (destructive ratio 1.00, ceiling 2, " in finding.summary


def test_the_published_ratio_of_black_frames_is_destructive() -> None:
    """LLaVA on Video-MME: 212 broken, 29 mended, 7.3 to 1 (VDG paper, 4.3).

    Wilson's ends for 212 of 241, .83253 and .91490, as odds: 4.971, 10.750.
    """
    run = make_run(arms(both=180, treated_only=212, control_only=29, neither=179))
    with pytest.raises(ClaimFailed) as caught:
        assert_destructive_ratio_below(run, 4, against="black")
    assert caught.value.finding.verdict is Verdict.ABOVE_CEILING
    assert caught.value.finding.summary.startswith(
        "ABOVE CEILING broken among changed 88.0% [83.3, 91.5] vs ceiling 80.0% ("
    )
    assert "destructive ratio 7.31, ceiling 4" in caught.value.finding.summary
    text = " ".join(str(caught.value).split())
    assert "ratio 7.31 [4.97, 10.75]: black breaks 212 and mends 29" in text
    assert "broken by black (212)" in text


def test_it_is_told_which_rise_would_have_been_seen() -> None:
    """Of 120 changed answers 30 broke: it is the 90 mended ones that may drop."""
    run = make_run(arms(both=80, treated_only=30, control_only=90, control=CRF))
    finding = assert_destructive_ratio_below(run, 2, against=CRF)
    known = smallest_detectable_share(successes=90, n=120)
    assert finding.smallest_detectable == pytest.approx(known)


def test_few_changes_decide_nothing() -> None:
    """Three broken and one mended may be a ratio of one or of ten."""
    run = make_run(arms(both=96, treated_only=3, control_only=1, control=CRF))
    finding = outcome(lambda: assert_destructive_ratio_below(run, 2, against=CRF))
    assert finding.verdict is Verdict.INCONCLUSIVE


def test_zero_counts_have_an_interval() -> None:
    """Nothing mended has no finite ratio, but a share and its interval."""
    run = make_run(arms(both=90, treated_only=10, control=CRF))
    finding = outcome(lambda: assert_destructive_ratio_below(run, 2, against=CRF))
    assert finding.verdict is Verdict.ABOVE_CEILING
    assert "destructive ratio unbounded" in finding.summary
    assert (finding.low < 1, finding.high) == (True, 1.0)


def test_no_change_is_no_ratio() -> None:
    """Zero over zero is not one."""
    run = make_run(arms(both=50, neither=50, control=CRF))
    with pytest.raises(CouldNotBeJudged, match="assert_stable_under") as caught:
        assert_destructive_ratio_below(run, 2, against=CRF)
    assert str(caught.value).startswith(
        "COULD NOT BE JUDGED: none of 100 questions of slice"
    )


@pytest.mark.parametrize("ceiling", [0, -1, float("nan"), float("inf")])
def test_a_ceiling_is_a_positive_ratio(ceiling: float) -> None:
    """Nothing is below zero, and everything below infinity."""
    run = make_run(arms(treated_only=9))
    with pytest.raises(ValueError, match="ceiling"):
        assert_destructive_ratio_below(run, ceiling, against="black")


def test_the_original_breaks_nothing_of_itself() -> None:
    """Comparing a condition with itself is refused."""
    with pytest.raises(ValueError, match="with itself"):
        assert_destructive_ratio_below(make_run(arms(both=9)), 2, against="original")


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 60), st.floats(0.1, 10))
def test_questions_that_did_not_change_do_not_count(
    broken: int, mended: int, same: int, ceiling: float
) -> None:
    """The verdict rests on the changed questions alone."""
    if broken + mended == 0:
        return
    runs = [
        make_run(arms(both=k, treated_only=broken, control_only=mended, control=CRF))
        for k in (0, same)
    ]
    first, second = (
        outcome(
            lambda run=run: assert_destructive_ratio_below(run, ceiling, against=CRF)
        )  # type: ignore[misc]
        for run in runs
    )
    assert first.verdict is second.verdict
