"""`VisionFeatures`: what the vision encoder makes of frames, each made once.

Apart from the language model's passes because it knows another repetition:
the same frames stand in several conditions of a video, and several times in
one of them.

Used where a model takes frames in groups that do not see each other, as the
Qwen-VL line does, or each as a picture; whether it does is not assumed but
checked at load.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pytest_vdg.backends._hf_digest import once_a_tensor, tensor_digest
from pytest_vdg.backends._hf_load import Loaded, Tensor
from pytest_vdg.backends.work import Work


class _Way(NamedTuple):
    """What a model calls frames that it is shown in one way."""

    kind: str
    grid: str
    """Input with the patches of each, in three directions."""
    pixels: str
    """Input with a row for each patch."""
    encode: str
    """Method that makes features of them."""


_VIDEO = _Way("video", "video_grid_thw", "pixel_values_videos", "get_video_features")
_IMAGE = _Way("image", "image_grid_thw", "pixel_values", "get_image_features")


def grid_of(tensors: Mapping[str, Any]) -> Tensor | None:
    """Return the patches of what *tensors* show, a row for each video or picture.

    None where the model takes no such thing.
    """
    return tensors.get(_way(tensors).grid)


def _way(tensors: Mapping[str, Any]) -> _Way:
    return _IMAGE if _IMAGE.grid in tensors else _VIDEO


def frame_digests(visual: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a digest for each group of frames in *visual*; of all where none are."""
    grid, pixels = grid_of(visual), visual.get(_way(visual).pixels)
    if grid is None or pixels is None or pixels.ndim != 2 or not _even(grid):
        return tuple(tensor_digest(visual[name]) for name in sorted(visual))
    count, look = int(grid[:, 0].sum()), grid[0, 1:].tolist()
    # Black ones of two formats are the same pixels, and not the same picture.
    return tuple(f"{look} {digest}" for digest in _parts(pixels, count))


def _even(grid: Tensor) -> bool:
    """Whether all rows of *grid* are groups of one size."""
    return bool((grid == grid[0]).all())


@once_a_tensor
def _parts(pixels: Tensor, count: int) -> tuple[str, ...]:
    """Return the digests of *count* groups of frames."""
    return tuple(tensor_digest(part) for part in pixels.chunk(count))


class VisionFeatures:
    """Features by the digest of a group of frames, the latest kept."""

    def __init__(self, loaded: Loaded, work: Work, *, budget: int) -> None:
        """Keep at most *budget* bytes of features."""
        self._loaded = loaded
        self._work = work
        self._budget = budget
        self._held = 0
        self._features: OrderedDict[str, tuple[Tensor, ...]] = OrderedDict()

    @staticmethod
    def possible(loaded: Loaded, visual: Mapping[str, Any]) -> bool:
        """Whether the model takes features, and its pixels come in groups."""
        model = getattr(loaded.model, "model", None)
        taken = inspect.signature(getattr(model, "forward", int)).parameters
        grid, way = grid_of(visual), _way(visual)
        return (
            "mm_encoder_outputs" in taken
            and hasattr(model, way.encode)
            and grid is not None
            and _even(grid)
            and set(visual) <= {way.grid, way.pixels}
        )

    def arguments(self, visuals: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return what the model takes in place of the pixels of *visuals*."""
        import torch

        names = [frame_digests(visual) for visual in visuals]
        self._make(visuals, names)
        rows = [[self._features[name] for name in video] for video in names]
        made = [
            [torch.cat([group[i] for group in row]) for row in rows]
            for i in range(len(rows[0][0]))
        ]
        self._trim()
        return {"mm_encoder_outputs": {_way(visuals[0]).kind: _output(made)}}

    def _make(
        self, visuals: Sequence[Mapping[str, Any]], names: Sequence[Sequence[str]]
    ) -> None:
        """Encode the groups that are not held yet, all at once."""
        import torch

        way, missing = _way(visuals[0]), dict[str, tuple[Tensor, Tensor]]()
        for visual, video in zip(visuals, names, strict=True):
            grid = visual[way.grid][:1].clone()
            grid[0, 0] = 1
            parts = visual[way.pixels].chunk(len(video))
            for name, part in zip(video, parts, strict=True):
                if name in self._features:
                    self._features.move_to_end(name)
                else:
                    missing[name] = (part, grid)
        if not missing:
            return
        output = getattr(self._loaded.model.model, way.encode)(
            torch.cat([part for part, _ in missing.values()]).to(self._loaded.device),
            torch.cat([grid for _, grid in missing.values()]).to(self._loaded.device),
            return_dict=True,
        )
        columns = [output.pooler_output, *(_deep(output) or ())]
        for i, name in enumerate(missing):
            # A part of the whole would keep the whole from being let go.
            features = tuple(column[i].clone() for column in columns)
            self._features[name] = features
            self._held += sum(int(f.nbytes) for f in features)
            self._work.vision_tokens += len(features[0])

    def _trim(self) -> None:
        while self._held > self._budget and self._features:
            _, features = self._features.popitem(last=False)
            self._held -= sum(int(f.nbytes) for f in features)


def _deep(output: Any) -> Any:  # noqa: ANN401 - built by transformers at run time
    return getattr(output, "deepstack_features", None)


def _output(columns: Sequence[Sequence[Tensor]]) -> Any:  # noqa: ANN401
    """Return *columns* as what a vision encoder returns: main and deep features."""
    from transformers import modeling_outputs

    make: Any = modeling_outputs.BaseModelOutputWithPooling
    output = make(pooler_output=tuple(columns[0]))
    if len(columns) > 1:
        output.deepstack_features = [tuple(column) for column in columns[1:]]
    return output
