"""Tests of how a slice grows: exactly so many questions, on what videos."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats._growth import Growth, Videos
from pytest_vdg.stats.clusters import design_effect

slices = st.lists(st.integers(1, 12), min_size=2, max_size=30).map(tuple)
growths = st.sampled_from(["videos", "questions"])


@given(slices, growths, st.integers(2, 5000))
def test_a_slice_has_as_many_questions_as_asked_for(
    sizes: tuple[int, ...], growth: Growth, n: int
) -> None:
    """No rounding adds or loses a question, and one video is never alone."""
    found = Videos(sizes=sizes, correlation=0.1, growth=growth).of(n)
    assert sum(size * videos for size, videos in found) == n
    assert sum(videos for _, videos in found) >= 2
    assert all(size >= 1 and videos >= 1 for size, videos in found)


@given(slices, growths)
def test_the_slice_that_is_known_is_itself(
    sizes: tuple[int, ...], growth: Growth
) -> None:
    """As many questions as there are lie on the videos as they do."""
    found = Videos(sizes=sizes, correlation=0.1, growth=growth).of(sum(sizes))
    laid = [size for size, videos in found for _ in range(videos)]
    assert sorted(laid) == sorted(sizes)


def test_more_videos_keep_the_design_effect() -> None:
    """Ten times the questions on ten times the videos: each worth the same."""
    videos = Videos(sizes=(6, 6, 3, 1), correlation=0.2)
    assert videos.of(160) == ((1, 10), (3, 10), (6, 20))
    assert videos.design_effect(160) == pytest.approx(videos.design_effect(16))


def test_more_questions_on_the_same_videos_raise_it() -> None:
    """Kish: 1 + (m - 1) * correlation, with m from 2 to 20 questions each."""
    videos = Videos(sizes=(2, 2, 2), correlation=0.2, growth="questions")
    assert videos.of(60) == ((20, 3),)
    assert videos.design_effect(6) == pytest.approx(1.2)
    assert videos.design_effect(60) == pytest.approx(4.8)


def test_the_measured_design_effect_comes_back() -> None:
    """The correlation is the one that makes it on these videos."""
    codes = [0] * 5 + [1] * 3 + [2, 3, 4]
    scores = [1] * 5 + [0, 0, 1] + [0, 0, 1]
    effect = design_effect(scores, codes)
    assert effect > 1.5
    videos = Videos.like(codes, design_effect=effect)
    assert videos.sizes == (5, 3, 1, 1, 1)
    assert videos.design_effect(11) == pytest.approx(effect)


def test_a_video_for_each_question_has_no_correlation() -> None:
    """Nothing can be said of it, and nothing needs to be."""
    assert Videos.like(range(5), design_effect=1.0).correlation == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": (7,)}, "at least two videos"),
        ({"sizes": (3, 0)}, "at least two videos with a question each"),
        ({"correlation": 1.0}, r"correlation must lie in \[0, 1\), got 1.0"),
        ({"growth": "video"}, "growth must be one of videos, questions"),
    ],
)
def test_impossible_slices_are_refused(
    arguments: dict[str, object], message: str
) -> None:
    """The error says what cannot be."""
    usual: dict[str, object] = {"sizes": (1, 1), "correlation": 0.0}
    with pytest.raises(ValueError, match=message):
        Videos(**(usual | arguments))  # type: ignore[arg-type]
