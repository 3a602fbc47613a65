"""`InputBuilder`: model inputs of many prompts, each part of them made once.

Apart from `_hf_inputs`, which makes one whole, because the processor does the
same work again for every question on a clip, and for every condition of one.

What follows the video in a prompt is text alone, and what the processor writes
in the video's place depends on its shape and times alone. Both are held
against the processor's own output wherever it was asked, and where they do not
agree it is asked every time.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._hf_inputs import (
    ModelInputs,
    checked_inputs,
    encode,
    render_chat,
    video_options,
    visual_token_ids,
)
from pytest_vdg.backends._hf_load import Loaded, Tensor
from pytest_vdg.backends._hf_tree import Element
from pytest_vdg.backends._hf_vision import frame_digests
from pytest_vdg.backends.work import Work
from pytest_vdg.frames.clip import Clip

MOST_CLIPS = 16
"""Clips whose pixels are held; the conditions of a few videos."""
MOST_SHAPES = 256
TEXT = ("input_ids", "attention_mask", "mm_token_type_ids", "token_type_ids")
"""Inputs that have a value for each token."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _Head:
    """The prompt up to the end of a video, for all videos of one shape and times."""

    text: str
    """The chat before the video."""
    ids: Mapping[str, Tensor]
    """`TEXT` inputs, ``(1, n)``, video included."""
    fixed: Mapping[str, Any]
    """Inputs that follow from shape and times, e.g. seconds a grid step."""
    pixels: frozenset[str]
    """Inputs that hold the video; what its own processor makes."""


class InputBuilder:
    """Makes the inputs of one loaded model."""

    def __init__(self, loaded: Loaded, work: Work) -> None:
        """Hold nothing yet."""
        self._loaded = loaded
        self._work = work
        self._heads: OrderedDict[Hashable, _Head | None] = OrderedDict()
        self._pixels: OrderedDict[Hashable, Mapping[str, Tensor]] = OrderedDict()

    def build(self, text: str, clip: Clip | None) -> ModelInputs:
        """Return what `build_inputs` returns, making only what is new."""
        loaded = self._loaded
        rendered = render_chat(loaded, text, with_video=clip is not None)
        if clip is None:
            encoded = encode(loaded, rendered, None)
        else:
            encoded = self._derived(rendered, clip) or self._whole(rendered, clip)
        return checked_inputs(loaded, rendered, encoded, clip)

    def _whole(self, rendered: str, clip: Clip) -> dict[str, Any]:
        """Ask the processor, and learn from its output."""
        self._work.processed += 1
        encoded = encode(self._loaded, rendered, clip)
        shape = _shape(clip)
        if shape not in self._heads:
            _remember(self._heads, shape, self._learnt(rendered, encoded, clip))
            _forget(self._heads, MOST_SHAPES)
        head = self._heads[shape]
        if head is not None:
            held = {name: encoded[name] for name in head.pixels}
            _remember(self._pixels, (clip.digest(), shape), held)
            _forget(self._pixels, MOST_CLIPS)
        return encoded

    def _derived(self, rendered: str, clip: Clip) -> dict[str, Any] | None:
        """Return what the processor would make, or None where only it knows."""
        head = self._heads.get(_shape(clip))
        before, _, after = rendered.partition(self._mark or rendered)
        if head is None or head.text != before:
            return None
        tail = self._tokens(after)
        encoded: dict[str, Any] = {**head.fixed, **self._pixels_of(clip, head)}
        for name, values in head.ids.items():
            encoded[name] = _extended(name, values, tail)
        return encoded

    def _learnt(
        self, rendered: str, encoded: Mapping[str, Any], clip: Clip
    ) -> _Head | None:
        """Return how to make *encoded* without the processor, if that is known."""
        before, mark, after = rendered.partition(self._mark or rendered)
        tail = self._tokens(after) if mark else []
        ids = encoded["input_ids"][0].tolist()
        if not tail or ids[-len(tail) :] != tail:
            return None
        head = {n: encoded[n][:, : -len(tail)] for n in TEXT if n in encoded}
        if not all(_extended(n, head[n], tail).equal(encoded[n]) for n in head):
            return None
        pixels = self._processed(clip)
        same = {n for n, value in pixels.items() if _equal(encoded.get(n), value)}
        if not pixels or same != set(pixels):
            return None
        rest = set(encoded) - set(head) - same
        return _Head(
            text=before,
            ids=head,
            fixed={name: encoded[name] for name in rest},
            pixels=frozenset(same),
        )

    def _pixels_of(self, clip: Clip, head: _Head) -> Mapping[str, Tensor]:
        key = clip.digest(), _shape(clip)
        held = self._pixels.get(key)
        if held is None:
            self._work.processed += 1
            made = self._processed(clip)
            held = {name: made[name] for name in head.pixels}
            _remember(self._pixels, key, held)
            _forget(self._pixels, MOST_CLIPS)
        return held

    def _processed(self, clip: Clip) -> dict[str, Tensor]:
        """Return the tensors that the video processor alone makes of *clip*."""
        options = video_options(self._loaded, clip)
        made = dict(
            self._loaded.processor.video_processor(**options, return_tensors="pt")
        )
        return {n: value for n, value in made.items() if hasattr(value, "shape")}

    def _tokens(self, text: str) -> list[int]:
        found = self._loaded.tokenizer(text, add_special_tokens=False)
        return list(found["input_ids"])

    @property
    def _mark(self) -> str | None:
        mark: str | None = getattr(self._loaded.processor, "video_token", None)
        return mark


def elements_of(loaded: Loaded, inputs: ModelInputs) -> list[Element]:
    """Return the prompt of *inputs* in elements: text tokens, and the video.

    The video reaches from its first visual token to its last, with what the
    processor wrote in between.
    """
    tensors = inputs.tensors
    ids: list[int] = tensors["input_ids"][0].tolist()
    places = positions_of(loaded, tensors).cpu()
    columns = list(zip(*places.tolist(), strict=True))
    marks = visual_token_ids(loaded)
    seen = [place for place, token in enumerate(ids) if token in marks]
    first, last = (seen[0], seen[-1] + 1) if seen else (len(ids), len(ids))
    text = [
        Element(key=(token, place), tokens=(token,), positions=place)
        for token, place in zip(ids, columns, strict=True)
    ]
    if not seen:
        return text
    visual = {
        name: value
        for name, value in tensors.items()
        if name not in TEXT and hasattr(value, "shape")
    }
    video = Element(
        key=(frame_digests(visual), tuple(ids[first:last]), tuple(columns[first:last])),
        tokens=tuple(ids[first:last]),
        positions=places[:, first:last],
        visual=visual,
    )
    return [*text[:first], video, *text[last:]]


def positions_of(loaded: Loaded, tensors: Mapping[str, Any]) -> Tensor:
    """Return the position of each token on each axis, ``(axes, n)``.

    From the model's own rule where it has one for videos; else they count up.
    """
    import torch

    rule = getattr(getattr(loaded.model, "model", None), "get_rope_index", None)
    length = tensors["input_ids"].shape[1]
    if rule is None:
        return torch.arange(length)[None]
    taken = inspect.signature(rule).parameters
    given = {name: value for name, value in tensors.items() if name in taken}
    if not any(name.endswith("grid_thw") for name in given):
        return torch.arange(length).expand(3, length)
    places: Tensor = rule(**given)[0][:, 0]
    return places


def _shape(clip: Clip) -> Hashable:
    """Return all that the processor's text can depend on."""
    times = tuple(clip.timestamps_s.tolist())
    return clip.frames.shape, times, clip.source_fps, clip.source_frames


def _extended(name: str, values: Tensor, tail: list[int]) -> Tensor:
    """Return the head's *values* of input *name* with those of text behind it."""
    import torch

    more = tail if name == "input_ids" else [int(name == "attention_mask")] * len(tail)
    return torch.cat([values, torch.tensor([more], dtype=values.dtype)], dim=1)


def _equal(one: Any, other: Tensor) -> bool:  # noqa: ANN401
    return (
        hasattr(one, "shape")
        and one.shape == other.shape
        and bool((one == other).all())
    )


def _remember(held: OrderedDict[Hashable, Any], key: Hashable, value: object) -> None:
    held[key] = value
    held.move_to_end(key)


def _forget(held: OrderedDict[Hashable, Any], most: int) -> None:
    while len(held) > most:
        held.popitem(last=False)
