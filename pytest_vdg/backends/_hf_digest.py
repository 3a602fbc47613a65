"""`tensor_digest`: what a tensor holds in a word, looked up where it was hashed.

Apart from the inputs because pixels are hashed for more than one reason, and
those of a clip stand in many prompts.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from pytest_vdg.backends._hf_load import Tensor


def tensor_digest(tensor: Tensor) -> str:
    """Return a digest of dtype, shape and content, 32 hexadecimal digits.

    *tensor* must not be changed afterwards: its digest is remembered.
    """
    known = _known()
    found: str | None = known.get(tensor)
    if found is None:
        found = known[tensor] = _hashed(tensor)
    return found


def _hashed(tensor: Tensor) -> str:
    import torch

    state = hashlib.blake2b(digest_size=16)
    state.update(f"{tensor.dtype}{tuple(tensor.shape)}".encode())
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    state.update(flat.view(torch.uint8).numpy().data)
    return state.hexdigest()


@cache
def _known() -> Any:  # noqa: ANN401 - the class has no types
    """Return digests by tensor, forgotten with it."""
    from torch.utils.weak import WeakIdKeyDictionary

    return WeakIdKeyDictionary()
