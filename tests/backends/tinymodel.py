"""A tiny random checkpoint in the Hugging Face layout, made in a second.

Apart from the tests so that each asks for its own kind of broken checkpoint in
one line. Its answers mean nothing, but depend on each pixel and on their order.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

SPECIALS = (
    "<pad>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
WORDS = (
    *("user", "assistant", "A", "B", "C", "D", ".", "?", ":", "\n", "<", ">"),
    *("what", "color", "is", "the", "shape", "which", "comes", "first"),
    *("red", "green", "blue", "yellow"),
    *("Answer", "with", "letter", "of", "correct", "option", "seconds"),
    *(f"{tenth / 10:.1f}" for tenth in range(100)),
)
MARKS = {mark.strip("<|>"): mark for mark in SPECIALS[3:]}
VOCABULARY = {word: index for index, word in enumerate([*SPECIALS, *WORDS])}

CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% for c in m['content'] %}"
    "{% if c['type'] == 'video' %}<|vision_start|><|video_pad|><|vision_end|>"
    "{% elif c['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif 'text' in c %}{{ c['text'] }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# transformers builds its classes by name at run time.
Untyped = Any
VIDEO_PART = "<|vision_start|><|video_pad|><|vision_end|>"
NASTY_GENERATION = {
    "do_sample": True,
    "temperature": 5.0,
    "top_k": 50,
    "top_p": 0.9,
    "repetition_penalty": 3.0,
    "no_repeat_ngram_size": 1,
    "min_new_tokens": 3,
    "num_beams": 2,
    "eos_token_id": VOCABULARY["<|im_end|>"],
    "pad_token_id": VOCABULARY["<pad>"],
}


def build_checkpoint(
    folder: Path, *, family: str = "qwen2_vl", chat_template: str | None = CHAT_TEMPLATE
) -> Path:
    """Save a tiny random checkpoint of *family* into *folder* and return it."""
    import torch
    import transformers

    torch.manual_seed(0)
    vocabulary: dict[str, Any] = {
        "vocab_size": len(VOCABULARY),
        "bos_token_id": VOCABULARY["<|im_start|>"],
        "eos_token_id": VOCABULARY["<|im_end|>"],
        "pad_token_id": VOCABULARY["<pad>"],
    }
    text, vision, names = _sizes(family)
    stem = {"qwen2_vl": "Qwen2VL", "qwen2_5_vl": "Qwen2_5_VL", "qwen3_vl": "Qwen3VL"}
    config = getattr(transformers, f"{stem[family]}Config")(
        text_config={**vocabulary, **text},
        vision_config=vision,
        image_token_id=VOCABULARY["<|image_pad|>"],
        video_token_id=VOCABULARY["<|video_pad|>"],
        vision_start_token_id=VOCABULARY["<|vision_start|>"],
        vision_end_token_id=VOCABULARY["<|vision_end|>"],
        tie_word_embeddings=False,
    )
    model = getattr(transformers, f"{stem[family]}ForConditionalGeneration")(config)
    model.save_pretrained(folder)
    _processor(family, names, chat_template).save_pretrained(folder)
    return folder


def edit_json(path: Path, **changes: object) -> None:
    """Set top-level keys of a JSON file, which is made if it is not there."""
    content = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**content, **changes}))


def rewrite_weights(
    folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """Replace the saved tensors by what *change* makes of their mapping."""
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    tensors = change(dict(load_file(path)))
    # A file of its own: what is loaded may still map the old one.
    path.unlink()
    save_file(tensors, path, metadata={"format": "pt"})


def _tokenizer() -> Untyped:
    """Return a tokenizer whose tokens are `WORDS`."""
    import transformers
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    fast: Untyped = transformers.PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel(VOCABULARY, unk_token="<pad>"))
    words.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(" "), "removed"),
            pre_tokenizers.Split(Regex(r"\n|[?:<>]|\.(?!\d)"), "isolated"),
        ]
    )
    return fast(
        tokenizer_object=words,
        pad_token="<pad>",
        unk_token="<pad>",
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        extra_special_tokens=MARKS,
    )


def _sizes(family: str) -> tuple[dict[str, Any], dict[str, Any], tuple[str, str]]:
    """Return text sizes, vision sizes, and the two processor class names."""
    text: dict[str, Any] = {
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "max_position_embeddings": 512,
        "initializer_range": 0.3,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10000.0,
            "mrope_section": [2, 3, 3],
        },
    }
    vision: dict[str, Any] = {
        "depth": 2,
        "num_heads": 4,
        "patch_size": 8,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "initializer_range": 0.3,
    }
    if family == "qwen2_vl":
        vision |= {"embed_dim": 32, "mlp_ratio": 2, "hidden_size": 64}
        return text, vision, ("Qwen2VLProcessor", "Qwen2VLVideoProcessor")
    own: dict[str, Any] = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "out_hidden_size": 64,
    }
    if family == "qwen2_5_vl":
        own |= {"window_size": 32, "fullatt_block_indexes": [1]}
        names = ("Qwen2_5_VLProcessor", "Qwen2VLVideoProcessor")
        return text, {**vision, **own}, names
    text["head_dim"] = 16
    own |= {"deepstack_visual_indexes": [0], "num_position_embeddings": 64}
    return text, {**vision, **own}, ("Qwen3VLProcessor", "Qwen3VLVideoProcessor")


def _processor(
    family: str, names: tuple[str, str], chat_template: str | None
) -> Untyped:
    import transformers

    # Qwen3-VL bounds the pixels of the whole clip, its elders those of a frame.
    many = 16 if family == "qwen3_vl" else 1
    options: dict[str, Any] = {
        "patch_size": 8,
        "temporal_patch_size": 2,
        "merge_size": 2,
        "size": {"shortest_edge": 32 * 32, "longest_edge": 32 * 32 * many},
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
    }
    return getattr(transformers, names[0])(
        image_processor=transformers.Qwen2VLImageProcessor(**options),
        tokenizer=_tokenizer(),
        video_processor=getattr(transformers, names[1])(**options),
        chat_template=chat_template,
    )
