"""A tiny random checkpoint for each family that is declared, and who has none.

Apart from how each is built so that the whole list, and what of transformers is
not on it, is one page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.backends import families_image, families_llava, families_qwen, families_video


@dataclass(frozen=True, kw_only=True)
class Tiny:
    """How to make the checkpoint of one family."""

    build: Callable[[Path], Path]
    """Saves it into a folder, as the real ones are saved."""
    needs: str | None = None
    """A package that transformers needs for this family, and no other."""


TINY: Mapping[str, Tiny] = {
    "qwen2_vl": Tiny(build=families_qwen.qwen2_vl),
    "qwen2_5_vl": Tiny(build=families_qwen.qwen2_5_vl),
    "qwen3_vl": Tiny(build=families_qwen.qwen3_vl),
    "qwen3_vl_moe": Tiny(build=families_qwen.qwen3_vl_moe),
    "qwen3_5": Tiny(build=families_qwen.qwen3_5),
    "qwen3_5_moe": Tiny(build=families_qwen.qwen3_5_moe),
    "internvl": Tiny(build=families_llava.internvl),
    "llava_onevision": Tiny(build=families_llava.llava_onevision),
    "llava_next_video": Tiny(build=families_llava.llava_next_video),
    "video_llava": Tiny(build=families_llava.video_llava),
    "video_llama_3": Tiny(build=families_llava.video_llama_3),
    "smolvlm": Tiny(build=families_llava.smolvlm, needs="num2words"),
    "glm4v": Tiny(build=families_video.glm4v),
    "glm4v_moe": Tiny(build=families_video.glm4v_moe),
    "glm46v": Tiny(build=families_video.glm46v),
    "gemma4": Tiny(build=families_video.gemma4),
    "gemma4_unified": Tiny(build=families_video.gemma4_unified),
    "molmo2": Tiny(build=families_video.molmo2),
    "minicpmv4_6": Tiny(build=families_video.minicpmv4_6),
    "minicpmv4_7": Tiny(build=families_video.minicpmv4_7),
    "perception_lm": Tiny(build=families_llava.perception_lm, needs="timm"),
    "exaone4_5": Tiny(build=families_qwen.exaone4_5),
    "hyperclovax_vision_v2": Tiny(build=families_qwen.hyperclovax_vision_v2),
    "lfm3_vl": Tiny(build=families_qwen.lfm3_vl),
    "aria": Tiny(build=families_image.aria),
    "gemma3": Tiny(build=families_image.gemma3),
    "gemma3n": Tiny(build=families_image.gemma3n, needs="timm"),
    "idefics3": Tiny(build=families_image.idefics3),
    "llava": Tiny(build=families_image.llava),
    "mistral3": Tiny(build=families_image.mistral3),
}
"""By ``model_type``, in the order in which people meet them."""

NOT_TRIED = "no tiny checkpoint yet"
LEFT_OUT: Mapping[str, str] = {
    "cohere_compass": NOT_TRIED,
    "cosmos3_edge": NOT_TRIED,
    "cosmos3_omni": f"{NOT_TRIED}; registered without a processor",
    "dots3_note": NOT_TRIED,
    "ernie4_5_vl_moe": "writes the time into the pixels of each frame, black ones "
    "too, and merges pairs after its encoder, so that frames are counted otherwise",
    "glm5_next": NOT_TRIED,
    "glmga": f"{NOT_TRIED}; registered without a processor",
    "hy_v4_vl": NOT_TRIED,
    "instructblip": "has no chat template as published",
    "instructblipvideo": "has no chat template as published",
    "kimi_k25": "cuts a video into pieces, each with a grid of its own",
    "minicpm_ocr": "reads documents",
    "minimax_m3_vl": "cuts a video into pieces, each with a grid of its own",
    "muse_glimmer": NOT_TRIED,
    "muse_spark": NOT_TRIED,
    "nemotron_h_omni": NOT_TRIED,
    "qwen4_exp": NOT_TRIED,
}
"""What transformers registers with a video processor and has no family; why not."""
