"""Tests of T and V, from option probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from scipy.stats import entropy

from pytest_vdg.stats.evidence import textual_evidence, visual_necessity

NAN = math.nan

logs = st.lists(
    st.lists(st.floats(-20, 0), min_size=4, max_size=4), min_size=1, max_size=8
)


def test_textual_evidence_by_hand() -> None:
    """One sure, one unsure and one wrong model: T is the mean of their evidence."""
    panel = [[[1.0, 0.0]], [[0.75, 0.25]], [[0.4, 0.6]]]
    # 0.75: H = -.75 ln .75 - .25 ln .25 = .5623, over ln 2 = .8113.
    assert textual_evidence(panel, [0])[0] == pytest.approx(
        (1 + 0.1887 + 0) / 3, abs=1e-4
    )


def test_visual_necessity_by_hand() -> None:
    """From 1/4 to 1 is everything, from 1/2 to 1/4 a third of it lost."""
    blind = [[[0.25] * 4, [0.5, 0.5, 0.0, 0.0]]]
    video = [[[1.0, 0.0, 0.0, 0.0], [0.25, 0.75, 0.0, 0.0]]]
    found = visual_necessity(video=video, blind=blind, answers=[0, 0])
    assert found.tolist() == pytest.approx([1.0, -1 / 3])


@given(logs)
def test_evidence_agrees_with_scipys_entropy(rows: list[list[float]]) -> None:
    """For the most probable option T is one minus scipy's entropy in base K."""
    p = softmax(rows, axis=1)
    ranked = np.sort(p, axis=1)
    best = p.argmax(axis=1)
    found = textual_evidence(p[None], best)
    for i, row in enumerate(p):
        unique = ranked[i, -1] > ranked[i, -2]
        expected = 1 - entropy(row, base=4) if unique else 0.0
        assert found[i] == pytest.approx(max(expected, 0.0), abs=1e-9)
    assert ((found >= 0) & (found <= 1)).all()


@given(logs)
def test_fewer_options_are_padded_and_change_nothing(rows: list[list[float]]) -> None:
    """A question of four options has the same scores beside one of six."""
    p = softmax(rows, axis=1)
    padded = np.pad(p, ((0, 0), (0, 2)), constant_values=NAN)
    answers = [0] * len(rows)
    assert np.allclose(
        textual_evidence(padded[None], answers), textual_evidence(p[None], answers)
    )
    assert np.allclose(
        visual_necessity(video=padded[None], blind=padded[None, :, :], answers=answers),
        0,
    )


def test_a_tie_is_no_answer() -> None:
    """A model that cannot decide between two options has not answered rightly."""
    assert textual_evidence([[[0.45, 0.45, 0.1]]], [0]).tolist() == [0.0]


@given(logs, logs)
def test_video_and_text_swapped_mirror(
    a: list[list[float]], b: list[list[float]]
) -> None:
    """What video adds to text, text lacks of video."""
    n = min(len(a), len(b))
    video, blind = softmax(a[:n], axis=1)[None], softmax(b[:n], axis=1)[None]
    answers = [1] * n
    one = visual_necessity(video=video, blind=blind, answers=answers)
    other = visual_necessity(video=blind, blind=video, answers=answers)
    assert np.allclose(one, -other)
    assert (np.abs(one) <= 4 / 3 + 1e-12).all()


@pytest.mark.parametrize(
    ("panel", "answers", "message"),
    [
        ([[0.5, 0.5]], [0], r"shape \(n_models, n, K\)"),
        ([[[0.5, 0.5]]], [0, 1], r"answers must be integers of shape \(1,\)"),
        ([[[0.5, 0.5]]], [2], r"answers must lie in \[0, 2\)"),
        ([[[0.5, 0.5, NAN]]], [2], "among the options of its question"),
        ([[[1.0, NAN]]], [0], "two options at least, got 1"),
        ([[[0.5, 0.6]]], [0], "sum to 1"),
        ([[[1.5, -0.5]]], [0], "at least 0"),
        ([[[0.5, 0.5, NAN]], [[0.5, 0.3, 0.2]]], [0], "same options"),
    ],
)
def test_impossible_panels_are_named(
    panel: list[list[list[float]]], answers: list[int], message: str
) -> None:
    """The error says what is wrong with the probabilities or the answers."""
    with pytest.raises(ValueError, match=message):
        textual_evidence(panel, answers)


def test_impossible_arguments_are_named() -> None:
    """The panel with the video must be that without it."""
    with pytest.raises(ValueError, match="same models, questions and options"):
        visual_necessity(
            video=[[[0.5, 0.5]]], blind=[[[0.5, 0.5]], [[0.5, 0.5]]], answers=[0]
        )
