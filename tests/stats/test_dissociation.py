"""Tests of dissociation between two models."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_vdg.stats.dissociation import (
    Discordance,
    dissociations,
    joint_bootstrap_share,
)

# EgoSchema, VDG paper, Table S3: the discordant cells of three pairs of models on
# original and on black clips, the printed chi-squares and p-values.
EGOSCHEMA = {
    "InternVL2 against Qwen2-VL": ((69, 85), (61, 68)),
    "InternVL2 against LLaVA": ((52, 95), (39, 95)),
    "Qwen2-VL against LLaVA": ((47, 74), (30, 79)),
}


def of(
    original: tuple[int, int], black: tuple[int, int]
) -> tuple[Discordance, Discordance]:
    """Return both arms from the counts of either model alone."""
    return (
        Discordance(first_only=original[0], second_only=original[1]),
        Discordance(first_only=black[0], second_only=black[1]),
    )


@pytest.mark.parametrize(
    ("method", "original", "black"),
    [("vdg-paper", 0.0906, 0.00085), ("exact", 0.0903, 0.00079)],
)
def test_a_dissociation_on_video_mme(
    method: str, original: float, black: float
) -> None:
    """InternVL2 and Qwen2-VL differ on black clips only: p .0906 against .0009."""
    # 547 common questions; cells 88/66 and 105/61, VDG paper, section 4.2.
    found = dissociations(
        {"pair": of((66, 88), (61, 105))},
        method=method,  # type: ignore[arg-type]
    )["pair"]
    assert found.p_original == pytest.approx(original, abs=5e-5)
    assert found.p_black == pytest.approx(black, abs=5e-6)
    assert found.dissociated


def test_the_tests_of_egoschema_are_the_printed_ones() -> None:
    """Each pair differs under both conditions or under neither, before adjustment."""
    found = dissociations(
        {pair: of(*arms) for pair, arms in EGOSCHEMA.items()}, method="vdg-paper"
    )
    pair = found["InternVL2 against Qwen2-VL"]
    assert (pair.p_original, pair.p_black) == pytest.approx((0.227, 0.597), abs=5e-4)
    pair = found["InternVL2 against LLaVA"]
    assert pair.p_original == pytest.approx(0.0005, abs=5e-5)
    assert pair.p_black < 0.001
    pair = found["Qwen2-VL against LLaVA"]
    assert pair.p_original == pytest.approx(0.018, abs=5e-4)
    assert pair.p_black < 0.001
    raw = [(p.p_original < 0.05) == (p.p_black < 0.05) for p in found.values()]
    assert all(raw)


def test_all_tests_are_one_family() -> None:
    """Adjusted over six tests .018 is .054: not reliable is not shown to be absent."""
    found = dissociations(
        {pair: of(*arms) for pair, arms in EGOSCHEMA.items()}, method="vdg-paper"
    )["Qwen2-VL against LLaVA"]
    # The fourth smallest of six, so that three are left: 3 * .018.
    assert found.adjusted_original == pytest.approx(3 * found.p_original)
    assert found.dissociated  # an absence of evidence, as the docstring warns
    alone = dissociations(
        {"pair": of(*EGOSCHEMA["Qwen2-VL against LLaVA"])}, method="vdg-paper"
    )["pair"]
    assert not alone.dissociated


def test_two_equal_models_do_not_dissociate() -> None:
    """Without a discordant question neither difference is reliable."""
    found = dissociations({"pair": of((0, 0), (0, 0))})["pair"]
    assert (found.p_original, found.p_black, found.dissociated) == (1.0, 1.0, False)


def test_pairs_may_have_any_name() -> None:
    """Names of pairs do not mix, whatever is in them."""
    found = dissociations({"a": of((0, 30), (5, 5)), "a original": of((1, 1), (1, 1))})
    assert [pair.dissociated for pair in found.values()] == [True, False]


def arms(cells: tuple[int, int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return two models' correctness from both wrong, first, second, both right."""
    first = np.repeat([False, True, False, True], cells)
    second = np.repeat([False, False, True, True], cells)
    return first, second


def test_a_joint_share_on_the_published_cells() -> None:
    """Black differs in about 79 % of resamples, the pair dissociates in about half."""
    # VDG paper, section 4.2: 79 % at p < .01 and 50 %, 1000 seeds (standard
    # error 1.3 and 1.6 points). The joint cells of both conditions are not
    # printed; here the two conditions are laid beside each other at random.
    first, second = arms((129, 88, 66, 264))
    blind_first, blind_second = arms((264, 105, 61, 117))
    order = np.random.default_rng(0).permutation(547)
    found = joint_bootstrap_share(
        first_original=first,
        second_original=second,
        first_black=blind_first[order],
        second_black=blind_second[order],
        videos=range(547),
        seed=1,
        resamples=2000,
        method="vdg-paper",
    )
    assert found.black == pytest.approx(0.79, abs=0.03)
    assert found.joint == pytest.approx(0.50, abs=0.06)


def test_models_without_a_difference_never_dissociate() -> None:
    """Equal answers stay equal in every resample."""
    right = np.array([True, False] * 20)
    found = joint_bootstrap_share(
        first_original=right,
        second_original=right,
        first_black=~right,
        second_black=~right,
        videos=range(40),
        seed=0,
        resamples=50,
    )
    assert (found.original, found.black, found.joint) == (0.0, 0.0, 0.0)


def test_a_reliable_difference_on_one_arm_always_dissociates() -> None:
    """Where one arm is certain and the other equal, the share is 1."""
    right, wrong = np.ones(60, dtype=bool), np.zeros(60, dtype=bool)
    found = joint_bootstrap_share(
        first_original=right,
        second_original=wrong,
        first_black=wrong,
        second_black=wrong,
        videos=range(60),
        seed=0,
        resamples=50,
    )
    assert (found.original, found.black, found.joint) == (1.0, 0.0, 1.0)


def test_impossible_arguments_are_named() -> None:
    """The error says which argument cannot be, and shows the value."""
    with pytest.raises(ValueError, match=r"alpha must lie between 0 and 0\.5"):
        dissociations({"pair": of((1, 2), (3, 4))}, alpha=5)
    with pytest.raises(ValueError, match="family of p-values is empty"):
        dissociations({})
    right = np.array([True, False])
    with pytest.raises(ValueError, match="must have equal lengths, got 2 and 2 and 1"):
        joint_bootstrap_share(
            first_original=right,
            second_original=right,
            first_black=right[:1],
            second_black=right,
            videos="ab",
            seed=0,
        )
