"""`PixelMaker`: what the processor of frames makes of clips, many at a time.

Apart from `InputBuilder`, which puts pixels and text together, because this is
about one thing, the cost of a call: most of it does not depend on the clip.
Whether clips may be processed together is held against doing so one by one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pytest_vdg.backends._hf_inputs import frame_options, in_dtype, taker_of
from pytest_vdg.backends._hf_load import Loaded, Tensor
from pytest_vdg.backends.work import Work
from pytest_vdg.frames.clip import Clip

MOST_BYTES = 512 << 20
"""Bytes of pixels that are held; those of a window of clips."""
MOST_TOGETHER = 32
"""Clips of one call."""

_OF_EACH = {"videos", "video_metadata", "images"}
"""Arguments of a call that are lists with an entry for each clip."""

Pixels = Mapping[str, Tensor]


class PixelMaker:
    """Makes the pixels of one loaded model, and holds the latest."""

    def __init__(self, loaded: Loaded, work: Work) -> None:
        """Hold nothing yet."""
        self._loaded = loaded
        self._work = work
        self._held: OrderedDict[Hashable, Pixels] = OrderedDict()
        self._bytes = 0
        self._sizes: dict[tuple[int, ...], int] = {}  # bytes made of a clip's shape
        self._together: bool | None = None  # not tried yet

    def of(self, clip: Clip) -> Pixels:
        """Return the tensors that the processor of frames makes of *clip*."""
        key = _key(clip)
        if key not in self._held:
            self._hold(key, self._call([clip]))
            self._sizes[clip.frames.shape] = _size(self._held[key])
        self._held.move_to_end(key)
        return self._held[key]

    def make(self, clips: Sequence[Clip]) -> None:
        """Make what is not held of *clips*, in as few calls as may be.

        No more than can be held until it is needed: the first of *clips*. `of`
        makes the others.
        """
        missing = {_key(clip): clip for clip in clips}
        room = MOST_BYTES
        for key in [key for key in missing if key in self._held]:
            del missing[key]
            self._held.move_to_end(key)
            room -= _size(self._held[key])
        for keys in self._groups(missing, room):
            for start in range(0, len(keys), MOST_TOGETHER):
                self._make(keys[start : start + MOST_TOGETHER], missing)

    def _groups(
        self, clips: Mapping[Hashable, Clip], room: int
    ) -> Iterable[Sequence[Hashable]]:
        """Return those of *clips* that fit into *room* bytes, by shape.

        One of a new shape is made, which tells how large the others are.
        """
        groups: dict[tuple[int, ...], list[Hashable]] = {}
        for key, clip in clips.items():
            shape = clip.frames.shape
            if shape not in self._sizes:
                with suppress(Exception):  # told by the clip when it is needed
                    self.of(clip)
            elif room >= self._sizes[shape]:
                groups.setdefault(shape, []).append(key)
            room -= self._sizes.get(shape, 0)
            if room < 0:
                break
        return groups.values()

    def _make(self, keys: Sequence[Hashable], clips: Mapping[Hashable, Clip]) -> None:
        if len(keys) < 2 or self._together is False:
            return  # `of` makes them when they are needed
        try:
            parts = _divided(self._call([clips[key] for key in keys]), len(keys))
            if self._together is None:
                alone = self._call([clips[keys[-1]]])
                self._together = parts is not None and _same(parts[-1], alone)
        except Exception:  # noqa: BLE001 - told by the clip that it is about
            parts = None
        if parts is None or not self._together:
            self._together = False
            return
        for key, part in zip(keys, parts, strict=True):
            self._hold(key, part)

    def _call(self, clips: Sequence[Clip]) -> Pixels:
        self._work.processed += len(clips)
        each = [frame_options(self._loaded, clip) for clip in clips]
        options = {**each[0], "return_tensors": "pt"}
        for name in _OF_EACH & options.keys():
            options[name] = [part for one in each for part in one[name]]
        made = dict(taker_of(self._loaded)(**options))
        tensors = {n: value for n, value in made.items() if hasattr(value, "shape")}
        return in_dtype(self._loaded, tensors)

    def _hold(self, key: Hashable, pixels: Pixels) -> None:
        self._held[key] = pixels
        self._bytes += _size(pixels)
        while self._bytes > MOST_BYTES and len(self._held) > 1:
            _, gone = self._held.popitem(last=False)
            self._bytes -= _size(gone)


def _key(clip: Clip) -> Hashable:
    return clip.digest(), clip.timestamps_s.tobytes(), clip.source_fps


def _divided(made: Pixels, count: int) -> list[Pixels] | None:
    """Return the part of each of *count* clips of one shape; None if it is unclear.

    Every tensor must have as many rows for each, and the clips one grid.
    """
    if any(len(value) % count for value in made.values()):
        return None
    columns: dict[str, Any] = {n: value.chunk(count) for n, value in made.items()}
    if any(len(parts) != count for parts in columns.values()):
        return None
    return [
        {name: parts[i].contiguous() for name, parts in columns.items()}
        for i in range(count)
    ]


def _same(one: Pixels, other: Pixels) -> bool:
    return one.keys() == other.keys() and all(one[n].equal(other[n]) for n in one)


def _size(pixels: Pixels) -> int:
    return sum(int(value.nbytes) for value in pixels.values())
