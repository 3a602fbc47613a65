"""Tests of answers that flip."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.flips import flips
from pytest_vdg.stats.mcnemar import mcnemar

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


def arms(
    correct_to_incorrect: int, incorrect_to_correct: int, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return correctness before and after with as many flips."""
    rest = n - correct_to_incorrect - incorrect_to_correct
    sizes = [correct_to_incorrect, incorrect_to_correct, rest // 2, rest - rest // 2]
    before = np.repeat([True, False, True, False], sizes)
    after = np.repeat([False, True, True, False], sizes)
    return before, after


def test_a_printed_row_of_flips() -> None:
    """32 broken and 27 mended of 600 are a net loss of 5 and 90.2 % stable."""
    # VDG paper, Table S12, Qwen2-VL-7B. Its counts do not follow from the data,
    # but its arithmetic does: (600 - 59) / 600.
    before, after = arms(32, 27, 600)
    found = flips(before=before, after=after)
    assert (found.correct_to_incorrect, found.incorrect_to_correct) == (32, 27)
    assert (found.net, found.flipped) == (-5, 59)
    assert f"{found.stable_share.estimate:.3f}" == "0.902"
    assert found.change.estimate == pytest.approx(-5 / 600)


def test_cancelling_flips_are_no_stability() -> None:
    """A change of zero hides that a fifth of the answers flipped."""
    before, after = arms(20, 20, 200)
    found = flips(before=before, after=after)
    assert found.change.estimate == 0
    assert found.pvalue == 1.0
    assert found.stable_share.high < 0.86


@given(pairs)
def test_flips_are_the_discordant_questions(answers: list[tuple[bool, bool]]) -> None:
    """Counts, difference and test speak of the same questions."""
    before, after = (np.array(arm) for arm in zip(*answers, strict=True))
    found = flips(before=before, after=after, clusters=range(len(answers)))
    assert found.net == after.sum() - before.sum()
    assert found.flipped == found.n - found.stable_share.successes
    assert found.pvalue == pytest.approx(
        mcnemar(
            treated_only=found.incorrect_to_correct,
            control_only=found.correct_to_incorrect,
        ).pvalue
    )


@given(pairs)
def test_swapping_before_and_after_mirrors(answers: list[tuple[bool, bool]]) -> None:
    """What is broken one way is mended the other; what is stable stays so."""
    before, after = (np.array(arm) for arm in zip(*answers, strict=True))
    one, other = (
        flips(before=before, after=after),
        flips(before=after, after=before),
    )
    assert one.net == -other.net
    assert one.stable_share == other.stable_share
    assert one.change.low == pytest.approx(-other.change.high)


def test_clusters_widen_the_stable_share() -> None:
    """Ten questions on one video that flip together are nearly one."""
    before = np.repeat([True, True, False], 10)
    after = np.repeat([False, True, False], 10)
    plain = flips(before=before, after=after)
    shared = flips(
        before=before, after=after, clusters=np.repeat([0, 1, 2], 10).tolist()
    )
    assert shared.stable_share.low < plain.stable_share.low
    assert shared.change.low < plain.change.low


def test_unequal_lengths_are_refused() -> None:
    """A question is in both conditions or in neither."""
    with pytest.raises(ValueError, match="before and after must have equal lengths"):
        flips(before=np.array([True]), after=np.array([True, False]))
