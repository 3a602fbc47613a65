"""What is in a frame, as numbers: the language a vision tower is taught first.

Learning to read, to see and to follow order all at once from one letter an
answer is slow. So the language model first learns to answer from these
numbers, the vision tower to produce them, each on its own; then they are put
together and trained as one. The numbers are a scaffold for training only: a
finished checkpoint sees pixels.
"""

from __future__ import annotations

import numpy as np
import torch

from tools.sight.model import PAIR
from tools.sight.scenes import COLOURS, SHAPES, Floats, Scene

N_FRAME = len(COLOURS) + len(SHAPES) + 3 + 4
"""Numbers a frame: colours and shapes on screen, place and size, how many."""
N_PAIR = PAIR * N_FRAME + 1
"""Numbers a visual token: those of its frames, and a constant."""
SCALE = 0.3
"""Length of one symbol's vector; with a few at once that is a word's length."""


def describe(scene: Scene, times: list[float]) -> Floats:
    """Return the numbers of *scene* at *times*, shape ``(len(times), N_FRAME)``."""
    return np.stack([_frame(scene, time_s) for time_s in times])


def _frame(scene: Scene, time_s: float) -> Floats:
    things = [thing for thing in scene.things if thing.shown(time_s)]
    colours = [float(any(t.colour == c for t in things)) for c in COLOURS]
    shapes = [float(any(t.shape == s for t in things)) for s in SHAPES]
    numbers = [float(len(things) == n) for n in (1, 2, 3, 4)]
    place = [0.0, 0.0, 0.0]
    sizes = sorted((thing.size(time_s) for thing in things), reverse=True)
    # Place and size are those of the largest thing, where one clearly is.
    if sizes and (len(sizes) == 1 or sizes[0] > 1.2 * sizes[1]):
        largest = max(things, key=lambda thing: thing.size(time_s))
        x, y = largest.centre(time_s)
        place = [5 * (x - 0.5), 5 * (y - 0.5), 8 * (sizes[0] - 0.24)]
    return np.array([*colours, *shapes, *place, *numbers], np.float32)


def pair_up(numbers: torch.Tensor) -> torch.Tensor:
    """Turn ``(frames, N_FRAME)`` into ``(frames / PAIR, N_PAIR)``."""
    pairs = numbers.reshape(-1, PAIR * N_FRAME)
    return torch.cat([pairs, torch.ones(len(pairs), 1)], dim=-1)


def directions(width: int, seed: int = 0) -> torch.Tensor:
    """Return one fixed vector a symbol, all at right angles: ``(N_PAIR, width)``."""
    draws = torch.randn(width, N_PAIR, generator=torch.Generator().manual_seed(seed))
    vectors: torch.Tensor = torch.linalg.qr(draws).Q
    return SCALE * vectors.T
