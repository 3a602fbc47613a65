"""Clips kept for another run: the same clips, as long as their files are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pytest_vdg.errors import MediaError
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.decoding import Decoders, Want
from pytest_vdg.frames.excerpt import WHOLE
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.frames.shelf import Shelf, stamp

FOUR = Sampling(frames=4)


def whole(path: Path) -> Want:
    """Return the want of all of *path* at its own size."""
    return Want(path=path, excerpt=WHOLE, size=None)


@pytest.fixture
def videos(clip_file: Callable[[str], Path], tmp_path: Path) -> list[Path]:
    """Return three copies of a video that a test may replace."""
    source = clip_file("long_gop.mp4")
    return [Path(shutil.copy(source, tmp_path / f"{i}.mp4")) for i in range(3)]


@pytest.mark.parametrize("workers", [0, 1])
def test_a_clip_is_read_once_for_two_runs(videos: list[Path], workers: int) -> None:
    """The second is given the very frames of the first."""
    shelf = Shelf()
    clips = []
    for expected in (3, 0):
        with Decoders(sampling=FOUR, workers=workers, shelf=shelf) as decoders:
            clips.append([decoders.submit(whole(video))() for video in videos])
            assert decoders.decodes == expected
    for first, second in zip(*clips, strict=True):
        assert first is second
    assert np.array_equal(clips[0][0].frames, read_clip(videos[0], FOUR).frames)


def test_a_file_that_was_changed_is_read_again(
    videos: list[Path], clip_file: Callable[[str], Path]
) -> None:
    """Of whatever content it is now, though its name is the same."""
    shelf, video = Shelf(), videos[0]
    with Decoders(sampling=FOUR, workers=0, shelf=shelf) as decoders:
        before = decoders.submit(whole(video))()
        shutil.copy(clip_file("odd.mkv"), video)
        after = decoders.submit(whole(video))()
        video.unlink()
        with pytest.raises(MediaError):
            decoders.submit(whole(video))()
    assert before.frames.shape != after.frames.shape


def test_a_file_that_is_changed_while_it_is_read_is_not_kept(
    videos: list[Path],
) -> None:
    """Nobody knows which of its contents was read."""
    shelf = Shelf()
    with Decoders(sampling=FOUR, workers=0, shelf=shelf) as decoders:
        read = decoders.submit(whole(videos[0]))
        os.utime(videos[0], ns=(1, 1))
        read()
        decoders.submit(whole(videos[0]))()
        assert decoders.decodes == 2


def test_other_frames_are_another_clip(videos: list[Path]) -> None:
    """What is sampled, by which reader, and at which size is part of the name."""
    shelf, video = Shelf(), videos[0]
    with Decoders(sampling=FOUR, workers=0, shelf=shelf) as decoders:
        decoders.submit(whole(video))()
        small = Want(path=video, excerpt=WHOLE, size=(8, 8))
        assert decoders.submit(small)().size == (8, 8)
    with Decoders(sampling=Sampling(frames=2), workers=0, shelf=shelf) as decoders:
        assert len(decoders.submit(whole(video))()) == 2
    with Decoders(sampling=FOUR, workers=0, shelf=shelf, reader="pyav") as decoders:
        decoders.submit(whole(video))()
        assert decoders.decodes == 1


@pytest.mark.parametrize("fit", [0, 1, 2])
def test_the_first_that_fit_are_kept(videos: list[Path], fit: int) -> None:
    """So that a slice that is too large is at least in part there the next time."""
    size = read_clip(videos[0], FOUR).frames.nbytes
    shelf = Shelf(room=fit * size + size // 2)
    read = []
    for _ in range(2):
        with Decoders(sampling=FOUR, workers=0, shelf=shelf) as decoders:
            for video in videos:
                decoders.submit(whole(video))()
            read.append(decoders.decodes)
    assert read == [3, 3 - fit]


def test_a_folder_of_pictures_is_read_each_time(tmp_path: Path) -> None:
    """A picture may be replaced in it without a sign on the folder."""
    assert stamp(tmp_path) is None
    assert stamp(tmp_path / "missing.mp4") is None
