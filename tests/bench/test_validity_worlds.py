"""What the simulation draws has the truth that it is judged by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.validity.draws import Design, draw, generator
from bench.validity.worlds import World, joint, two_runs

shares = st.floats(0.02, 0.98)
likeness = st.floats(0.0, 0.99)


@given(shares, shares, likeness)
def test_arms_have_the_accuracies_asked_for(
    first: float, second: float, alike: float
) -> None:
    """However alike the arms, each keeps its own accuracy."""
    world = joint(first, second, alike=alike)
    assert world.truth(world.scores(1, 0)) == pytest.approx(first, abs=2e-3)
    assert world.truth(world.scores(0, 1)) == pytest.approx(second, abs=2e-3)


def test_arms_at_one_half_are_discordant_as_sheppard_says() -> None:
    """P(discordant) = acos(r) / pi at accuracies of one half (Sheppard 1899)."""
    world = joint(0.5, 0.5, alike=0.9)
    discordant = world.truth(np.abs(world.scores(1, -1)))
    assert discordant == pytest.approx(np.arccos(0.9) / np.pi, abs=1e-3)


@given(shares, shares, st.floats(0, 1))
def test_a_new_run_that_lost_nothing_has_the_same_gap(
    original: float, black: float, redrawn: float
) -> None:
    """Answers given anew move no accuracy of either arm."""
    world = two_runs(original=original, black=black, alike=0.5, redrawn=redrawn)
    for weights in ((1, 0, -1, 0), (0, 1, 0, -1), (1, -1, -1, 1)):
        assert world.truth(world.scores(*weights)) == pytest.approx(0, abs=1e-9)


def test_a_dissociation_loses_the_gap_and_keeps_the_accuracy() -> None:
    """What is lost is the need of the video, not the right answer."""
    world = two_runs(original=0.7, black=0.35, alike=0.5, redrawn=0.1, lost=0.05)
    assert world.truth(world.scores(1, -1, -1, 1)) == pytest.approx(-0.05)
    assert world.truth(world.scores(1, 0, -1, 0)) == pytest.approx(0)


def test_more_than_there_is_cannot_be_lost() -> None:
    """Only questions that needed the video can stop needing it."""
    with pytest.raises(ValueError, match=r"cannot lose 0\.6"):
        two_runs(original=0.7, black=0.35, alike=0.5, redrawn=0.1, lost=0.6)


def test_a_table_that_is_no_distribution_is_refused() -> None:
    """Probabilities sum to one."""
    with pytest.raises(ValueError, match="no distribution"):
        World(patterns=np.array([[True]]), probabilities=np.array([0.5]))


@pytest.mark.parametrize("n", [30, 50, 100])
@pytest.mark.parametrize("per_video", [1, 3, 10])
@pytest.mark.parametrize("uneven", [False, True])
def test_a_design_asks_as_many_questions_as_it_says(
    n: int, per_video: int, uneven: bool
) -> None:
    """Whatever does not fill a video makes a smaller one."""
    sizes = Design(n=n, per_video=per_video, uneven=uneven).sizes
    assert sizes.sum() == n
    assert sizes.min() >= 1


def test_questions_on_one_video_correlate_as_designed() -> None:
    """The variance of a video's mean is (1 + (m - 1) r) / m times a question's."""
    design = Design(n=6000, per_video=6, correlation=0.3)
    (counts,) = draw(
        np.array([0.3, 0.7]), design, replicates=1, rng=generator("r", seed=5)
    )
    means = counts[0, :, 0] / 6
    ratio = means.var() / (0.3 * 0.7)
    assert ratio == pytest.approx((1 + 5 * 0.3) / 6, rel=0.12)


def test_lost_questions_leave_and_nothing_else_changes() -> None:
    """4 % lost of 3000 questions leave about 2880 with the same shares."""
    design = Design(n=3000, per_video=3, correlation=0.3, missing=0.04)
    probabilities = np.array([0.2, 0.8])
    rng = generator("missing", seed=5)
    counts = np.concatenate(list(draw(probabilities, design, replicates=50, rng=rng)))
    assert counts.sum() / 50 == pytest.approx(2880, abs=10)
    assert counts[..., 0].sum() / counts.sum() == pytest.approx(0.2, abs=0.01)


def test_a_cell_is_the_same_wherever_it_is_measured() -> None:
    """Randomness depends on names and seed, not on what was drawn before."""
    first, again, other = (generator("gap", n, seed=1).random() for n in (30, 30, 50))
    assert first == again != other
