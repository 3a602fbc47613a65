"""What ``quantisation`` stands for: bitsandbytes, and how it is told and asked for.

Apart from loading because a run is named by its form before any weight is read,
and because what cannot be is refused where torch is not imported yet.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Sequence
from typing import Any

from pytest_vdg.errors import BackendUnavailable, ConfigError

METHODS = ("nf4", "int8")
"""What weights may be quantised to as they are loaded."""
PACKAGE = "bitsandbytes"
EXTRA = "quantised"
ALONE = (
    "int8 treats outliers by all that is read together, so that an answer would "
    "depend on what is asked beside it"
)
_BLOCK = 64
"""Weights of NF4 that have one scale."""
_LOUD = ("bitsandbytes.autograd._functions", "bitsandbytes.backends.cpu.ops")
_SAID = ("inputs will be cast", "Failed to load CPU gemm_4bit_forward")
"""What bitsandbytes says for each layer of each pass, or of what nobody asked for."""
_ROWS = 32
"""Outputs that the CPU's kernel of NF4 makes at a time."""


def _quiet(record: logging.LogRecord) -> bool:
    """Tell whether *record* is anything but what is said over and over."""
    return not any(words in record.getMessage() for words in _SAID)


def hush() -> None:
    """Keep bitsandbytes, which PEFT imports as well, from what it says of no use."""
    for name in _LOUD:
        logging.getLogger(name).addFilter(_quiet)


def require_package(backend: str) -> None:
    """Raise `BackendUnavailable` where *backend* lacks what quantises."""
    if importlib.util.find_spec(PACKAGE) is None:
        raise BackendUnavailable(backend, PACKAGE, extra=EXTRA)


def refuse_quantised(where: object, method: str, found: str) -> None:
    """Raise `ConfigError` for a checkpoint that lies on disk quantised, as *found*."""
    if found != "none":
        raise ConfigError(
            f"quantisation: {method} was asked for, and {where} is quantised already "
            f"({found}).\nLeave quantisation out: it is asked as it is"
        )


def told(method: str, dtype: str) -> str:
    """Return what *method* does to the weights, as part of a backend's identity."""
    if method == "int8":
        return "bitsandbytes LLM.int8(), outliers above 6.0; output layer as stored"
    return (
        "bitsandbytes NF4, blocks of 64, double quantisation, computed in "
        f"{dtype}; output layer as stored"
    )


def config(method: str, dtype: str, kept: Sequence[str] | None) -> Any:  # noqa: ANN401
    """Return transformers' own configuration of *method*.

    *kept* are the layers that stay as stored; None leaves that to the library.
    """
    import torch
    import transformers

    hush()
    make: Any = transformers.BitsAndBytesConfig
    skipped = None if kept is None else list(kept)
    if method == "int8":
        return make(load_in_8bit=True, llm_int8_skip_modules=skipped)
    return make(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=getattr(torch, dtype),
        llm_int8_skip_modules=skipped,
    )


def quantised_bytes(method: str, inputs: int, outputs: int) -> int:
    """Return what a layer's weights take, with their scales.

    NF4: half a byte each, a byte for each block of 64, four for 256 of those.
    int8: a byte each, and four for each output.
    """
    number = inputs * outputs
    if method == "int8":
        return number + 4 * outputs
    blocks = -(-number // _BLOCK)
    return -(-number // 2) + blocks + 4 * -(-blocks // 256)


def fits_kernel(method: str, device: str, inputs: int, outputs: int) -> bool:
    """Whether *device* can compute with such a layer once it is quantised.

    On processors with bfloat16 of their own, bitsandbytes packs NF4 in whole
    blocks, and fails on layers that have none. Others can do all of them; that the
    form is the same on each is worth a few layers.
    """
    if method != "nf4" or device.partition(":")[0] != "cpu":
        return True
    return inputs % _BLOCK == 0 and outputs % _ROWS == 0


def why_alone(model: Any) -> str:  # noqa: ANN401 - transformers' own
    """Return why prompts must never be read together; empty if they may."""
    return ALONE if getattr(model, "is_loaded_in_8bit", False) else ""
