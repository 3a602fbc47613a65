"""Families of scenes: what a clip shows, and the facts a question may ask for.

A family fixes what happens (a shape moves, grows, changes colour, ...); where,
how large and before which grey is drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tools.sight.scenes import COLOURS, DURATION_S, SHAPES, Scene, Thing

DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
NUMBERS = ("one", "two", "three", "four")
GROWTHS = ("growing", "shrinking")


@dataclass(frozen=True, kw_only=True)
class Clip:
    """A scene with what is true of it."""

    family: str
    scene: Scene
    facts: dict[str, str]
    """Task to its true answer, for every task this clip can carry."""
    hidden: frozenset[str] = frozenset()
    """Colours on screen that are no option of the task (see `flash`)."""


def make(family: str, rng: np.random.Generator, **wanted: str) -> Clip:
    """Draw a clip of *family*; *wanted* fixes facts by task name."""
    return _FAMILIES[family](rng, wanted)


def _pick(rng: np.random.Generator, values: tuple[str, ...], wanted: str | None) -> str:
    # The draw is made in any case, so that fixing one fact moves no other.
    drawn = values[int(rng.integers(len(values)))]
    return drawn if wanted is None else wanted


def _background(rng: np.random.Generator) -> int:
    return int(rng.integers(8, 70))


def _near(rng: np.random.Generator, centre: float, spread: float) -> float:
    return float(rng.uniform(centre - spread, centre + spread))


def _looks(
    rng: np.random.Generator, wanted: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return (keywords of a `Thing`, facts) for a shape of one colour."""
    looks = {
        "colour": _pick(rng, tuple(COLOURS), wanted.get("colour")),
        "shape": _pick(rng, SHAPES, wanted.get("shape")),
    }
    return looks, dict(looks)


def still(rng: np.random.Generator, wanted: dict[str, str]) -> Clip:
    """One shape that drifts a little."""
    looks, facts = _looks(rng, wanted)
    x, y = _near(rng, 0.5, 0.15), _near(rng, 0.5, 0.15)
    radius = _near(rng, 0.25, 0.05)
    thing = Thing(
        colour=looks["colour"],
        shape=looks["shape"],
        start=(x, y),
        end=(x + _near(rng, 0, 0.04), y + _near(rng, 0, 0.04)),
        radius=(radius, radius),
    )
    scene = Scene(background=_background(rng), things=(thing,))
    return Clip(family="still", scene=scene, facts=facts)


def move(rng: np.random.Generator, wanted: dict[str, str]) -> Clip:
    """One shape crosses the picture."""
    looks, facts = _looks(rng, wanted)
    facts["direction"] = _pick(rng, tuple(DIRECTIONS), wanted.get("direction"))
    along = np.array(DIRECTIONS[facts["direction"]])
    # The path may lie anywhere, so that one frame tells little about its course.
    middle = np.array([_near(rng, 0.5, 0.09), _near(rng, 0.5, 0.09)])
    half = along * _near(rng, 0.22, 0.05)
    radius = _near(rng, 0.24, 0.04)
    (x0, y0), (x1, y1) = (middle - half).tolist(), (middle + half).tolist()
    thing = Thing(
        colour=looks["colour"],
        shape=looks["shape"],
        start=(x0, y0),
        end=(x1, y1),
        radius=(radius, radius),
    )
    scene = Scene(background=_background(rng), things=(thing,))
    return Clip(family="move", scene=scene, facts=facts)


def grow(rng: np.random.Generator, wanted: dict[str, str]) -> Clip:
    """One shape grows or shrinks in its place."""
    looks, facts = _looks(rng, wanted)
    facts["growth"] = _pick(rng, GROWTHS, wanted.get("growth"))
    small, large = _near(rng, 0.15, 0.03), _near(rng, 0.33, 0.04)
    place = (_near(rng, 0.5, 0.08), _near(rng, 0.5, 0.08))
    radius = (small, large) if facts["growth"] == "growing" else (large, small)
    thing = Thing(
        colour=looks["colour"],
        shape=looks["shape"],
        start=place,
        end=place,
        radius=radius,
    )
    scene = Scene(background=_background(rng), things=(thing,))
    return Clip(family="grow", scene=scene, facts=facts)


def sequence(rng: np.random.Generator, wanted: dict[str, str]) -> Clip:
    """One shape changes its colour twice, all three colours about equally long."""
    looks, facts = _looks(rng, wanted)
    first = _pick(rng, tuple(COLOURS), wanted.get("first"))
    others = [str(c) for c in rng.permutation([*COLOURS]) if c != first]
    colours = (first, *wanted.get("then", " ".join(others[:2])).split())
    place = (_near(rng, 0.5, 0.12), _near(rng, 0.5, 0.12))
    radius = _near(rng, 0.26, 0.05)
    cuts = [DURATION_S * i / 3 + _near(rng, 0, 0.06) for i in (1, 2)]
    edges = (0.0, *cuts, DURATION_S)
    things = tuple(
        Thing(
            shape=looks["shape"],
            colour=colour,
            start=place,
            end=place,
            radius=(radius, radius),
            visible=(edges[i], edges[i + 1]),
        )
        for i, colour in enumerate(colours)
    )
    scene = Scene(background=_background(rng), things=things)
    facts = {"shape": facts["shape"], "first": first, "then": " ".join(colours[1:])}
    return Clip(family="sequence", scene=scene, facts=facts)


def crowd(rng: np.random.Generator, wanted: dict[str, str]) -> Clip:
    """One to four shapes, each in its own quarter of the picture."""
    count = _pick(rng, NUMBERS, wanted.get("count"))
    corners = rng.permutation([(x, y) for x in (0.26, 0.74) for y in (0.26, 0.74)])
    things = []
    for x, y in corners[: NUMBERS.index(count) + 1]:
        looks, _ = _looks(rng, {})
        place = (_near(rng, float(x), 0.05), _near(rng, float(y), 0.05))
        radius = _near(rng, 0.16, 0.025)
        things.append(
            Thing(
                colour=looks["colour"],
                shape=looks["shape"],
                start=place,
                end=place,
                radius=(radius, radius),
            )
        )
    scene = Scene(background=_background(rng), things=tuple(things))
    return Clip(family="crowd", scene=scene, facts={"count": count})


def flash(rng: np.random.Generator, wanted: dict[str, str]) -> Clip:
    """One shape stays, and a smaller one is seen for a moment."""
    flashing = _pick(rng, tuple(COLOURS), wanted.get("flashes"))
    rest = tuple(c for c in COLOURS if c != flashing)
    staying = _pick(rng, rest, wanted.get("staying"))
    side_x, side_y = (int(s) for s in rng.choice([-1, 1], 2))
    place = (
        _near(rng, 0.5 + 0.14 * side_x, 0.03),
        _near(rng, 0.5 + 0.14 * side_y, 0.03),
    )
    spot = (_near(rng, 0.5 - 0.3 * side_x, 0.03), _near(rng, 0.5 - 0.3 * side_y, 0.03))
    large, small = _near(rng, 0.23, 0.03), _near(rng, 0.16, 0.02)
    # At least one of eight evenly sampled frames (every 0.25 s) shows it.
    begin, length = float(rng.uniform(0.1, 1.5)), float(rng.uniform(0.3, 0.45))
    shapes = [SHAPES[int(i)] for i in rng.integers(len(SHAPES), size=2)]
    things = (
        Thing(
            shape=shapes[0],
            colour=staying,
            start=place,
            end=place,
            radius=(large, large),
        ),
        Thing(
            shape=shapes[1],
            colour=flashing,
            start=spot,
            end=spot,
            radius=(small, small),
            visible=(begin, begin + length),
        ),
    )
    scene = Scene(background=_background(rng), things=things)
    facts = {"flashes": flashing, "staying": staying}
    return Clip(family="flash", scene=scene, facts=facts, hidden=frozenset({staying}))


_FAMILIES: dict[str, Callable[[np.random.Generator, dict[str, str]], Clip]] = {
    "still": still,
    "move": move,
    "grow": grow,
    "sequence": sequence,
    "crowd": crowd,
    "flash": flash,
}
FAMILIES = tuple(_FAMILIES)
