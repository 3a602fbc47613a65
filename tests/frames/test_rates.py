"""Conditions with a number: how they are written, and which frames they read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import ConfigError
from pytest_vdg.frames._timeline import FASTEST_FPS
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import (
    Condition,
    apply,
    crf_of,
    known_conditions,
    view_of,
)
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.excerpt import Excerpt
from pytest_vdg.frames.sampling import MOST_FRAMES, Sampling, sample_indices
from pytest_vdg.frames.view import View
from tests.frames.clips import KINDS, make_clip, numbers

samplings = st.one_of(
    st.builds(Sampling, frames=st.integers(1, 40), endpoints=st.booleans()),
    st.builds(
        Sampling,
        fps=st.floats(0.05, 60),
        max_frames=st.none() | st.integers(1, 40),
        endpoints=st.booleans(),
    ),
)


# -- how they are written ----------------------------------------


@given(
    st.one_of(
        st.integers(0, 51).map("compressed:{}".format),
        st.integers(1, MOST_FRAMES).map("sampled:{}".format),
        st.decimals(0, 500, places=3)
        .filter(bool)
        .map(lambda rate: f"fps:{float(rate):.3f}".rstrip("0").rstrip(".")),
    )
)
def test_a_number_is_part_of_the_spec(spec: str) -> None:
    """Every number in range can be written down and read back."""
    assert str(Condition.parse(spec)) == spec


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("compressed", "needs a constant rate factor after a colon, a whole number 0"),
        ("compressed:", "0 to 51; got none. Example: compressed:28"),
        ("compressed:52", "0 to 51; got '52'. Example: compressed:28"),
        ("compressed:-1", "got '-1'"),
        ("compressed:28.5", "got '28.5'"),
        ("compressed:high", "got 'high'"),
        ("sampled:0", "needs a number of frames after a colon, a whole number 1 to"),
        ("sampled:100001", "got '100001'"),
        ("sampled:all", "Example: sampled:8"),
        ("sampled:\uff18", "needs a number of frames"),
        ("fps:0", "a number above 0 up to 500; got '0'. Example: fps:2"),
        ("fps:500.5", "got '500.5'"),
        ("fps:1e1", "got '1e1'"),
        ("fps:nan", "got 'nan'"),
        ("fps", "needs frames a second after a colon"),
    ],
)
def test_another_number_is_refused(spec: str, said: str) -> None:
    """The error says what is wanted, from where to where, and shows an example."""
    with pytest.raises(ConfigError) as caught:
        Condition.parse(spec)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "plain"),
    [
        ("compressed:028", "compressed:28"),
        ("sampled:8.0", "sampled:8"),
        ("fps:2.0", "fps:2"),
        ("fps:0.50", "fps:0.5"),
        ("fps:02", "fps:2"),
        ("fps: 2", "fps:2"),
    ],
)
def test_a_number_has_one_spelling(spec: str, plain: str) -> None:
    """Else two names would stand for the answers of one condition."""
    with pytest.raises(ConfigError, match=f"write {plain} for"):
        Condition.parse(spec)


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("compress:28", "compressed"),
        ("crf:28", "compressed:28"),
        ("crf28", "compressed:28"),
        ("CRF_28", "compressed:28"),
        ("frames:8", "sampled:8"),
        ("sampled8", "sampled:8"),
        ("fps2", "fps:2"),
        ("rate:0.5", "fps:0.5"),
    ],
)
def test_what_people_write_is_understood(spec: str, meant: str) -> None:
    """The papers' names of the levels, and slips, lead to ours."""
    with pytest.raises(ConfigError, match=f"Did you mean '{meant}'"):
        Condition.parse(spec)


def test_numbers_are_listed_by_their_sign() -> None:
    """Whoever lists what can be written lists them as the documentation does."""
    assert {"compressed:CRF", "sampled:F", "fps:R"} < set(known_conditions())


# -- what they read ----------------------------------------------


@pytest.mark.parametrize(
    ("own", "spec", "expected"),
    [
        (Sampling(frames=8), "sampled:4", "frames=4"),
        (Sampling(frames=8, endpoints=True), "sampled:4", "frames=4,endpoints"),
        (Sampling(fps=1, max_frames=9), "sampled:12", "frames=12"),
        (Sampling(frames=8), "fps:2.5", "fps=2.5"),
        (
            Sampling(fps=0.25, max_frames=32, endpoints=True),
            "fps:24",
            "fps=24,max_frames=32,endpoints",
        ),
        (Sampling(frames=8), "compressed:28", "frames=8"),
        (Sampling(frames=8), "shuffled", "frames=8"),
    ],
)
def test_only_the_number_of_frames_changes(
    own: Sampling, spec: str, expected: str
) -> None:
    """Where they are taken, and the limit of how many, stay the run's."""
    assert view_of(Condition.parse(spec), own).sampling.spec() == expected


def test_only_compressed_encodes() -> None:
    """The number is the factor, and no other condition has one."""
    assert crf_of(Condition.parse("compressed:28")) == 28
    assert [crf_of(Condition.parse(s)) for s in ("original", "fps:2", "sampled:3")] == [
        None,
        None,
        None,
    ]


@given(own=samplings, frames=st.integers(1, 40))
def test_the_runs_own_number_is_the_runs_own_view(own: Sampling, frames: int) -> None:
    """So that it reads the very clip that ``original`` shows."""
    spec = f"sampled:{own.frames}" if own.frames else f"fps:{own.fps}"
    if own.frames is None and not _is_plain(spec):
        return
    assert view_of(Condition.parse(spec), own) == View(sampling=own)


def _is_plain(spec: str) -> bool:
    try:
        Condition.parse(spec)
    except ConfigError:
        return False
    return True


@given(
    gaps=st.lists(st.floats(0.001, 5), min_size=1, max_size=40),
    own=samplings,
    count=st.integers(1, 60),
    rate=st.floats(0.01, FASTEST_FPS),
)
def test_at_least_one_frame_never_more_than_exist(
    gaps: list[float], own: Sampling, count: int, rate: float
) -> None:
    """Rising, none twice, at most as many as were asked for."""
    pts = np.cumsum([0.0, *gaps[:-1]])
    duration = float(pts[-1] + gaps[-1])
    by_count = sample_indices(pts, duration, own.of_frames(count))
    by_rate = sample_indices(pts, duration, own.of_rate(rate))
    assert 1 <= len(by_count) <= min(count, len(pts))
    most = own.max_frames if own.fps is not None and own.max_frames else len(pts)
    assert 1 <= len(by_rate) <= min(most, len(pts), max(1, duration * rate + 1e-5))
    for taken in (by_count, by_rate):
        assert (np.diff(taken) > 0).all()


# -- several in one pass -----------------------------------------


@pytest.mark.parametrize("name", sorted(KINDS))
def test_one_pass_takes_what_each_alone_takes(
    clip_file: Callable[[str], Path], name: str
) -> None:
    """Frames, times and numbers, of every kind of file."""
    wanted = [Sampling(frames=4), Sampling(frames=7), Sampling(fps=3, endpoints=True)]
    path = clip_file(name)
    together = read_clip(path, wanted[0], also=wanted[1:])
    assert len(together.takes) == 3
    for place, sampling in enumerate(wanted):
        alone, part = read_clip(path, sampling), together.take(place)
        assert np.array_equal(alone.frames, part.frames)
        assert alone.timestamps_s.tolist() == part.timestamps_s.tolist()
        assert alone.source_indices == part.source_indices
        assert part.takes == ()
        assert numbers(part) == numbers(alone)


@pytest.mark.parametrize("reader", ["pyav", "decord"])
def test_also_of_a_part_by_any_reader(
    clip_file: Callable[[str], Path], reader: str
) -> None:
    """An excerpt is sampled twice as it is sampled once."""
    part = Excerpt(start_s=0.5, end_s=1.5)
    path, two = clip_file("long_gop.mp4"), (Sampling(frames=2), Sampling(frames=5))
    both = read_clip(path, two[0], also=two[1:], excerpt=part, reader=reader)
    for place, sampling in enumerate(two):
        alone = read_clip(path, sampling, excerpt=part, reader=reader)
        assert np.array_equal(both.take(place).frames, alone.frames)


def test_one_sampling_needs_no_parts(clip_file: Callable[[str], Path]) -> None:
    """Its clip is the clip, and is not copied."""
    clip = read_clip(clip_file("one_gop.mp4"), Sampling(frames=3))
    assert clip.take(0) is clip


# -- a clip that was read for something else ---------------------


def shown(spec: str, clip: Clip) -> Clip | None:
    """Return *clip* as *spec* shows it."""
    return apply(Condition.parse(spec), clip, question_id="q", seed=0)


def test_compressed_shows_only_what_was_compressed() -> None:
    """The original is never shown under its name, nor another level."""
    clip = make_clip([1, 2, 3])
    with pytest.raises(ValueError, match=r"read_clip\(\.\.\., crf=28\)"):
        shown("compressed:28", clip)
    level = replace(clip, crf=28)
    assert shown("compressed:28", level) is level
    with pytest.raises(ValueError, match="encoded at that CRF, got 28"):
        shown("compressed:38", level)
    with pytest.raises(ValueError, match="was compressed at CRF 28"):
        shown("original", level)


def test_sampled_shows_no_more_than_it_says() -> None:
    """A clip of more frames was read for another condition."""
    clip = make_clip([1, 2, 3])
    assert shown("sampled:3", clip) is clip
    with pytest.raises(ValueError, match="at most as many frames, got 3"):
        shown("sampled:2", clip)


@pytest.mark.parametrize("crf", [-1, 52, 28.0, True])
def test_a_view_knows_its_range(crf: int) -> None:
    """From 0 to 51, and whole."""
    with pytest.raises((ValueError, TypeError), match="crf must be"):
        View(sampling=Sampling(frames=1), crf=crf)
