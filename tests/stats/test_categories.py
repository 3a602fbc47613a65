"""Tests of the four kinds of question and of the destructive ratio."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.categories import categories, destructive_ratio
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.paired import paired_difference

# Counts with the video only and without it only, then the printed ratio: VDG
# paper, Table S6 (EgoSchema) and, for Video-MME, section 4.3.
PRINTED = [(159, 18, "8.8"), (150, 18, "8.3"), (167, 13, "12.8"), (212, 29, "7.3")]

counts = st.integers(0, 300)


@pytest.mark.parametrize(("gained", "lost", "printed"), PRINTED)
def test_ratios_are_the_printed_ones(gained: int, lost: int, printed: str) -> None:
    """D:C counts what removing the video breaks over what it mends."""
    ratio = destructive_ratio(gained=gained, lost=lost)
    assert ratio.estimate is not None
    assert f"{ratio.estimate:.1f}" == printed
    assert 1 < ratio.low < ratio.estimate < ratio.high


def test_the_smallest_printed_ratio_is_exact() -> None:
    """Qwen2-VL on Video-MME has 170 to 40, printed as 4.25."""
    assert destructive_ratio(gained=170, lost=40).estimate == 4.25


def test_an_interval_by_hand() -> None:
    """Ends are Wilson's for the share of changed questions, as odds."""
    # 30 of 40: centre (3/4 + z²/80) / (1 + z²/40), z² = 3.8415; Wilson's interval
    # is [.59807, .85813], as odds 1.4880 and 6.0487.
    ratio = destructive_ratio(gained=30, lost=10)
    assert (ratio.low, ratio.high) == pytest.approx((1.4880, 6.0487), rel=1e-4)


def test_zero_counts_have_an_interval() -> None:
    """Nothing lost is a ratio without limit above, but with one below."""
    none_lost = destructive_ratio(gained=20, lost=0)
    assert (none_lost.estimate, none_lost.high) == (math.inf, math.inf)
    # Wilson at 20 of 20: 20 / (20 + z²), as odds 20 / z² = 20 / 3.8415.
    assert none_lost.low == pytest.approx(20 / 3.8415, rel=1e-4)
    none_gained = destructive_ratio(gained=0, lost=20)
    assert (none_gained.estimate, none_gained.low) == (0.0, 0.0)
    assert none_gained.high == pytest.approx(3.8415 / 20, rel=1e-4)
    nothing = destructive_ratio(gained=0, lost=0)
    assert nothing.estimate is None
    assert (nothing.low, nothing.high) == (0.0, math.inf)


@given(counts, counts, st.floats(1, 10))
def test_swapping_the_arms_inverts_the_ratio(
    gained: int, lost: int, effect: float
) -> None:
    """What helps seen from one arm harms seen from the other."""
    one = destructive_ratio(gained=gained, lost=lost, design_effect=effect)
    other = destructive_ratio(gained=lost, lost=gained, design_effect=effect)
    assert one.low * other.high == pytest.approx(1) or {one.low, other.high} == {
        0.0,
        math.inf,
    }


@given(counts, counts)
def test_the_interval_excludes_one_when_the_difference_excludes_zero(
    gained: int, lost: int
) -> None:
    """Ratio and difference of the same questions do not contradict each other much."""
    ratio = destructive_ratio(gained=gained, lost=lost)
    n = max(gained + lost, 1)
    pair = paired_difference(treated_only=gained, control_only=lost, n=n)
    if ratio.low > 1.1:
        assert pair.low > 0
        assert mcnemar(treated_only=gained, control_only=lost).pvalue < 0.06


@given(counts, counts, st.sampled_from([1.0, 2.0, 5.0]))
def test_clusters_only_widen(gained: int, lost: int, effect: float) -> None:
    """A design effect moves the ends apart and not the ratio."""
    plain = destructive_ratio(gained=gained, lost=lost)
    wide = destructive_ratio(gained=gained, lost=lost, design_effect=effect)
    assert wide.estimate == plain.estimate
    assert wide.low <= plain.low + 1e-12
    assert wide.high >= plain.high - 1e-12


def test_shares_of_a_published_spectrum() -> None:
    """LLaVA on Video-MME: 35.3, 33.7, 4.8 and 26.2 % of 600 questions."""
    # VDG paper, Table S4, "Overall": 212, 202, 29 and 157 questions.
    treated = np.repeat([True, True, False, False], [212, 202, 29, 157])
    control = np.repeat([False, True, True, False], [212, 202, 29, 157])
    found = categories(treated=treated, control=control)
    shares = (
        found.sighted_only_share,
        found.both_share,
        found.blind_only_share,
        found.neither_share,
    )
    assert [f"{share.estimate:.3f}" for share in shares] == [
        "0.353",
        "0.337",
        "0.048",
        "0.262",
    ]
    assert found.n == 600


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=50))
def test_the_four_kinds_are_all_there_are(pairs: list[tuple[bool, bool]]) -> None:
    """Counts sum to n, and sighted only less blind only is the gap."""
    treated, control = (np.array(arm) for arm in zip(*pairs, strict=True))
    found = categories(treated=treated, control=control, clusters=range(len(pairs)))
    four = found.sighted_only, found.both, found.blind_only, found.neither
    assert sum(four) == found.n == len(pairs)
    gap = (found.sighted_only - found.blind_only) / found.n
    assert gap == pytest.approx(treated.mean() - control.mean())


def test_shares_know_of_clusters() -> None:
    """Ten equal questions on each of three videos are not thirty questions."""
    treated = np.repeat([True, True, False], 10)
    control = np.zeros(30, dtype=bool)
    plain = categories(treated=treated, control=control)
    shared = categories(
        treated=treated, control=control, clusters=np.repeat([0, 1, 2], 10).tolist()
    )
    assert shared.sighted_only_share.low < plain.sighted_only_share.low


def test_unequal_lengths_are_refused() -> None:
    """A question has both conditions or is left out of both."""
    with pytest.raises(ValueError, match=r"treated and control .* got 2 and 1"):
        categories(treated=np.array([True, False]), control=np.array([True]))
