"""Tests of the ladder."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.clusters import design_effect
from pytest_vdg.stats.ladder import Ladder, ladder

RUNGS = ("black", "single_frame", "shuffled", "original")
Answers = dict[str, npt.NDArray[np.bool_]]


@st.composite
def answers(draw: st.DrawFn) -> Answers:
    """Draw correctness under the four conditions."""
    n = draw(st.integers(1, 40))
    one = st.lists(st.booleans(), min_size=n, max_size=n)
    return {rung: np.array(draw(one), dtype=bool) for rung in RUNGS}


def climb(given_: Answers, videos: list[int] | None = None) -> Ladder:
    """Return the ladder, one video a question unless *videos* says otherwise."""
    clusters = videos or list(range(given_["black"].size))
    return ladder(**given_, clusters=clusters)


def test_by_hand() -> None:
    """Each step counts the questions that its condition won and lost."""
    result = climb(
        {
            "black": np.array([True, False, False, False, True]),
            "single_frame": np.array([False, True, False, False, True]),
            "shuffled": np.array([False, True, True, False, True]),
            "original": np.array([False, True, True, True, True]),
        }
    )
    steps = [(step.treated_only, step.control_only) for step in result.steps]
    assert steps == [(1, 1), (1, 0), (1, 0)]
    assert (result.vdg.treated_only, result.vdg.control_only) == (3, 1)
    assert result.vdg.estimate == pytest.approx(0.4)


@given(answers())
def test_the_steps_sum_to_the_gap(given_: Answers) -> None:
    """Spatial, diversity and temporal sum to VDG, exactly in questions."""
    result = climb(given_)
    net = [step.treated_only - step.control_only for step in result.steps]
    assert sum(net) == result.vdg.treated_only - result.vdg.control_only
    assert sum(step.estimate for step in result.steps) == pytest.approx(
        result.vdg.estimate, abs=1e-12
    )


@given(answers())
def test_every_step_is_over_the_same_questions(given_: Answers) -> None:
    """A step over other questions than the gap would be no part of it."""
    result = climb(given_)
    n = given_["black"].size
    assert {step.n for step in (*result.steps, result.vdg)} == {n}


def test_each_step_has_its_own_design_effect() -> None:
    """Questions of a video may share sight of it and yet not its order."""
    rng = np.random.default_rng(2)
    videos = np.repeat(np.arange(30), 4)
    seen = np.repeat(rng.random(30) < 0.5, 4)
    given_ = {
        "black": np.zeros(120, dtype=bool),
        "single_frame": seen,
        "shuffled": seen,
        "original": seen | (rng.random(120) < 0.2),
    }
    result = climb(given_, videos.tolist())
    assert result.spatial.design_effect == pytest.approx(
        design_effect(seen, videos.tolist())
    )
    assert result.spatial.design_effect > 3
    assert result.diversity.design_effect == 1.0
    assert result.temporal.design_effect < 2


def test_videos_may_come_once() -> None:
    """The clusters may be an iterator: they are read once for all steps."""
    given_ = {rung: np.array([True, False]) for rung in RUNGS}
    result = ladder(**given_, clusters=iter(["a", "b"]))
    assert result.vdg.n == 2


def test_unequal_lengths_are_refused() -> None:
    """Four conditions over different questions are not a ladder."""
    given_ = {rung: np.ones(3, dtype=bool) for rung in RUNGS}
    with pytest.raises(ValueError, match=r"equal lengths, got \[3, 3, 2, 3\]"):
        climb(given_ | {"shuffled": np.ones(2, dtype=bool)})


def test_numbers_are_not_answers() -> None:
    """Probabilities or counts in place of correctness are a mistake."""
    given_ = {rung: np.ones(3, dtype=bool) for rung in RUNGS}
    with pytest.raises(TypeError, match="shuffled must be booleans, got dtype float"):
        climb(given_ | {"shuffled": np.array([0.2, 0.3, 0.5])})


def test_no_question_is_nothing_to_compare() -> None:
    """An empty slice has no ladder."""
    with pytest.raises(ValueError, match="nothing to compare: black is empty"):
        climb({rung: np.zeros(0, dtype=bool) for rung in RUNGS})


def test_a_table_is_not_a_vector() -> None:
    """Answers must be one a question."""
    given_ = {rung: np.ones((3, 1), dtype=bool) for rung in RUNGS}
    with pytest.raises(ValueError, match=r"black must have shape \(n,\)"):
        climb(given_)
