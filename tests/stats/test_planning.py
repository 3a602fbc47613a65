"""Tests of the planner: promised power is kept, and its laws hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from pytest_vdg.stats.clusters import cluster_mean
from pytest_vdg.stats.counted import difference
from pytest_vdg.stats.paired import paired_difference
from pytest_vdg.stats.planning import (
    Answers,
    Outlook,
    Videos,
    floor_outlook,
    no_loss_outlook,
    questions_needed,
)

Ints = npt.NDArray[np.int64]

ALONE = Videos(sizes=(1,) * 100, correlation=0.0)
"""A video for each question."""
ASKED_OFTEN = Videos(sizes=(6,) * 20, correlation=0.1)
"""Six questions on each, so a design effect of 1 + 5 * 0.1 = 1.5."""
# Shares like those of the VDG paper's bundled answers: VDG .25, .35 discordant.
GAINED, LOST = 0.30, 0.05


def anew(mean_square: float) -> Answers:
    """Return a model as it was, of which some answers changed."""
    return Answers.unchanged(gained=GAINED, lost=LOST, mean_square=mean_square)


def needed(answers: Answers, margin: float, videos: Videos = ALONE) -> int:
    """Return the questions that "no loss" needs; fails where none suffice."""

    def power_at(n: int) -> float:
        found = no_loss_outlook(answers=answers, n=n, margin=margin, videos=videos)
        return found.passes

    found = questions_needed(power_at)
    assert found is not None
    return found


def test_power_matches_a_sum_by_hand() -> None:
    """With nothing lost and a video each, power is a sum of a binomial."""
    n, floor = 60, 0.2
    passing = [
        b
        for b in range(n + 1)
        if paired_difference(treated_only=b, control_only=0, n=n).lower_bound > floor
    ]
    exact = float(binom.pmf(passing, n, 0.3).sum())
    found = floor_outlook(gained=0.3, lost=0.0, n=n, floor=floor, videos=ALONE)
    # 4000 draws: two standard errors are at most 1.6 points.
    assert found.passes == pytest.approx(exact, abs=0.016)


# Own arithmetic over the VDG paper's bundled answers (three 7B models, 600
# questions of Video-MME): a change of VDG between two of them has an SD of .65
# to .68 and needs about 1050 to 1150 questions for 5 points, 270 for 10.
@pytest.mark.parametrize(
    ("sd", "margin", "published"),
    [(0.65, 0.05, 1050), (0.68, 0.05, 1150), (0.66, 0.10, 270)],
)
def test_different_checkpoints_need_a_thousand(
    sd: float, margin: float, published: int
) -> None:
    """The planned sizes are the published ones within 6 %: two answers anew."""
    assert needed(anew(sd * sd), margin) == pytest.approx(published, rel=0.06)


# "A 5-point non-inferiority test at alpha .05 and power .8 with 2 to 6 % of
# the pairs discordant needs about 50 to 155 pairs": the normal approximation,
# (1.6449 + 0.8416)² * share / .05², which is 49 to 148. The half question of the
# continuity correction adds about 2 * .5 / .05 = 20 to either (the first-order
# term of Casagrande, Pike & Smith 1978, Biometrics 34:483-486).
@pytest.mark.parametrize(("share", "approximately"), [(0.02, 49), (0.06, 148)])
def test_near_identical_checkpoints_need_some_more_than_published(
    share: float, approximately: int
) -> None:
    """Where one or nine questions change in all, whole numbers cost 20 to 50 more."""
    found = needed(anew(share), 0.05)
    assert 20 <= found - approximately * 1.2 <= 60


def test_fifty_pairs_cannot_exclude_five_points() -> None:
    """Why 50 is too few at 2 %: not even no change at all excludes 5 points.

    The lower bound is then minus the Wilson bound for 0 of 50 with continuity
    correction, (z² + 1 + z sqrt(z² + 2 - 1/n)) / 2 (n + z²) (Newcombe 1998): with
    z² = 2.7055, (3.7055 + 1.6449 * 2.1646) / 105.411 = 6.89 points.
    """
    still = paired_difference(treated_only=0, control_only=0, n=50)
    assert still.lower_bound == pytest.approx(-0.0689, abs=5e-5)
    one_arm = partial(floor_outlook, gained=0.01, lost=0.01, floor=-0.05, videos=ALONE)
    assert one_arm(n=50).passes < 0.3
    assert one_arm(n=126).passes > 0.8


def test_the_approximation_is_right_where_much_changes() -> None:
    """Formula and planner agree within 7 % once dozens of questions change."""
    # 2.4865² * .06 / .02² = 927, and 2 * .5 / .02 = 50 for the half question.
    assert needed(anew(0.06), 0.02) == pytest.approx(977, rel=0.07)


def by_video(
    rng: np.random.Generator, odds: list[float], scores: list[int], videos: Videos
) -> tuple[Ints, Ints]:
    """Draw scores and videos in another way than the planner does.

    Each question takes the score of its video with a chance of the root of
    the correlation, else its own: two share it as often as the correlation is.
    """
    size, n_videos = videos.sizes[0], len(videos.sizes)
    codes = np.repeat(np.arange(n_videos), size)
    own = rng.choice(scores, codes.size, p=odds)
    common = rng.choice(scores, n_videos, p=odds)[codes]
    shared = rng.random(codes.size) < videos.correlation**0.5
    return np.where(shared, common, own), codes


@pytest.mark.parametrize("n", [48, 240])
def test_a_floor_is_passed_as_often_as_promised(n: int) -> None:
    """Another way to draw, and the functions of the assertion: equal power."""
    videos = Videos(sizes=(6,) * (n // 6), correlation=0.1)
    floor = {48: 0.05, 240: 0.15}[n]
    rng = np.random.default_rng(2)
    passed = 0
    for _ in range(1500):
        scores, codes = by_video(rng, [GAINED, LOST, 0.65], [1, -1, 0], videos)
        found = difference(scores, codes.tolist())
        passed += found.lower_bound > floor
    promised = floor_outlook(
        gained=GAINED, lost=LOST, n=n, floor=floor, videos=videos
    ).passes
    assert 0.4 < promised < 0.95
    assert passed / 1500 == pytest.approx(promised, abs=0.03)


def test_no_loss_is_shown_as_often_as_promised() -> None:
    """The same of a change between two runs, at the planned number."""
    answers = anew(0.06)
    n = needed(answers, 0.05)
    pairs, odds = zip(*answers.shares, strict=True)
    changes = np.array([now - then for then, now in pairs])
    rng = np.random.default_rng(3)
    passed = 0
    for _ in range(1500):
        drawn = rng.choice(len(odds), n, p=odds)
        passed += cluster_mean(changes[drawn], range(n)).lower_bound > -0.05
    assert passed / 1500 == pytest.approx(0.8, abs=0.03)


def test_a_loss_is_found_as_often_as_promised() -> None:
    """REGRESSION is what the outlook counts against the claim."""
    answers = anew(0.06).blinded(0.5)
    n = 120
    promised = no_loss_outlook(answers=answers, n=n, margin=0.05, videos=ALONE)
    pairs, odds = zip(*answers.shares, strict=True)
    changes = np.array([now - then for then, now in pairs])
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(1500):
        drawn = rng.choice(len(odds), n, p=odds)
        mean = cluster_mean(changes[drawn], range(n))
        found += mean.estimate < -0.05 and mean.high < 0
    assert 0.5 < promised.against < 0.99
    assert found / 1500 == pytest.approx(promised.against, abs=0.03)


def test_a_baseline_without_a_gap_protects_nothing() -> None:
    """Where the baseline shows no gap, the claim is not judged, not passed."""
    blind = Answers.unchanged(gained=0.02, lost=0.02, mean_square=0.02)
    found = no_loss_outlook(answers=blind, n=400, margin=0.05, videos=ALONE)
    assert found.vacuous is not None
    assert found.vacuous > 0.9
    assert found.passes < 0.01


def test_shares_of_outcomes_sum_to_one() -> None:
    """Every drawn slice comes to exactly one verdict."""
    found = no_loss_outlook(answers=anew(0.3), n=100, margin=0.05, videos=ALONE)
    whole = found.passes + found.against + found.undecided + (found.vacuous or 0)
    assert whole == pytest.approx(1)
    assert min(found.passes, found.undecided) > 0


def test_at_the_floor_both_decisions_are_rare() -> None:
    """A gap that is the floor passes, or fails, in nearly 5 % of slices each."""
    found = floor_outlook(gained=0.3, lost=0.05, n=600, floor=0.25, videos=ALONE)
    # sd = sqrt(600 * (.35 - .25²)) = 13.1 questions, of which half a one is .038:
    # P(Z > 1.645 + .038) = 4.6 %, three standard errors of 4000 draws are 1 point.
    assert found.passes == pytest.approx(0.046, abs=0.01)
    assert found.against == pytest.approx(0.046, abs=0.01)


def test_the_same_plan_twice_is_the_same() -> None:
    """Nothing moves between two calls; another seed moves it a little."""
    plan: Callable[..., Outlook] = partial(
        floor_outlook, gained=0.3, lost=0.05, n=100, floor=0.1, videos=ASKED_OFTEN
    )
    assert plan() == plan()
    assert plan(seed=1).passes == pytest.approx(plan().passes, abs=0.03)


def test_questions_that_share_videos_are_worth_less() -> None:
    """A design effect of 1.5 costs half as many questions again."""

    def power_at(n: int, videos: Videos) -> float:
        return floor_outlook(
            gained=GAINED, lost=LOST, n=n, floor=0.15, videos=videos
        ).passes

    alone = questions_needed(partial(power_at, videos=ALONE))
    often = questions_needed(partial(power_at, videos=ASKED_OFTEN))
    assert alone is not None
    assert often == pytest.approx(1.5 * alone, rel=0.1)


shares = st.floats(0.01, 0.4)


@given(shares, shares, st.floats(0, 2))
def test_answers_anew_leave_the_gap_as_it_was(
    gained: float, lost: float, mean_square: float
) -> None:
    """Both runs have the same shares; no more changes than in two strangers."""
    found = Answers.unchanged(gained=gained, lost=lost, mean_square=mean_square)
    for sign, share in ((1, gained), (-1, lost)):
        for run in (0, 1):
            held = sum(s for pair, s in found.shares if pair[run] == sign)
            assert held == pytest.approx(share)
    strangers = 2 * (gained + lost - (gained - lost) ** 2)
    assert found.mean_square == pytest.approx(min(mean_square, strangers), abs=1e-9)
    assert found.change == pytest.approx(0, abs=1e-12)


@given(shares, shares, st.floats(0, 1))
def test_blinded_questions_lose_their_part_of_the_gap(
    gained: float, lost: float, share: float
) -> None:
    """Half the questions blinded is half the gap lost, whatever else changed."""
    answers = Answers.unchanged(gained=gained, lost=lost, mean_square=0.05)
    found = answers.blinded(share)
    assert found.gap == pytest.approx(answers.gap)
    assert found.change == pytest.approx(-share * answers.gap, abs=1e-12)
    assert sum(s for _, s in found.shares) == pytest.approx(1)


def test_measured_changes_are_taken_without_their_drift() -> None:
    """The plan is for no loss: what changed counts, in which direction not."""
    then = np.array([1] * 50 + [0] * 50)
    now = np.array([1] * 30 + [0] * 20 + [0] * 40 + [-1] * 10)
    found = Answers.measured(then=then, now=now)
    assert found.mean_square == pytest.approx(30 / 100)
    assert found.change == pytest.approx(0)
    # The mean of .5 and .3 - .1 = .2.
    assert found.gap == pytest.approx(0.35)


def test_two_equal_runs_do_not_show_that_nothing_changes() -> None:
    """No change in 100 counts as the most that it allows, z²/(n + z²)."""
    same = np.array([1] * 40 + [0] * 60)
    found = Answers.measured(then=same, now=same)
    assert found.mean_square == pytest.approx(2.7055 / 102.7055, abs=1e-5)
    assert found.gap == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("gained", "lost", "gap"), [(40, 10, 0.3), (0, 25, -0.25), (100, 0, 1.0)]
)
def test_two_equal_runs_keep_their_gap(gained: int, lost: int, gap: float) -> None:
    """What is assumed to change leaves it, where questions were lost to the video too.

    Where every question has the same gap there is none that could take its place.
    """
    same = np.array([1] * gained + [-1] * lost + [0] * (100 - gained - lost))
    found = Answers.measured(then=same, now=same)
    assert found.gap == pytest.approx(gap)
    assert found.change == pytest.approx(0)


@settings(max_examples=20)
@given(st.integers(20, 2000), st.sampled_from([0.5001, 0.8, 0.95]))
def test_the_search_finds_the_smallest_round_number(edge: int, power: float) -> None:
    """Where power jumps at a number, the next of the row is returned."""
    found = questions_needed(lambda n: float(n >= edge), power=power)
    assert found is not None
    assert edge <= found <= edge * 1.03 + 1


def test_power_must_hold_beyond_the_first_tooth() -> None:
    """Enough at 60 and too little at 70: the number is beyond both."""

    def power_at(n: int) -> float:
        return 0.85 if 60 <= n < 66 or n >= 72 else 0.7

    assert questions_needed(power_at) == 72


def test_no_number_may_be_enough() -> None:
    """A power that is never reached gives None, after looking to the end."""
    asked: list[int] = []

    def power_at(n: int) -> float:
        asked.append(n)
        return 0.5

    assert questions_needed(power_at, at_most=3000) is None
    assert max(asked) == 3000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gained": 0.7, "lost": 0.6}, "1 - gained - lost must lie in"),
        ({"gained": -0.1}, "gained must lie in"),
        ({"n": 1}, "at least two questions"),
        ({"confidence": 95}, "confidence must lie between 0.5 and 1"),
    ],
)
def test_impossible_arguments_are_named(
    arguments: dict[str, float], message: str
) -> None:
    """The error says which argument cannot be, and shows the value."""
    usual = {"gained": 0.3, "lost": 0.05, "n": 100, "floor": 0.1}
    with pytest.raises(ValueError, match=message):
        floor_outlook(**(usual | arguments), videos=ALONE)  # type: ignore[arg-type]


def test_shares_that_are_none_are_refused() -> None:
    """More than everything, a negative change, a gap that no question has."""
    with pytest.raises(ValueError, match=r"must sum to one, got 1\.3"):
        Answers(shares=(((0, 0), 1.3),))
    with pytest.raises(ValueError, match="sum to one"):
        Answers.unchanged(gained=0.8, lost=0.4, mean_square=0.1)
    with pytest.raises(ValueError, match="mean_square must lie"):
        Answers.unchanged(gained=0.3, lost=0.1, mean_square=-0.1)
    with pytest.raises(ValueError, match="-1, 0 or 1"):
        Answers.measured(then=np.array([0, 2]), now=np.array([0, 0]))


def test_every_question_may_be_discordant() -> None:
    """Shares that sum to one leave none for the rest, not a little less."""
    found = floor_outlook(gained=0.9, lost=0.1, n=100, floor=0.5, videos=ALONE)
    assert found.passes > 0.99
    assert 1 - 0.9 - 0.1 < 0
