"""The least that the arms can cost: each different beginning read once.

Apart from the engine's own tree so that the two are counted by different code:
here a set holds every beginning of every prompt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._hf_chat import visual_token_ids
from pytest_vdg.backends._hf_inputs import ModelInputs


@dataclass(frozen=True, kw_only=True)
class Least:
    """Result of `least`."""

    lm_tokens: int
    vision_tokens: int


def least(loaded: Any, inputs: Iterable[ModelInputs]) -> Least:  # noqa: ANN401
    """Return the tokens of the prefix tree of all *inputs*.

    A visual token is what its pixels are: two beginnings with videos are one
    only if all tensors of the videos are equal to the bit.
    """
    marks = visual_token_ids(loaded)
    seen: set[bytes] = set()
    groups: dict[bytes, int] = {}
    for each in inputs:
        video = _video(each)
        state = hashlib.sha256()
        for token in each.tensors["input_ids"][0].tolist():
            state.update(f"{token},".encode())
            if token in marks:
                state.update(video)
            seen.add(state.digest())
        groups.update(_groups(each))
    return Least(lm_tokens=len(seen), vision_tokens=sum(groups.values()))


def _video(inputs: ModelInputs) -> bytes:
    state = hashlib.sha256()
    for name, tensor in sorted(inputs.tensors.items()):
        if name not in ("input_ids", "attention_mask", "mm_token_type_ids"):
            state.update(tensor.numpy().tobytes())
    return state.digest()


def _groups(inputs: ModelInputs) -> dict[bytes, int]:
    """Return the visual tokens of each different group of frames."""
    pixels = inputs.tensors.get("pixel_values_videos")
    if pixels is None:
        return {}
    count = int(inputs.tensors["video_grid_thw"][0, 0])
    each = inputs.visual_tokens // count
    return {part.numpy().tobytes(): each for part in pixels.chunk(count)}
