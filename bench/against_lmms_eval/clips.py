"""Clips as files, one condition after the other, for a harness that shows files.

Apart from the tasks because this is what lmms-eval lacks, and what it costs is
told apart. Nothing is lost on the way: the frames are the project's own, in the
size that the model takes, written as lossless RGB at two frames a second, the
rate at which lmms-eval's Qwen2-VL takes each frame of a file once.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.against_lmms_eval.work import CONDITIONS, SETTINGS
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import Condition, apply
from pytest_vdg.frames.decode import read_clip

Frames = npt.NDArray[np.uint8]
Processor: TypeAlias = Any
"""Of a checkpoint, as transformers loads it."""
RATE = 2


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """Result of `render`."""

    files: dict[tuple[str, str], Path]
    """(question, condition) to file; cells that show the same share one."""
    seconds: dict[str, float]
    """Condition to what it took."""
    pixels: int
    """Of one frame, as the model takes it."""


def render(slice_: Slice, processor: Processor, folder: Path) -> Rendered:
    """Write the clip of each cell under *folder*.

    *processor* is the checkpoint's: it says which size the model takes.
    """
    folder.mkdir()
    files: dict[tuple[str, str], Path] = {}
    seconds = {}
    size = (0, 0)
    for name in CONDITIONS:
        began = time.perf_counter()
        for question in slice_.questions:
            clip = read_clip(slice_.benchmark.video_path(question), SETTINGS.sampling)
            size = model_size(processor, clip)
            shown = apply(
                Condition.parse(name),
                clip,
                question_id=question.id,
                seed=SETTINGS.seed,
                block=processor.video_processor.temporal_patch_size,
            )
            assert shown is not None  # no condition here takes the video away
            files[question.id, name] = _write(resized(shown.frames, size), folder)
        seconds[name] = time.perf_counter() - began
    return Rendered(files=files, seconds=seconds, pixels=size[0] * size[1])


def model_size(processor: Processor, clip: Clip) -> tuple[int, int]:
    """Return height and width that the processor gives the frames of *clip*."""
    encoded = processor.video_processor(
        videos=[clip.frames.copy()],
        do_sample_frames=False,
        input_data_format="channels_last",
        cap_pixels_per_frame=True,
        return_tensors="pt",
    )
    patch = processor.video_processor.patch_size
    _, high, wide = encoded["video_grid_thw"][0].tolist()
    return high * patch, wide * patch


def resized(frames: Frames, size: tuple[int, int]) -> Frames:
    """Return *frames* in *size*, as the processor resizes."""
    import torch
    from torchvision.transforms.v2 import InterpolationMode
    from torchvision.transforms.v2.functional import resize

    channels_first = torch.from_numpy(frames.transpose(0, 3, 1, 2).copy())
    small = resize(
        channels_first,
        list(size),
        interpolation=InterpolationMode.BICUBIC,
        antialias=True,
    )
    found: Frames = small.numpy().transpose(0, 2, 3, 1)
    return np.ascontiguousarray(found)


def _write(frames: Frames, folder: Path) -> Path:
    """Write *frames* to a file named after them, unless it is there."""
    import av

    path = folder / f"{hashlib.sha256(frames.tobytes()).hexdigest()[:24]}.mp4"
    if path.exists():
        return path
    with av.open(path, "w") as file:
        stream = file.add_stream("libx264rgb", rate=RATE)
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt = "rgb24"
        stream.options = {"qp": "0", "bf": "0"}
        for frame in frames:
            picture = av.VideoFrame.from_ndarray(frame, format="rgb24")
            file.mux(stream.encode(picture))
        file.mux(stream.encode())
    return path
