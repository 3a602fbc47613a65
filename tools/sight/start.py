"""Where the weights start: what would take a tiny model hours to find by chance.

A language model of ordinary size has long learned to look back a token and to
find an earlier occurrence of a word. Here both are laid out in a few heads of
the fresh model, and words start at the vectors of what they stand for. All of
it is free to change in training.
"""

from __future__ import annotations

import math

import torch
from transformers import Qwen2VLForConditionalGeneration
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLAttention

from tools.sight import symbols
from tools.sight.families import NUMBERS
from tools.sight.model import vocabulary
from tools.sight.scenes import COLOURS, SHAPES

LOOK_BACK = ((0, 0, 1), (0, 1, 2), (1, 0, 1), (1, 1, 2))
"""(layer, head, tokens back) of the heads that start out looking back."""
MATCH = ((1, 2), (1, 3), (2, 2), (2, 3), (3, 2))
"""(layer, head) of the heads that start out looking for tokens like their own."""


@torch.no_grad()
def prepare(model: Qwen2VLForConditionalGeneration, vectors: torch.Tensor) -> None:
    """Set the heads and words of a fresh *model*; *vectors* are those of symbols."""
    layers = model.model.language_model.layers
    for layer, head, distance in LOOK_BACK:
        _look_back(layers[layer].self_attn, head, distance)
    for layer, head in MATCH:
        _match(layers[layer].self_attn, head)
    words = model.model.language_model.embed_tokens.weight
    for word, vector in _meanings(vectors).items():
        words[vocabulary()[word]] = vector


def _rows(attention: Qwen2VLAttention, head: int) -> slice:
    width = int(attention.head_dim)
    return slice(head * width, (head + 1) * width)


def _look_back(attention: Qwen2VLAttention, head: int, distance: int) -> None:
    """Let *head* attend to the token *distance* before, whatever it is.

    Query and key are constants whose rotary angles agree at that distance.
    """
    rows = _rows(attention, head)
    half = int(attention.head_dim) // 2
    query, key = torch.zeros(2 * half), torch.zeros(2 * half)
    for pair in range(5):  # the fastest turning ones tell neighbours apart
        angle = distance * 10_000.0 ** (-pair / half)
        key[pair] = 7.0
        query[pair] = 7.0 * math.cos(angle)
        query[pair + half] = -7.0 * math.sin(angle)
    attention.q_proj.weight[rows] *= 0.1
    attention.k_proj.weight[rows] *= 0.1
    attention.q_proj.bias[rows] = query
    attention.k_proj.bias[rows] = key


def _match(attention: Qwen2VLAttention, head: int) -> None:
    """Let *head* attend to tokens that look like its own."""
    rows = _rows(attention, head)
    attention.q_proj.weight[rows] *= 2
    attention.k_proj.weight[rows] = attention.q_proj.weight[rows]


def _meanings(vectors: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return word to vector: that of its symbol in both frames of a pair."""
    both = vectors[: symbols.N_FRAME] + vectors[symbols.N_FRAME : -1]
    symbol_words = (*COLOURS, *SHAPES, None, None, None, *NUMBERS)
    return {
        word: vector
        for word, vector in zip(symbol_words, both, strict=True)
        if word is not None
    }
