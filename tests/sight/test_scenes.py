"""Rendering: what a scene says is what its pictures show, at any size and time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.sight import families
from tools.sight.families import DIRECTIONS, NUMBERS
from tools.sight.questions import TASKS
from tools.sight.scenes import (
    COLOURS,
    DURATION_S,
    SHAPES,
    Frames,
    Scene,
    Thing,
    frame_times,
    render,
)

seeds = st.integers(0, 2**32 - 1)
family_names = st.sampled_from(families.FAMILIES)


def made(family: str, seed: int, **wanted: str) -> families.Clip:
    """Draw a clip of *family* from *seed*."""
    return families.make(family, np.random.default_rng(seed), **wanted)


def centre_of_mass(frame: Frames, background: int) -> tuple[float, float]:
    """Return where what is not background lies, as fractions (x, y)."""
    weight = np.abs(frame.astype(float) - background).sum(-1)
    axis = (np.arange(len(frame)) + 0.5) / len(frame)
    total = weight.sum()
    return float((weight * axis).sum() / total), float((weight.T * axis).sum() / total)


def area(frame: Frames, background: int) -> float:
    """Return the share of the picture that is clearly not background."""
    return float((np.abs(frame.astype(int) - background).max(-1) > 20).mean())


@given(
    family_names, seeds, st.integers(8, 96), st.lists(st.floats(0, 1.99), max_size=4)
)
@settings(deadline=None, max_examples=50)
def test_a_picture_has_the_size_that_was_asked_for(
    family: str, seed: int, size: int, times: list[float]
) -> None:
    """Any size and any times give as many RGB pictures of that size."""
    frames = render(made(family, seed).scene, size=size, times=times)
    assert frames.shape == (len(times), size, size, 3)
    assert frames.dtype == np.uint8


@given(family_names, seeds)
@settings(deadline=None, max_examples=30)
def test_rendering_is_a_function_of_the_scene(family: str, seed: int) -> None:
    """The same seed gives the same scene, and the same scene the same pictures."""
    one, two = (made(family, seed).scene for _ in range(2))
    assert one == two
    times = frame_times(3)
    np.testing.assert_array_equal(
        render(one, size=24, times=times), render(two, size=24, times=times)
    )


@given(family_names, seeds, st.floats(0, 1.99))
@settings(deadline=None, max_examples=30)
def test_other_times_change_nothing_in_a_frame(
    family: str, seed: int, time_s: float
) -> None:
    """A frame depends on its own time, not on which others are drawn with it."""
    scene = made(family, seed).scene
    alone = render(scene, size=24, times=[time_s])
    among = render(scene, size=24, times=[0.0, time_s, 1.0])
    np.testing.assert_array_equal(alone[0], among[1])


@given(seeds, st.sampled_from([*DIRECTIONS]), st.sampled_from([32, 128]))
@settings(deadline=None, max_examples=40)
def test_a_moving_shape_moves_the_way_it_is_said_to(
    seed: int, direction: str, size: int
) -> None:
    """The centre of mass goes that way, and not to the side."""
    scene = made("move", seed, direction=direction).scene
    frames = render(scene, size=size, times=[0.1, 1.9])
    (x0, y0), (x1, y1) = (centre_of_mass(f, scene.background) for f in frames)
    along, across = DIRECTIONS[direction], (x1 - x0, y1 - y0)
    forward = along[0] * across[0] + along[1] * across[1]
    sideways = abs(along[1] * across[0]) + abs(along[0] * across[1])
    assert forward > 0.15
    assert sideways < 0.05


@given(seeds, st.sampled_from(["growing", "shrinking"]))
@settings(deadline=None, max_examples=40)
def test_a_growing_shape_covers_more_and_more(seed: int, growth: str) -> None:
    """The covered area rises from frame to frame, or falls."""
    scene = made("grow", seed, growth=growth).scene
    frames = render(scene, size=64, times=frame_times(4))
    areas = np.diff([area(frame, scene.background) for frame in frames])
    assert (areas > 0).all() if growth == "growing" else (areas < 0).all()


@given(seeds)
@settings(deadline=None, max_examples=40)
def test_a_flash_is_seen_in_some_sampled_frames_only(seed: int) -> None:
    """Of eight frames at the middles of equal stretches one or two show it."""
    clip = made("flash", seed)
    staying, flashing = clip.scene.things
    times = [(i + 0.5) * DURATION_S / 8 for i in range(8)]
    assert 1 <= sum(flashing.shown(t) for t in times) <= 2
    assert all(staying.shown(t) for t in times)
    assert staying.colour != flashing.colour


@given(seeds)
@settings(deadline=None, max_examples=40)
def test_a_sequence_shows_one_colour_at_a_time(seed: int) -> None:
    """At each moment exactly one thing is seen, the first one first."""
    clip = made("sequence", seed)
    for time_s in frame_times(16):
        assert sum(thing.shown(time_s) for thing in clip.scene.things) == 1
    assert clip.scene.things[0].colour == clip.facts["first"]
    assert len({thing.colour for thing in clip.scene.things}) == 3


@given(seeds, st.sampled_from(NUMBERS))
@settings(deadline=None, max_examples=40)
def test_shapes_of_a_crowd_do_not_touch(seed: int, count: str) -> None:
    """As many separate shapes as were asked for, so that they can be counted."""
    things = made("crowd", seed, count=count).scene.things
    assert len(things) == NUMBERS.index(count) + 1
    for i, one in enumerate(things):
        for two in things[:i]:
            gap = np.subtract(one.start, two.start)
            reach = one.radius[0] + two.radius[0]
            assert np.abs(gap).max() > reach


@given(family_names, seeds)
@settings(deadline=None, max_examples=60)
def test_shapes_stay_in_the_picture(family: str, seed: int) -> None:
    """Every centre lies within the picture, so nothing moves out of sight."""
    for thing in made(family, seed).scene.things:
        for place in (*thing.start, *thing.end):
            assert 0.05 < place < 0.95


@given(family_names, seeds)
@settings(deadline=None, max_examples=60)
def test_facts_are_answers(family: str, seed: int) -> None:
    """Whatever a clip says about a task is one of that task's values."""
    facts = made(family, seed).facts
    asked = set(facts) & set(TASKS)
    assert asked
    assert all(facts[task] in TASKS[task].values for task in asked)


@pytest.mark.parametrize("shape", SHAPES)
def test_small_pictures_look_like_large_ones_made_small(shape: str) -> None:
    """Drawing at 32 pixels is averaging a drawing at 128, so training sees no gap."""
    thing = Thing(
        shape=shape, colour="red", start=(0.45, 0.5), end=(0.45, 0.5), radius=(0.3, 0.3)
    )
    scene = Scene(background=40, things=(thing,))
    small = render(scene, size=32, times=[0.0])[0].astype(float)
    large = render(scene, size=128, times=[0.0])[0].astype(float)
    averaged = large.reshape(32, 4, 32, 4, 3).mean((1, 3))
    assert np.abs(small - averaged).mean() < 1.5


@pytest.mark.parametrize("colour", [*COLOURS])
def test_a_shape_has_its_colour(colour: str) -> None:
    """The middle of a shape is exactly its colour."""
    thing = Thing(
        shape="circle",
        colour=colour,
        start=(0.5, 0.5),
        end=(0.5, 0.5),
        radius=(0.3, 0.3),
    )
    frame = render(Scene(background=9, things=(thing,)), size=33, times=[0.0])[0]
    assert tuple(frame[16, 16]) == COLOURS[colour]
    assert tuple(frame[0, 0]) == (9, 9, 9)


def test_a_black_scene_is_refused() -> None:
    """Black is what a blinded model is shown, so no scene may be black."""
    with pytest.raises(ValueError, match="background must be 1 to 255, got 0"):
        Scene(background=0, things=())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"colour": "mauve"}, "colour must be one of .*, got 'mauve'"),
        ({"shape": "blob"}, "shape must be one of .*, got 'blob'"),
    ],
)
def test_an_unknown_look_is_refused(wrong: dict[str, str], message: str) -> None:
    """A colour or shape that cannot be drawn is named in the error."""
    looks = {"colour": "red", "shape": "circle", **wrong}
    with pytest.raises(ValueError, match=message):
        Thing(**looks, start=(0.5, 0.5), end=(0.5, 0.5), radius=(0.2, 0.2))
