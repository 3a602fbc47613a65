"""`tensor_digest`: what a tensor holds in a word, looked up where it was hashed.

Apart from the inputs because pixels are hashed for more than one reason, and
those of a clip stand in many prompts; with what else is told once and looked up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from functools import cache, wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pytest_vdg.backends._hf_load import Loaded, Tensor

T = TypeVar("T")


def once_a_tensor(made_of: Callable[..., T]) -> Callable[..., T]:
    """Return *made_of*, asked once about each tensor and forgotten with it.

    The tensor comes first; what else is given must be hashable. A tensor must
    not be changed after it was asked about.
    """

    @cache
    def known() -> Any:  # noqa: ANN401 - the class has no types
        from torch.utils.weak import WeakIdKeyDictionary

        return WeakIdKeyDictionary()

    @wraps(made_of)
    def looked_up(tensor: Tensor, *more: Hashable) -> T:
        held: dict[tuple[Hashable, ...], T] = known().setdefault(tensor, {})
        if more not in held:
            held[more] = made_of(tensor, *more)
        return held[more]

    return looked_up


def once_a_model(told: Callable[[Loaded], T]) -> Callable[[Loaded], T]:
    """Return *told*, asked once about each loaded model and forgotten with it."""
    known: WeakKeyDictionary[Loaded, T] = WeakKeyDictionary()

    @wraps(told)
    def looked_up(loaded: Loaded) -> T:
        if loaded not in known:
            known[loaded] = told(loaded)
        return known[loaded]

    return looked_up


@once_a_tensor
def tensor_digest(tensor: Tensor) -> str:
    """Return a digest of dtype, shape and content, 32 hexadecimal digits."""
    import torch

    state = hashlib.blake2b(digest_size=16)
    state.update(f"{tensor.dtype}{tuple(tensor.shape)}".encode())
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    state.update(flat.view(torch.uint8).numpy().data)
    return state.hexdigest()
