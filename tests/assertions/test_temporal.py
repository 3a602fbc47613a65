"""Temporal delta: above a floor, or no loss since a baseline."""

from __future__ import annotations

import pytest

from pytest_vdg.assertions import ClaimFailed, assert_temporal_delta
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Finding, Verdict, collect_findings
from tests.assertions.build import arms, make_run


def shuffled(checkpoint: str = "new", **counts: int) -> Run:
    """Return a run of original and shuffled frames with these counts."""
    return make_run(arms(control="shuffled", **counts), checkpoint=checkpoint)


ORDERLY = shuffled("grounded", both=200, treated_only=80, control_only=10, neither=10)
BLIND = shuffled("order_blind", both=200, treated_only=6, control_only=6, neither=88)


def failure(run: Run, *args: object, **options: object) -> Finding:
    """Return the finding with which the claim on *run* fails."""
    with pytest.raises(ClaimFailed) as caught:
        assert_temporal_delta(run, *args, **options)  # type: ignore[arg-type]
    return caught.value.finding


def test_use_of_order_passes_a_floor() -> None:
    """Seventy of three hundred answers depend on order."""
    finding = assert_temporal_delta(ORDERLY, 0.10)
    assert finding.verdict is Verdict.PASS
    assert finding.measure == "temporal delta"
    assert finding.summary.startswith("ok temporal delta +23.3pp [")
    assert finding.accuracies[0][0] == "shuffled"


def test_blindness_to_order_is_below_the_floor() -> None:
    """Six lost, six gained: no use of order, shown."""
    finding = failure(BLIND, 0.10)
    assert finding.verdict is Verdict.BELOW_FLOOR
    assert "restrict the claim to such tasks" in " ".join(finding.message.split())


def test_a_floor_between_the_bounds_is_open() -> None:
    """Near the floor nothing is shown either way."""
    assert failure(ORDERLY, 0.23).verdict is Verdict.INCONCLUSIVE


def test_clips_without_another_order_leave_the_pair() -> None:
    """They are counted, and neither for nor against."""
    run = make_run({"original": "C" * 90, "shuffled": "W" * 60 + "N" * 30})
    finding = assert_temporal_delta(run, 0.5)
    assert finding.n == 60
    text = " ".join(finding.message.split())
    assert "30 of 90 questions left the pair" in text
    assert "shuffled 0 failed, 0 unparsed, 30 not applicable" in text


def test_other_orders_are_named() -> None:
    """A delta to reversed frames is not called the plain temporal delta."""
    run = make_run(arms(treated_only=60, control="reversed"))
    finding = assert_temporal_delta(run, 0.5, against="reversed")
    assert finding.measure == "temporal delta (reversed)"
    assert "temporal delta (reversed) +100.0pp" in finding.summary


def test_a_loss_of_order_is_a_regression() -> None:
    """Every answer that needed order is now right without it, or wrong."""
    finding = failure(BLIND, baseline=ORDERLY)
    assert finding.verdict is Verdict.REGRESSION
    assert finding.summary.startswith("REGRESSION temporal delta -23.3pp [-")
    assert finding.summary.endswith(
        "vs baseline sight (margin 3.0pp, n=300 questions, 300 videos)"
    )
    assert finding.measure == "temporal delta change"
    assert finding.baseline == "sight"
    assert finding.bound == -0.03


def test_no_change_passes() -> None:
    """The same answers again: with 300 questions 3 points are excluded.

    The one-sided bound without any change is z²/(n + z²) = 2.706/302.7 = .9 %.
    """
    finding = assert_temporal_delta(ORDERLY, baseline=ORDERLY)
    assert finding.verdict is Verdict.PASS
    assert finding.estimate == 0
    assert finding.low < 0 < finding.high


def test_no_change_on_few_questions_is_open() -> None:
    """Thirty questions without a change leave room for 2.706/32.7 = 8 points."""
    few = shuffled(both=10, treated_only=15, neither=5)
    assert failure(few, baseline=few).verdict is Verdict.INCONCLUSIVE


def test_a_baseline_without_a_delta_protects_nothing() -> None:
    """A guard that can never go red is not green."""
    with collect_findings() as found, pytest.raises(CouldNotBeJudged) as caught:
        assert_temporal_delta(BLIND, baseline=BLIND)
    text = " ".join(str(caught.value).split())
    assert text.startswith("COULD NOT BE JUDGED: temporal delta +0.0pp")
    assert "vs baseline sight, which itself has none to lose (" in text
    assert "the baseline itself shows no temporal delta to lose: +0.0pp [" in text
    assert "delete this test, which protects nothing" in text
    assert [f.verdict for f in found] == [Verdict.COULD_NOT_BE_JUDGED]


def test_a_margin_that_allows_to_lose_all_protects_nothing() -> None:
    """Losing a whole delta of 23 points within a margin of 30 is no guard."""
    with pytest.raises(CouldNotBeJudged) as caught:
        assert_temporal_delta(ORDERLY, baseline=ORDERLY, margin=0.30)
    assert "the margin 30.0pp allows to lose all of the baseline's" in " ".join(
        str(caught.value).split()
    )


def test_a_shown_loss_is_one_even_from_a_weak_baseline() -> None:
    """Falling far below nothing is still a regression, and says what it fell from."""
    worse = shuffled(both=100, control_only=100, neither=100)
    finding = failure(worse, baseline=BLIND)
    assert finding.verdict is Verdict.REGRESSION
    assert "note      the baseline itself shows no temporal delta" in finding.message


def test_an_open_question_about_nothing_says_so() -> None:
    """More questions alone do not help where there is nothing to lose."""
    few = shuffled(both=10, treated_only=1, control_only=1, neither=18)
    finding = failure(few, baseline=few)
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "shows no temporal delta to lose" in " ".join(finding.message.split())


def test_one_video_decides_no_change() -> None:
    """Many questions on one clip say nothing of other clips."""
    cells = arms(control="shuffled", treated_only=300)
    run = make_run(cells, per_video=300)
    assert failure(run, baseline=run).verdict is Verdict.INCONCLUSIVE


def test_two_videos_are_the_fewest_that_decide() -> None:
    """Unchanged on both, the bound is 12.02 points: t of one degree is large.

    t is tan(pi (.95 - 1/2)) = 6.314, and at .1202 of 300 questions
    n d - ½ = 35.56 is t sqrt(n d (1 - d)) = 6.314 * 5.632.
    """
    cells = arms(control="shuffled", treated_only=300)
    run = make_run(cells, per_video=150)
    assert assert_temporal_delta(run, baseline=run, margin=0.1205).n_videos == 2
    assert failure(run, baseline=run, margin=0.1199).verdict is Verdict.INCONCLUSIVE


def test_the_condition_must_have_been_run() -> None:
    """What to add to the marker is in the first line."""
    with pytest.raises(CouldNotBeJudged, match="'shuffled:blocks' was not run"):
        assert_temporal_delta(ORDERLY, 0.1, against="shuffled:blocks")
