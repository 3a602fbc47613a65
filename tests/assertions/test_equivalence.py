"""Equivalence: three outcomes, both sides, and never "no difference found"."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import ClaimFailed, assert_equivalent
from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import NO_CAPS, arms, make_run, outcome


def two(both: int, now: int, then: int, neither: int) -> tuple[Run, Run]:
    """Return a run and a baseline with so many questions right in each only."""
    cells = arms(both=both, treated_only=now, control_only=then, neither=neither)
    return (
        make_run({"original": cells["original"]}),
        make_run({"original": cells["black"]}),
    )


def test_a_small_difference_shown_to_be_small_is_equivalent() -> None:
    """Nine and eight of 500 flips: both bounds lie within five points."""
    run, baseline = two(400, 9, 8, 83)
    finding = assert_equivalent(run, baseline)
    assert finding.verdict is Verdict.PASS
    assert "margin 5.0pp either way, n=500 questions" in finding.summary
    assert "(TOST p<0.001)" in " ".join(finding.message.split())


def test_a_small_sample_is_neither() -> None:
    """The same shares of 50 questions: not different, and not equivalent."""
    run, baseline = two(35, 1, 1, 13)
    finding = outcome(lambda: assert_equivalent(run, baseline))
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "neither equivalent nor too different" in " ".join(finding.message.split())


def test_a_worse_run_is_a_regression() -> None:
    """The published black answers of InternVL2 against Qwen2-VL.

    61 and 105 of 547 (papers: p .00079 exact): -8.0 points, beyond five.
    """
    run, baseline = two(117, 61, 105, 264)
    with pytest.raises(ClaimFailed) as caught:
        assert_equivalent(run, baseline)
    finding = caught.value.finding
    assert finding.verdict is Verdict.REGRESSION
    assert finding.summary.startswith(
        "REGRESSION original accuracy, run - baseline, -8.0pp ["
    )
    assert "McNemar exact p<0.001" in str(caught.value)
    assert (
        "the difference of 8.0pp exceeds 5.0pp, and its whole interval is below zero"
        in " ".join(str(caught.value).split())
    )


def test_a_better_run_is_no_equivalent_either() -> None:
    """The other way round, above the upper end of the margin."""
    run, baseline = two(117, 105, 61, 264)
    with pytest.raises(ClaimFailed) as caught:
        assert_equivalent(run, baseline)
    finding = caught.value.finding
    assert finding.verdict is Verdict.ABOVE_CEILING
    assert (finding.bound, finding.bound_is) == (0.05, "ceiling")
    assert finding.summary.startswith(
        "ABOVE CEILING original accuracy, run - baseline, +8.0pp ["
    )
    assert "its whole interval is above zero" in " ".join(str(caught.value).split())


def test_different_but_perhaps_within_the_margin_is_undecided() -> None:
    """Shown not to be zero is not shown to matter."""
    run, baseline = two(400, 0, 18, 82)
    finding = outcome(lambda: assert_equivalent(run, baseline))
    assert finding.high < 0
    assert finding.verdict is Verdict.INCONCLUSIVE


def test_gaps_can_be_held_to_each_other() -> None:
    """VDG now and then, question by question."""
    cells = arms(both=150, treated_only=250, neither=200)
    finding = assert_equivalent(make_run(cells), make_run(cells), against="black")
    assert finding.measure == "VDG now-then"
    assert finding.verdict is Verdict.PASS
    lost = make_run(arms(both=400, neither=200))
    with pytest.raises(ClaimFailed) as caught:
        assert_equivalent(lost, make_run(cells), against="black")
    assert caught.value.finding.verdict is Verdict.REGRESSION


def test_one_video_says_nothing_of_others() -> None:
    """A hundred questions on one video are undecided."""
    cells = {"original": "C" * 100}
    run = make_run(cells, per_video=100)
    assert outcome(lambda: assert_equivalent(run, run)).verdict is Verdict.INCONCLUSIVE


def test_two_videos_are_the_fewest_that_decide() -> None:
    """150 equal answers on each: bounds of 12.02 points, see ``test_temporal``."""
    run = make_run({"original": "C" * 300}, per_video=150)
    assert assert_equivalent(run, run, 0.1205).n_videos == 2
    narrow = outcome(lambda: assert_equivalent(run, run, 0.1199))
    assert narrow.verdict is Verdict.INCONCLUSIVE


def test_flips_on_whole_videos_are_worth_less() -> None:
    """15 gained, 15 lost of 300: shown small, unless three videos hold all of each.

    With five questions a video they are worth a fifth: 3.3 points at most become 7.
    """
    run, baseline = (
        {"original": "C" * 15 + "W" * 15 + "C" * 270},
        {"original": "W" * 15 + "C" * 15 + "C" * 270},
    )
    assert assert_equivalent(make_run(run), make_run(baseline))
    shared = [make_run(cells, per_video=5) for cells in (run, baseline)]
    found = outcome(lambda: assert_equivalent(*shared))
    assert (found.verdict, found.n_videos) == (Verdict.INCONCLUSIVE, 60)


def test_what_became_wrong_and_right_is_named() -> None:
    """With both choices, so that a reader knows what to open first."""
    run, baseline = make_run({"original": "CWCC"}), make_run({"original": "CCWC"})
    found = outcome(lambda: assert_equivalent(run, baseline))
    # The key of q0001 is B and that of q0002 is C; a wrong choice is the label after.
    lines = found.message.splitlines()
    at = lines.index("  flipped   became wrong (1): q0001 (original B->C)")
    assert lines[at + 1].strip() == "became right (1): q0002 (original D->C)"
    same = outcome(lambda: assert_equivalent(run, run)).message
    assert same.endswith("became wrong (0)\n            became right (0)")


def test_a_baseline_full_of_losses_is_refused() -> None:
    """What it lost biases the difference as much; it is held to the caps of the run."""
    whole = make_run({"original": "C" * 60})
    broken = make_run({"original": "C" * 54 + "F" * 6}, caps=NO_CAPS)
    with pytest.raises(CouldNotBeJudged, match="original cells failed") as caught:
        assert_equivalent(whole, broken)
    assert "baseline sight" in str(caught.value).splitlines()[0]


def test_what_left_the_pair_is_counted_in_both_runs() -> None:
    """One question failed now and another then: two of 120 are not compared."""
    run = make_run({"original": "F" + "C" * 119})
    baseline = make_run({"original": "CF" + "C" * 118})
    found = outcome(lambda: assert_equivalent(run, baseline))
    assert found.n == 118
    assert "2 of 120 questions left the pair" in " ".join(found.message.split())


@pytest.mark.parametrize("margin", [0, 1, 5, float("nan"), -0.1])
def test_a_margin_that_decides_beforehand_is_refused(margin: float) -> None:
    """Zero can never be shown, one always is."""
    run, baseline = two(9, 1, 1, 9)
    with pytest.raises(ValueError, match="margin"):
        assert_equivalent(run, baseline, margin)


def test_a_condition_is_not_compared_with_itself() -> None:
    """A gap needs two conditions."""
    run, baseline = two(9, 1, 1, 9)
    with pytest.raises(ValueError, match="with itself"):
        assert_equivalent(run, baseline, against="original")


def test_runs_over_other_questions_are_refused() -> None:
    """Equal shares of other questions are not equivalence."""
    with pytest.raises(NotComparable, match="COULD NOT BE JUDGED"):
        assert_equivalent(make_run({"original": "CC"}), make_run({"original": "CCC"}))
    with pytest.raises(CouldNotBeJudged, match="'black' was not run"):
        assert_equivalent(*two(9, 1, 1, 9), condition="black")


counts = st.integers(0, 40)


@settings(deadline=None, max_examples=40)
@given(st.tuples(counts, counts, counts, counts).filter(any), st.floats(0.01, 0.5))
def test_swapping_the_runs_mirrors_the_verdict(
    table: tuple[int, int, int, int], margin: float
) -> None:
    """Equivalent and undecided stay, worse becomes better (hazard of signs)."""
    run, baseline = two(*table)
    one = outcome(lambda: assert_equivalent(run, baseline, margin))
    other = outcome(lambda: assert_equivalent(baseline, run, margin))
    mirror = {
        Verdict.REGRESSION: Verdict.ABOVE_CEILING,
        Verdict.ABOVE_CEILING: Verdict.REGRESSION,
    }
    assert other.verdict is mirror.get(one.verdict, one.verdict)
    assert other.estimate == pytest.approx(-one.estimate)
    if one.verdict is Verdict.PASS:
        assert abs(one.estimate) < margin
