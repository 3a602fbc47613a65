"""The model while it is trained: loss, accuracy, and a faster vision attention.

The finished checkpoint is run by transformers as it is. Training takes the
same modules by a shorter way: no head over positions that have no target, and
vision attention over all frame pairs at once instead of one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import torch
from torch.nn import functional
from transformers import Qwen2VLForConditionalGeneration
from transformers.models.qwen2_vl import modeling_qwen2_vl

from tools.sight import symbols
from tools.sight.batches import Batch, Collator
from tools.sight.forms import FORMS, Form, marks
from tools.sight.model import (
    FRAMES,
    PAIR,
    PATCH,
    PIXELS,
    TOKENS_A_PAIR,
    make_model,
    vocabulary,
)
from tools.sight.start import prepare

SIDE = PIXELS // PATCH


def _attend_all(
    self: modeling_qwen2_vl.VisionAttention,
    hidden_states: torch.Tensor,
    position_embeddings: tuple[torch.Tensor, torch.Tensor],
    **_: object,
) -> torch.Tensor:
    """Attend within each frame pair; all pairs are equally long here."""
    count = hidden_states.shape[0]
    query, key, value = (
        self.qkv(hidden_states).reshape(count, 3, self.num_heads, -1).unbind(1)
    )
    query, key = modeling_qwen2_vl.apply_rotary_pos_emb_vision(
        query, key, *position_embeddings
    )
    query, key, value = (
        part.reshape(-1, SIDE**2, self.num_heads, self.head_dim).transpose(1, 2)
        for part in (query, key, value)
    )
    mixed = functional.scaled_dot_product_attention(query, key, value)
    out: torch.Tensor = self.proj(mixed.transpose(1, 2).reshape(count, -1))
    return out


@contextmanager
def fast_vision() -> Iterator[None]:
    """Use `_attend_all` for as long as the context lasts."""
    attention = modeling_qwen2_vl.VisionAttention
    with mock.patch.object(attention, "forward", _attend_all):
        yield


class Learner:
    """A model with the ways it is taught."""

    def __init__(self, seed: int = 0) -> None:
        """Start from fresh weights."""
        self.model: Qwen2VLForConditionalGeneration = make_model(seed)
        self.vectors = symbols.directions(self.model.lm_head.in_features)
        prepare(self.model, self.vectors)
        positions = {form: self._prefix_positions(form) for form in FORMS}
        self.collate = Collator(vocabulary(), positions)

    def _prefix_positions(self, form: Form) -> torch.Tensor:
        """Ask the model for the positions of a prompt's first tokens."""
        ids = vocabulary()
        words = ["<|im_start|>", "user", "\n", *marks(form)]
        tokens = torch.tensor([[ids[word] for word in words]])
        image, video = (tokens == ids[f"<|{kind}_pad|>"] for kind in ("image", "video"))
        positions, _ = self.model.model.get_rope_index(
            tokens,
            mm_token_type_ids=image.int() + 2 * video.int(),
            image_grid_thw=torch.tensor([[1, SIDE, SIDE]] * FRAMES),
            video_grid_thw=torch.tensor([[FRAMES // PAIR, SIDE, SIDE]]),
        )
        prefix: torch.Tensor = positions[:, 0]
        return prefix

    def see(self, batch: Batch) -> torch.Tensor:
        """Return the visual tokens of the pixels: ``(pairs, 4, width)``."""
        grid = torch.tensor([[len(batch.numbers), SIDE, SIDE]])
        tower = self.model.model.visual
        tokens: torch.Tensor = tower(batch.patches, grid_thw=grid).pooler_output
        return tokens.reshape(len(batch.numbers), TOKENS_A_PAIR, -1)

    def told(self, batch: Batch, noise: float) -> torch.Tensor:
        """Return visual tokens made from the symbols, as `see` should make them."""
        numbers = batch.numbers + noise * torch.randn_like(batch.numbers)
        tokens = numbers @ self.vectors
        return tokens[:, None].expand(-1, TOKENS_A_PAIR, -1)

    def sight_loss(self, seen: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Compare visual tokens with those that the symbols stand for."""
        error = (seen - self.told(batch, noise=0.0)).square().sum(-1).mean()
        return error / symbols.SCALE**2

    def logits(self, batch: Batch, visual: torch.Tensor) -> torch.Tensor:
        """Return the output at every target's place: ``(targets, vocabulary)``."""
        inner = self.model.model
        embedded = inner.get_input_embeddings()(batch.ids)
        states = inner.language_model(
            inputs_embeds=embedded.masked_scatter(batch.visual[..., None], visual),
            position_ids=batch.positions,
            use_cache=False,
        ).last_hidden_state
        out: torch.Tensor = self.model.lm_head(states[batch.rows, batch.columns])
        return out


def loss(logits: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Return the mean loss over all targets."""
    return functional.cross_entropy(logits, batch.targets)


def accuracy_by_task(logits: torch.Tensor, batch: Batch) -> dict[str, float]:
    """Return the share of right answer letters for each task of *batch*."""
    right = logits[batch.answers].argmax(1) == batch.targets[batch.answers]
    tasks = sorted(set(batch.tasks))
    chosen = {t: torch.tensor([name == t for name in batch.tasks]) for t in tasks}
    return {t: right[chosen[t]].float().mean().item() for t in tasks}
