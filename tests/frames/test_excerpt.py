"""Claims about excerpts: which frames are read of a part of a video."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_vdg.errors import MediaError
from pytest_vdg.frames._timeline import VideoInfo
from pytest_vdg.frames.decode import probe, read_clip
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
from pytest_vdg.frames.sampling import Sampling, sample_indices, sample_times
from pytest_vdg.frames.window import check_excerpt, frames_to_take
from tests.frames.clips import KINDS, damage, numbers, steady, write
from tests.frames.test_decode import FIRST, NOT_BY_DECORD
from tests.frames.test_folder import save
from tests.frames.test_sampling import samplings

FindClip = Callable[[str], Path]
ALL = Sampling(frames=1000)


def info(pts_s: np.ndarray | list[float], duration_s: float) -> VideoInfo:
    """Return what is known of a video whose frames begin at *pts_s*."""
    return VideoInfo(
        frames=len(pts_s),
        pts_s=np.array(pts_s, dtype=np.float64),
        duration_s=duration_s,
        fps=len(pts_s) / duration_s,
        width=8,
        height=8,
        rotation=0,
        codec="h264",
    )


@st.composite
def videos(draw: st.DrawFn) -> VideoInfo:
    """Return a video of frames that stand 1 ms to 4 s each."""
    gaps = draw(st.lists(st.integers(1, 4000), min_size=1, max_size=40))
    edges = np.concatenate([[0], np.cumsum(gaps)]) / 1000
    return info(edges[:-1], float(edges[-1]))


@st.composite
def cut_videos(draw: st.DrawFn) -> tuple[VideoInfo, Excerpt]:
    """Return a video and a part of it, its bounds in whole milliseconds."""
    video = draw(videos())
    length = round(video.duration_s * 1000)
    start = draw(st.integers(0, length - 1))
    end = draw(st.integers(start + 1, length))
    return video, Excerpt(start_s=start / 1000, end_s=end / 1000)


def take(video: VideoInfo, sampling: Sampling, excerpt: Excerpt) -> list[int]:
    """Return the frames taken of *excerpt*, as a list."""
    return frames_to_take(video, sampling=sampling, excerpt=excerpt).tolist()


def ends(video: VideoInfo) -> list[float]:
    """Return when the display of each frame ends."""
    return [*video.pts_s[1:].tolist(), video.duration_s]


# -- arithmetic --------------------------------------------------


@given(cut_videos(), samplings)
def test_frames_taken_are_on_show_in_the_excerpt(
    case: tuple[VideoInfo, Excerpt], sampling: Sampling
) -> None:
    """Each begins before the end and ends after the start; they rise."""
    video, excerpt = case
    assert excerpt.end_s is not None
    taken = take(video, sampling, excerpt)
    assert taken
    assert taken == sorted(set(taken))
    for index in taken:
        assert video.pts_s[index] < excerpt.end_s
        assert ends(video)[index] > excerpt.start_s


@given(cut_videos(), samplings)
def test_frames_taken_are_those_a_player_shows(
    case: tuple[VideoInfo, Excerpt], sampling: Sampling
) -> None:
    """Found one by one at the moments of a video as long as the excerpt."""
    video, excerpt = case
    assert excerpt.end_s is not None
    begins = [p for p in video.pts_s if p < excerpt.end_s]
    last = max(0.0, begins[-1] - excerpt.start_s)
    length = excerpt.end_s - excerpt.start_s
    moments = excerpt.start_s + sample_times(last, length, sampling)
    shown = {sum(begin <= t + 1e-6 for begin in begins) - 1 for t in moments}
    assert take(video, sampling, excerpt) == sorted(shown)


@given(videos(), samplings, st.floats(0, 0.5))
def test_an_excerpt_of_all_is_the_whole_video(
    video: VideoInfo, sampling: Sampling, beyond: float
) -> None:
    """From 0 to the end, or a little beyond it, changes nothing."""
    whole = take(video, sampling, WHOLE)
    assert whole == sample_indices(video.pts_s, video.duration_s, sampling).tolist()
    end = video.duration_s * (1 + beyond)
    assume(end - video.duration_s <= 2.5)
    assert take(video, sampling, Excerpt(end_s=end)) == whole
    assert take(video, sampling, Excerpt(end_s=video.duration_s)) == whole


@given(videos(), st.integers(1, 30), st.data())
def test_two_halves_are_the_whole(
    video: VideoInfo, frames: int, data: st.DataObject
) -> None:
    """N moments of each of two equal stretches are 2 N moments of both."""
    length = round(video.duration_s * 1000)
    assume(length >= 2)
    half = data.draw(st.integers(1, length // 2)) / 1000
    start = data.draw(st.integers(0, length - round(2000 * half))) / 1000
    one, two, both = (
        Excerpt(start_s=start + a * half, end_s=start + b * half)
        for a, b in ((0, 1), (1, 2), (0, 2))
    )
    parts = {
        *take(video, Sampling(frames=frames), one),
        *take(video, Sampling(frames=frames), two),
    }
    assert sorted(parts) == take(video, Sampling(frames=2 * frames), both)


@given(cut_videos(), st.floats(0.01, 60))
def test_a_rate_counts_the_seconds_of_the_excerpt(
    case: tuple[VideoInfo, Excerpt], fps: float
) -> None:
    """Never more than the excerpt's length times the rate, and at least one."""
    video, excerpt = case
    assert excerpt.end_s is not None
    length = excerpt.end_s - excerpt.start_s
    taken = take(video, Sampling(fps=fps), excerpt)
    assert 1 <= len(taken) <= max(1.0, length * fps + 1e-3)


@given(cut_videos(), st.integers(2, 60))
def test_endpoints_are_those_of_the_excerpt(
    case: tuple[VideoInfo, Excerpt], frames: int
) -> None:
    """The first frame on show at its start, and the last that begins before its end."""
    video, excerpt = case
    assert excerpt.end_s is not None
    taken = take(video, Sampling(frames=frames, endpoints=True), excerpt)
    assert taken[0] == sum(video.pts_s <= excerpt.start_s) - 1
    assert taken[-1] == sum(video.pts_s < excerpt.end_s) - 1


@given(
    st.sampled_from([(24, 24.0), (30000 / 1001, 29.97), (24000 / 1001, 23.976)]),
    st.sampled_from([30000, 90000, 1000]),
    st.data(),
)
def test_bounds_counted_in_frames_fall_between_them(
    rates: tuple[float, float], ticks: int, data: st.DataObject
) -> None:
    """A cut before frame N shows 0 to N - 1, though times and rates are rounded.

    Perception Test cuts its cup games before the frame that gives the answer
    away, and names the frame.
    """
    true, written = rates
    count = round(100 * true)
    video = info(np.rint(np.arange(count) / true * ticks) / ticks, count / true)
    cut = data.draw(st.integers(1, count - 1)) / written
    before = take(video, Sampling(frames=2, endpoints=True), Excerpt(end_s=cut))
    after = take(video, Sampling(frames=2, endpoints=True), Excerpt(start_s=cut))
    number = round(cut * written)
    assert (before[0], before[-1]) == (0, number - 1)
    assert (after[0], after[-1]) == (number, count - 1)


@pytest.mark.parametrize(
    ("sampling", "excerpt", "expected"),
    [
        (Sampling(frames=4), WHOLE, [1, 3, 5, 7]),
        (Sampling(frames=2), Excerpt(start_s=2, end_s=6), [3, 5]),
        (Sampling(frames=9), Excerpt(start_s=2.5, end_s=6), [2, 3, 4, 5]),
        (Sampling(frames=9), Excerpt(start_s=6.5), [6, 7]),
        # 3.5 s at one a second are three looks, at 3.08, 4.25 and 5.42 s.
        (Sampling(fps=1), Excerpt(start_s=2.5, end_s=6), [3, 4, 5]),
        (Sampling(frames=3), Excerpt(start_s=2.25, end_s=2.5), [2]),
        # Bounds that are a frame's time but for the last bits of a float.
        (ALL, Excerpt(start_s=3 - 1e-9, end_s=5 + 1e-9), [3, 4]),
        (ALL, Excerpt(start_s=3 + 1e-9, end_s=5 - 1e-9), [3, 4]),
    ],
)
def test_worked_examples_at_one_a_second(
    sampling: Sampling, excerpt: Excerpt, expected: list[int]
) -> None:
    """The drawing in the docstring, and bounds on and between frames."""
    assert take(info(np.arange(8.0), 8.0), sampling, excerpt) == expected


@pytest.mark.parametrize(
    ("length_s", "start_s", "end_s"),
    [
        # Charades 42K3H: action c008 lasts 0 to 5 s of a video of 3.5 s.
        (3.5, 0.0, 5.0),
        # MVBench 5W1Z7, as its authors mended it: 0 to 8 s of 6 s.
        (6.0, 0.0, 8.0),
        (30.97, 22.0, 31.0),
        (10.0, 9.99, 10.02),
    ],
)
def test_ends_marked_by_hand_may_lie_a_little_behind(
    length_s: float, start_s: float, end_s: float
) -> None:
    """Such records are published and used; the video's end is theirs."""
    video = info(np.arange(round(length_s * 30)) / 30, length_s)
    assert check_excerpt(video, Excerpt(start_s=start_s, end_s=end_s)) == length_s


@pytest.mark.parametrize(
    ("excerpt", "words"),
    [
        (Excerpt(start_s=6), r"6 s long, the question is about what comes after 6 s"),
        (Excerpt(start_s=382, end_s=400), "is about 382-400 s"),
        # Cut already, with the bounds of the uncut video (12 to 18 s of it).
        (Excerpt(start_s=12, end_s=18), "is about 12-18 s"),
        # Two thirds of what is asked about is not there.
        (Excerpt(start_s=5.5, end_s=7), "is about 5.5-7 s"),
        (Excerpt(start_s=0, end_s=8.6), "probably this is another cut of the video"),
    ],
)
def test_a_video_must_last_as_long_as_its_question(
    excerpt: Excerpt, words: str
) -> None:
    """Beyond the end, or far beyond, is an error that says both lengths."""
    video = info(np.arange(180) / 30, 6.0)
    with pytest.raises(MediaError, match=f"the video is 6 s long.*{words}|{words}"):
        check_excerpt(video, excerpt)


# -- files -------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reader"),
    [(name, "auto") for name in KINDS]
    + [(name, "decord") for name in KINDS if name not in NOT_BY_DECORD],
)
def test_the_frames_of_an_excerpt_say_their_numbers(
    name: str, reader: str, clip_file: FindClip
) -> None:
    """In every container, the pictures are those that a plain count expects."""
    path = clip_file(name)
    video = probe(path)
    first, last = int(0.4 * video.frames), int(0.7 * video.frames)
    stands = np.array(ends(video)) - video.pts_s
    part = Excerpt(
        start_s=video.pts_s[first] + 0.25 * stands[first],
        end_s=video.pts_s[last] + 0.75 * stands[last],
    )
    clip = read_clip(path, ALL, excerpt=part, reader=reader)
    expected = list(range(first, last + 1))
    assert numbers(clip) == [FIRST.get(name, 0) + index for index in expected]
    assert list(clip.source_indices) == expected
    assert clip.source_frames == video.frames


@pytest.mark.parametrize("reader", ["auto", "pyav", "decord"])
def test_a_second_of_thirty_a_second(reader: str, clip_file: FindClip) -> None:
    """From 1.0 to 2.0 s are frames 30 to 59, at their times in the video."""
    part = Excerpt(start_s=1, end_s=2)
    clip = read_clip(clip_file("long_gop.mp4"), ALL, excerpt=part, reader=reader)
    assert numbers(clip) == list(range(30, 60))
    assert clip.timestamps_s == pytest.approx(np.arange(30, 60) / 30, abs=1e-3)
    few = Sampling(fps=3)
    clip = read_clip(clip_file("long_gop.mp4"), few, excerpt=part, reader=reader)
    assert numbers(clip) == [35, 45, 55]


@pytest.mark.parametrize(
    ("name", "codec"), [("cups.mp4", "libx264"), ("cups.webm", "libvpx-vp9")]
)
def test_a_cut_hides_the_frame_it_names(name: str, codec: str, tmp_path: Path) -> None:
    """Frame 28 of a video of 29.97 a second gives the answer away."""
    path = write(tmp_path / name, steady(40, 30000 / 1001), codec=codec)
    clip = read_clip(path, ALL, excerpt=Excerpt(end_s=28 / 29.97))
    assert numbers(clip) == list(range(28))


def test_the_frame_on_show_at_the_start_keeps_its_time(tmp_path: Path) -> None:
    """It began before the excerpt does, and its time mark says so."""
    path = write(tmp_path / "slow.mp4", steady(8, 0.5))
    clip = read_clip(path, ALL, excerpt=Excerpt(start_s=5, end_s=9))
    assert numbers(clip) == [2, 3, 4]
    assert clip.timestamps_s.tolist() == pytest.approx([4, 6, 8])


def test_damage_outside_an_excerpt_is_not_read(tmp_path: Path) -> None:
    """Decoding starts at the last key frame, so what lies before plays no part."""
    whole = write(tmp_path / "a.mp4", steady(90), options={"g": "30", "bf": "0"})
    broken = damage(whole, range(5, 9), tmp_path / "broken.mp4")
    late = Excerpt(start_s=2, end_s=3)
    assert numbers(read_clip(broken, ALL, excerpt=late)) == list(range(60, 90))
    with pytest.raises(MediaError, match="damaged"):
        read_clip(broken, ALL, excerpt=Excerpt(end_s=1))


@pytest.mark.parametrize("reader", ["auto", "pyav", "decord"])
def test_too_short_a_video_is_named(reader: str, clip_file: FindClip) -> None:
    """Whoever reads it, the message has path, length and bounds."""
    path = clip_file("long_gop.mp4")
    with pytest.raises(MediaError, match=r"mp4: the video is 3 s long.* 15.3-33.6 s"):
        read_clip(
            path,
            ALL,
            excerpt=Excerpt(start_s=15.299999999999997, end_s=33.6),
            reader=reader,
        )


def test_a_file_has_times_of_its_own(clip_file: FindClip, tmp_path: Path) -> None:
    """A rate for pictures means that another release of the videos is meant."""
    part = Excerpt(picture_rate=3)
    for path in (clip_file("long_gop.mp4"), clip_file("anim.gif")):
        with pytest.raises(MediaError, match=r"folder of pictures \(3 a second\)"):
            read_clip(path, ALL, excerpt=part)
        with pytest.raises(MediaError, match="another release than the videos"):
            probe(path, picture_rate=3)
    with pytest.raises(MediaError, match="no such file"):
        read_clip(tmp_path / "none", ALL, excerpt=part)


# -- folders of pictures -----------------------------------------


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Return a folder of 00001.png to 00036.png, as MVBench has of TVQA."""
    folder = tmp_path / "castle_s01e01_seg02_clip_00"
    folder.mkdir()
    for value in range(1, 37):
        save(folder / f"{value:05d}.png", value)
    return folder


def test_three_pictures_a_second(pictures: Path) -> None:
    """At 3 a second, 2 to 4 s are six pictures from the seventh on."""
    part = Excerpt(start_s=2, end_s=4, picture_rate=3)
    clip = read_clip(pictures, ALL, excerpt=part)
    assert numbers(clip) == [7, 8, 9, 10, 11, 12]
    assert clip.timestamps_s.tolist() == pytest.approx(np.arange(6, 12) / 3)
    assert (clip.source_fps, clip.source_frames) == (3.0, 36)


def test_a_rate_alone_changes_times_and_no_picture(pictures: Path) -> None:
    """All pictures are shown at any rate; a sampling by rate takes other ones."""
    slow, fast = Excerpt(picture_rate=1), Excerpt(picture_rate=12)
    assert probe(pictures, picture_rate=12).duration_s == pytest.approx(3.0)
    assert numbers(read_clip(pictures, ALL, excerpt=fast)) == list(range(1, 37))
    assert len(read_clip(pictures, Sampling(fps=1), excerpt=slow)) == 36
    assert len(read_clip(pictures, Sampling(fps=1), excerpt=fast)) == 3


def test_a_folder_that_is_too_short_says_at_which_rate(pictures: Path) -> None:
    """A wrong rate is the likely cause, so it is told."""
    with pytest.raises(MediaError, match=r"12 s long \(36 pictures at 3 a second\)"):
        read_clip(pictures, ALL, excerpt=Excerpt(start_s=20, picture_rate=3))


# -- the excerpt itself ------------------------------------------

moments = st.floats(0, 1e5, allow_nan=False)
parts = st.builds(
    lambda start, length, rate: Excerpt(
        start_s=start,
        end_s=None if length is None else start + length,
        picture_rate=rate,
    ),
    moments,
    st.none() | st.floats(0.01, 1e4),
    st.none() | st.floats(0.1, 100),
)


@given(parts, parts)
def test_a_spec_tells_every_two_excerpts_apart(one: Excerpt, two: Excerpt) -> None:
    """Equal excerpts have one spec, and different ones two: it is part of a key."""
    assert (one.spec == two.spec) == (one == two)
    assert (one.spec == "") == (one == WHOLE)


def test_long_videos_are_cut_to_the_hundredth() -> None:
    """Hours into a film, a spec still tells two frames apart."""
    one, two = Excerpt(start_s=12345.67), Excerpt(start_s=12345.71)
    assert (one.spec, two.spec) == ("12345.67-s", "12345.71-s")
    assert Excerpt(start_s=-0.0, end_s=3).spec == Excerpt(end_s=3.0).spec == "0-3s"


@pytest.mark.parametrize(
    "values",
    [
        {"start_s": -1.0},
        {"start_s": math.nan},
        {"end_s": math.inf},
        {"start_s": 7.5, "end_s": 7.5},
        {"start_s": 2.0, "end_s": 1.0},
        {"picture_rate": 0.0},
    ],
)
def test_an_excerpt_holds_a_moment(values: dict[str, float]) -> None:
    """Bounds that hold none are refused; MVBench had one record of 7.5 to 7.5 s."""
    with pytest.raises(ValueError, match=r"an excerpt|a rate"):
        Excerpt(**values)
