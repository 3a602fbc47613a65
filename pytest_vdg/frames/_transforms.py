"""What the built-in conditions do to a clip, one function each.

Apart from ``conditions.py`` so that what a condition does is read without how
conditions are named, checked and found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import ConditionNotApplicable
from pytest_vdg.frames.clip import Clip

_ATTEMPTS = 32
"""Orders that are drawn before two unequal neighbours are swapped instead."""


@dataclass(frozen=True, kw_only=True)
class Draw:
    """Randomness that is the same on every machine and at every call.

    Made of SHA-256 rather than of a random generator, whose streams may differ
    between versions of its library.
    """

    key: str
    """What the randomness depends on, and all that it depends on."""

    def number(self, *parts: object) -> int:
        """Return an integer of 256 bits that *parts* tell from others."""
        text = ":".join([self.key, *map(str, parts)])
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest, "big")

    def pick(self, count: int) -> int:
        """Return one of 0 ... *count* - 1."""
        return self.number("pick") % count

    def order(self, count: int, attempt: int = 0) -> list[int]:
        """Return 0 ... *count* - 1 in an order that depends on *attempt*."""
        return sorted(range(count), key=lambda i: self.number("order", attempt, i))


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a transform may use besides the clip."""

    argument: str | None
    """The part of the spec after the colon."""
    draw: Draw
    """Randomness for this question under this condition."""
    block: int
    """Neighbouring frames that the model merges into one visual token."""
    partner: Clip | None
    """A clip of another video, of the same size; for `mismatched` only."""


class Transform(Protocol):
    """A way to change a clip."""

    def __call__(self, clip: Clip, request: Request, /) -> Clip | None:
        """Return *clip* as the condition shows it; None for no video at all.

        *clip* is left as it is. Raises `ConditionNotApplicable` where the
        condition has no meaning for this clip.
        """


def original(clip: Clip, _: Request) -> Clip:
    """Show the clip as it is."""
    return clip


def black(clip: Clip, _: Request) -> Clip:
    """Show as many frames of RGB (0, 0, 0)."""
    return replace(clip, frames=np.zeros_like(clip.frames))


def single_frame(clip: Clip, request: Request) -> Clip:
    """Repeat one frame, so that only what can be seen changes, not the count."""
    middle = request.argument == "middle"
    index = len(clip) // 2 if middle else request.draw.pick(len(clip))
    return replace(clip, frames=np.repeat(clip.frames[[index]], len(clip), axis=0))


def shuffled(clip: Clip, request: Request) -> Clip:
    """Show the frames, or blocks of them, in another order.

    Another order of *pictures*: where frames repeat, it is the sequence shown
    that differs from the original one. Frames that fill no whole block at the
    end stay there, so that the pairs before them stay pairs.
    """
    block = request.block if request.argument == "blocks" else 1
    count = len(clip) // block
    units = np.arange(count * block).reshape(count, block)
    rest = np.arange(count * block, len(clip))
    looks = _looks(clip.frames)
    shown = [tuple(looks[i] for i in unit) for unit in units.tolist()]
    if len(set(shown)) < 2:
        what = "frames" if block == 1 else f"blocks of {block} frames"
        raise ConditionNotApplicable(
            f"no order of these {count} {what} differs from the original"
        )
    order = _differing_order(shown, request.draw)
    moved = np.concatenate([units[order].reshape(-1), rest])
    return replace(clip, frames=clip.frames[moved])


def reversed_(clip: Clip, _: Request) -> Clip:
    """Show the frames last to first."""
    frames = np.ascontiguousarray(clip.frames[::-1])
    if np.array_equal(frames, clip.frames):
        raise ConditionNotApplicable(
            f"these {len(clip)} frames look the same forwards and backwards"
        )
    return replace(clip, frames=frames)


def text_only(clip: Clip, _: Request) -> None:
    """Show nothing."""
    del clip


def mismatched(clip: Clip, request: Request) -> Clip:
    """Show another video's frames, as many, at this clip's time marks."""
    partner = request.partner
    if partner is None:
        raise ValueError("condition 'mismatched' needs the clip of another video")
    if partner.size != clip.size:
        raise ValueError(
            f"the other video must have the size {clip.size}, got {partner.size}; "
            "read it with read_clip(..., size=clip.size)"
        )
    steps = np.linspace(0, len(partner) - 1, len(clip))
    frames = partner.frames[np.rint(steps).astype(int)]
    if np.array_equal(frames, clip.frames):
        raise ConditionNotApplicable("the other video shows the same pictures")
    return replace(clip, frames=frames)


def compressed(clip: Clip, request: Request) -> Clip:
    """Show the clip that was read from the video encoded again."""
    if str(clip.crf) != request.argument:
        raise ValueError(
            f"condition 'compressed:{request.argument}' needs frames of the video "
            f"encoded at that CRF, got {clip.crf}; read it with "
            f"read_clip(..., crf={request.argument})"
        )
    return clip


def sampled(clip: Clip, request: Request) -> Clip:
    """Show the clip that was read with another sampling."""
    if request.argument is None or len(clip) > int(request.argument):
        raise ValueError(
            f"condition 'sampled:{request.argument}' needs at most as many frames, got "
            f"{len(clip)}; read them with read_clip(..., Sampling(frames="
            f"{request.argument}))"
        )
    return clip


def _looks(frames: npt.NDArray[np.uint8]) -> list[bytes]:
    """Return a digest of each frame, equal for equal pictures."""
    return [
        hashlib.sha256(np.ascontiguousarray(frame).data).digest() for frame in frames
    ]


def _differing_order(shown: Sequence[object], draw: Draw) -> list[int]:
    """Return an order in which *shown*, not all equal, reads differently."""
    for attempt in range(_ATTEMPTS):
        order = draw.order(len(shown), attempt)
        if any(shown[i] != now for i, now in zip(order, shown, strict=True)):
            return order
    # Each order shows the same at most half of the time, so this hardly happens.
    order = list(range(len(shown)))
    at = next(i for i in order if shown[i] != shown[i + 1])
    order[at], order[at + 1] = at + 1, at
    return order
