"""Tests of the smallest difference that a slice could have shown."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_vdg.reports._study import edge
from pytest_vdg.stats.detectable import (
    smallest_detectable_difference,
    smallest_detectable_paired_difference,
    smallest_detectable_share,
)
from pytest_vdg.stats.paired import paired_difference
from pytest_vdg.stats.planning import Videos, floor_outlook
from pytest_vdg.stats.proportion import wilson
from tests.stats.strategies import Table, effects, tables


def test_by_hand() -> None:
    """At 95 % and 80 % it is 2.4865 standard errors and half a question.

    1.6449 + 0.8416 = 2.4865 (Miller 2024); the standard error is .5/sqrt(400) =
    .025, half a question .5/400. A little more, as the score test's standard
    error is that of a true difference: by the public bound of the unlucky
    sample, .8416 standard errors down: 45.8 of the 100 changes are then up.
    """
    found = smallest_detectable_difference(sd=0.5, n=400)
    assert 2.4865 * 0.025 + 0.5 / 400 <= found <= 1.01 * (2.4865 * 0.025 + 0.5 / 400)
    bounds = [
        paired_difference(treated_only=up, control_only=100 - up, n=400).lower_bound
        for up in (45, 46)
    ]
    assert -bounds[1] < found < -bounds[0]


def test_shares_by_hand() -> None:
    """Of 300 with 180 right: 173 are right in an unlucky sample, by Wilson's bound.

    The standard error is sqrt(.6 * .4 / 300) = .0283, so .8416 of them are 7.1
    questions.
    """
    found = smallest_detectable_share(successes=180, n=300)
    unlucky = wilson(successes=173, n=300)
    assert found == pytest.approx(0.6 - unlucky.lower_bound, abs=0.2 / 300)


def test_few_videos_cost_what_student_says() -> None:
    """With 5 degrees of freedom it is 2.0150 + 0.9195 standard errors, not 2.4865.

    Student's t at .95 and .80 (any table); 30 effective questions.
    """
    found = smallest_detectable_difference(sd=0.5, n=60, design_effect=2, df=5)
    textbook = (2.0150 + 0.9195) * 0.5 / math.sqrt(30) + 0.5 / 30
    assert textbook - 1e-4 <= found <= 1.06 * textbook


# Shares of gained and lost questions, questions a video, their correlation.
@pytest.mark.parametrize(
    ("gained", "lost", "n", "per_video", "correlation"),
    [
        (0.40, 0.10, 60, 1, 0.0),
        (0.10, 0.10, 40, 1, 0.0),
        (0.35, 0.05, 150, 1, 0.0),
        (0.05, 0.05, 300, 1, 0.0),
        (0.20, 0.10, 1000, 1, 0.0),
        (0.35, 0.10, 60, 3, 0.2),
        (0.35, 0.10, 300, 5, 0.1),
        (0.35, 0.10, 60, 10, 0.3),
        (0.35, 0.10, 300, 30, 0.1),
    ],
)
def test_the_planner_draws_the_same_number(
    gained: float, lost: float, n: int, per_video: int, correlation: float
) -> None:
    """How far a floor must be below the gap to be shown in 80 of 100 slices.

    The planner draws slices and decides each by the verdicts' rules; it agrees
    within a question, or a twentieth of the number where that is more.
    """
    videos = Videos(sizes=(per_video,) * (n // per_video), correlation=correlation)
    gap = gained - lost

    def shown(below: float) -> bool:
        at = floor_outlook(
            gained=gained, lost=lost, n=n, floor=gap - below, videos=videos
        )
        return at.passes >= 0.8

    drawn = edge(shown, 0.0)
    assert drawn is not None
    found = smallest_detectable_paired_difference(
        treated_only=round(gained * n),
        control_only=round(lost * n),
        n=n,
        design_effect=videos.design_effect(n),
        df=math.inf if per_video == 1 else n // per_video - 1,
    )
    assert found == pytest.approx(drawn, abs=max(1 / n, 0.05 * drawn))
    plain = 2.4865 * math.sqrt(
        (gained + lost - gap * gap) * videos.design_effect(n) / n
    )
    assert found > plain


# A change of VDG between two checkpoints has a standard deviation of .65 to
# .68 on the published answers and needs about 1050 to 1150 questions for 5
# points, about 280 for 10 (own arithmetic over the VDG paper's data): 2.4865² sd²
# over the squared points, and 1 / points more for the half question of the bound.
@pytest.mark.parametrize(
    ("sd", "n", "points"), [(0.65, 1065, 5.0), (0.68, 1164, 5.0), (0.66, 279, 10.0)]
)
def test_planning_numbers(sd: float, n: int, points: float) -> None:
    """The planned numbers of questions find the planned differences."""
    found = 100 * smallest_detectable_difference(sd=sd, n=n)
    assert found == pytest.approx(points, abs=0.05)


def test_discordance_is_what_matters() -> None:
    """With 6 % of 155 pairs discordant, 5 points can be shown."""
    # sd² = .065, so 2.4865 * sqrt(.065/155) = .051, and .003 for half a question;
    # without discordance to look at, as for two unpaired accuracies of .5, it would
    # be .14. The unlucky sample has 3.7 of its 10 changes up.
    found = smallest_detectable_paired_difference(treated_only=5, control_only=5, n=155)
    bounds = [
        paired_difference(treated_only=up, control_only=10 - up, n=155).lower_bound
        for up in (3, 4)
    ]
    assert -bounds[1] < found < -bounds[0]
    assert found < 0.07


def test_simulated_power_is_as_promised() -> None:
    """A true drop of that size is found in about 80 of 100 slices."""
    n, share = 400, 0.3
    drop = smallest_detectable_paired_difference(treated_only=60, control_only=60, n=n)
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(1000):
        lost, gained, _ = rng.multinomial(
            n, [(share + drop) / 2, (share - drop) / 2, 1 - share]
        )
        result = paired_difference(
            treated_only=int(gained), control_only=int(lost), n=n
        )
        found += result.upper_bound < 0
    assert found / 1000 == pytest.approx(0.8, abs=0.03)


@given(tables(), effects)
def test_never_nothing(table: Table, design_effect: float) -> None:
    """However little varies, some difference would have gone unseen."""
    b, c, n = table
    found = smallest_detectable_paired_difference(
        treated_only=b, control_only=c, n=n, design_effect=design_effect
    )
    assert math.isfinite(found)
    assert found > 0


def test_no_discordance_counts_as_the_most_it_allows() -> None:
    """Without a discordant pair as many count as zero of 300 is compatible with.

    1.6449²/(300 + 1.6449²) = .0089 (Wilson 1927), 2.68 questions. In an unlucky
    sample .65 of them are up and 2.03 down: worse than 1 and 2, better than 0 and 2.
    """
    found = smallest_detectable_paired_difference(treated_only=0, control_only=0, n=300)
    bounds = [
        paired_difference(treated_only=up, control_only=2, n=300).lower_bound
        for up in (0, 1)
    ]
    assert -bounds[1] < found < -bounds[0]
    assert found == smallest_detectable_difference(sd=0, n=300)


@given(st.floats(0, 2), st.integers(1, 1000), effects)
@example(sd=0.21875, n=244, design_effect=1.0000000000000002)
def test_more_questions_find_less(sd: float, n: int, design_effect: float) -> None:
    """Size helps, clustering and variation hurt; all up to rounding."""
    here = smallest_detectable_difference(sd=sd, n=n, design_effect=design_effect)
    larger = smallest_detectable_difference(sd=sd, n=n + 1, design_effect=design_effect)
    independent = smallest_detectable_difference(sd=sd, n=n)
    noisier = smallest_detectable_difference(
        sd=sd + 0.1, n=n, design_effect=design_effect
    )
    assert larger < here
    assert independent <= here * (1 + 1e-12)
    assert here <= noisier * (1 + 1e-12)


def test_asking_for_more_finds_less() -> None:
    """More confidence or more power needs a larger difference."""
    usual = smallest_detectable_difference(sd=0.5, n=100)
    assert smallest_detectable_difference(sd=0.5, n=100, power=0.9) > usual
    assert smallest_detectable_difference(sd=0.5, n=100, confidence=0.99) > usual


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "nothing to compare"),
        ({"sd": -1.0}, "sd must be finite and at least 0"),
        ({"sd": math.nan}, "sd must be finite"),
        ({"power": 80}, "power must lie between 0.5 and 1, both excluded, got 80"),
        ({"confidence": 1.0}, "confidence must lie between 0.5 and 1"),
    ],
)
def test_impossible_arguments_are_named(
    arguments: dict[str, float], message: str
) -> None:
    """The error says which argument cannot be, and shows the value."""
    with pytest.raises(ValueError, match=message):
        smallest_detectable_difference(
            **({"sd": 0.5, "n": 10} | arguments)  # type: ignore[arg-type]
        )
