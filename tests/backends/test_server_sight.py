"""Tests of whether pictures arrive, on made-up token counts of every kind of server."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends._server_answer import Said
from pytest_vdg.backends._server_sight import (
    COLOURS,
    check_colours,
    check_images,
    check_video,
    pictures,
)
from pytest_vdg.errors import VideoNotConsumed
from pytest_vdg.frames.clip import Clip
from tests.backends.conftest import make_clip

SIZE = (2, 2)
numbers = st.integers(1, 64)
costs = st.integers(16, 2000)
"""Tokens of a picture: fewer than 16 no model is known to have."""


def counted(
    of: Callable[[int], int], *, text: int = 12
) -> Callable[[Clip | None], int]:
    """Return what a server counts of a prompt whose *n* pictures cost ``of(n)``."""
    return lambda clip: text + (0 if clip is None else of(len(clip)))


def clip(frames: int) -> Clip:
    """Return a clip of small frames."""
    return make_clip(frames, size=SIZE)


@given(numbers, st.integers(1, 2000), st.booleans())
def test_images_that_all_arrive_are_believed(n: int, cost: int, named: bool) -> None:
    """Each costs the same, and perhaps a token for each digit of its number."""
    digits = [len(str(k + 1)) * named for k in range(n)]
    check_images(counted(lambda k: cost * k + sum(digits[:k])), clip(n))


@given(st.integers(2, 64), costs, st.data())
def test_images_beyond_any_limit_are_missed(
    n: int, cost: int, data: st.DataObject
) -> None:
    """Whichever are kept: the first ones, the last ones, or one."""
    limit = data.draw(st.integers(1, n - 1))
    with pytest.raises(VideoNotConsumed):
        check_images(counted(lambda k: cost * min(k, limit)), clip(n))


@given(st.integers(2, 64), costs, st.integers(2, 8))
def test_images_of_which_every_few_arrive_are_missed(
    n: int, cost: int, step: int
) -> None:
    """Where the last one is among them, they are too few for what it costs."""
    with pytest.raises(VideoNotConsumed):
        check_images(counted(lambda k: cost * (1 + (k - 1) // step)), clip(n))


@given(numbers, st.sampled_from([0, -3]))
def test_images_that_cost_nothing_did_not_arrive(n: int, cost: int) -> None:
    """Not even where a placeholder for them is shorter than none."""
    with pytest.raises(VideoNotConsumed, match="12 tokens without an image"):
        check_images(counted(lambda _: cost), clip(n))


@given(numbers, costs, st.sampled_from([1, 2, 4]), st.sampled_from([0, 2]))
def test_videos_whose_frames_all_arrive_are_believed(
    n: int, cost: int, merged: int, around: int
) -> None:
    """One by one, in pairs or in fours, the last of which may not be full."""
    check_video(counted(lambda k: around + cost * -(-k // merged)), clip(n))


@given(numbers, costs, st.integers(1, 64))
def test_videos_that_are_sampled_again_are_missed(
    n: int, cost: int, frames: int
) -> None:
    """So many frames are taken of any video, however many there are."""
    with pytest.raises(VideoNotConsumed, match="samples videos again"):
        check_video(counted(lambda _: cost * frames), clip(n))


@given(st.integers(16, 64), costs, st.data())
def test_videos_cut_to_three_quarters_are_missed(
    n: int, cost: int, data: st.DataObject
) -> None:
    """From 16 frames on, a server that allows at most that many is found out."""
    limit = data.draw(st.integers(1, 3 * n // 4))
    with pytest.raises(VideoNotConsumed):
        check_video(counted(lambda k: cost * min(k, limit)), clip(n))


@given(st.integers(2, 64), costs, st.data())
def test_videos_cut_to_half_are_missed(n: int, cost: int, data: st.DataObject) -> None:
    """However short they are: half as many frames then cost as much as all."""
    limit = data.draw(st.integers(1, n // 2))
    with pytest.raises(VideoNotConsumed):
        check_video(counted(lambda k: cost * min(k, limit)), clip(n))


@given(numbers)
def test_videos_that_cost_nothing_did_not_arrive(n: int) -> None:
    """Told with what a prompt costs without any."""
    with pytest.raises(VideoNotConsumed, match="12 tokens without a video"):
        check_video(counted(lambda _: 0), clip(n))


@given(numbers, numbers, st.booleans())
def test_pictures_to_try_with_are_like_the_clip(
    n: int, frames: int, still: bool
) -> None:
    """Of its size and length, each of another shade, at times that rise."""
    times = [2.5] if still else list(np.linspace(2.5, 7.5, max(2, n)))
    like = make_clip(len(times), size=(3, 5), timestamps_s=times)
    shown = pictures(like, frames)
    assert shown.frames.shape == (frames, 3, 5, 3)
    assert len({picture.tobytes() for picture in shown.frames}) == frames
    assert shown.timestamps_s[0] == 2.5
    assert all(np.diff(shown.timestamps_s) > 0)
    if frames > 1:
        assert shown.timestamps_s[-1] == (3.5 if still else 7.5)


def says(reply: Callable[[str], str]) -> Callable[[Clip], Said]:
    """Return a model that says *reply* of the plain colour that it is shown."""
    names = {rgb: name for name, rgb in COLOURS.items()}

    def ask(shown: Clip) -> Said:
        (rgb,) = {tuple(map(int, pixel)) for pixel in shown.frames.reshape(-1, 3)}
        return Said(
            text=reply(names[rgb]),
            first=None,
            prompt_tokens=None,
            model="",
            system="",
            cut=False,
        )

    return ask


LETTERS = dict(zip(COLOURS, "ABCD", strict=True))


@pytest.mark.parametrize(
    "reply",
    [
        LETTERS.__getitem__,
        lambda name: f"{LETTERS[name]}. {name}",
        lambda name: f"The pictures are {name.upper()}.",
        lambda name: f"({LETTERS[name].lower()})",
    ],
)
def test_a_model_that_names_the_colours_sees(reply: Callable[[str], str]) -> None:
    """By the letter, the word or both."""
    check_colours(says(reply), clip(3))


@pytest.mark.parametrize(
    "reply",
    [
        lambda name: "A",
        lambda name: "",
        lambda name: "red, blue, green or yellow",
        lambda name: "A B C D",
        lambda name: LETTERS[name] if name != "yellow" else "A",
        lambda name: f"{LETTERS[name]} or red",
        lambda name: f"not {name} but red",
    ],
)
def test_a_model_that_names_another_does_not(reply: Callable[[str], str]) -> None:
    """Whoever always says the same, names several, or is wrong of one."""
    with pytest.raises(VideoNotConsumed, match="of 4 plain colours the model named"):
        check_colours(says(reply), clip(3))
