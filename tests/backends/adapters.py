"""Adapters made with PEFT itself, on a checkpoint that a test names.

Apart from the tests so that each asks for its own kind in one line. What PEFT
makes of an adapter is what ours is held against.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file

# transformers and PEFT build their classes at run time.
Untyped = Any
DEFAULTS: dict[str, Any] = {"r": 4, "lora_alpha": 8, "target_modules": ["q_proj"]}


def load_base(folder: Path, auto: str = "AutoModelForImageTextToText") -> Untyped:
    """Return the model in *folder*, in float32 and evaluation mode."""
    import torch
    import transformers

    made = getattr(transformers, auto)
    return made.from_pretrained(folder, dtype=torch.float32).eval()


def with_lora(model: Untyped, **lora: object) -> Untyped:
    """Return *model* with an adapter of random weights, as PEFT makes one."""
    import peft
    import torch

    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = peft.get_peft_model(model, peft.LoraConfig(**{**DEFAULTS, **lora}))
    with torch.no_grad():
        for weight in made.parameters():
            if weight.requires_grad:
                weight.add_(0.2 * torch.randn_like(weight))
    return made


def save(model: Untyped, folder: Path) -> Path:
    """Save the adapter of *model* into *folder* and return that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.save_pretrained(folder)
    return folder


def build_adapter(
    base: Path,
    folder: Path,
    *,
    auto: str = "AutoModelForImageTextToText",
    **lora: object,
) -> Path:
    """Save a random adapter of *base* into *folder* and return that."""
    return save(with_lora(load_base(base, auto), **lora), folder)


def as_peft_loads(base: Path, folder: Path) -> Untyped:
    """Return *base* with the adapter in *folder*, by PEFT's own road."""
    import peft

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return peft.PeftModel.from_pretrained(load_base(base), folder).eval()


def rewrite(
    folder: Path, change: Callable[[dict[str, Untyped]], dict[str, Untyped]]
) -> None:
    """Replace the adapter's saved tensors by what *change* makes of them."""
    path = folder / "adapter_model.safetensors"
    tensors = change(dict(load_file(path)))
    path.unlink()
    save_file(tensors, path, metadata={"format": "pt"})
