"""Tests of keeping questions by a score."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.filtering import (
    keep_grounded,
    keep_unless_blindly_right,
    shortcut_score,
    sweep,
)
from pytest_vdg.stats.shortcut import blind_gap, visual_gain

rows = st.lists(
    st.tuples(st.floats(-1, 1), st.booleans(), st.booleans(), st.integers(2, 5)),
    min_size=1,
    max_size=40,
)


def test_the_two_simple_rules() -> None:
    """LLM-Inspector drops what more than one answers, B-Clean what any does."""
    correct = np.array([[True, True, False], [True, False, False]])
    inspector = keep_unless_blindly_right(correct, allowed=1)
    clean = keep_unless_blindly_right(correct, allowed=0)
    assert inspector.tolist() == [False, True, True]
    assert clean.tolist() == [False, False, True]


@given(rows)
def test_keeping_all_measures_the_whole(
    sample: list[tuple[float, bool, bool, int]],
) -> None:
    """A threshold above all scores gives the benchmark's own gap and gain."""
    score, text_only, video, options = (
        np.array(column) for column in zip(*sample, strict=True)
    )
    (found,) = sweep(
        score=score,
        thresholds=[2.0],
        text_only=text_only,
        video=video,
        options=options,
    )
    assert found.n == len(sample)
    gap = blind_gap(correct=text_only, options=options)
    gain = visual_gain(video=video, text_only=text_only)
    assert found.blind_gap == pytest.approx(gap.estimate)
    assert found.visual_gain == pytest.approx(gain.estimate)


@given(rows)
def test_a_higher_threshold_keeps_more(
    sample: list[tuple[float, bool, bool, int]],
) -> None:
    """Questions once kept are kept by every higher threshold."""
    score, text_only, video, options = (
        np.array(column) for column in zip(*sample, strict=True)
    )
    found = sweep(
        score=score,
        thresholds=[-2, -0.5, 0.1, 1],
        text_only=text_only,
        video=video,
        options=options,
    )
    sizes = [row.n for row in found]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (0, len(sample))
    assert (found[0].blind_gap, found[0].visual_gain) == (None, None)


def test_the_threshold_itself_is_kept() -> None:
    """S at most .1 is kept, as the traffic paper writes it."""
    assert keep_grounded([0.1, 0.1 + 1e-9]).tolist() == [True, False]


def test_a_score_is_text_less_video() -> None:
    """S is high where text is sure, and low where video moves the answer."""
    found = shortcut_score(textual=[1.0, 0.2], visual=[0.0, 0.7])
    assert found.tolist() == pytest.approx([1.0, -0.5])


def test_impossible_arguments_are_named() -> None:
    """NaN keeps nothing by accident; shapes must match."""
    with pytest.raises(ValueError, match="score and threshold must be finite"):
        keep_grounded([math.nan])
    with pytest.raises(ValueError, match="textual and visual must be finite"):
        shortcut_score(textual=[math.nan], visual=[0.0])
    with pytest.raises(ValueError, match="one shape"):
        shortcut_score(textual=[1.0], visual=[0.0, 1.0])
    with pytest.raises(ValueError, match="booleans of shape"):
        keep_unless_blindly_right([1, 0], allowed=0)
    right = np.array([True])
    with pytest.raises(ValueError, match="1 questions need as many scores"):
        sweep(
            score=[0.0, 1.0], thresholds=[0], text_only=right, video=right, options=[4]
        )
