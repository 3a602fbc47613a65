"""Tiny random checkpoints of families that keep frames whole, without a grid.

Apart from `tinymodel` because they share no sizes with the Qwen-VL line: one
token group a frame, counted by the shape of the pixels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.backends.tinymodel import (
    CHAT_TEMPLATE,
    VIDEO_PART,
    VOCABULARY,
    Untyped,
    make_tokenizer,
)

# As they are named by the InternVL tokenizer; LLaVA has <image> and <video>.
MARKS = {
    "start_image_token": "<img>",
    "end_image_token": "</img>",
    "context_image_token": "<image>",
    "video_token": "<video>",
}
SIZE = {"height": 32, "width": 32}


def build_whole_frames(folder: Path, *, family: str) -> Path:
    """Save a tiny random checkpoint of *family* into *folder* and return it."""
    import torch

    torch.manual_seed(0)
    tokenizer = make_tokenizer(MARKS)
    make = {"llava_onevision": _llava_onevision, "internvl": _internvl}[family]
    model, processor = make(tokenizer)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.15)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _llava_onevision(tokenizer: Untyped) -> tuple[Untyped, Untyped]:
    import transformers as hf

    config = hf.LlavaOnevisionConfig(
        text_config=_text(tokenizer),
        vision_config={
            **_vision(),
            "model_type": "siglip_vision_model",
            "image_size": 32,
            "patch_size": 8,
            "vision_use_head": False,
        },
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        video_token_index=tokenizer.convert_tokens_to_ids("<video>"),
        image_grid_pinpoints=[[32, 32]],
        vision_feature_layer=-1,
        tie_word_embeddings=False,
    )
    make: Untyped = hf.LlavaOnevisionProcessor
    processor = make(
        image_processor=hf.LlavaOnevisionImageProcessor(
            size=SIZE, image_grid_pinpoints=[[32, 32]]
        ),
        tokenizer=tokenizer,
        video_processor=hf.LlavaOnevisionVideoProcessor(size=SIZE),
        num_image_tokens=16,
        vision_feature_select_strategy="full",
        chat_template=CHAT_TEMPLATE.replace(VIDEO_PART, "<video>"),
    )
    return hf.LlavaOnevisionForConditionalGeneration(config), processor


def _internvl(tokenizer: Untyped) -> tuple[Untyped, Untyped]:
    import transformers as hf

    config = hf.InternVLConfig(
        text_config=_text(tokenizer),
        vision_config={**_vision(), "image_size": [32, 32], "patch_size": [8, 8]},
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        image_seq_length=4,
        tie_word_embeddings=False,
    )
    processor = hf.InternVLProcessor(
        image_processor=hf.GotOcr2ImageProcessor(size=SIZE),
        tokenizer=tokenizer,
        video_processor=hf.InternVLVideoProcessor(size=SIZE),
        image_seq_length=4,
        chat_template=CHAT_TEMPLATE.replace(VIDEO_PART, "<video>"),
    )
    return hf.InternVLForConditionalGeneration(config), processor


def _text(tokenizer: Untyped) -> dict[str, Any]:
    return {
        "model_type": "qwen2",
        "vocab_size": len(tokenizer),
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "bos_token_id": VOCABULARY["<|im_start|>"],
        "eos_token_id": VOCABULARY["<|im_end|>"],
        "pad_token_id": VOCABULARY["<pad>"],
    }


def _vision() -> dict[str, Any]:
    return {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
    }
