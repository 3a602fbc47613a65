"""`Family`: what a family of models needs beyond the common path, declared.

Apart from the path itself, which has no branch for any of them: a new family is
one entry here, and one tiny checkpoint that stands the test of all families.

The common path gives a checkpoint's processor one video as an array, with its
times, and lets it sample nothing. What takes videos mostly takes pictures, too:
`AS_IMAGES` says how each frame is shown as one of those.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

Times = Literal["text", "positions", "none"]
FramesAs = Literal["video", "images"]


@dataclass(frozen=True, kw_only=True)
class Family:
    """How one family of models is shown a video."""

    name: str
    """What people call it."""
    frames_as: FramesAs = "video"
    """Whether frames are given as one video, or each as a picture of its own."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the processor that are set whatever the checkpoint says, since
    conditions would otherwise differ in more than what can be seen."""
    frames_in: tuple[str, int] | None = None
    """Input and axis that has one entry for each frame; None where the grid or the
    usual shapes of pixels tell it."""
    times: Times = "none"
    """Where the model is told when a frame was: in the prompt, by its position, or
    nowhere, so that order is all it can know."""
    both_ways: bool = False
    """Whether tokens of a picture see those behind them, which passes over a part of
    a prompt do not show them. In half precision a trial takes that for rounding."""
    tested: bool = True
    """Whether a tiny checkpoint of it stands the test of all families."""

    def merged(self, frames: int) -> int:
        """Return how many frames are one visual token, where *frames* of a video are.

        Pictures are not merged.
        """
        return frames if self.frames_as == "video" else 1

    @property
    def departs(self) -> str:
        """What is done otherwise than on the common path, as part of an identity."""
        parts = [f"{k}={json.dumps(v)}" for k, v in sorted(self.options.items())]
        if self.frames_as != "video":
            parts.insert(0, f"frames as {self.frames_as}")
        return ", ".join(parts)


COMMON = Family(name="unknown", tested=False)
"""For models of no family below: asked all the same, and refused by the checks of
the inputs where the video does not reach them."""

_EACH_PICTURE = ("pixel_values", 0)
_IN_ORDER = ("pixel_values", 1)
_FRAMES_FIRST = ("pixel_values_videos", 0)

_MINICPM: dict[str, Any] = {
    "frames_in": ("target_sizes_videos", 0),
    "options": {"slice_mode": False, "stack_frames": 1},
}

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "qwen2_vl": Family(name="Qwen2-VL"),
        "qwen2_5_vl": Family(name="Qwen2.5-VL", times="positions"),
        "qwen3_vl": Family(name="Qwen3-VL", times="text"),
        "qwen3_vl_moe": Family(name="Qwen3-VL MoE", times="text"),
        "qwen3_5": Family(name="Qwen3.5", times="text"),
        "qwen3_5_moe": Family(name="Qwen3.5 MoE", times="text"),
        "internvl": Family(name="InternVL"),
        "llava_onevision": Family(name="LLaVA-OneVision"),
        "llava_next_video": Family(name="LLaVA-NeXT-Video"),
        "video_llava": Family(name="Video-LLaVA"),
        # Compression leaves out what did not change: nearly all of a black video.
        "video_llama_3": Family(
            name="VideoLLaMA3", times="text", options={"use_token_compression": False}
        ),
        "smolvlm": Family(name="SmolVLM", times="text", frames_in=_IN_ORDER),
        "glm4v": Family(name="GLM-4V", times="text"),
        "glm4v_moe": Family(name="GLM-4.5V", times="text"),
        "glm46v": Family(name="GLM-4.6V", times="text"),
        "gemma4": Family(name="Gemma 4", times="text", frames_in=_FRAMES_FIRST),
        "gemma4_unified": Family(
            name="Gemma 4 unified", times="text", frames_in=_FRAMES_FIRST
        ),
        "molmo2": Family(
            name="Molmo2",
            times="text",
            frames_in=_FRAMES_FIRST,
            both_ways=True,
        ),
        # Slices follow from the size of frames alone, but cost many tokens; a second's
        # frames stacked to one picture would be other frames than were sampled.
        "minicpmv4_6": Family(name="MiniCPM-V 4.6", **_MINICPM),
        "minicpmv4_7": Family(name="MiniCPM-V 4.7", **_MINICPM),
        "perception_lm": Family(name="PerceptionLM"),
        "exaone4_5": Family(name="EXAONE 4.5"),
        "hyperclovax_vision_v2": Family(name="HyperCLOVA X Vision 2", times="text"),
        "lfm3_vl": Family(name="LFM3-VL", times="text"),
        "aria": Family(
            name="Aria",
            frames_as="images",
            frames_in=_EACH_PICTURE,
            options={"split_image": False},
        ),
        "gemma3n": Family(name="Gemma 3n", frames_as="images", frames_in=_EACH_PICTURE),
        "gemma3": Family(
            name="Gemma 3",
            frames_as="images",
            frames_in=_EACH_PICTURE,
            options={"do_pan_and_scan": False},
            both_ways=True,
        ),
        "idefics3": Family(
            name="Idefics3",
            frames_as="images",
            frames_in=_IN_ORDER,
            options={"do_image_splitting": False},
        ),
        "llava": Family(
            name="LLaVA-Interleave", frames_as="images", frames_in=_EACH_PICTURE
        ),
        "mistral3": Family(
            name="Mistral 3", frames_as="images", frames_in=_EACH_PICTURE
        ),
    }
)
"""Families by the ``model_type`` of a checkpoint's config."""


def _pictures(
    kind: str, frames_in: tuple[str, int] | None = None, **options: object
) -> Family:
    """Return the family of *kind* with each frame a picture, and no word of times."""
    return replace(
        FAMILIES[kind],
        frames_as="images",
        times="none",
        frames_in=frames_in,
        options=options,
    )


AS_IMAGES: Mapping[str, Family] = MappingProxyType(
    {
        "qwen2_vl": _pictures("qwen2_vl"),
        "qwen2_5_vl": _pictures("qwen2_5_vl"),
        "qwen3_vl": _pictures("qwen3_vl"),
        "qwen3_vl_moe": _pictures("qwen3_vl_moe"),
        "qwen3_5": _pictures("qwen3_5"),
        "qwen3_5_moe": _pictures("qwen3_5_moe"),
        "internvl": _pictures("internvl", crop_to_patches=False),
        "llava_onevision": _pictures("llava_onevision", _EACH_PICTURE),
        "llava_next_video": _pictures("llava_next_video", _EACH_PICTURE),
        "video_llava": _pictures("video_llava", ("pixel_values_images", 0)),
        "video_llama_3": _pictures("video_llama_3"),
        "smolvlm": _pictures("smolvlm", _IN_ORDER, do_image_splitting=False),
        "glm4v": _pictures("glm4v"),
        "glm4v_moe": _pictures("glm4v_moe"),
        "glm46v": _pictures("glm46v"),
        "gemma4": _pictures("gemma4", _EACH_PICTURE),
        "gemma4_unified": _pictures("gemma4_unified", _EACH_PICTURE),
        "molmo2": _pictures("molmo2", ("image_grids", 0), max_crops=1),
        "minicpmv4_6": _pictures("minicpmv4_6", ("target_sizes", 0), slice_mode=False),
        "minicpmv4_7": _pictures("minicpmv4_7", ("target_sizes", 0), slice_mode=False),
        "perception_lm": _pictures(
            "perception_lm", _EACH_PICTURE, vision_input_type="vanilla"
        ),
        "exaone4_5": _pictures("exaone4_5"),
        "hyperclovax_vision_v2": _pictures("hyperclovax_vision_v2"),
        "lfm3_vl": _pictures("lfm3_vl"),
    }
)
"""Families that take videos, shown pictures instead; by ``model_type``."""


def family_of(model_type: object, frames_as: FramesAs | None = None) -> Family:
    """Return the family of a config's *model_type*; `COMMON` where none is known.

    With *frames_as*, as it is shown frames that way, whether it takes them or not.
    """
    own = FAMILIES.get(str(model_type), COMMON)
    if frames_as in (None, own.frames_as):
        return own
    plain = Family(name=own.name, frames_as=frames_as, tested=False)
    return AS_IMAGES.get(str(model_type), plain) if frames_as == "images" else plain


def why_unshared(family: Family, config: Any, dtype: str) -> str:  # noqa: ANN401
    """Return why prompts with pictures never share what was read; empty if they may.

    *config* is that of the model, *dtype* that of its weights.
    """
    text = getattr(config, "text_config", None) or config
    if family.both_ways or getattr(text, "use_bidirectional_attention", None):
        return "tokens of a picture see those behind them"
    if not family.tested and dtype != "float32":
        return f"models of this kind were never tested, and {dtype} hides differences"
    return ""
