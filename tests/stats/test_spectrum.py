"""Tests of the gaps of all tasks as one family."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.paired import paired_difference
from pytest_vdg.stats.spectrum import Spectrum, spectrum

# Questions right with the video only, without it only, and all; then the gap and
# the percentile interval of 2000 resamples that the VDG paper prints. Table 1,
# LLaVA-Video-7B.
TABLE_1 = {
    "Attribute Perception": ((49, 3, 100), 0.46, (0.35, 0.56)),
    "Object Recognition": ((51, 3, 100), 0.48, (0.37, 0.59)),
    "OCR Problems": ((39, 6, 100), 0.33, (0.21, 0.44)),
    "Action Recognition": ((33, 1, 100), 0.32, (0.22, 0.41)),
    "Action Reasoning": ((21, 5, 100), 0.16, (0.07, 0.25)),
    "Temporal Reasoning": ((19, 11, 100), 0.08, (-0.03, 0.19)),
}

# The same for Qwen2-VL-7B and InternVL2-8B; and overall, with EgoSchema's Table 4:
# counts, gap and printed interval (percentiles of 2000 resamples).
OTHERS = [
    ((46, 6, 100), 0.400, (0.28, 0.52)),
    ((34, 9, 100), 0.250, (0.13, 0.37)),
    ((31, 5, 81), 0.321, (0.20, 0.44)),
    ((25, 4, 100), 0.210, (0.12, 0.31)),
    ((23, 5, 80), 0.225, (0.11, 0.34)),
    ((11, 11, 86), 0.000, (-0.11, 0.11)),
    ((45, 7, 100), 0.380, (0.26, 0.50)),
    ((40, 2, 100), 0.380, (0.28, 0.48)),
    ((31, 8, 100), 0.230, (0.11, 0.34)),
    ((28, 3, 100), 0.250, (0.15, 0.35)),
    ((23, 5, 100), 0.180, (0.08, 0.28)),
    ((16, 7, 100), 0.090, (0.00, 0.18)),
    ((170, 40, 547), 0.2377, (0.190, 0.285)),
    ((183, 32, 600), 0.2517, (0.21, 0.297)),
    ((159, 18, 500), 0.282, (0.236, 0.330)),
    ((150, 18, 500), 0.264, (0.220, 0.308)),
    ((167, 13, 500), 0.308, (0.264, 0.352)),
]

answers = st.lists(
    st.tuples(
        st.booleans(),
        st.booleans(),
        st.sampled_from(["x", "y", "z"]),
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=60,
)


def published(method: str) -> Spectrum:
    """Return the spectrum of Table 1, each question on its own video."""
    treated: list[bool] = []
    control: list[bool] = []
    groups: list[str] = []
    for task, ((gained, lost, n), _, _) in TABLE_1.items():
        rest = n - gained - lost
        treated += [True] * gained + [False] * lost + [False] * rest
        control += [False] * gained + [True] * lost + [False] * rest
        groups += [task] * n
    return spectrum(
        treated=np.array(treated),
        control=np.array(control),
        groups=groups,
        videos=range(600),
        method=method,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("method", ["score", "bootstrap", "vdg-paper"])
def test_a_published_spectrum(method: str) -> None:
    """Gaps are the printed ones, and intervals within resampling noise and rounding."""
    found = published(method)
    for task, (counts, gap, interval) in TABLE_1.items():
        row = found.row(task)
        assert (row.treated_only, row.control_only, row.n) == counts
        assert row.estimate == pytest.approx(gap)
        # Printed to two digits, and the authors' ends hold within .015.
        assert (row.low, row.high) == pytest.approx(interval, abs=0.02)
    assert found.overall.estimate == pytest.approx(0.305)
    assert (found.overall.low, found.overall.high) == pytest.approx(
        (0.26, 0.35), abs=0.01
    )


@pytest.mark.parametrize(("counts", "gap", "interval"), OTHERS)
def test_further_published_gaps(
    counts: tuple[int, int, int], gap: float, interval: tuple[float, float]
) -> None:
    """Each gap is the printed one, and its interval within resampling noise."""
    gained, lost, n = counts
    row = spectrum(
        treated=np.repeat([True, False, False], [gained, lost, n - gained - lost]),
        control=np.repeat([False, True, False], [gained, lost, n - gained - lost]),
        groups=["x"] * n,
        videos=range(n),
        method="vdg-paper",
    ).row("x")
    assert row.estimate == pytest.approx(gap, abs=5e-4)
    assert (row.low, row.high) == pytest.approx(interval, abs=0.02)


def test_rows_fall_from_the_most_to_the_least_visual() -> None:
    """Object Recognition comes first and Temporal Reasoning last."""
    names = [row.group for row in published("score").rows]
    assert (names[0], names[-1]) == ("Object Recognition", "Temporal Reasoning")


def test_the_default_is_tangos_interval() -> None:
    """Without clusters each row is the paired difference of its counts."""
    row = published("score").row("Action Reasoning")
    pair = paired_difference(treated_only=21, control_only=5, n=100)
    assert (row.low, row.high) == (pair.low, pair.high)
    assert (row.lower_bound, row.upper_bound) == (pair.lower_bound, pair.upper_bound)


def test_p_values_are_mcnemars_adjusted_over_all_groups() -> None:
    """Six tasks are one family; the overall test stands by itself."""
    found = published("score")
    raw = {
        task: mcnemar(treated_only=counts[0], control_only=counts[1]).pvalue
        for task, (counts, _, _) in TABLE_1.items()
    }
    assert {row.group: row.pvalue for row in found.rows} == raw
    assert {row.group: row.adjusted_pvalue for row in found.rows} == holm(raw)
    assert found.overall.adjusted_pvalue == found.overall.pvalue


def test_no_change_has_an_interval_by_every_method() -> None:
    """Where nothing changed, percentiles have no width, and the score method has."""
    same = np.array([True, False] * 10)
    ends = []
    for method in ("score", "bootstrap", "vdg-paper"):
        found = spectrum(
            treated=same,
            control=same,
            groups=["x"] * 20,
            videos=range(20),
            method=method,  # type: ignore[arg-type]
        )
        ends.append((found.rows[0].low, found.rows[0].high))
    assert ends == [ends[0]] * 3
    assert ends[0][0] < 0 < ends[0][1]


def test_a_group_does_not_depend_on_the_others() -> None:
    """A row's resamples come from its own name, so a new task moves none."""
    rng = np.random.default_rng(1)
    treated, control = rng.random((2, 90)) < 0.5
    groups = np.repeat(["x", "y", "z"], 30).tolist()
    videos = np.repeat(range(45), 2).tolist()
    every = spectrum(
        treated=treated,
        control=control,
        groups=groups,
        videos=videos,
        method="bootstrap",
        resamples=200,
    )
    alone = spectrum(
        treated=treated[:30],
        control=control[:30],
        groups=groups[:30],
        videos=videos[:30],
        method="bootstrap",
        resamples=200,
    )
    assert (alone.row("x").low, alone.row("x").high) == (
        every.row("x").low,
        every.row("x").high,
    )


def test_questions_that_share_videos_widen_a_row() -> None:
    """Ten equal answers on each of four videos are not forty."""
    treated = np.repeat([True, True, False, True], 10)
    control = np.zeros(40, dtype=bool)
    groups = ["x"] * 40
    plain = spectrum(
        treated=treated, control=control, groups=groups, videos=range(40)
    ).row("x")
    for method in ("score", "bootstrap"):
        shared = spectrum(
            treated=treated,
            control=control,
            groups=groups,
            videos=np.repeat(range(4), 10).tolist(),
            method=method,  # type: ignore[arg-type]
        ).row("x")
        assert (shared.n_videos, shared.n) == (4, 40)
        assert shared.low < plain.low
        assert shared.design_effect > 5


@settings(max_examples=40)
@given(answers, st.randoms(use_true_random=False))
def test_order_does_not_matter(
    sample: list[tuple[bool, bool, str, int]], order: random.Random
) -> None:
    """The result is the same, bit for bit, in any order of questions."""
    shuffled = list(sample)
    order.shuffle(shuffled)
    results = []
    for some in (sample, shuffled):
        treated, control, groups, videos = zip(*some, strict=True)
        results.append(
            spectrum(
                treated=np.array(treated),
                control=np.array(control),
                groups=groups,
                videos=videos,
                method="bootstrap",
                resamples=20,
            )
        )
    assert results[0] == results[1]


@given(answers)
def test_rows_add_up_to_all(sample: list[tuple[bool, bool, str, int]]) -> None:
    """Each question is in one cell of one row, and in the overall row."""
    treated, control, groups, videos = zip(*sample, strict=True)
    found = spectrum(
        treated=np.array(treated),
        control=np.array(control),
        groups=groups,
        videos=videos,
    )
    for name in ("n", "both", "treated_only", "control_only", "neither"):
        total = sum(getattr(row, name) for row in found.rows)
        assert total == getattr(found.overall, name)
    assert found.overall.treated_accuracy == pytest.approx(np.mean(treated))
    assert found.overall.control_accuracy == pytest.approx(np.mean(control))


def test_impossible_arguments_are_named() -> None:
    """The error says which argument cannot be, and shows the value."""
    right = np.array([True, False])
    with pytest.raises(ValueError, match="method must be one of score, bootstrap"):
        spectrum(
            treated=right,
            control=right,
            groups="xy",
            videos="ab",
            method="wald",  # type: ignore[arg-type]
        )
    with pytest.raises(ValueError, match="2 questions need as many groups, got 1"):
        spectrum(treated=right, control=right, groups="x", videos="ab")
    with pytest.raises(ValueError, match="2 questions need as many videos, got 3"):
        spectrum(treated=right, control=right, groups="xy", videos="abc")
    found = spectrum(treated=right, control=right, groups="xy", videos="ab")
    with pytest.raises(KeyError, match="no group 'z'"):
        found.row("z")
