"""Tests of levels against chance: per task, without order, backwards."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.tvbench import above_random, order_sensitivity, right_agreement

# TVBench paper, Table 4, in percent: accuracy of Tarsier-34B on the video, and
# chance, per task; printed averages 55.5 and 33.3, 22.2 above random.
TARSIER = {
    "AC": (31.7, 4),
    "OC": (64.2, 4),
    "AS": (81.7, 2),
    "OS": (32.1, 3),
    "ST": (77.8, 2),
    "AL": (58.1, 4),
    "AA": (84.4, 2),
    "UA": (52.4, 4),
    "ES": (24.5, 4),
    "MD": (48.3, 4),
}

answers = st.lists(
    st.tuples(st.booleans(), st.integers(2, 4), st.sampled_from(["x", "y"])),
    min_size=1,
    max_size=60,
)


def right(share: float, n: int) -> npt.NDArray[np.bool_]:
    """Return *n* answers of which the first *share* are right."""
    return np.arange(n) < round(share * n)


def test_a_printed_average_above_random() -> None:
    """Tarsier-34B lies 22.2 points above random, each task counting alike."""
    n = 1000
    found = above_random(
        correct=np.concatenate([right(a / 100, n) for a, _ in TARSIER.values()]),
        options=np.repeat([k for _, k in TARSIER.values()], n),
        groups=np.repeat(list(TARSIER), n).tolist(),
    )
    assert f"{100 * found.average.estimate:.1f}" == "22.2"
    assert f"{100 * found.tasks['AA'].estimate:.1f}" == "34.4"
    # Event sequence is at chance: its interval holds 0, as does no other's but
    # that of object shuffle.
    at_chance = [t for t, gap in found.tasks.items() if gap.low < 0 < gap.high]
    assert at_chance == ["ES", "OS"]


def test_the_average_has_the_error_of_a_mean_of_tasks() -> None:
    """For large tasks the interval is the normal one of a mean of ten shares."""
    n = 100_00
    found = above_random(
        correct=np.concatenate([right(a / 100, n) for a, _ in TARSIER.values()]),
        options=np.repeat([k for _, k in TARSIER.values()], n),
        groups=np.repeat(list(TARSIER), n).tolist(),
    )
    variance = sum(a / 100 * (1 - a / 100) / n for a, _ in TARSIER.values())
    half = 1.959964 * math.sqrt(variance) / 10
    assert found.average.high - found.average.estimate == pytest.approx(half, rel=5e-3)
    assert found.average.estimate - found.average.low == pytest.approx(half, rel=5e-3)


@given(answers)
def test_every_average_has_an_interval(sample: list[tuple[bool, int, str]]) -> None:
    """Ends are numbers around the estimate, whatever the tasks."""
    correct, options, groups = zip(*sample, strict=True)
    found = above_random(
        correct=np.array(correct), options=options, groups=groups
    ).average
    assert found.low <= found.lower_bound <= found.estimate
    assert found.estimate <= found.upper_bound <= found.high
    assert found.low < found.high


def test_a_temporal_benchmark() -> None:
    """Tarsier-34B on Moving Direction: 48 % in order, 18 % shuffled, 4 % reversed."""
    # TVBench paper, Table 4, MD (232 questions, four options): 48.3, 18.1, 4.3.
    n = 232
    found = order_sensitivity(
        original=right(0.483, n),
        shuffled=right(0.181, n),
        reversed=right(0.043, n),
        options=[4] * n,
    )
    assert found.needs_order
    assert found.reversed_below_chance
    assert not found.shuffled_at_chance(0.05)  # it lies below, on one task
    assert found.shuffled_loss.estimate == pytest.approx((112 - 42) / n)


def test_an_atemporal_benchmark() -> None:
    """Where shuffling and reversing cost nothing, order is not needed."""
    same = right(0.67, 300)
    found = order_sensitivity(
        original=same, shuffled=same, reversed=same, options=[4] * 300
    )
    assert not found.needs_order
    assert not found.reversed_below_chance
    assert found.original.lower_bound > 0


def test_at_chance_is_shown_not_assumed() -> None:
    """Thirty questions at chance do not show that; three thousand do."""
    few, many = (
        order_sensitivity(
            original=right(0.5, n),
            shuffled=right(0.25, n),
            reversed=right(0.1, n),
            options=[4] * n,
        )
        for n in (32, 3200)
    )
    assert not few.shuffled_at_chance(0.05)
    assert many.shuffled_at_chance(0.05)
    with pytest.raises(ValueError, match="margin must lie between 0 and 1"):
        many.shuffled_at_chance(5)


def test_right_answers_shared_between_inputs() -> None:
    """Of 100 answers right from text alone, 85 are right with video: 85 %."""
    text = right(0.5, 200)
    video = np.concatenate([right(0.85, 100), right(0.3, 100)])
    found = right_agreement(given=text, also=video)
    assert (found.successes, found.n) == (85, 100)
    # It has a direction: of the 115 right with video, 85 are right from text.
    assert right_agreement(given=video, also=text).estimate == pytest.approx(85 / 115)


def test_clusters_widen() -> None:
    """Ten equal questions on each of four videos are not forty."""
    correct = np.repeat([True, True, False, False], 10)
    videos = np.repeat(range(4), 10).tolist()
    every = np.ones(40, dtype=bool)
    plain = right_agreement(given=every, also=correct)
    shared = right_agreement(given=every, also=correct, clusters=videos)
    assert shared.low < plain.low
    one = above_random(correct=correct, options=[4] * 40, groups=["x"] * 40)
    many = above_random(
        correct=correct, options=[4] * 40, groups=["x"] * 40, clusters=videos
    )
    assert many.average.low < one.average.low


def test_impossible_arguments_are_named() -> None:
    """The error says which argument cannot be, and shows the value."""
    some = np.array([True, False])
    with pytest.raises(ValueError, match="no question was right under given"):
        right_agreement(given=~np.array([True, True]), also=some)
    with pytest.raises(ValueError, match="2 questions need as many options"):
        above_random(correct=some, options=[4], groups="xy")
    with pytest.raises(ValueError, match="equal lengths, got 2 and 2 and 1"):
        order_sensitivity(
            original=some, shuffled=some, reversed=some[:1], options=[4, 4]
        )
