"""VDG above a floor: every verdict, and the first lines word for word."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import ClaimFailed, assert_vdg_above
from pytest_vdg.stats.detectable import smallest_detectable_paired_difference
from pytest_vdg.verdicts import Verdict, collect_findings
from tests.assertions.build import NO_CAPS, arms, make_run, outcome

# LLaVA-Video on Video-MME: +212/-29 of 600, VDG .305 (paper's bootstrap: [.26, .35]).
# Tango's interval by maximising the restricted likelihood numerically, without
# the closed form: .260405, .349425.
LLAVA = arms(both=180, treated_only=212, control_only=29, neither=179)


def failed(run_cells: dict[str, str], floor: float, **options: object) -> ClaimFailed:
    """Return the failure of the claim over *run_cells*."""
    with pytest.raises(ClaimFailed) as caught:
        assert_vdg_above(make_run(run_cells), floor, **options)  # type: ignore[arg-type]
    return caught.value


def test_a_published_gap_passes_a_floor_of_ten_points() -> None:
    """The paper's LLaVA numbers give the first line."""
    finding = assert_vdg_above(make_run(LLAVA), 0.10)
    assert finding.summary == (
        "ok VDG +30.5pp [+26.0, +34.9] vs floor +10.0pp (n=600 questions, 600 videos)"
    )
    assert finding.accuracies == (("black", 209 / 600), ("original", 392 / 600))


def test_a_collapsed_model_is_below_the_floor() -> None:
    """No answer changes with the video: the upper bound decides.

    Without discordance the two-sided interval ends at z²/(n + z²), which is
    3.841/63.841 = 6.0 points; the one-sided bound is where n d - ½ = 2.98 is
    z sqrt(n d (1 - d)) = 1.645 * 1.81: 5.8 points.
    """
    error = failed(arms(both=50, neither=10), 0.10)
    assert error.finding.verdict is Verdict.BELOW_FLOOR
    assert error.finding.summary == (
        "BELOW FLOOR VDG +0.0pp [-6.0, +6.0] vs floor +10.0pp "
        "(n=60 questions, 60 videos)"
    )
    assert "upper bound +5.8pp is not above the floor +10.0pp" in str(error)


def test_too_few_questions_leave_it_undecided() -> None:
    """Four of nine answers need the video: a gap, but which?"""
    error = failed(arms(both=3, treated_only=4, neither=2), 0.40)
    assert error.finding.verdict is Verdict.INCONCLUSIVE
    assert error.finding.summary.startswith("INCONCLUSIVE VDG +44.4pp [")
    assert "undecided, not refuted" in str(error)


def test_the_estimate_alone_says_that_it_is_alone() -> None:
    """A comparison without its interval is labelled in the first line."""
    cells = arms(both=3, treated_only=4, neither=2)
    finding = assert_vdg_above(make_run(cells), 0.40, evidence="estimate")
    assert " vs floor +40.0pp by estimate only (" in finding.summary
    error = failed(cells, 0.45, evidence="estimate")
    assert error.finding.verdict is Verdict.BELOW_FLOOR


def test_questions_on_one_video_do_not_count_as_many() -> None:
    """Sixty right answers on one video do not show sight of videos."""
    cells = arms(treated_only=60)
    finding = assert_vdg_above(make_run(cells), 0.5)
    assert finding.n_videos == 60
    with pytest.raises(ClaimFailed) as caught:
        assert_vdg_above(make_run(cells, per_video=60), 0.1)
    assert caught.value.finding.verdict is Verdict.INCONCLUSIVE
    assert "only 1: take the intervals as rough" in " ".join(str(caught.value).split())


def test_shared_videos_widen_the_interval() -> None:
    """Asking six times about the same ten videos adds little certainty."""
    cells = arms(both=18, treated_only=24, neither=18)
    apart = assert_vdg_above(make_run(cells), 0.05)
    with collect_findings() as found, pytest.raises(ClaimFailed):
        assert_vdg_above(make_run(cells, per_video=6), 0.3)
    assert found[0].low < apart.low < apart.high < found[0].high


def test_p_values_of_questions_that_share_videos_are_approximate() -> None:
    """McNemar's test takes questions for independent; where they are, nothing is said.

    All six questions about a video have the same gap, so that ten videos count.
    """
    cells = arms(both=18, treated_only=24, neither=18)
    apart = assert_vdg_above(make_run(cells), -0.2)
    shared = assert_vdg_above(make_run(cells, per_video=6), -0.2)
    assert shared.estimate == apart.estimate
    assert "(approximate: questions share videos)" in shared.message
    assert "approximate" not in apart.message


def test_the_smallest_drop_is_one_from_the_gap_that_was_found() -> None:
    """Gained and lost are not mixed up: a drop from +30.5 points, not from -30.5."""
    counts = {"n": 600, "treated_only": 212, "control_only": 29}
    drop = smallest_detectable_paired_difference(**counts)
    mirrored = {**counts, "treated_only": 29, "control_only": 212}
    assert drop != smallest_detectable_paired_difference(**mirrored)
    finding = assert_vdg_above(make_run(LLAVA), 0.10)
    assert finding.smallest_detectable == pytest.approx(drop)


def test_each_condition_is_told_over_its_own_questions_where_some_left() -> None:
    """A gap over pairs can differ from that of two accuracies; both are shown.

    Of ten questions one failed under black: 9 of 10 right with the video, and
    3 of 9 without it, 33.3 %, are 56.7 points apart. Over the nine pairs, of which
    8 are right with the video, it is 5/9 = 55.6 points.
    """
    cells = {"original": "C" * 9 + "W", "black": "F" + "CCC" + "W" * 6}
    finding = assert_vdg_above(make_run(cells, caps=NO_CAPS), 0.1)
    text = " ".join(finding.message.split())
    assert "original 90.0% of its 10 | black 33.3% of its 9, difference +56.7pp" in text
    assert finding.estimate == pytest.approx(5 / 9)
    whole = assert_vdg_above(make_run(LLAVA), 0.1)
    assert "of its" not in whole.message


def test_a_task_is_named_in_the_first_line() -> None:
    """Which questions were judged is part of what was found."""
    run = make_run({"original": "CC" * 40, "black": "CW" * 40}, tasks=("text", "seen"))
    finding = assert_vdg_above(run, 0.5, task="seen")
    assert "(task seen, n=40 questions, 40 videos)" in finding.summary
    assert finding.task == "seen"
    both = assert_vdg_above(run, 0.1, task=["text", "seen"])
    assert both.task == "seen, text"
    assert both.n == 80


def test_excluded_cells_are_counted_by_condition() -> None:
    """A reader sees how many answers are missing, and where."""
    run = make_run(
        {"original": "C" * 57 + "FUC", "black": "W" * 57 + "WWF"}, caps=NO_CAPS
    )
    text = " ".join(assert_vdg_above(run, 0.1).message.split())
    assert (
        "excluded 2 of 60 questions left the pair: "
        "original 1 failed, 1 unparsed | black 1 failed, 0 unparsed"
    ) in text


def test_both_arms_are_shown_with_their_table() -> None:
    """Counts, exact and mid-p p-values: 2 of 2**1 is 1, half of it .5."""
    text = assert_vdg_above(
        make_run(arms(both=1, treated_only=40, control_only=0, neither=9)), 0.1
    ).message
    assert "                      black right  black wrong" in text
    assert "original right            1           40" in text
    assert "original wrong            0            9" in text
    assert "McNemar exact p<0.001, mid-p<0.001" in text


@pytest.mark.parametrize(
    ("floor", "words"), [(0.0, "any difference"), (-0.2, "passed")]
)
def test_a_floor_that_asks_for_little_is_remarked(floor: float, words: str) -> None:
    """A floor at or below zero is allowed, and shown for what it is."""
    finding = assert_vdg_above(make_run(LLAVA), floor)
    assert "\n  note      a floor of" in finding.message
    assert words in finding.message


def test_questions_right_without_the_video_are_listed() -> None:
    """Those are what to open first, with the choice that the video spoilt."""
    text = " ".join(str(failed(arms(both=12, control_only=1, neither=7), 0.5)).split())
    assert "answers right under black too (12): q0000, q0001" in text
    assert "and 4 more" in text
    assert "right under black only (1): q0012 (A->B)" in text


counts = st.integers(0, 60)
tables = st.tuples(counts, counts, counts, counts).filter(any)
floors = st.floats(-1, 1)


def verdict_of(
    table: tuple[int, int, int, int], floor: float, per_video: int
) -> Verdict:
    """Return what the claim over *table* comes to."""
    both, treated_only, control_only, neither = table
    cells = arms(
        both=both,
        treated_only=treated_only,
        control_only=control_only,
        neither=neither,
    )
    run = make_run(cells, per_video=per_video)
    return outcome(lambda: assert_vdg_above(run, floor)).verdict


@settings(deadline=None, max_examples=50)
@given(tables, floors, floors, st.integers(1, 5))
def test_passing_is_monotone_in_the_floor(
    table: tuple[int, int, int, int], one: float, other: float, per_video: int
) -> None:
    """Who passes a floor passes every lower one; who is below, every higher."""
    low, high = sorted((one, other))
    at_low = verdict_of(table, low, per_video)
    at_high = verdict_of(table, high, per_video)
    if at_high is Verdict.PASS:
        assert at_low is Verdict.PASS
    if at_low is Verdict.BELOW_FLOOR:
        assert at_high is Verdict.BELOW_FLOOR


@settings(deadline=None, max_examples=50)
@given(tables, floors, st.integers(1, 5))
def test_the_estimate_never_contradicts_the_verdict(
    table: tuple[int, int, int, int], floor: float, per_video: int
) -> None:
    """A pass has its estimate above the floor, a failure at or below it."""
    verdict = verdict_of(table, floor, per_video)
    estimate = (table[1] - table[2]) / sum(table)
    if verdict is Verdict.PASS:
        assert estimate > floor
    if verdict is Verdict.BELOW_FLOOR:
        assert estimate <= floor
