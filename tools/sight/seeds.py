"""Where every random draw of this folder starts.

One generator is made from ``(space, *numbers)``. The space is the first
number of the seed, so a clip that a checkpoint was trained on and a clip
that is committed can never come from the same stream of draws.
"""

from __future__ import annotations

import numpy as np

SPACES = {"sight": 1, "sight-leaky": 2, "train": 3, "held-out": 4, "wordy": 5}
"""Streams of draws: the two committed benchmarks, training, its curves, and words."""


def generator(space: str, *numbers: int) -> np.random.Generator:
    """Return the generator of *space* at *numbers* (a clip, a stage, a step)."""
    return np.random.default_rng([SPACES[space], *numbers])
