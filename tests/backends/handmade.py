"""Checkpoint folders written by hand, with no weights worth the name, and no torch.

Apart from the trained and random ones because what is read from headers and
configs alone is tested without waiting for a library that is not asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

SIZES = {"F64": 8, "F32": 4, "BF16": 2, "F16": 2, "I64": 8, "U8": 1, "F8_E4M3": 1}
"""Bytes of a number, by safetensors' own names."""
Tensors = Mapping[str, tuple[str, Sequence[int]]]
"""Name of a tensor to its kind and shape."""


def write_safetensors(path: Path, tensors: Tensors, **metadata: str) -> Path:
    """Write a file of zeros in the layout of safetensors; return it."""
    header: dict[str, object] = {"__metadata__": metadata} if metadata else {}
    end = 0
    for name, (kind, shape) in tensors.items():
        begin = end
        size = SIZES[kind]
        for length in shape:
            size *= length
        end += size
        offsets = [begin, end]
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": offsets}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(end))
    return path


def write_checkpoint(
    folder: Path, tensors: Tensors | None = None, **config: object
) -> Path:
    """Write a folder that looks like a checkpoint; return its weights."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "config.json": config,
        "generation_config.json": {"eos_token_id": 2},
        "preprocessor_config.json": {"do_resize": True},
        "tokenizer_config.json": {"eos_token": "</s>"},
        "tokenizer.json": {"model": {"vocab": {"a": 0}}},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    return write_safetensors(
        folder / "model.safetensors", tensors or {"w": ("F32", (2, 3))}
    )
