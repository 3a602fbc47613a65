"""Claims about how a file's times are judged, with numbers and without files."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import MediaError
from pytest_vdg.frames._timeline import check_whole, make_timeline, plausible_rate

anything = st.one_of(st.none(), st.floats(), st.sampled_from([0.0, 1 / 30, 2 / 30]))


@given(st.lists(anything, min_size=1, max_size=30), st.none() | st.floats(), anything)
def test_any_times_become_usable_ones(
    times: list[float | None], last: float | None, rate: float | None
) -> None:
    """Whatever a file says, times start at 0, do not fall, and end."""
    line = make_timeline(times, last_s=last, rates=[rate])
    assert len(line.pts_s) == len(times)
    assert line.pts_s[0] == 0
    assert (np.diff(line.pts_s) > 0).all()
    assert line.duration_s > line.pts_s[-1]
    assert math.isfinite(line.fps)
    assert line.fps > 0


def test_good_times_are_kept() -> None:
    """Times that rise are believed, from the first one on, without a note."""
    line = make_timeline([5.0, 5.5, 6.5], last_s=0.5)
    assert line.pts_s.tolist() == [0.0, 0.5, 1.5]
    assert (line.duration_s, line.fps, line.notes) == (2.0, 1.5, ())


@pytest.mark.parametrize(
    "times",
    [
        [0.0, None, 0.2],
        [0.0, 0.2, 0.1],
        [0.0, 0.0, 0.1],
        [-1.5e16, -1.5e16, -1.5e16],  # what a truncated AVI gave (hazard 4)
        [0.0, 1 / 600, 2 / 600],  # and its rate
        [0.0, math.nan, 0.1],
        [0.0, 1e9, 2e9],
    ],
)
def test_nonsense_times_give_way_to_the_rate(times: list[float | None]) -> None:
    """Missing, falling, equal or absurd times: spread evenly, and said so."""
    line = make_timeline(times, last_s=math.nan, rates=[Fraction(600), None, 10])
    assert line.pts_s.tolist() == pytest.approx([0.0, 0.1, 0.2])
    assert line.fps == pytest.approx(10)
    assert "spread evenly at 10 a second" in line.notes[0]


@pytest.mark.parametrize("rate", [0, -1, math.nan, math.inf, 600, 90000, None])
def test_rates_that_no_video_has(rate: float | None) -> None:
    """0, NaN, infinity and a time base in place of a rate are unknown rates."""
    assert plausible_rate(rate) is None


@pytest.mark.parametrize("rate", [0.4, 25, Fraction(30000, 1001), 240])
def test_rates_that_videos_have(rate: float) -> None:
    """From slides to slow motion."""
    assert plausible_rate(rate) == pytest.approx(float(rate))


@pytest.mark.parametrize(
    ("rate", "fits"),
    [(1 / 900, True), (0.001, True), (0.0009, False), (500, True), (500.1, False)],
)
def test_how_slow_and_how_fast_a_video_may_be(rate: float, fits: bool) -> None:
    """A slide every quarter of an hour is a video; 500 a second is the most."""
    assert (plausible_rate(rate) is not None) is fits


@pytest.mark.parametrize(
    ("last_s", "stands_s"), [(3600.0, 3600.0), (3600.1, 0.5), (0.0, 0.5), (-1.0, 0.5)]
)
def test_how_long_a_last_frame_may_stand(last_s: float, stands_s: float) -> None:
    """An hour at most; where that is not believed, as long as the others."""
    line = make_timeline([0.0, 0.5, 1.0], last_s=last_s)
    assert line.duration_s == 1.0 + stands_s
    assert line.fps == pytest.approx(3 / line.duration_s)


def test_five_hundred_a_second_are_believed() -> None:
    """The rate is that of the gaps between frames, and so is its limit."""
    assert make_timeline([0.0, 0.002], last_s=0.002).notes == ()
    assert make_timeline([0.0, 0.0019], last_s=0.0019).notes != ()


def test_a_single_frame_stands_as_long_as_it_says() -> None:
    """One time is as usable as many: nothing is repaired, and nothing noted."""
    line = make_timeline([7.0], last_s=2.0, rates=[30])
    assert (line.pts_s.tolist(), line.duration_s, line.notes) == ([0.0], 2.0, ())


def test_where_nothing_is_known_there_are_25_a_second() -> None:
    """As FFmpeg does for raw streams; the note says so."""
    line = make_timeline([None, None], last_s=None, rates=[None])
    assert line.pts_s.tolist() == [0.0, 0.04]
    assert line.fps == pytest.approx(25)
    assert "spread evenly at 25 a second" in line.notes[0]


def test_times_that_are_spread_end_as_they_go() -> None:
    """A last frame's own duration goes with times that could not be used."""
    line = make_timeline([0.0, 0.0, 0.0, 0.0], last_s=9.0, rates=[10])
    assert line.duration_s == pytest.approx(0.4)


def test_one_frame_has_a_duration_and_a_rate() -> None:
    """A single frame without a duration stands for one tick of the rate."""
    line = make_timeline([7.0], last_s=0.0, rates=[Fraction(0), 30])
    assert (line.pts_s.tolist(), line.duration_s) == ([0.0], pytest.approx(1 / 30))


@pytest.mark.parametrize(
    ("decoded", "announced"), [(3.9, 4.0), (4.0, None), (4.0, math.nan), (5.0, 4.0)]
)
def test_headers_may_be_a_little_wrong(decoded: float, announced: float) -> None:
    """A frame or two less than announced, or more, is a whole file (hazard 4)."""
    check_whole(decoded_s=decoded, announced_s=announced, decoded_frames=117)


def test_a_slow_video_may_lack_a_frame() -> None:
    """At 0.4 fps one frame is 2.5 s, which is not a truncation."""
    check_whole(decoded_s=17.5, announced_s=20.0, decoded_frames=7)


def test_a_cut_file_is_told_in_seconds() -> None:
    """Much less than announced is an error that says how much."""
    with pytest.raises(MediaError, match=r"decoded 2\.3 of 4\.0 s"):
        check_whole(decoded_s=2.3, announced_s=4.0, decoded_frames=70)


def test_a_cut_file_is_told_in_frames() -> None:
    """Where only a count is announced, the count decides."""
    with pytest.raises(MediaError, match="decoded 15 of 120 frames"):
        check_whole(
            decoded_s=0.5, announced_s=None, decoded_frames=15, announced_frames=120
        )


@pytest.mark.parametrize(
    ("decoded_s", "announced_s", "frames", "whole"),
    [
        # 5 % of a long video,
        (95.0, 100.0, 2375, True),
        (94.9, 100.0, 2372, False),
        # two and a half frames where they stand 4 s each,
        (20.0, 30.0, 5, True),
        (20.0, 30.1, 5, False),
        # and a quarter of a second where all is short.
        (0.75, 1.0, 45, True),
        (0.74, 1.0, 44, False),
        # How long frames stand is not known where none was counted.
        (0.74, 1.0, 0, False),
    ],
)
def test_how_much_time_may_be_missing(
    decoded_s: float, announced_s: float, frames: int, whole: bool
) -> None:
    """The largest of 5 %, two and a half frames and a quarter second, and no more."""
    if whole:
        check_whole(decoded_s=decoded_s, announced_s=announced_s, decoded_frames=frames)
        return
    with pytest.raises(MediaError, match="cut short or damaged"):
        check_whole(decoded_s=decoded_s, announced_s=announced_s, decoded_frames=frames)


@pytest.mark.parametrize(
    ("decoded", "announced", "whole"),
    [(95, 100, True), (94, 100, False), (8, 10, True), (7, 10, False), (7, 0, True)],
)
def test_how_many_frames_may_be_missing(
    decoded: int, announced: int, whole: bool
) -> None:
    """The larger of 5 % and two; a count that is not announced is not checked."""
    counts = {"decoded_frames": decoded, "announced_frames": announced}
    if whole:
        check_whole(decoded_s=4.0, announced_s=None, **counts)
        return
    with pytest.raises(MediaError, match=f"decoded {decoded} of {announced} frames"):
        check_whole(decoded_s=4.0, announced_s=None, **counts)
