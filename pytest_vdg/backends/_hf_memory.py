"""`KeyValues`: what a model remembers of tokens, cut out of its cache.

Apart from the passes, which decide what is read when: this is tensors alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._hf_load import Tensor

_DIVISIBLE = {"full_attention", "sliding_attention", "chunked_attention", "moe", "mlp"}
"""Kinds of layers that keep keys and values of each token, or nothing."""


class Indivisible(Exception):
    """A model remembers what cannot be told apart by tokens."""

    def __init__(self, kinds: str) -> None:
        """Name the *kinds* of layers that do."""
        super().__init__(
            "the model keeps more than keys and values of each token "
            f"({kinds}), which cannot be divided"
        )


def indivisible(config: Any) -> Indivisible | None:  # noqa: ANN401
    """Return what a model of *config* keeps that cannot be divided, if it says so."""
    text = getattr(config, "text_config", None) or config
    kinds = set(getattr(text, "layer_types", None) or ()) - _DIVISIBLE
    return Indivisible(", ".join(sorted(kinds))) if kinds else None


@dataclass(frozen=True, eq=False)
class KeyValues:
    """Keys and values of a run of tokens, layer by layer, ``(heads, n, size)``."""

    layers: tuple[tuple[Tensor, Tensor], ...]

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return sum(int(t.nbytes) for layer in self.layers for t in layer)

    def split(self, tokens: int) -> tuple[KeyValues, KeyValues]:
        """Return those of the first *tokens*, and those of the rest."""
        first = tuple((k[:, :tokens], v[:, :tokens]) for k, v in self.layers)
        rest = tuple((k[:, tokens:], v[:, tokens:]) for k, v in self.layers)
        return KeyValues(first), KeyValues(rest)


def taken(cache: Any, row: int, past: int, length: int) -> KeyValues:  # noqa: ANN401
    """Return what *cache* holds of one row's new tokens, as tensors of its own.

    Raises `Indivisible` where that is not keys and values alone.
    """
    for layer in cache.layers:
        if getattr(layer, "keys", None) is None or hasattr(layer, "recurrent_states"):
            raise Indivisible(type(layer).__name__)
    part = slice(past, past + length)
    return KeyValues(
        tuple(
            (layer.keys[row, :, part].clone(), layer.values[row, :, part].clone())
            for layer in cache.layers
        )
    )
