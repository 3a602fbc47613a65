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
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from pytest_vdg.backends._hf_chat import (
    mark_of,
    pictures_of,
    render_chat,
    visual_token_ids,
)
from pytest_vdg.backends._hf_inputs import (
    ModelInputs,
    checked_inputs,
    encode,
    in_dtype,
    on_device,
)
from pytest_vdg.backends._hf_load import Loaded, Tensor
from pytest_vdg.backends._hf_pixels import PixelMaker
from pytest_vdg.backends._hf_tree import Element
from pytest_vdg.backends._hf_vision import frame_digests
from pytest_vdg.backends.work import Work
from pytest_vdg.frames.clip import Clip

MOST_SHAPES = 256
MOST_TEXTS = 1024
"""Texts of prompts that are held, as each is put under several conditions."""
TEXT = ("input_ids", "attention_mask", "mm_token_type_ids", "token_type_ids")
"""Inputs that have a value for each token."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _Head:
    """The prompt up to the end of a video, for all videos of one shape and times."""

    text: str
    """The chat up to the place of the video, or of its last picture."""
    ids: Mapping[str, Tensor]
    """`TEXT` inputs, ``(1, n)``, video included."""
    made: frozenset[str]
    """Inputs that are made of the frames."""
    fixed: Mapping[str, Any]
    """Inputs that follow from shape and times, e.g. seconds a grid step."""
    places: Tensor
    """Position of each token on each axis, ``(axes, n)``."""
    next_place: int
    """Position of the first token after it, on all axes."""


class InputBuilder:
    """Makes the inputs of one loaded model."""

    def __init__(self, loaded: Loaded, work: Work) -> None:
        """Hold nothing yet."""
        self._loaded = loaded
        self._work = work
        self._heads: OrderedDict[Hashable, _Head | None] = OrderedDict()
        self._pixels = PixelMaker(loaded, work)
        self._proven = False
        """Whether pixels were found right of a clip that is more than one colour."""
        self._sizes: dict[tuple[int, ...], bool] = {}
        """Whether pixels of frames of this shape are of use, as far as is known."""
        self._coming: Sequence[Clip] = ()
        held = lru_cache(maxsize=MOST_TEXTS)
        self._rendered = held(partial(render_chat, loaded))
        self._tokens = held(partial(_tokens_behind_video, loaded))

    def look_ahead(self, clips: Sequence[Clip]) -> None:
        """Make the pixels of *clips*, which are about to be needed, together.

        Those of new shapes as soon as it is known that they are needed.
        """
        self._coming = clips
        self._pixels.make([c for c in clips if self._sizes.get(c.frames.shape)])

    def build(self, text: str, clip: Clip | None) -> ModelInputs:
        """Return what `build_inputs` returns, making only what is new."""
        loaded = self._loaded
        rendered = self._rendered(text, pictures=pictures_of(loaded, clip))
        if clip is None:
            return checked_inputs(
                loaded, rendered, encode(loaded, rendered, None), None
            )
        encoded, places = self._derived(rendered, clip) or self._whole(rendered, clip)
        inputs = checked_inputs(loaded, rendered, encoded, clip)
        return replace(inputs, places=places)

    def _whole(self, rendered: str, clip: Clip) -> tuple[dict[str, Any], None]:
        """Ask the processor, and learn from its output."""
        self._work.processed += 1
        encoded = encode(self._loaded, rendered, clip)
        shape = _shape(clip)
        known = self._heads.get(shape)
        if shape not in self._heads or (known is not None and not self._proven):
            self._heads[shape] = head = self._learnt(rendered, encoded, clip)
            if len(self._heads) > MOST_SHAPES:
                self._heads.popitem(last=False)
            self._make_coming(clip.frames.shape, useful=head is not None)
        return encoded, None

    def _make_coming(self, size: tuple[int, ...], *, useful: bool) -> None:
        """Make the pixels of frames of *size* from now on, if that is *useful*."""
        new = size not in self._sizes
        self._sizes[size] = useful and self._sizes.get(size, True)
        if new and useful:
            self._pixels.make([c for c in self._coming if c.frames.shape == size])

    def _learnt(
        self, rendered: str, encoded: Mapping[str, Any], clip: Clip
    ) -> _Head | None:
        """Return how to make *encoded* without the processor, if that is known."""
        try:
            head = self._divided(rendered, encoded, clip)
        except Exception:  # noqa: BLE001 - of no matter: *encoded* is there
            return None
        self._proven = self._proven or (head is not None and not _plain(clip))
        return head

    def _derived(
        self, rendered: str, clip: Clip
    ) -> tuple[dict[str, Any], Tensor] | None:
        """Return what the processor would make, or None where only it knows."""
        import torch

        head = self._heads.get(_shape(clip))
        shown, after = _divided_chat(self._loaded, rendered)
        if head is None or head.text != shown:
            return None
        if not self._proven and not _plain(clip):
            return None  # a processor that loses pictures may look right on black
        tail = self._tokens(after)
        if not tail:
            return None
        encoded: dict[str, Any] = {**head.fixed}
        encoded |= {n: v for n, v in self._pixels.of(clip).items() if n in head.made}
        for name, values in head.ids.items():
            encoded[name] = _extended(name, values, tail)
        more = torch.arange(head.next_place, head.next_place + len(tail))
        return encoded, torch.cat([head.places, more.expand(len(head.places), -1)], 1)

    def _divided(
        self, rendered: str, encoded: Mapping[str, Any], clip: Clip
    ) -> _Head | None:
        """Return the part of *encoded* that all of this shape and times have."""
        shown, after = _divided_chat(self._loaded, rendered)
        tail = self._tokens(after) if shown else ()
        ids = encoded["input_ids"][0].tolist()
        if not tail or tuple(ids[-len(tail) :]) != tail:
            return None
        head = {n: encoded[n][:, : -len(tail)] for n in TEXT if n in encoded}
        if not all(_extended(n, head[n], tail).equal(encoded[n]) for n in head):
            return None
        # A processor may keep to itself what it is told of the pixels' sizes.
        made = {n: v for n, v in self._pixels.of(clip).items() if n in encoded}
        cast = in_dtype(self._loaded, encoded)
        lost = any(n.startswith("pixel_values") and n not in made for n in encoded)
        if lost or not made or not all(_equal(cast[n], v) for n, v in made.items()):
            return None
        places = positions_of(self._loaded, on_device(self._loaded, encoded)).cpu()
        behind = places[:, -len(tail) :]
        start = int(behind[0, 0])
        if not behind.equal(
            behind.new_tensor([*range(start, start + len(tail))]).expand_as(behind)
        ):
            return None
        rest = set(encoded) - set(head) - set(made)
        return _Head(
            text=shown,
            ids=head,
            made=frozenset(made),
            fixed={name: encoded[name] for name in rest},
            places=places[:, : -len(tail)],
            next_place=start,
        )


def _divided_chat(loaded: Loaded, rendered: str) -> tuple[str, str]:
    """Return the chat up to the end of what is shown, and what follows it.

    The first part is empty where it cannot be told.
    """
    mark = mark_of(loaded)
    before, found, after = rendered.rpartition(mark) if mark else ("", "", rendered)
    return before + found, after


def _tokens_behind_video(loaded: Loaded, text: str) -> tuple[int, ...]:
    """Return the tokens of *text* behind a video; none where they depend on it.

    Some tokenizers treat the beginning of a text unlike its middle, and some
    only where it has no space.
    """
    mark = mark_of(loaded) or ""
    before, behind, alone = (
        loaded.tokenizer(part, add_special_tokens=False)["input_ids"]
        for part in (mark, mark + text, text)
    )
    return tuple(alone) if [*behind] == [*before, *alone] else ()


def elements_of(loaded: Loaded, inputs: ModelInputs) -> list[Element]:
    """Return the prompt of *inputs* in elements: text tokens, and the video.

    The video reaches from its first visual token to its last, with what the
    processor wrote in between.
    """
    tensors = inputs.tensors
    ids: list[int] = tensors["input_ids"][0].tolist()
    places = inputs.places
    if places is None:
        places = positions_of(loaded, on_device(loaded, tensors)).cpu()
    columns = list(zip(*places.tolist(), strict=True))
    marks = visual_token_ids(loaded)
    seen = [place for place, token in enumerate(ids) if token in marks]
    first, last = (seen[0], seen[-1] + 1) if seen else (len(ids), len(ids))
    text = [_word(token, place) for token, place in zip(ids, columns, strict=True)]
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


@lru_cache(maxsize=1 << 16)
def _word(token: int, place: tuple[int, ...]) -> Element:
    """Return a text token; most of them stand in many prompts."""
    return Element(key=(token, place), tokens=(token,), positions=place)


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


def _plain(clip: Clip) -> bool:
    """Whether all of *clip* is one colour, as black is."""
    return bool((clip.frames == clip.frames[0, 0, 0]).all())


def _extended(name: str, values: Tensor, tail: Sequence[int]) -> Tensor:
    """Return the head's *values* of input *name* with those of text behind it."""
    import torch

    mark = int(name == "attention_mask")
    more = list(tail) if name == "input_ids" else [mark] * len(tail)
    return torch.cat([values, torch.tensor([more], dtype=values.dtype)], dim=1)


def _equal(one: Any, other: Tensor) -> bool:  # noqa: ANN401
    return (
        hasattr(one, "shape")
        and one.shape == other.shape
        and bool((one == other).all())
    )
