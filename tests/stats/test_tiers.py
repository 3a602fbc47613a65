"""Tests of tiers and of predicting them."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.tiers import (
    Tier,
    predict_tiers,
    tier,
    tier_agreement,
)

# VDG paper, section 5.1: mean gap of each category on Video-MME and on MVBench.
VIDEO_MME = {"perceptual": 0.392, "action": 0.234, "temporal": 0.066}
MVBENCH = {"perceptual": 0.370, "action": 0.220, "temporal": 0.040}

names = st.sampled_from(["high", "middle", "low"])


def test_one_benchmarks_tiers_tell_anothers() -> None:
    """The three categories lie in the same tiers on both benchmarks."""
    predicted = predict_tiers(
        source=VIDEO_MME, category_of={name: name for name in MVBENCH}
    )
    assert predicted == {"perceptual": "high", "action": "middle", "temporal": "low"}
    found = tier_agreement(predicted=predicted, observed=MVBENCH)
    assert (found.matched, found.n, found.missed) == (3, 3, ())


def test_egoschema_is_predicted_but_for_llava() -> None:
    """Gaps of .282 and .264 lie in the middle tier, .308 above it."""
    # VDG paper, Table 4.
    found = tier_agreement(
        predicted=dict.fromkeys(["InternVL2", "Qwen2-VL", "LLaVA"], "middle"),
        observed={"InternVL2": 0.282, "Qwen2-VL": 0.264, "LLaVA": 0.308},
    )
    assert (found.matched, found.missed) == (2, ("LLaVA",))
    # One tier throughout is no prediction: dealt anyhow, two would match.
    assert found.permutation_pvalue == 1.0


def test_seven_of_seven_by_chance() -> None:
    """Seven right of seven among three tiers are (1/3)^7, as the paper has it."""
    predicted: dict[str, Tier] = dict(
        zip("abcdefg", ["high"] * 2 + ["middle"] * 3 + ["low"] * 2, strict=True)
    )
    gap = {"high": 0.4, "middle": 0.2, "low": 0.0}
    found = tier_agreement(
        predicted=predicted, observed={task: gap[t] for task, t in predicted.items()}
    )
    assert found.chance_pvalue == pytest.approx((1 / 3) ** 7)
    # 7! / (2! 3! 2!) = 210 ways to deal the tiers, of which one matches in all.
    assert found.permutation_pvalue == pytest.approx(1 / 210)


@given(st.lists(st.tuples(names, names), min_size=1, max_size=6))
def test_the_permutation_p_value_is_that_of_all_permutations(
    pairs: list[tuple[Tier, Tier]],
) -> None:
    """Counting tables gives what listing every order gives."""
    gap = {"high": 0.4, "middle": 0.2, "low": 0.0}
    predicted = {str(i): pair[0] for i, pair in enumerate(pairs)}
    observed = {str(i): gap[pair[1]] for i, pair in enumerate(pairs)}
    found = tier_agreement(predicted=predicted, observed=observed)
    orders = list(permutations([pair[1] for pair in pairs]))
    as_good = sum(
        sum(a == b for a, b in zip(predicted.values(), order, strict=True))
        >= found.matched
        for order in orders
    )
    assert found.permutation_pvalue == pytest.approx(as_good / len(orders))


@pytest.mark.parametrize(
    ("gap", "expected"),
    [(0.301, "high"), (0.30, "middle"), (0.10, "middle"), (0.099, "low"), (-1, "low")],
)
def test_bounds_belong_to_the_middle(gap: float, expected: str) -> None:
    """Above .30 is high, below .10 is low, and both bounds are between."""
    assert tier(gap) == expected


def test_impossible_arguments_are_named() -> None:
    """The error says which argument cannot be, and shows the value."""
    for wrong in (math.nan, 30):
        with pytest.raises(ValueError, match=r"vdg must lie in \[-1, 1\]"):
            tier(wrong)
    with pytest.raises(ValueError, match="bounds must rise"):
        tier(0.2, (0.3, 0.1))
    with pytest.raises(ValueError, match="no gap was measured for action"):
        predict_tiers(source={"temporal": 0.1}, category_of={"t": "action"})
    with pytest.raises(ValueError, match="must cover the same tasks"):
        tier_agreement(predicted={"a": "low"}, observed={"b": 0.1})
    with pytest.raises(ValueError, match="n is 0"):
        tier_agreement(predicted={}, observed={})
