"""Claims about `pytest_vdg.frames.clip`: a clip that exists can be believed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frames.clips import make_clip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"frames": np.zeros((2, 4, 6, 3), dtype=np.float32)}, "got float32 of shape"),
        ({"frames": np.zeros((2, 4, 6), dtype=np.uint8)}, r"got uint8 of shape \(2, 4"),
        ({"frames": np.zeros((2, 4, 6, 4), dtype=np.uint8)}, r"\(2, 4, 6, 4\)"),
        ({"frames": np.zeros((2, 3, 4, 6), dtype=np.uint8)}, r"\(2, 3, 4, 6\)"),
        ({"frames": np.zeros((2, 0, 6, 3), dtype=np.uint8)}, "at least one pixel"),
        ({"frames": np.zeros((3, 4, 6, 3), dtype=np.uint8)}, "3 frames need as many"),
        ({"timestamps_s": np.zeros((2, 1))}, "2 frames need as many timestamps"),
        ({"source_indices": (0,)}, "2 frames need as many source indices, got 1"),
        ({"source_fps": 0.0}, "source_fps must be above 0, got 0.0"),
        ({"source_fps": float("nan")}, "source_fps must be above 0, got nan"),
        ({"source_fps": float("inf")}, "source_fps must be above 0, got inf"),
    ],
)
def test_what_is_no_clip_is_refused(change: dict[str, Any], said: str) -> None:
    """Another type or layout, no pixel, a lacking time mark: the message says which."""
    with pytest.raises(ValueError, match=said):
        replace(make_clip([1, 2]), **change)


def test_a_clip_without_frames_is_refused() -> None:
    """Nothing is shown to a model under the name of a video."""
    with pytest.raises(
        ValueError, match=r"at least one pixel, got shape \(0, 4, 6, 3\)"
    ):
        make_clip([])


def test_neither_pictures_nor_times_can_be_written_to() -> None:
    """One clip is shared by all conditions: none may change what others show."""
    clip = make_clip([1, 2])
    with pytest.raises(ValueError, match="read-only"):
        clip.frames[0] = 9
    with pytest.raises(ValueError, match="read-only"):
        clip.timestamps_s[0] = 9


def test_a_clip_is_told_by_its_shape_and_times() -> None:
    """Height goes before width, and the text holds no pixels."""
    clip = make_clip([1, 2, 3], size=(4, 6))
    assert (len(clip), clip.size) == (3, (4, 6))
    assert repr(clip) == "Clip(shape=(3, 4, 6, 3), 0.00s to 1.00s)"


@given(
    one=st.lists(st.integers(0, 2), min_size=1, max_size=4),
    two=st.lists(st.integers(0, 2), min_size=1, max_size=4),
)
def test_a_digest_tells_pictures_apart(one: list[int], two: list[int]) -> None:
    """Equal for equal frames in equal order at any times, and different else."""
    first, second = make_clip(one), make_clip(two, fps=7.0)
    assert (first.digest() == second.digest()) is (one == two)


def test_a_digest_tells_sizes_apart() -> None:
    """The same bytes in another shape are another picture."""
    wide, high = make_clip([5], size=(2, 8)), make_clip([5], size=(8, 2))
    assert wide.digest() != high.digest()


def test_a_part_has_its_own_pictures_times_and_places() -> None:
    """Of a clip that was read for two samplings, each gets the rows it asked for."""
    both = replace(
        make_clip([10, 11, 12]), source_indices=(3, 5, 8), takes=((0, 2), (1,))
    )
    one, other = both.take(0), both.take(1)
    assert one.frames[:, 0, 0, 0].tolist() == [10, 12]
    assert (one.timestamps_s.tolist(), one.source_indices) == ([0.0, 1.0], (3, 8))
    assert other.frames[:, 0, 0, 0].tolist() == [11]
    assert (other.timestamps_s.tolist(), other.source_indices) == ([0.5], (5,))
    assert one.takes == other.takes == ()
