"""Which processors can be shown frames, and in which of two ways.

Apart from loading because a model in training brings a processor of its own,
which must stand the same test.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from pytest_vdg.backends._hf_families import Family, FramesAs
from pytest_vdg.errors import ConfigError

# transformers builds these by name at run time, so no type says what they are.
Processor = Any

TAKERS: Mapping[FramesAs, str] = {
    "video": "video_processor",
    "images": "image_processor",
}
"""The part of a processor that takes frames, by how they are shown."""
_SHOWN = {"video": "frames as one video", "images": "each frame as a picture"}
_PIXEL_LIMITS = {"min_pixels": "shortest_edge", "max_pixels": "longest_edge"}
"""Limits of pixels by their old names, and by those in a processor's ``size``."""


def require_video(processor: Processor, where: object, family: Family) -> None:
    """Raise `ConfigError` unless *processor*, of *where*, takes frames as it says."""
    taker = TAKERS[family.frames_as]
    for part in ("tokenizer", taker):
        if getattr(processor, part, None) is None:
            raise ConfigError(
                f"{where} cannot be asked about videos: its processor "
                f"({type(processor).__name__}) has no {part.replace('_', ' ')}"
                + _other_way(processor, part)
            )
    _refuse_idle_limits(where, getattr(processor, taker))


def _other_way(processor: Processor, missing: str) -> str:
    """Return how else *processor* may be shown frames; empty where nothing is known."""
    if missing not in TAKERS.values():
        return ""
    found = (w for w, part in TAKERS.items() if getattr(processor, part, None))
    return "".join(f".\nIt may be shown {_SHOWN[w]}: frames_as: {w}" for w in found)


def _refuse_idle_limits(where: object, part: Processor) -> None:
    """Raise for a limit that *part* of a processor keeps and does not obey.

    transformers stores settings that a processor's class does not know; a
    ``max_pixels`` beside Qwen3-VL's ``size`` then limits nothing.
    """
    kind = type(part)
    known = {
        *getattr(getattr(kind, "valid_kwargs", None), "__annotations__", ()),
        *inspect.signature(kind.__init__).parameters,
        *dir(kind),
    }
    for name, edge in _PIXEL_LIMITS.items():
        asked = vars(part).get(name)
        used = getattr(getattr(part, "size", None), edge, None)
        if name not in known and asked is not None and asked != used:
            raise ConfigError(
                f"{where} sets {name} to {asked} for frames, which "
                f"{kind.__name__} does not obey: it uses {edge} of size, {used}.\n"
                f"Take {name} out, or set size.{edge} in the processor's config."
            )
