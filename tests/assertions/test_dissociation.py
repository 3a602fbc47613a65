"""No dissociation regression: the verdicts, their names, and their evidence."""

from __future__ import annotations

import random

import pytest

from pytest_vdg.assertions import ClaimFailed, assert_no_dissociation_regression
from pytest_vdg.stats.clusters import cluster_mean
from pytest_vdg.verdicts import Finding, Verdict
from tests.assertions.build import NO_CAPS, make_run, outcome

BASELINE = {"original": "C" * 240 + "W" * 60, "black": "C" * 90 + "W" * 210}


def claim(
    now: dict[str, str],
    then: dict[str, str],
    *,
    accuracy_margin: float = 0.02,
    vdg_margin: float = 0.05,
) -> Finding:
    """Return the finding of the claim, whether it holds or not."""
    run, baseline = (
        make_run(cells, checkpoint=name, slice_name="leaky", caps=NO_CAPS)
        for name, cells in (("collapsed", now), ("grounded", then))
    )
    return outcome(
        lambda: assert_no_dissociation_regression(
            run, baseline, accuracy_margin=accuracy_margin, vdg_margin=vdg_margin
        )
    )


def test_a_run_compared_with_itself_passes() -> None:
    """Three hundred equal answers exclude a loss of five points."""
    finding = claim(BASELINE, BASELINE)
    assert finding.verdict is Verdict.PASS
    # Two-sided without any change: z²/(n + z²) = 3.8415/303.8415 = 1.26 %.
    assert finding.summary == (
        "ok VDG +0.0pp [-1.3, +1.3] vs baseline leaky "
        "(margin 5.0pp, n=300 questions, 300 videos)"
    )


@pytest.mark.parametrize(
    ("n", "verdict"),
    [(20, Verdict.INCONCLUSIVE), (69, Verdict.INCONCLUSIVE), (70, Verdict.PASS)],
)
def test_how_many_equal_answers_it_takes(n: int, verdict: Verdict) -> None:
    """5 points are beyond the bound where .05 n - ½ > z sqrt(.0475 n): n > 69.98."""
    cells = {"original": "C" * n, "black": "W" * n}
    assert claim(cells, cells).verdict is verdict


def test_the_same_score_without_sight_is_a_dissociation() -> None:
    """All 300 answers as before on the real video, and now also on black."""
    blind = {"original": BASELINE["original"], "black": BASELINE["original"]}
    finding = claim(blind, BASELINE)
    assert finding.verdict is Verdict.DISSOCIATION
    assert finding.estimate == -0.5
    assert finding.summary.startswith("DISSOCIATION VDG -50.0pp [-5")
    assert finding.summary.endswith(
        "vs baseline leaky (margin 5.0pp, n=300 questions, 300 videos)"
    )
    text = " ".join(finding.message.split())
    assert "accuracy is shown not to have fallen by more than 2.0pp" in text
    assert "checkpoint grounded" in text


def test_a_gain_from_the_black_arm_is_a_dissociation() -> None:
    """The score rose by one of sixty, which shows little; black rose by thirty.

    One gained of 60: the lower bound of accuracy does not exclude a loss of
    more than two points, so that only the second rule can name it.
    """
    then = {"original": "C" * 40 + "WW" * 10, "black": "W" * 60}
    now = {"original": "C" * 38 + "WW" + "CCC" + "W" * 17, "black": "C" * 30 + "W" * 30}
    finding = claim(now, then)
    assert finding.verdict is Verdict.DISSOCIATION
    assert "the gain comes from black frames" in " ".join(finding.message.split())


def test_a_loss_of_sight_and_score_is_a_regression() -> None:
    """The model is worse in every way: accuracy tests see that, too."""
    now = {"original": "C" * 120 + "W" * 180, "black": BASELINE["black"]}
    finding = claim(now, BASELINE)
    assert finding.verdict is Verdict.REGRESSION
    assert "accuracy is not shown to have held: -40.0pp [" in " ".join(
        finding.message.split()
    )


def test_not_shown_to_have_fallen_is_not_shown_to_have_held() -> None:
    """A score that may have fallen by more than the margin is no dissociation.

    Absence of evidence is not evidence of absence.
    """
    then = {"original": "C" * 50 + "W" * 10, "black": "W" * 60}
    now = {"original": "C" * 49 + "W" * 11, "black": "C" * 40 + "W" * 20}
    assert claim(now, then).verdict is Verdict.REGRESSION
    # Without a limit to what accuracy may lose it would be one.
    loose = claim(now, then, accuracy_margin=0.5)
    assert loose.verdict is Verdict.DISSOCIATION


def test_a_fall_within_the_noise_is_open() -> None:
    """Six of forty lost, two gained: neither shown nor excluded."""
    then = {"original": "C" * 30 + "W" * 10, "black": "W" * 40}
    now = {"original": "C" * 26 + "WWWW" + "CC" + "W" * 8, "black": "C" * 2 + "W" * 38}
    finding = claim(now, then)
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert finding.estimate == pytest.approx(-0.1)


def test_a_rise_passes() -> None:
    """More use of the video is no regression."""
    now = {"original": "C" * 290 + "W" * 10, "black": "W" * 300}
    assert claim(now, BASELINE).verdict is Verdict.PASS


def test_a_baseline_that_does_not_look_protects_nothing() -> None:
    """Blind compared with blind is not a green test of sight."""
    blind = {"original": "C" * 240 + "W" * 60, "black": "C" * 238 + "W" * 62}
    finding = claim(blind, blind)
    assert finding.verdict is Verdict.COULD_NOT_BE_JUDGED
    assert "which itself has none to lose" in finding.summary


def test_a_small_gap_within_the_margin_protects_nothing() -> None:
    """A VDG of four points can vanish within a margin of five unseen."""
    small = {"original": "C" * 240 + "W" * 60, "black": "C" * 228 + "W" * 72}
    finding = claim(small, small)
    assert finding.verdict is Verdict.COULD_NOT_BE_JUDGED
    assert "the margin 5.0pp allows to lose all" in " ".join(finding.message.split())
    assert claim(small, small, vdg_margin=0.03).verdict is Verdict.PASS


def test_a_gap_as_large_as_the_margin_protects_nothing() -> None:
    """All of 15 in 300, five points, can vanish within a margin of five."""
    five = {"original": "C" * 240 + "W" * 60, "black": "C" * 225 + "W" * 75}
    assert claim(five, five).verdict is Verdict.COULD_NOT_BE_JUDGED
    assert claim(five, five, vdg_margin=0.0499).verdict is Verdict.PASS


def test_a_change_knows_of_shared_videos() -> None:
    """Ten whole videos of sixty lost their gap: fifty questions are worth ten."""
    then = {"original": "C" * 300, "black": "W" * 300}
    now = {"original": "C" * 300, "black": "C" * 50 + "W" * 250}
    run, baseline = (make_run(cells, per_video=5) for cells in (now, then))
    found = outcome(lambda: assert_no_dissociation_regression(run, baseline))
    videos = [q.video for q in run.questions]
    known = cluster_mean([-1] * 50 + [0] * 250, videos)
    assert (found.low, found.high) == (known.low, known.high)
    assert found.n_videos == 60
    apart = outcome(
        lambda: assert_no_dissociation_regression(make_run(now), make_run(then))
    )
    assert found.high - found.low > 2 * (apart.high - apart.low)


def test_accuracy_now_and_then_is_shown_for_both_arms() -> None:
    """Wilson's intervals (closed form): 120 and 240, 90 and 75 of 300."""
    now = {"original": "C" * 120 + "W" * 180, "black": "C" * 75 + "W" * 225}
    text = " ".join(claim(now, BASELINE).message.split())
    assert "original 40.0% [34.6, 45.6], was 80.0% [75.1, 84.1]" in text
    assert "black 25.0% [20.4, 30.2], was 30.0% [25.1, 35.4]" in text


def test_both_arms_are_shown_with_holm_adjusted_p_values() -> None:
    """Nine changed one way and none the other: 2/2**9 = .0039, doubled by Holm.

    On original nothing changed: p is 1. Holm doubles the smaller of the two:
    .0078, which is shown as .008.
    """
    then = {"original": "C" * 20, "black": "W" * 20}
    now = {"original": "C" * 20, "black": "C" * 9 + "W" * 11}
    text = " ".join(claim(now, then).message.split())
    assert "original then right 20 0" in text
    assert "black then wrong 9 11" in text
    assert "exact p=0.004, mid-p=0.002, Holm-adjusted exact p=0.008" in text
    assert "exact p=1.00, mid-p=1.00, Holm-adjusted exact p=1.00" in text


def test_the_tables_count_each_question_once() -> None:
    """Right then and now, then only, now only, never: 1, 2, 3 and 4 of ten."""
    then, now = "CCC" + "W" * 7, "CWW" + "CCC" + "W" * 4
    cells = dict.fromkeys(("original", "black"))
    text = claim(dict.fromkeys(cells, now), dict.fromkeys(cells, then)).message
    rows = [line.split() for line in text.splitlines()]
    for condition in cells:
        numbers = [row[-2:] for row in rows if row[-5:-3] == [condition, "then"]]
        assert numbers == [["1", "2"], ["3", "4"]]


def test_flipped_questions_show_old_and_new_choices() -> None:
    """q0001's key is B; a wrong answer chooses the label after it."""
    then = {"original": "CCCW", "black": "WWWW"}
    now = {"original": "CWUC", "black": "WWWW"}
    text = " ".join(claim(now, then).message.split())
    assert (
        "lost grounding (2): q0001 (original B->C), q0002 (original C->unparsed)"
        in (text)
    )
    assert "gained grounding (1): q0003 (original A->D)" in text


def test_only_questions_judged_in_all_four_arms_count() -> None:
    """What left in one run leaves both, and is named."""
    then = {"original": "C" * 60, "black": "W" * 59 + "F"}
    now = {"original": "F" + "C" * 59, "black": "W" * 60}
    finding = claim(now, then)
    assert finding.n == 58
    text = " ".join(finding.message.split())
    assert "dropped 2 questions judged in one run only: q0000, q0059" in text
    assert "excluded now 1 of 60 questions left the pair: original 1 failed" in text


def test_other_versions_are_announced() -> None:
    """A changed package is no reason to refuse, and no secret."""
    first, second = (
        make_run(BASELINE, informative={"torch": version}, created="2026-01-02")
        for version in ("2.4", "2.5")
    )
    text = assert_no_dissociation_regression(second, first).message
    assert "note      not the same versions: torch 2.5, was 2.4" in text
    assert "baseline  checkpoint new, recorded 2026-01-02" in text


def test_a_task_can_regress_on_its_own() -> None:
    """Half of the questions lost their gap; the claim can be about them."""
    then = make_run({"original": "CC" * 90, "black": "WW" * 90}, tasks=("a", "b"))
    now = make_run({"original": "CC" * 90, "black": "WC" * 90}, tasks=("a", "b"))
    assert assert_no_dissociation_regression(now, then, task="a").n == 90
    with pytest.raises(ClaimFailed) as caught:
        assert_no_dissociation_regression(now, then, task="b")
    assert caught.value.finding.verdict is Verdict.DISSOCIATION
    assert "(margin 5.0pp, task b, n=90 questions" in caught.value.finding.summary


@pytest.mark.parametrize("seed", range(20))
def test_nobody_regresses_from_whom_regressed(seed: int) -> None:
    """Of two runs at most one is worse than the other."""
    rng = random.Random(seed)
    one, other = (
        make_run({c: "".join(rng.choices("CW", k=60)) for c in ("original", "black")})
        for _ in range(2)
    )
    verdicts = [
        outcome(lambda: assert_no_dissociation_regression(one, other)).verdict,
        outcome(lambda: assert_no_dissociation_regression(other, one)).verdict,
    ]
    worse = {Verdict.REGRESSION, Verdict.DISSOCIATION}
    assert len([v for v in verdicts if v in worse]) <= 1
