"""`KeyValues`: what a model remembers of tokens, cut out of its cache.

Apart from the passes, which decide what is read when: this is tensors alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._hf_load import Tensor


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
    """Return what *cache* holds of one row's new tokens, as tensors of its own."""
    part = slice(past, past + length)
    return KeyValues(
        tuple(
            (layer.keys[row, :, part].clone(), layer.values[row, :, part].clone())
            for layer in cache.layers
        )
    )
