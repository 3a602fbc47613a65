"""Claims about `pytest_vdg.frames.sampling`: times in, indices out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.frames.sampling import (
    PROTOCOLS,
    Sampling,
    sample_indices,
    sample_times,
)

gaps = st.lists(st.integers(1, 4000), min_size=1, max_size=40)
samplings = st.one_of(
    st.builds(Sampling, frames=st.integers(1, 60), endpoints=st.booleans()),
    st.builds(
        Sampling,
        fps=st.floats(0.01, 60),
        max_frames=st.none() | st.integers(1, 60),
        endpoints=st.booleans(),
    ),
)


def timeline(gaps_ms: list[int]) -> tuple[np.ndarray, float]:
    """Return begin times and the end of frames that stand *gaps_ms* each."""
    edges = np.concatenate([[0], np.cumsum(gaps_ms)]) / 1000
    return edges[:-1], float(edges[-1])


@given(gaps, samplings)
def test_indices_are_some_of_the_frames_in_order(
    gaps_ms: list[int], sampling: Sampling
) -> None:
    """At least one, never more than exist or were asked for, always rising."""
    pts, duration = timeline(gaps_ms)
    indices = sample_indices(pts, duration, sampling).tolist()
    assert 1 <= len(indices) <= min(len(pts), sampling.wanted(duration))
    assert indices == sorted(set(indices))
    assert indices[0] >= 0
    assert indices[-1] < len(pts)


@given(gaps, samplings)
def test_a_frame_is_taken_where_it_is_on_show(
    gaps_ms: list[int], sampling: Sampling
) -> None:
    """The frames are those a player shows at the times, found one by one."""
    pts, duration = timeline(gaps_ms)
    times = sample_times(float(pts[-1]), duration, sampling)
    shown = {
        max(i for i, begin in enumerate(pts) if begin <= time + 1e-6) for time in times
    }
    assert sample_indices(pts, duration, sampling).tolist() == sorted(shown)


@given(gaps, samplings, st.floats(-1e3, 1e3))
def test_a_video_may_begin_at_any_time(
    gaps_ms: list[int], sampling: Sampling, start: float
) -> None:
    """Only differences between presentation times count."""
    start = round(start)
    pts, duration = timeline(gaps_ms)
    moved = sample_indices(pts + start, duration, sampling)
    assert moved.tolist() == sample_indices(pts, duration, sampling).tolist()


@given(st.integers(1, 500), st.sampled_from([10, 24, 25, 29.97, 30, 60]))
def test_asking_for_all_frames_gives_all(count: int, fps: float) -> None:
    """As many stretches as frames, at a steady rate, is every frame once."""
    pts = np.arange(count) / fps
    for frames in (count, count + 1, 5 * count):
        indices = sample_indices(pts, count / fps, Sampling(frames=frames))
        assert indices.tolist() == list(range(count))


@pytest.mark.parametrize(
    ("count", "sampling", "expected"),
    [
        (8, Sampling(frames=4), [1, 3, 5, 7]),
        (8, Sampling(frames=2), [2, 6]),
        (8, Sampling(frames=1), [4]),
        (3, Sampling(frames=8), [0, 1, 2]),
        (8, Sampling(frames=2, endpoints=True), [0, 7]),
        (8, Sampling(frames=1, endpoints=True), [0]),
        # Nine frames in 0.3 s at 0.25 fps: 0.075 frames are still one.
        (9, Sampling(fps=0.25), [4]),
        (1, Sampling(frames=32), [0]),
    ],
)
def test_worked_examples_at_thirty_a_second(
    count: int, sampling: Sampling, expected: list[int]
) -> None:
    """The drawings in the docstring, and the shortest of clips."""
    pts = np.arange(count) / 30
    assert sample_indices(pts, count / 30, sampling).tolist() == expected


def test_times_decide_and_not_the_count() -> None:
    """Thirty a second for 5 s, then three a second for 5 s: halves by time."""
    pts = np.concatenate([np.arange(150) / 30, 5 + np.arange(15) / 3])
    # Middles of ten stretches of 1 s: .5 ... 4.5 s are frames 15 ... 135, and
    # 5.5 ... 9.5 s fall in the frames that begin at 5.33, 6.33, ... 9.33 s.
    expected = [15, 45, 75, 105, 135, 151, 154, 157, 160, 163]
    assert sample_indices(pts, 10.0, Sampling(frames=10)).tolist() == expected


def test_a_long_standing_frame_is_taken_once() -> None:
    """Eight looks at a title that stands 9 of 10 s see it once."""
    pts = np.array([0.0, 9.0, 9.5])
    assert sample_indices(pts, 10.0, Sampling(frames=8)).tolist() == [0, 1]


def test_more_frames_a_second_than_there_are() -> None:
    """0.4 fps sampled at 2 fps is each frame once (hazard 9)."""
    pts = np.arange(8) * 2.5
    assert sample_indices(pts, 20.0, Sampling(fps=2)).tolist() == list(range(8))


def test_the_vdg_protocol_is_the_formula_in_the_paper() -> None:
    """`linspace(0, n - 1, max(1, min(32, int(duration / 4))))`, supplement S15."""
    protocol = PROTOCOLS["vdg-paper"]
    for seconds in (2, 17, 60, 127, 128, 600):
        count = seconds * 25
        n = max(1, min(32, int(seconds * 0.25)))
        expected = np.linspace(0, count - 1, n, dtype=int).tolist()
        pts = np.arange(count) / 25
        assert sample_indices(pts, float(seconds), protocol).tolist() == expected


@pytest.mark.parametrize(
    ("sampling", "spec"),
    [
        (Sampling(frames=8), "frames=8"),
        (Sampling(frames=8, endpoints=True), "frames=8,endpoints"),
        (PROTOCOLS["vdg-paper"], "fps=0.25,max_frames=32,endpoints"),
        (Sampling(fps=1), "fps=1"),
        (Sampling(fps=1.0), "fps=1"),
        (Sampling(fps=1 / 3), "fps=0.3333333333333333"),
    ],
)
def test_a_sampling_has_one_spec(sampling: Sampling, spec: str) -> None:
    """The text names all that was set and tells every two samplings apart."""
    assert sampling.spec() == spec


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "exactly one of frames and fps"),
        ({"frames": 8, "fps": 1.0}, "exactly one of frames and fps"),
        ({"frames": 0}, "frames must be 1 to"),
        ({"frames": -3}, "frames must be 1 to"),
        ({"fps": 0.0}, "fps must be above 0, got 0.0"),
        ({"fps": math.nan}, "fps must be above 0, got nan"),
        ({"fps": math.inf}, "fps must be above 0, got inf"),
        ({"fps": 1.0, "max_frames": 0}, "max_frames must be 1 to"),
        ({"frames": 8, "max_frames": 4}, "leave it out"),
    ],
)
def test_impossible_samplings_are_refused(
    arguments: dict[str, float], words: str
) -> None:
    """The message names the argument and the value that came."""
    with pytest.raises(ValueError, match=words):
        Sampling(**arguments)


@pytest.mark.parametrize("arguments", [{"frames": 2.5}, {"frames": True}, {"fps": "1"}])
def test_samplings_of_the_wrong_type_are_refused(arguments: dict[str, object]) -> None:
    """A frame count is an integer and a rate a number."""
    with pytest.raises(TypeError, match="must be a"):
        Sampling(**arguments)


@pytest.mark.parametrize(
    ("pts", "duration"),
    [
        ([], 1.0),
        ([0.0, 2.0, 1.0], 3.0),
        ([0.0, math.nan], 3.0),
        ([0.0, 1.0], 0.5),
        ([0.0, 1.0], math.nan),
    ],
)
def test_times_that_are_none_are_refused(pts: list[float], duration: float) -> None:
    """No frames, falling or unknown times, and an end before the last frame."""
    with pytest.raises(ValueError, match=r"pts_s|duration_s"):
        sample_indices(np.array(pts), duration, Sampling(frames=2))
