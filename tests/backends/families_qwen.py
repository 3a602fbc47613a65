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
    PAD_IDS,
    PADS,
    PIXELS,
    RECURRENT,
    SIDE,
    SLIDING,
    Untyped,
    chatml,
    ids,
    letters,
    save,
    text_sizes,
)
from tests.backends.tinymodel import build_checkpoint

EDGES = ("<|vision_start|>", "<|vision_end|>")
EDGE_IDS = {f"vision_{e}_token_id": f"<|vision_{e}|>" for e in ("start", "end")}
IN_EDGES = {
    kind: f"<|vision_start|><|{kind}_pad|><|vision_end|>" for kind in ("image", "video")
}
EXPERTS = {
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "decoder_sparse_step": 1,
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
    config = hf.Exaone4_5_Config(
        text_config={
            **text_sizes(tokenizer, "exaone4"),
            **SLIDING,
            "sliding_window": 64,
            "sliding_window_pattern": 2,
        },
        vision_config={
            **_vision(),
            "window_size": SIDE,
            "fullatt_block_indexes": [1],
            "num_key_value_heads": 2,
        },
        **ids(tokenizer, **PAD_IDS),
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
        **ids(tokenizer, **PAD_IDS),
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
        **ids(tokenizer, **PAD_IDS, **EDGE_IDS),
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
        **ids(tokenizer, **PAD_IDS, **EDGE_IDS),
    )
    processor = hf.Qwen3VLProcessor(
        image_processor=hf.Qwen2VLImageProcessor(**_sizes(1)),
        tokenizer=tokenizer,
        video_processor=hf.Qwen3VLVideoProcessor(**_sizes(16)),
        chat_template=chatml(**IN_EDGES),
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
    return {**sizes, "size": edges, **PIXELS}


def _exaone_turns() -> str:
    return (
        chatml(**IN_EDGES)
        .replace("<|im_start|>user", "[|user|]")
        .replace("<|im_start|>assistant", "[|assistant|]")
        .replace("<|im_end|>", "[|endofturn|]")
    )
