"""How much memory a checkpoint needs, told before any weight is read.

Apart from the machine, which has so much or less: here are arithmetic on headers
and ``config.json``, and no torch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.backends._hf_files import CheckpointFiles, read_safetensors_header

ITEM = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}
"""Bytes of one number."""
_FLOATS = frozenset({"F64", "F32", "F16", "BF16"})
"""Kinds of a header that are loaded in the dtype that is asked for."""
_MARGIN = 1.2
"""What an allocator holds for what it was asked, and what is not counted here."""
_OUTPUTS = 512
"""Places of which a pass has the output, at most as a rule: eight in each row."""


def stored_bytes(files: CheckpointFiles, dtype: str) -> int:
    """Return what the weights of *files* take once they are loaded in *dtype*.

    Quantised ones are loaded as they lie.
    """
    added = adapter_bytes(files, dtype)
    if files.weights_are_pickle:
        size = sum(path.stat().st_size for path in files.weights)
        return size * ITEM[dtype] // ITEM.get(files.dtype, 4) + added
    as_they_lie = files.quantisation != "none"
    size = 0 if as_they_lie else ITEM[dtype]
    return sum(_told(path, size) for path in files.weights) + added


def adapter_bytes(files: CheckpointFiles, dtype: str) -> int:
    """Return what the adapter of *files* adds in *dtype*; 0 where there is none."""
    found = files.adapter
    if found is None or found.weights_are_pickle:
        return 0
    return _told(found.weights, ITEM[dtype])


def _told(path: Path, size: int) -> int:
    """Return the bytes of the tensors in *path*, floats of *size* bytes if not 0."""
    total = 0
    for name, entry in read_safetensors_header(path).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        cast = entry["dtype"] in _FLOATS and size
        total += math.prod(entry["shape"]) * size if cast else end - begin
    return total


def work_bytes(config: Mapping[str, Any], dtype: str, tokens: int) -> int | None:
    """Return about what the largest pass needs, of *tokens*, beside the weights.

    Keys and values twice, as they are copied out of the pass; what a layer has at
    hand of all tokens, in the language model or in the vision encoder, whichever
    is more; the outputs. None where *config* does not say how large the model is.
    """
    text = _part(config, "text_config", "llm_config", "language_config") or config
    layers, width = text.get("num_hidden_layers"), text.get("hidden_size")
    if not isinstance(layers, int) or not isinstance(width, int):
        return None
    size = ITEM[dtype]
    heads = _whole(text, "num_attention_heads") or 1
    shared = _whole(text, "num_key_value_heads") or heads
    head = _whole(text, "head_dim") or width // heads
    cache = 2 * layers * shared * head * size * tokens
    outputs = _OUTPUTS * (_whole(text, "vocab_size") or 0) * size
    read = _layer(width, _inner(text)) * size * tokens + tokens * tokens
    return int(_MARGIN * (2 * cache + max(read, _seen(config, size, tokens)) + outputs))


def _seen(config: Mapping[str, Any], size: int, tokens: int) -> int:
    """Return what a layer of the vision encoder holds of as many visual tokens."""
    vision = _part(config, "vision_config", "vision_tower_config")
    width = _whole(vision, "embed_dim") or _whole(vision, "hidden_size") or 0
    told = vision.get("mlp_ratio")
    ratio = told if isinstance(told, (int, float)) and told else 4
    inner = _whole(vision, "intermediate_size") or int(width * ratio)
    merge = _whole(vision, "spatial_merge_size") or 1
    return _layer(width, inner) * size * tokens * merge**2


def _layer(width: int, inner: int) -> int:
    """Return the numbers that a layer has at hand of one token.

    What came in, its norm, query, key, value and what attention makes of them;
    of the inner layer the gate, the values and their product.
    """
    return 6 * width + 3 * inner


def _inner(text: Mapping[str, Any]) -> int:
    usual = _whole(text, "intermediate_size") or 0
    expert = _whole(text, "moe_intermediate_size") or 0
    return max(usual, expert * (_whole(text, "num_experts_per_tok") or 1))


def _part(config: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    found = (config.get(name) for name in names)
    return next((part for part in found if isinstance(part, Mapping)), {})


def _whole(config: Mapping[str, Any], name: str) -> int | None:
    value = config.get(name)
    return value if isinstance(value, int) else None
