"""From a prompt and a clip to the model's input, and what it holds of them.

Apart from loading and scoring because here, and only here, a video can be lost
without an error; every fact is read back from the tensors that are passed on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_vdg.backends._hf_chat import pictures_of, render_chat, visual_token_ids
from pytest_vdg.backends._hf_digest import tensor_digest
from pytest_vdg.backends._hf_load import Loaded, Tensor
from pytest_vdg.backends._hf_processor import TAKERS
from pytest_vdg.errors import BackendError, VideoNotConsumed
from pytest_vdg.frames.clip import Clip

_CLOCK_TOLERANCE_S = 0.005
_GRIDS = {"video": "video_grid_thw", "images": "image_grid_thw"}
"""Input with the patches of a video, or of each picture, in three directions."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelInputs:
    """One model input, and what was found in it."""

    tensors: Mapping[str, Any]
    """Keyword arguments of the model, pixels in its dtype, all on the CPU."""
    rendered: str
    """The chat as text, up to where the answer begins."""
    frames_seen: int
    """Frames of the clip that are in the pixels, padding left out."""
    visual_tokens: int
    """Visual tokens among the input ids."""
    prompt_tokens: int
    """All input ids."""
    digest: str
    """SHA-256 of all tensors as given to the model."""
    places: Tensor | None = None
    """Position of each token on each axis, ``(axes, n)``, where it is known."""


def build_inputs(loaded: Loaded, text: str, clip: Clip | None) -> ModelInputs:
    """Return the input for one user message of *clip* (if any) and *text*.

    Raises `VideoNotConsumed` if the video is not in it, and `BackendError` if
    other frames are in it than those of the clip.
    """
    rendered = render_chat(loaded, text, pictures=pictures_of(loaded, clip))
    return checked_inputs(loaded, rendered, encode(loaded, rendered, clip), clip)


def encode(loaded: Loaded, rendered: str, clip: Clip | None) -> dict[str, Any]:
    """Return what the processor makes of the chat and the clip, on the CPU."""
    options = {} if clip is None else frame_options(loaded, clip)
    options.update(text_options(loaded, rendered))
    encoded = dict(loaded.processor(text=[rendered], return_tensors="pt", **options))
    if clip is not None:
        _check_metadata(encoded.pop("video_metadata", None), options)
    return encoded


def text_options(loaded: Loaded, rendered: str) -> dict[str, bool]:
    """Return how to tokenize a chat: templates that begin with BOS bring it."""
    bos = loaded.tokenizer.bos_token
    return {"add_special_tokens": False} if bos and rendered.startswith(bos) else {}


def checked_inputs(
    loaded: Loaded, rendered: str, encoded: Mapping[str, Any], clip: Clip | None
) -> ModelInputs:
    """Return *encoded* as the model takes it, after a look at what is in it."""
    visual = _count_visual_tokens(loaded, encoded["input_ids"])
    if clip is None and visual:
        raise BackendError(f"{visual} visual tokens in a prompt without a video")
    frames = 0 if clip is None else _check_video(loaded, encoded, visual, clip)
    tensors = in_dtype(loaded, encoded)
    return ModelInputs(
        tensors=tensors,
        rendered=rendered,
        frames_seen=frames,
        visual_tokens=visual,
        prompt_tokens=int(tensors["input_ids"].numel()),
        digest=_digest(tensors),
    )


def video_metadata(clip: Clip) -> dict[str, Any]:
    """Return the clip's time marks in the form that processors expect.

    They follow from the timestamps alone, which no condition changes. A
    processor takes a frame's time as its index over the frame rate, so where
    a frame's time is no multiple of the mean frame rate's (a variable rate),
    indices count milliseconds instead.
    """
    fps = float(clip.source_fps)
    duration_s = clip.source_frames / fps
    indices = np.rint(clip.timestamps_s * fps)
    if np.abs(indices / fps - clip.timestamps_s).max() > _CLOCK_TOLERANCE_S:
        fps, indices = 1000.0, np.rint(clip.timestamps_s * 1000)
    return {
        "total_num_frames": max(1, round(duration_s * fps)),
        "fps": fps,
        "duration": duration_s,
        "height": clip.size[0],
        "width": clip.size[1],
        "frames_indices": [int(index) for index in indices],
    }


def pad_frames(frames: npt.NDArray[np.uint8], multiple: int) -> npt.NDArray[np.uint8]:
    """Return a writable copy, its last frame repeated up to *multiple*.

    Processors pad too, but some check the number of frames before they do.
    """
    missing = -len(frames) % multiple
    return np.concatenate([frames, np.repeat(frames[-1:], missing, axis=0)])


def taker_of(loaded: Loaded) -> Any:  # noqa: ANN401 - built at run time
    """Return the part of the processor that takes the frames."""
    return getattr(loaded.processor, TAKERS[loaded.family.frames_as], None)


def frame_options(loaded: Loaded, clip: Clip) -> dict[str, Any]:
    """Return the processor arguments that show *clip* as its family takes it."""
    if loaded.family.frames_as == "video":
        return video_options(loaded, clip)
    return {
        # A list for each prompt: some cut the only picture of one into tiles.
        "images": [[np.array(frame) for frame in clip.frames]],
        "input_data_format": "channels_last",
        **loaded.family.options,
    }


def video_options(loaded: Loaded, clip: Clip) -> dict[str, Any]:
    """Return the processor arguments that leave all sampling to us."""
    options: dict[str, Any] = {
        "videos": [pad_frames(clip.frames, loaded.frames_per_token)],
        "video_metadata": [video_metadata(clip)],
        "do_sample_frames": False,
        "return_metadata": True,
        "input_data_format": "channels_last",
        **loaded.family.options,
    }
    processor = loaded.processor.video_processor
    taken = getattr(getattr(processor, "valid_kwargs", None), "__annotations__", {})
    # Unset, it warns and changes its meaning with a release; True bounds the
    # pixels as the reference implementation of Qwen-VL does.
    if "cap_pixels_per_frame" in taken and processor.cap_pixels_per_frame is None:
        options["cap_pixels_per_frame"] = True
    return options


def _check_metadata(
    given_back: Iterable[Mapping[str, Any]] | None, options: Mapping[str, Any]
) -> None:
    """Refuse a processor that put a guessed frame rate in place of ours."""
    for metadata in given_back or ():
        wanted = options["video_metadata"][0]["fps"]
        if metadata["fps"] != wanted:
            raise BackendError(
                f"the processor assumed {metadata['fps']} frames a second where "
                f"{wanted} was given, so its time marks are wrong"
            )


def _count_visual_tokens(loaded: Loaded, input_ids: Tensor) -> int:
    ids = visual_token_ids(loaded)
    if not ids:
        raise BackendError(
            f"{type(loaded.processor).__name__} names no visual token, so it "
            "cannot be told whether a video reaches the model"
        )
    return sum(int((input_ids == token).sum()) for token in ids)


def _check_video(
    loaded: Loaded, encoded: Mapping[str, Any], visual: int, clip: Clip
) -> int:
    """Return the frames in *encoded*; raise unless they are those of *clip*."""
    if visual == 0:
        raise VideoNotConsumed("no visual token is left of the video in the input")
    frames_as = loaded.family.frames_as
    grid = encoded.get(_GRIDS[frames_as])
    merge = getattr(taker_of(loaded), "merge_size", None)
    if grid is not None and merge:
        planned = int(grid.prod(dim=-1).sum()) // merge**2
        if planned != visual:
            what = "video makes" if frames_as == "video" else "pictures make"
            raise VideoNotConsumed(
                f"the {what} {planned} visual tokens, the input holds {visual}"
            )
    where = loaded.family.frames_in
    if where is None and frames_as == "images" and grid is not None:
        where = (_GRIDS["images"], 0)
    found = _count_frames(encoded, loaded.frames_per_token, where)
    padded = len(clip) + -len(clip) % loaded.frames_per_token
    if found != padded:
        raise BackendError(
            f"the processor made {found} frames of the {padded} it was given "
            f"({len(clip)} and padding), so others are seen than were sampled"
        )
    return len(clip)


def _count_frames(
    encoded: Mapping[str, Any],
    frames_per_token: int,
    where: tuple[str, int] | None = None,
) -> int:
    if where is not None and where[0] in encoded:
        return int(encoded[where[0]].shape[where[1]])
    grid = encoded.get(_GRIDS["video"])
    if grid is not None:
        return int(grid[:, 0].sum()) * frames_per_token
    pixels = encoded.get("pixel_values_videos")
    if pixels is not None and pixels.ndim == 5:
        return int(pixels.shape[1])
    pixels = encoded.get("pixel_values") if pixels is None else pixels
    if pixels is not None and pixels.ndim == 4:
        return int(pixels.shape[0])
    raise BackendError(
        "it cannot be told how many frames the input holds, only "
        f"{', '.join(sorted(encoded))}"
    )


def in_dtype(loaded: Loaded, encoded: Mapping[str, Any]) -> dict[str, Any]:
    """Return *encoded* with pixels in the model's dtype; a tensor that fits stays."""
    return {
        name: value.to(loaded.model.dtype)
        if name.startswith("pixel_values") and hasattr(value, "to")
        else value
        for name, value in encoded.items()
    }


def on_device(loaded: Loaded, tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Return *tensors* where the model takes them."""
    return {
        name: value.to(loaded.device) if hasattr(value, "to") else value
        for name, value in tensors.items()
    }


def _digest(tensors: Mapping[str, Any]) -> str:
    import torch

    state = hashlib.sha256()
    for name in sorted(tensors):
        value = tensors[name]
        known = isinstance(value, torch.Tensor)
        state.update(f"{name}={tensor_digest(value) if known else value!r};".encode())
    return state.hexdigest()
