"""The tiny model: a real Qwen2-VL of 1.3 million parameters, with its processor.

Nothing here is a stand-in. Configuration, word-level tokenizer, processor and
chat template are those of the ordinary classes, only small, so that the
folders load by the same code as a checkpoint of seven billion parameters.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import (
    GenerationConfig,
    PreTrainedTokenizerFast,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessor,
    Qwen2VLProcessor,
    Qwen2VLVideoProcessor,
)

from tools.sight import questions
from tools.sight.families import DIRECTIONS, GROWTHS, NUMBERS
from tools.sight.scenes import COLOURS, SHAPES

PIXELS = 32
"""Width and height the processor makes of a square clip."""
PATCH = 8
MERGE = 2
PAIR = 2
"""Frames that become one visual token."""
FRAMES = 8
"""Frames a clip is trained with."""
TOKENS_A_PAIR = (PIXELS // PATCH // MERGE) ** 2
"""Visual tokens of two frames, and of an image, which is one frame twice."""
VIDEO_TOKENS = FRAMES // PAIR * TOKENS_A_PAIR

SPECIAL = (
    "<pad>",
    "<unk>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)

CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{%- if message['content'] is string -%}{{ message['content'] }}{%- else -%}"
    "{%- for part in message['content'] -%}"
    "{%- if part['type'] == 'video' -%}"
    "{{ '<|vision_start|><|video_pad|><|vision_end|>' }}"
    "{%- elif part['type'] == 'image' -%}"
    "{{ '<|vision_start|><|image_pad|><|vision_end|>' }}"
    "{%- elif 'text' in part -%}{{ part['text'] }}{%- endif -%}"
    "{%- endfor -%}{%- endif -%}"
    "{{ '<|im_end|>\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\n' }}{%- endif -%}"
)


def vocabulary() -> dict[str, int]:
    """Return word to number: marks, labels, and every word a prompt can have."""
    texts = [w for task in questions.TASKS.values() for w in task.wordings]
    texts += [*questions.FOLLOW_UPS.values(), questions.INSTRUCTION]
    texts += [
        "The shape stays on screen. The shapes stay on screen.",
        "A shape can be seen. There is one. There are two.",
        "A shape flashes for a moment. The flash is short.",
        "system user assistant You are a helpful assistant wrong",
    ]
    words = {w for text in texts for w in re.findall(r"\w+", text)}
    words |= {*COLOURS, *SHAPES, *DIRECTIONS, *GROWTHS, *NUMBERS} - set(LABELS)
    tokens = [*SPECIAL, "\n", ".", "?", ",", ":", *LABELS, *sorted(words - set(LABELS))]
    return {token: number for number, token in enumerate(tokens)}


LABELS = tuple(questions.LABELS)


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Build the word-level tokenizer; a word it does not know is `<unk>`."""
    core = Tokenizer(models.WordLevel(vocabulary(), unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(" +"), "removed"),
            pre_tokenizers.Split(Regex(r"\n|[^\w\s]"), "isolated"),
        ]
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=core,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        additional_special_tokens=list(SPECIAL[4:]),
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def make_processor() -> Qwen2VLProcessor:
    """Build the processor: a square clip becomes 32 by 32 pixels."""
    sizes: dict[str, Any] = {
        "patch_size": PATCH,
        "temporal_patch_size": PAIR,
        "merge_size": MERGE,
        "min_pixels": PIXELS**2,
        "max_pixels": PIXELS**2,
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
    }
    return Qwen2VLProcessor(  # type: ignore[no-untyped-call]
        image_processor=Qwen2VLImageProcessor(**sizes),
        tokenizer=make_tokenizer(),
        video_processor=Qwen2VLVideoProcessor(**sizes),
        chat_template=CHAT_TEMPLATE,
    )


def make_config() -> Qwen2VLConfig:
    """Return the configuration of the model."""
    ids = vocabulary()
    text = {
        "vocab_size": len(ids),
        "hidden_size": 128,
        "intermediate_size": 384,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "max_position_embeddings": 1024,
        # Halves of a head's 32 channels that turn with time, height and width.
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10_000.0,
            "mrope_section": [4, 6, 6],
        },
        "bos_token_id": ids["<|im_start|>"],
        "eos_token_id": ids["<|im_end|>"],
        "pad_token_id": ids["<pad>"],
        "tie_word_embeddings": False,
        "initializer_range": 0.05,
    }
    vision = {
        "depth": 2,
        "embed_dim": 96,
        "num_heads": 4,
        "mlp_ratio": 2,
        "patch_size": PATCH,
        "spatial_merge_size": MERGE,
        "temporal_patch_size": PAIR,
        "in_channels": 3,
        "hidden_size": 128,
        "initializer_range": 0.05,
    }
    return Qwen2VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=False,
    )


def make_model(seed: int) -> Qwen2VLForConditionalGeneration:
    """Build the model with fresh weights."""
    torch.manual_seed(seed)
    return Qwen2VLForConditionalGeneration(make_config())


def save(model: Qwen2VLForConditionalGeneration, folder: Path) -> None:
    """Write *model* with tokenizer and processor in the Hugging Face layout."""
    ids = vocabulary()
    model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
        do_sample=False,
        max_new_tokens=2,
        bos_token_id=ids["<|im_start|>"],
        eos_token_id=ids["<|im_end|>"],
        pad_token_id=ids["<pad>"],
    )
    model.save_pretrained(folder)
    make_processor().save_pretrained(folder)
