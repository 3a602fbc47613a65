"""The two forms of showing a clip: as one video, or as an image a frame.

Apart from the batches because the processor, not we, decides both: which marks
stand in the prompt, and that an image is its frame twice, as the vision tower
takes frames in pairs.
"""

from __future__ import annotations

from typing import Literal, TypeVar

import numpy as np

from tools.sight.model import FRAMES, PAIR, TOKENS_A_PAIR, VIDEO_TOKENS
from tools.sight.scenes import Floats, Frames

Form = Literal["video", "images"]
FORMS: tuple[Form, ...] = ("video", "images")

Shown = TypeVar("Shown", Frames, Floats)


def marks(form: Form) -> list[str]:
    """Return the tokens that stand for a clip of `FRAMES` frames."""
    if form == "video":
        return _between("<|video_pad|>", VIDEO_TOKENS)
    return _between("<|image_pad|>", TOKENS_A_PAIR) * FRAMES


def _between(token: str, count: int) -> list[str]:
    return ["<|vision_start|>", *[token] * count, "<|vision_end|>"]


def in_pairs(frames: Shown, form: Form) -> Shown:
    """Return *frames*, or what is said of them, as pairs follow one another."""
    return np.repeat(frames, PAIR, axis=0) if form == "images" else frames
