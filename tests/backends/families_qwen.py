"""Tiny checkpoints of the Qwen-VL line, and of those that share its parts.

Apart from other families that take videos because these differ in their
language models alone: dense or experts, attention or recurrence.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.backends.tinyfamilies import (
    CHATML,
    SIDE,
    Untyped,
    chatml,
    ids,
    letters,
    save,
    text_sizes,
)
from tests.backends.tinymodel import build_checkpoint

PADS = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
EDGES = ("<|vision_start|>", "<|vision_end|>")
EXPERTS = {
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "decoder_sparse_step": 1,
}
RECURRENT = {
    "layer_types": ["linear_attention", "full_attention"],
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
}


def qwen2_vl(folder: Path) -> Path:
    """Frames in pairs, no word of their times."""
    return build_checkpoint(folder, family="qwen2_vl")


def qwen2_5_vl(folder: Path) -> Path:
    """Frames in pairs, times as positions."""
    return build_checkpoint(folder, family="qwen2_5_vl")


def qwen3_vl(folder: Path) -> Path:
    """Frames in pairs, seconds before each."""
    return build_checkpoint(folder, family="qwen3_vl")


def qwen3_vl_moe(folder: Path) -> Path:
    """As Qwen3-VL, with experts."""
    return _of(folder, "Qwen3VLMoe", {**EXPERTS, "rope_parameters": _rope(4)})


def qwen3_5(folder: Path) -> Path:
    """As Qwen3-VL; most layers are recurrent."""
    rope = {**_rope(2), "partial_rotary_factor": 0.5}
    return _of(folder, "Qwen3_5", {**RECURRENT, "rope_parameters": rope})


def qwen3_5_moe(folder: Path) -> Path:
    """As Qwen3.5, with experts."""
    rope = {**_rope(2), "partial_rotary_factor": 0.5}
    experts = {k: v for k, v in EXPERTS.items() if k != "decoder_sparse_step"}
    own = {**RECURRENT, **experts, "shared_expert_intermediate_size": 16}
    return _of(folder, "Qwen3_5Moe", {**own, "rope_parameters": rope})


def exaone4_5(folder: Path) -> Path:
    """EXAONE's language model behind the vision encoder of Qwen2.5-VL."""
    import transformers as hf

    tokenizer = letters(PADS, [*EDGES, "[|user|]", "[|assistant|]", "[|endofturn|]"])
    kinds = ["sliding_attention", "full_attention"]
    config = hf.Exaone4_5_Config(
        text_config={
            **text_sizes(tokenizer, "exaone4"),
            "layer_types": kinds,
            "sliding_window": 64,
            "sliding_window_pattern": 2,
        },
        vision_config={
            **_vision(),
            "window_size": SIDE,
            "fullatt_block_indexes": [1],
            "num_key_value_heads": 2,
        },
        **ids(
            tokenizer, image_token_id="<|image_pad|>", video_token_id="<|video_pad|>"
        ),
    )
    processor = hf.Exaone4_5_Processor(
        image_processor=hf.Qwen2VLImageProcessor(**_sizes(1)),
        tokenizer=tokenizer,
        video_processor=hf.Qwen2VLVideoProcessor(**_sizes(1)),
        chat_template=_exaone_turns(),
    )
    return save(folder, hf.Exaone4_5_ForConditionalGeneration(config), processor)


def hyperclovax_vision_v2(folder: Path) -> Path:
    """HyperCLOVA behind that encoder; the length of a video is told in words."""
    import transformers as hf

    tokenizer = letters(PADS, [*CHATML, *EDGES, "<|video_duration|>"])
    config = hf.HyperCLOVAXVisionV2Config(
        text_config={
            **text_sizes(tokenizer, "hyperclovax"),
            "tie_word_embeddings": False,
            "attention_multiplier": 8**-0.5,
        },
        vision_config={
            **_vision(),
            "window_size": SIDE,
            "fullatt_block_indexes": [1],
            "model_type": "qwen2_5_vl_vision",
        },
        tie_word_embeddings=False,
        **ids(
            tokenizer, image_token_id="<|image_pad|>", video_token_id="<|video_pad|>"
        ),
    )
    processor = hf.HyperCLOVAXVisionV2Processor(
        image_processor=hf.Qwen2VLImageProcessor(**_sizes(1)),
        tokenizer=tokenizer,
        video_processor=hf.Qwen2VLVideoProcessor(**_sizes(1)),
        chat_template=chatml(
            image="<|vision_start|><|image_pad|><|vision_end|>\n",
            video="{duration: <|video_duration|>}"
            "<|vision_start|><|video_pad|><|vision_end|>\n",
        ),
    )
    model = hf.HyperCLOVAXVisionV2ForConditionalGeneration(config)
    return save(folder, model, processor)


def lfm3_vl(folder: Path) -> Path:
    """Convolutions and attention in turn; seconds before each pair of frames."""
    import transformers as hf

    tokenizer = letters(PADS, [*CHATML, *EDGES])
    config = hf.Lfm3VlConfig(
        text_config={
            **text_sizes(tokenizer, "lfm3"),
            "layer_types": ["conv", "full_attention"],
            "tie_word_embeddings": False,
        },
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "patch_size": 8,
        },
        projector_hidden_size=32,
        tie_word_embeddings=False,
        **ids(
            tokenizer,
            image_token_id="<|image_pad|>",
            video_token_id="<|video_pad|>",
            vision_start_token_id="<|vision_start|>",
            vision_end_token_id="<|vision_end|>",
        ),
    )
    processor = hf.Lfm3VlProcessor(
        image_processor=hf.Qwen2VLImageProcessor(**_sizes(1)),
        tokenizer=tokenizer,
        video_processor=hf.Qwen3VLVideoProcessor(**_sizes(16)),
        chat_template=chatml(image="<|image_pad|>", video="<|video_pad|>"),
    )
    return save(folder, hf.Lfm3VlForConditionalGeneration(config), processor)


def _of(folder: Path, stem: str, text: Mapping[str, Any]) -> Path:
    import transformers as hf

    tokenizer = letters(PADS, [*CHATML, *EDGES])
    make_config: Untyped = getattr(hf, f"{stem}Config")
    deep = {"deepstack_visual_indexes": [0]} if stem.startswith("Qwen3VL") else {}
    config = make_config(
        text_config={**text_sizes(tokenizer), **text},
        vision_config={**_vision(), "num_position_embeddings": 64, **deep},
        **ids(
            tokenizer,
            image_token_id="<|image_pad|>",
            video_token_id="<|video_pad|>",
            vision_start_token_id="<|vision_start|>",
            vision_end_token_id="<|vision_end|>",
        ),
    )
    processor = hf.Qwen3VLProcessor(
        image_processor=hf.Qwen2VLImageProcessor(**_sizes(1)),
        tokenizer=tokenizer,
        video_processor=hf.Qwen3VLVideoProcessor(**_sizes(16)),
        chat_template=chatml(
            image="<|vision_start|><|image_pad|><|vision_end|>",
            video="<|vision_start|><|video_pad|><|vision_end|>",
        ),
    )
    model = getattr(hf, f"{stem}ForConditionalGeneration")(config)
    return save(folder, model, processor)


def _rope(half: int) -> dict[str, Any]:
    """Return positions on three axes for *half* of a head's pairs."""
    sections = {2: [1, 1, 0], 4: [2, 1, 1]}[half]
    return {"rope_type": "default", "rope_theta": 1e4, "mrope_section": sections}


def _vision() -> dict[str, Any]:
    return {
        "depth": 2,
        "num_heads": 4,
        "hidden_size": 32,
        "intermediate_size": 48,
        "patch_size": 8,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "out_hidden_size": 32,
    }


def _sizes(frames: int) -> dict[str, Any]:
    edges = {"shortest_edge": SIDE * SIDE, "longest_edge": SIDE * SIDE * frames}
    sizes = {"patch_size": 8, "temporal_patch_size": 2, "merge_size": 2}
    return {**sizes, "size": edges, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}


def _exaone_turns() -> str:
    return (
        chatml(
            image="<|vision_start|><|image_pad|><|vision_end|>",
            video="<|vision_start|><|video_pad|><|vision_end|>",
        )
        .replace("<|im_start|>user", "[|user|]")
        .replace("<|im_start|>assistant", "[|assistant|]")
        .replace("<|im_end|>", "[|endofturn|]")
    )
