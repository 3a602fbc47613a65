"""Claims about real files, where they are here: every reader against a loop."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_vdg.frames.decode import probe, read_clip
from pytest_vdg.frames.sampling import Sampling
from tests.frames.clips import sequential
from tests.realdata import real

FILES = {
    # name: frames, height, width as displayed, rotation, codec
    "av1_video.mkv": (125, 360, 640, 0, "av1"),
    "bigbuckbunny.mp4": (132, 720, 1280, 0, "h264"),
    "bikes.mp4": (250, 272, 640, 0, "h264"),
    "carphone_pristine.mp4": (120, 144, 176, 0, "h264"),
    "flipping_a_pancake.mkv": (310, 240, 426, 0, "h264"),
    "h265_video.mp4": (10, 128, 128, 0, "hevc"),
    "unordered.mov": (4, 50, 50, 0, "h264"),
    "video_0.mov": (3, 320, 568, 0, "h264"),
    "video_90.mov": (3, 568, 320, 270, "h264"),
    "video_180.mov": (3, 320, 568, 180, "h264"),
    "video_270.mov": (3, 568, 320, 90, "h264"),
}
"""Counted by decoding everything with FFmpeg's libraries."""


@pytest.mark.parametrize("name", FILES)
def test_all_readers_give_the_frames_of_a_plain_loop(name: str) -> None:
    """To the bit, in displayed orientation, however many are asked for."""
    path = real(f"videos/{name}")
    expected = sequential(path)
    for reader, sampling in (
        ("auto", Sampling(frames=3)),
        ("auto", Sampling(fps=2, endpoints=True)),
        ("pyav", Sampling(frames=16)),
        ("decord", Sampling(frames=7)),  # reads all frames whatever is asked
    ):
        clip = read_clip(path, sampling, reader=reader)
        assert clip.source_frames == len(expected) == FILES[name][0]
        for index, frame in zip(clip.source_indices, clip.frames, strict=True):
            assert np.array_equal(frame, expected[index]), (reader, index)


@pytest.mark.parametrize("name", FILES)
def test_probe_knows_what_is_shown(name: str) -> None:
    """Count, displayed size, rotation and codec, without decoding."""
    info = probe(real(f"videos/{name}"))
    known = (info.frames, info.height, info.width, info.rotation, info.codec)
    assert known == FILES[name]


@pytest.mark.parametrize("reader", ["auto", "pyav", "decord"])
def test_the_hevc_clip_that_random_access_gets_wrong(reader: str) -> None:
    """0, 3, 6, 9 of ten frames are these, not 0, 4, 7, 7 as decord's seek gives."""
    path = real("videos/h265_video.mp4")
    expected = sequential(path)
    clip = read_clip(path, Sampling(frames=4, endpoints=True), reader=reader)
    assert clip.source_indices == (0, 3, 6, 9)
    for index, frame in zip(clip.source_indices, clip.frames, strict=True):
        nearest = min(range(10), key=lambda i: np.abs(expected[i] - frame).sum())
        assert nearest == index


@pytest.mark.parametrize("name", ["video_0.mov", "video_90.mov", "video_270.mov"])
def test_phones_are_held_in_all_ways(name: str) -> None:
    """Both readers show the same orientation of the same picture."""
    path = real(f"videos/{name}")
    one = read_clip(path, Sampling(frames=3), reader="pyav")
    two = read_clip(path, Sampling(frames=3), reader="decord")
    assert np.array_equal(one.frames, two.frames)
