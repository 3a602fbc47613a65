"""Small pictures: each is held once, in the order shown, and they fit into a page."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.reports.album import Album, Pictures, Shown, evenly
from pytest_vdg.reports.thumbnails import SIZES, hang

PIL = pytest.importorskip("PIL.Image")


def clip(levels: list[int], side: int = 40) -> npt.NDArray[np.uint8]:
    """Return frames of plain grey, one a level."""
    return np.stack([np.full((side, side, 3), level, np.uint8) for level in levels])


@given(st.integers(1, 400), st.sampled_from([2, 4, 8]))
def test_even_choices_have_both_ends_and_are_the_same_backwards(
    total: int, most: int
) -> None:
    """A clip and its reverse show the same pictures."""
    chosen = evenly(total, most)
    assert len(set(chosen)) == len(chosen) == min(total, most)
    assert chosen == sorted(chosen)
    assert chosen[0] == 0
    assert chosen == [total - 1 - i for i in reversed(chosen)]
    gaps = np.diff(chosen)
    assert not gaps.size or gaps.max() - gaps.min() <= 2


def test_conditions_share_their_pictures() -> None:
    """Shuffled and reversed hold no picture of their own; a black one is one more."""
    album = Album()
    frames = clip([10, 90, 170])
    times = [0.5, 1.5, 2.5]
    original = album.shown(frames, times)
    turned = album.shown(frames[::-1], times)
    black = album.shown(np.zeros_like(frames), times)
    assert turned.frames == original.frames[::-1]
    assert turned.times_s == original.times_s == (0.5, 1.5, 2.5)
    assert len(set(black.frames)) == 1
    assert len(album.images) == 4


def test_the_picture_is_that_of_its_frame() -> None:
    """Keys lead to pictures of the frames they were made of, no larger than wanted."""
    album = Album()
    frames = clip([10, 90, 170], side=300)
    for key, level in zip(
        album.shown(frames, [0, 1, 2]).frames, (10, 90, 170), strict=True
    ):
        picture = PIL.open(io.BytesIO(album.images[key]))
        assert picture.size == (SIZES[0][0], SIZES[0][0])
        assert abs(int(np.asarray(picture.convert("RGB")).mean()) - level) <= 3


def test_of_many_frames_eight_are_shown_and_all_are_counted() -> None:
    """The page can say: 8 of 32."""
    shown = Album().shown(clip(list(range(32))), list(range(32)))
    assert (len(shown.frames), shown.total) == (8, 32)
    assert shown.times_s == (0, 4, 9, 13, 18, 22, 27, 31)


@pytest.mark.parametrize(
    "wrong",
    [
        {"frames": ("a",), "total": 1},
        {"frames": ("a",), "times_s": (0.0,), "total": 0},
        {"frames": ("a",), "times_s": (0.0,), "total": 1, "reason": "none"},
        {},
    ],
)
def test_what_was_shown_has_times_or_a_reason(wrong: dict[str, object]) -> None:
    """No frame at no time, and no gap without a word."""
    with pytest.raises(ValueError, match=r"frames"):
        Shown(**wrong)  # type: ignore[arg-type]


def noisy(questions: int) -> Pictures:
    """Return pictures that no encoder can make small, one frame a question."""
    rng = np.random.default_rng(0)
    album = Album()
    cells = {}
    for i in range(questions):
        frame = rng.integers(0, 255, (1, 128, 128, 3), dtype=np.uint8)
        cells[f"q{i}", "original"] = album.shown(frame, [0.0])
    return Pictures(cells=cells, images=album.images)


def size(images: dict[str, bytes]) -> int:
    """Return the bytes that *images* take as base64."""
    return sum(4 * ((len(data) + 2) // 3) for data in images.values())


def test_pictures_that_fit_stay_as_they_are() -> None:
    """Nothing is given up without need, and nothing is said."""
    pictures = noisy(4)
    wall = hang([pictures], [set()], 10**7)
    assert wall.images == pictures.images
    assert (wall.note, wall.left_out) == ("", False)


def test_what_is_given_up_comes_in_its_order() -> None:
    """First size, then questions that nothing speaks for, then all; always told."""
    pictures = noisy(24)
    whole = size(dict(pictures.images))
    smaller = hang([pictures], [{"q1"}], whole // 2)
    fewer = hang([pictures], [{"q1"}], whole // 24)
    none = hang([pictures], [{"q1"}], 10)
    assert len(smaller.images) == 24
    assert smaller.side < SIZES[0][0]
    assert "pixels" in smaller.note
    assert set(fewer.images) == set(pictures.cells["q1", "original"].frames)
    assert fewer.left_out
    assert "only of questions" in fewer.note
    assert not none.images
    assert "No frame" in none.note


@pytest.mark.parametrize("share", [0.9, 0.5, 0.2, 0.05, 0.01])
def test_pictures_never_take_more_than_their_room(share: float) -> None:
    """The limit of the page is kept whatever the videos look like."""
    pictures = noisy(24)
    room = int(share * size(dict(pictures.images)))
    wall = hang([pictures, replace(pictures, cells={})], [{"q1", "q2"}, set()], room)
    assert size(dict(wall.images)) <= room
