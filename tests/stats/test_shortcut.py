"""Tests of the blind gap and of the visual gain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.proportion import wilson
from pytest_vdg.stats.shortcut import blind_gap, chance, visual_gain

# Traffic paper, Table 1, in percent: blind accuracy, video accuracy, number of
# options, and the printed blind gap and visual gain.
TABLE_1 = [
    (52.14, 50.35, 5, 32.14, -1.79),  # MM-AU, InternVL 2.5 8B
    (45.70, 45.45, 5, 25.70, -0.24),  # MM-AU, LLaVA-OV 8B
    (31.52, 43.53, 4, 6.52, 12.01),  # TrafficQA, Qwen 2.5 VL 7B
    (42.95, 62.85, 4, 17.95, 19.90),  # VRU-Accident, InternVL 3.5 8B
]


@pytest.mark.parametrize(("blind", "video", "k", "gap", "gain"), TABLE_1)
def test_printed_gaps_and_gains(
    blind: float, video: float, k: int, gap: float, gain: float
) -> None:
    """Blind gap is blind accuracy less 1/K, visual gain video less blind accuracy."""
    n = 10_000
    text_only = np.arange(n) < round(100 * blind)
    sighted = np.arange(n) < round(100 * video)
    found = blind_gap(correct=text_only, options=np.full(n, k))
    assert 100 * found.estimate == pytest.approx(gap)
    difference = visual_gain(video=sighted, text_only=text_only)
    # Printed from unrounded accuracies: one in the last digit.
    assert 100 * difference.estimate == pytest.approx(gain, abs=0.011)


# Traffic paper, Table 2, B-Clean, in percent: video accuracy, blind gap, number of
# options, and what is printed as visual gain.
B_CLEAN = [(23.54, -5.02, 5, -19.91, 8.56), (52.38, -3.22, 4, -10.65, 30.60)]


@pytest.mark.parametrize(("video", "gap", "k", "printed", "gain"), B_CLEAN)
def test_a_gain_is_over_the_same_questions(
    video: float, gap: float, k: int, printed: float, gain: float
) -> None:
    """What B-Clean keeps gains 8.56 and 30.60 points from video, and loses none."""
    # The printed -19.91 and -10.65 subtract the accuracy of *all* questions with
    # video (23.54 - 45.45 would be -21.91, 52.38 - 63.03 is -10.65).

    blind = gap + 100 / k
    n = 10_000
    difference = visual_gain(
        video=np.arange(n) < round(100 * video),
        text_only=np.arange(n) < round(100 * blind),
    )
    assert 100 * difference.estimate == pytest.approx(gain, abs=0.005)
    assert abs(100 * difference.estimate - printed) > 20


@pytest.mark.parametrize(
    ("blind", "gap"), [(39.34, 18.22), (38.37, 17.25), (38.52, 17.40)]
)
def test_chance_over_mixed_numbers_of_options(blind: float, gap: float) -> None:
    """LongVideoBench has a chance of 21.12 %, and 17.40 where 17.04 is printed."""
    # Traffic paper, Table 7, Base, T-SFT and T-SFT-DPO. 2,240 questions of four
    # options and 7,760 of five have that chance: .224 / 4 + .776 / 5.
    options = np.repeat([4, 5], [2240, 7760])
    found = blind_gap(correct=np.arange(10_000) < round(100 * blind), options=options)
    assert found.chance == pytest.approx(0.2112)
    assert 100 * found.estimate == pytest.approx(gap)


def test_chance_is_the_mean_of_one_over_k() -> None:
    """TVBench's chance of 33.3 % is the mean over ten tasks of their own."""
    # TVBench paper, Table 4: six tasks of four options, one of three, three of two.
    assert chance([4] * 6 + [3] + [2] * 3) == pytest.approx(0.3333, abs=1e-4)


def test_the_interval_is_that_of_the_accuracy() -> None:
    """Chance is known, so it moves the interval and does not widen it."""
    correct = np.arange(80) < 30
    found = blind_gap(correct=correct, options=[4] * 80)
    accuracy = wilson(successes=30, n=80)
    assert found.low == pytest.approx(accuracy.low - 0.25)
    assert found.upper_bound == pytest.approx(accuracy.upper_bound - 0.25)
    assert (found.accuracy, found.chance) == (0.375, 0.25)


@given(st.lists(st.tuples(st.booleans(), st.integers(2, 6)), min_size=1, max_size=60))
def test_every_gap_has_an_interval(sample: list[tuple[bool, int]]) -> None:
    """Ends are numbers around the estimate, and never coincide."""
    correct, options = zip(*sample, strict=True)
    found = blind_gap(
        correct=np.array(correct), options=options, clusters=range(len(correct))
    )
    assert found.low <= found.lower_bound <= found.estimate
    assert found.estimate <= found.upper_bound <= found.high
    assert found.low < found.high


def test_clusters_widen() -> None:
    """Ten equal questions on each of four videos are not forty."""
    correct = np.repeat([True, True, False, False], 10)
    videos = np.repeat(range(4), 10).tolist()
    plain = blind_gap(correct=correct, options=[4] * 40)
    shared = blind_gap(correct=correct, options=[4] * 40, clusters=videos)
    assert shared.low < plain.low
    gain = visual_gain(video=correct, text_only=~correct, clusters=videos)
    assert gain.design_effect > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([4], "2 questions need as many options, got 1"),
        ([4, 1], "two options at least, got 1"),
        ([4.0, 4.0], "options must be integers"),
        ([], "at least one"),
    ],
)
def test_impossible_options_are_named(options: list[int], message: str) -> None:
    """The error says what is wrong with the numbers of options."""
    with pytest.raises(ValueError, match=message):
        blind_gap(correct=np.array([True, False]), options=options)
