"""Parts of which the tiny checkpoints of all families are made.

Apart from the families so that each of those is what is particular to it: its
config, its processor, its chat template.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# transformers builds its classes by name at run time.
Untyped = Any

SIDE = 32
"""Height and width of a frame as the models take it."""
SIZE = {"height": SIDE, "width": SIDE}
SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
STD = 0.25
"""Of random weights: large enough that each pixel changes an answer."""
PIXELS = {"image_mean": [0.5] * 3, "image_std": [0.5] * 3}
"""Black is -1 and white 1, where a family's own numbers do not matter."""

IMAGE_VIDEO = {"image_token": "<image>", "video_token": "<video>"}
"""Marks of the LLaVA line."""
PADS = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
"""Marks of the Qwen-VL line, and of those that took them over."""
PAD_IDS = {"image_token_id": "<|image_pad|>", "video_token_id": "<|video_pad|>"}
"""Those by the names that configs have for them."""

SLIDING = {"layer_types": ["sliding_attention", "full_attention"]}
RECURRENT = {
    "layer_types": ["linear_attention", "full_attention"],
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
}
"""Layers of language models that do not attend to all, beside one that does."""


def letters(
    marks: Mapping[str, str], others: Sequence[str] = (), *, begin: str = "<s>"
) -> Untyped:
    """Return a tokenizer that makes one token of each character.

    So all that a processor writes can be read in the prompt. *marks* are special
    tokens by the name of their attribute, *others* have none.
    """
    import transformers
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    characters = sorted(set(string.printable))
    known = {text: number for number, text in enumerate([*SPECIALS, *characters])}
    words = Tokenizer(models.WordLevel(known, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Split(Regex(r".|\s"), "isolated")
    words.decoder = decoders.Fuse()
    fast: Untyped = transformers.PreTrainedTokenizerFast
    tokenizer = fast(
        tokenizer_object=words,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        extra_special_tokens=dict(marks),
    )
    tokenizer.add_tokens(list(others), special_tokens=True)
    return tokenizer


def vocabulary(tokenizer: Untyped) -> dict[str, Any]:
    """Return what a text config says of *tokenizer*."""
    return {
        "vocab_size": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }


def text_sizes(tokenizer: Untyped, kind: str | None = None) -> dict[str, Any]:
    """Return the config of a tiny language model, of *kind* if its config says so."""
    sizes = {
        **vocabulary(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": 4096,
    }
    return {**sizes, "model_type": kind} if kind else sizes


def vision_sizes(kind: str | None = None) -> dict[str, Any]:
    """Return the config of a tiny vision encoder with patches of 8 pixels."""
    sizes = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": SIDE,
        "patch_size": 8,
    }
    return {**sizes, "model_type": kind} if kind else sizes


def siglip_sizes() -> dict[str, Any]:
    """Return `vision_sizes` of SigLIP, as the parts of LLaVA's kind take it."""
    return {**vision_sizes("siglip_vision_model"), "vision_use_head": False}


def save(folder: Path, model: Untyped, processor: Untyped) -> Path:
    """Save *model*, its weights drawn anew, and *processor* into *folder*."""
    import torch

    torch.manual_seed(0)
    for parameter in model.parameters():
        if parameter.ndim >= 2:
            torch.nn.init.normal_(parameter, std=STD)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def ids(tokenizer: Untyped, **tokens: str) -> dict[str, int]:
    """Return the number of each of *tokens*, by the name that a config has for it."""
    return {n: tokenizer.convert_tokens_to_ids(text) for n, text in tokens.items()}


def turns(
    *, user: str, end: str, assistant: str, parts: Mapping[str, str], begin: str = ""
) -> str:
    """Return a chat template: *begin*, then each user's turn, then the answer.

    *parts* are what stands for a part of a message by its type.
    """
    written = "".join(
        "{%% elif c['type'] == '%s' %%}%s" % (kind, text)  # noqa: UP031 - braces
        for kind, text in parts.items()
    )
    return (
        f"{begin}{{% for m in messages %}}{user}{{% for c in m['content'] %}}"
        f"{{% if c['type'] == 'text' %}}{{{{ c['text'] }}}}{written}{{% endif %}}"
        f"{{% endfor %}}{end}{{% endfor %}}"
        f"{{% if add_generation_prompt %}}{assistant}{{% endif %}}"
    )


def chatml(**parts: str) -> str:
    """Return the template of many families: ``<|im_start|>role``, ``<|im_end|>``."""
    return turns(
        user="<|im_start|>user\n",
        end="<|im_end|>\n",
        assistant="<|im_start|>assistant\n",
        parts=parts,
    )


CHATML = ("<|im_start|>", "<|im_end|>")
"""Tokens of `chatml`."""
