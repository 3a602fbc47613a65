"""Scenes of coloured shapes, and their pictures at any size and any time.

Kept apart from files and from questions: a scene is a value, and rendering is
a function of (scene, size, times). The committed clips (128 pixels, 16
frames) and the training frames (32 pixels, 8 frames) are the same function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Frames = npt.NDArray[np.uint8]

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (220, 40, 40),
    "green": (40, 200, 60),
    "blue": (50, 80, 230),
    "yellow": (230, 210, 40),
    "purple": (160, 60, 200),
    "white": (235, 235, 235),
}
SHAPES = ("circle", "cross", "square", "triangle")
DURATION_S = 2.0
"""Every scene lasts two seconds."""


@dataclass(frozen=True, kw_only=True)
class Thing:
    """One shape; lengths are fractions of the picture, times are seconds."""

    shape: str
    colour: str
    start: tuple[float, float]
    """Centre (x to the right, y down) at time 0."""
    end: tuple[float, float]
    """Centre at `DURATION_S`; in between it moves evenly."""
    radius: tuple[float, float]
    """Half the width at time 0 and at `DURATION_S`."""
    visible: tuple[float, float] = (0.0, DURATION_S)
    """It is drawn from the first time up to, not including, the second."""

    def __post_init__(self) -> None:
        if self.colour not in COLOURS:
            raise ValueError(f"colour must be one of {[*COLOURS]}, got {self.colour!r}")
        if self.shape not in SHAPES:
            raise ValueError(f"shape must be one of {SHAPES}, got {self.shape!r}")

    def centre(self, time_s: float) -> tuple[float, float]:
        """Return the centre at *time_s*."""
        done = time_s / DURATION_S
        (x0, y0), (x1, y1) = self.start, self.end
        return x0 + (x1 - x0) * done, y0 + (y1 - y0) * done

    def size(self, time_s: float) -> float:
        """Return the radius at *time_s*."""
        return self.radius[0] + (self.radius[1] - self.radius[0]) * time_s / DURATION_S

    def shown(self, time_s: float) -> bool:
        """Tell whether it is drawn at *time_s*."""
        return self.visible[0] <= time_s < self.visible[1]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Shapes before a plain grey; later things are drawn over earlier ones."""

    background: int
    """Grey level, 0 to 255. Never 0: a black clip is a condition, not a scene."""
    things: tuple[Thing, ...]

    def __post_init__(self) -> None:
        if not 0 < self.background <= 255:
            raise ValueError(f"background must be 1 to 255, got {self.background}")


def frame_times(count: int) -> list[float]:
    """Return when the frames of a clip of *count* frames are shown, in seconds."""
    return [DURATION_S * index / count for index in range(count)]


def render(
    scene: Scene, *, size: int, times: list[float], softness: float = 1.0
) -> Frames:
    """Draw *scene* at *times* (seconds) as ``(len(times), size, size, 3)``.

    An edge is a ramp *softness* pixels wide. At 1 that is what averaging a
    larger picture gives, so a small picture looks like a large one made small.
    """
    axis = (np.arange(size, dtype=np.float32) + 0.5) / size
    frames = np.full((len(times), size, size, 3), scene.background, np.float32)
    for number, time_s in enumerate(times):
        for thing in scene.things:
            if thing.shown(time_s):
                x, y = thing.centre(time_s)
                inside = _OUTLINES[thing.shape](
                    axis[None, :] - np.float32(x),
                    axis[:, None] - np.float32(y),
                    thing.size(time_s),
                )
                cover = np.clip(0.5 - inside * (size / softness), 0, 1)[..., None]
                colour = np.array(COLOURS[thing.colour], np.float32)
                frames[number] += cover * (colour - frames[number])
    return (frames + 0.5).astype(np.uint8)


# Signed distances to an outline: negative inside, in fractions of the picture.


def _circle(x: Floats, y: Floats, radius: float) -> Floats:
    return np.sqrt(x * x + y * y) - radius


def _square(x: Floats, y: Floats, radius: float) -> Floats:
    return np.maximum(np.abs(x), np.abs(y)) - 0.9 * radius


def _triangle(x: Floats, y: Floats, radius: float) -> Floats:
    # Top at (0, -r), feet at (+-r, 0.85 r).
    base = y - 0.85 * radius
    flank = (np.abs(x) * 1.85 - (y + radius)) / float(np.hypot(1.85, 1.0))
    inside: Floats = np.maximum(base, flank)
    return inside


def _cross(x: Floats, y: Floats, radius: float) -> Floats:
    arm = 0.34 * radius
    across, down = np.abs(x), np.abs(y)
    return np.minimum(
        np.maximum(across - radius, down - arm),
        np.maximum(across - arm, down - radius),
    )


_OUTLINES: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "circle": _circle,
    "cross": _cross,
    "square": _square,
    "triangle": _triangle,
}
