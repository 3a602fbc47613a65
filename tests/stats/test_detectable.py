"""Tests of the smallest difference that a slice could have shown."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.detectable import (
    smallest_detectable_difference,
    smallest_detectable_paired_difference,
)
from pytest_vdg.stats.paired import paired_difference
from tests.stats.strategies import Table, effects, tables


def test_by_hand() -> None:
    """At 95 % and 80 % a difference of 2.4865 standard errors is found."""
    # 1.6449 + 0.8416 = 2.4865; standard error 0.5/sqrt(400) = 0.025
    found = smallest_detectable_difference(sd=0.5, n=400)
    assert found == pytest.approx(2.4865 * 0.025, abs=1e-5)


# A change of VDG between two checkpoints has a standard deviation of .65 to
# .68 on the published answers and needs about 1050 to 1150 questions for 5
# points, about 270 for 10 (own arithmetic over the VDG paper's data).
@pytest.mark.parametrize(
    ("sd", "n", "points"), [(0.65, 1050, 5.0), (0.68, 1144, 5.0), (0.66, 270, 10.0)]
)
def test_planning_numbers(sd: float, n: int, points: float) -> None:
    """The planned numbers of questions find the planned differences."""
    found = 100 * smallest_detectable_difference(sd=sd, n=n)
    assert found == pytest.approx(points, abs=0.05)


def test_discordance_is_what_matters() -> None:
    """With 6 % of 155 pairs discordant, 5 points can be shown."""
    # sd² = .06, so 2.4865 * sqrt(.06/155) = .0489; without discordance to look
    # at, as for two unpaired accuracies of .5, it would be .14.
    found = smallest_detectable_paired_difference(treated_only=5, control_only=5, n=155)
    assert found == pytest.approx(2.4865 * math.sqrt(10 / 155 / 155), abs=1e-5)


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
    """Without a discordant pair the floor is the score bound on their share."""
    found = smallest_detectable_paired_difference(treated_only=0, control_only=0, n=300)
    bound = 1.6449**2 / (300 + 1.6449**2)  # Wilson (1927) at zero of 300
    assert found == pytest.approx(2.4865 * math.sqrt(bound / 300), abs=1e-5)
    assert found == smallest_detectable_difference(sd=0, n=300)


@given(st.floats(0, 2), st.integers(1, 1000), effects)
def test_more_questions_find_less(sd: float, n: int, design_effect: float) -> None:
    """Size helps, clustering and variation hurt."""
    here = smallest_detectable_difference(sd=sd, n=n, design_effect=design_effect)
    larger = smallest_detectable_difference(sd=sd, n=n + 1, design_effect=design_effect)
    independent = smallest_detectable_difference(sd=sd, n=n)
    noisier = smallest_detectable_difference(
        sd=sd + 0.1, n=n, design_effect=design_effect
    )
    assert larger < here
    assert independent <= here <= noisier


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
