"""Tests of the model's input: what is in it of the clip, and of nothing else."""

from __future__ import annotations

import dataclasses
import json
import logging
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.backends._hf_checks import open_checkpoint
from pytest_vdg.backends._hf_families import family_of
from pytest_vdg.backends._hf_inputs import (
    build_inputs,
    pad_frames,
    text_options,
    video_metadata,
)
from pytest_vdg.backends._hf_load import Loaded, load_checkpoint
from pytest_vdg.backends._hf_place import Placing
from pytest_vdg.errors import BackendError, ConfigError, VideoNotConsumed
from tests.backends.conftest import make_clip
from tests.backends.tinymodel import VIDEO_PART, Untyped, edit_json

FAMILIES = ["qwen2_vl", "qwen2_5_vl", "qwen3_vl"]
WHOLE = ["llava_onevision", "internvl"]
TEXT = "what color is the shape ?"


def load(folder: Path, dtype: str = "float32") -> Loaded:
    """Load the checkpoint in *folder* on the CPU."""
    files = open_checkpoint(folder, allow_pickle=False, trust_remote_code=False)
    family = family_of(files.config["model_type"])
    return load_checkpoint(
        files, family, dtype=dtype, placing=Placing(device="cpu"), attention=None
    )


@pytest.fixture(scope="module")
def loaded(checkpoint: Path) -> Loaded:
    """Return the tiny Qwen2-VL, loaded once."""
    return load(checkpoint)


class Meddler:
    """A processor that does something else than it was asked."""

    def __init__(self, inner: object, meddle: Callable[..., object]) -> None:
        self.inner = inner
        self.meddle = meddle

    def __getattr__(self, name: str) -> object:
        """Be the processor in all else."""
        return getattr(self.inner, name)

    def __call__(self, **asked: object) -> object:
        """Hand the call over."""
        return self.meddle(self.inner, **asked)


def meddled(loaded: Loaded, meddle: Callable[..., Any]) -> Loaded:
    """Return *loaded* with its processor in the hands of *meddle*."""
    return dataclasses.replace(loaded, processor=Meddler(loaded.processor, meddle))


@pytest.mark.parametrize("family", FAMILIES, indirect=True)
@pytest.mark.parametrize("frames", [1, 2, 5, 8])
def test_every_frame_is_in_the_grid(family: Path, frames: int) -> None:
    """Any number of frames is shown, in pairs whose last may be repeated."""
    loaded = load(family)
    inputs = build_inputs(loaded, TEXT, make_clip(frames))
    pairs = -(-frames // 2)
    grid = inputs.tensors["video_grid_thw"]
    assert grid[0, 0] == pairs
    assert inputs.frames_seen == frames
    assert inputs.visual_tokens == grid.prod() // 4
    assert inputs.prompt_tokens == inputs.tensors["input_ids"].shape[1]


@pytest.mark.parametrize("family", FAMILIES + WHOLE, indirect=True)
def test_conditions_differ_in_pixels_alone(family: Path) -> None:
    """A black clip has the ids, the grid and the time marks of the original."""
    loaded = load(family)
    original = build_inputs(loaded, TEXT, make_clip())
    black = build_inputs(loaded, TEXT, make_clip(black=True))
    assert original.digest != black.digest
    differing = {
        name
        for name, value in original.tensors.items()
        if not (np.asarray(value) == np.asarray(black.tensors[name])).all()
    }
    assert len(differing) == 1
    assert differing < {"pixel_values_videos", "pixel_values"}


@pytest.mark.parametrize("family", FAMILIES + WHOLE, indirect=True)
def test_nothing_is_guessed_or_announced(
    family: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No processor has to assume a frame rate, or warns of anything else."""
    from transformers.utils import logging as their_logging

    their_logging.warning_once.cache_clear()
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    loaded = load(family)
    caplog.clear()
    build_inputs(loaded, TEXT, make_clip())
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize("family", ["qwen3_vl"], indirect=True)
@pytest.mark.parametrize(
    ("times", "marks"),
    [
        # 4 frames a second, in pairs: (0 + 0.25) / 2, (0.5 + 0.75) / 2, ...
        ([0.0, 0.25, 0.5, 0.75, 1.0, 1.25], ["0.1", "0.6", "1.1"]),
        # A variable rate: (0 + 0.2) / 2, (0.4 + 5) / 2, (5.2 + 5.4) / 2.
        ([0.0, 0.2, 0.4, 5.0, 5.2, 5.4], ["0.1", "2.7", "5.3"]),
        # An odd frame is repeated: its own time.
        ([0.0, 0.2, 7.0], ["0.1", "7.0"]),
    ],
)
def test_time_marks_are_those_of_the_frames(
    family: Path, times: list[float], marks: list[str]
) -> None:
    """The seconds written in the prompt are when the frames were shown."""
    loaded = load(family)
    clip = make_clip(len(times), timestamps_s=times)
    inputs = build_inputs(loaded, TEXT, clip)
    prompt = loaded.tokenizer.decode(inputs.tensors["input_ids"][0])
    assert re.findall(r"(\d+\.\d) seconds", prompt) == marks


@pytest.mark.parametrize("family", ["qwen2_5_vl"], indirect=True)
def test_seconds_between_tokens_follow_the_sampled_rate(family: Path) -> None:
    """Eight frames of 2 s in pairs are half a second apart, two of 8 frames 2 s."""
    loaded = load(family)
    every = build_inputs(loaded, TEXT, make_clip(8, fps=4.0))
    assert float(every.tensors["second_per_grid_ts"][0]) == pytest.approx(0.5)
    few = make_clip(2, timestamps_s=[0.0, 1.0], fps=4.0)
    few = dataclasses.replace(few, source_frames=8, source_indices=(0, 4))
    sparse = build_inputs(loaded, TEXT, few)
    assert float(sparse.tensors["second_per_grid_ts"][0]) == pytest.approx(2.0)


def test_pixels_are_the_processors_own_work(loaded: Loaded) -> None:
    """We neither resize nor normalise: raw frames go in, its tensors go on."""
    clip = make_clip(4, size=(40, 72))
    ours = build_inputs(loaded, TEXT, clip).tensors["pixel_values_videos"]
    theirs = loaded.processor.video_processor(
        videos=[clip.frames.copy()],
        do_sample_frames=False,
        cap_pixels_per_frame=True,
        return_tensors="pt",
    )
    assert (ours == theirs["pixel_values_videos"]).all()


def video_config(folder: Path, **changes: object) -> None:
    """Change what is saved of the video processor in *folder*."""
    path = folder / "processor_config.json"
    saved = json.loads(path.read_text())["video_processor"]
    edit_json(path, video_processor={**saved, **changes})


@pytest.mark.parametrize("family", FAMILIES, indirect=True)
def test_a_limit_of_pixels_takes_effect_and_separates_runs(
    family: Path, tmp_path: Path
) -> None:
    """Twice the side length is four times the tokens, and another environment."""
    folder = Path(shutil.copytree(family, tmp_path / "own"))
    asked: dict[str, Any] = {"allow_pickle": False, "trust_remote_code": False}
    digest = open_checkpoint(folder, **asked).processor_digest
    size = json.loads((folder / "processor_config.json").read_text())
    longest = size["video_processor"]["size"]["longest_edge"]
    clip = make_clip(4, size=(256, 256))
    before = build_inputs(load(folder), TEXT, clip)
    video_config(folder, size={"shortest_edge": 1024, "longest_edge": 4 * longest})
    after = build_inputs(load(folder), TEXT, clip)
    assert after.visual_tokens == 4 * before.visual_tokens
    assert open_checkpoint(folder, **asked).processor_digest != digest


@pytest.mark.parametrize("family", ["qwen3_vl"], indirect=True)
@pytest.mark.parametrize("limit", ["min_pixels", "max_pixels"])
def test_a_limit_that_is_kept_and_not_obeyed_is_an_error(
    family: Path, limit: str, tmp_path: Path
) -> None:
    """Qwen3-VL stores ``max_pixels`` and resizes by ``size``: nobody is told."""
    folder = Path(shutil.copytree(family, tmp_path / "own"))
    video_config(folder, **{limit: 50176})
    with pytest.raises(ConfigError, match=rf"{limit} to 50176 .* does not obey"):
        load(folder)


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen2_5_vl"], indirect=True)
def test_the_old_name_of_a_limit_is_obeyed(family: Path, tmp_path: Path) -> None:
    """``max_pixels`` of the elder families is the longest edge, as it says."""
    folder = Path(shutil.copytree(family, tmp_path / "own"))
    video_config(folder, max_pixels=64 * 64)
    grid = build_inputs(load(folder), TEXT, make_clip(2, size=(256, 256)))
    assert grid.tensors["video_grid_thw"].tolist() == [[1, 8, 8]]


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_nothing_is_padded_to_a_batch(own: Path, frames: int) -> None:
    """Each question is a batch of its own; tokenizers would pad on the left."""
    edit_json(own / "tokenizer_config.json", padding_side="right")
    loaded = load(own)
    assert loaded.tokenizer.padding_side == "left"
    for text in (TEXT, f"{TEXT} red", f"{TEXT} red green blue"):
        tensors = build_inputs(loaded, text, make_clip(frames)).tensors
        assert tensors["input_ids"].shape[0] == 1
        assert tensors["attention_mask"].all()
        assert loaded.tokenizer.pad_token_id not in tensors["input_ids"]


def test_three_pixels_of_height_are_no_channels(loaded: Loaded) -> None:
    """Frames are height, width, colour, even where the height looks like one."""
    inputs = build_inputs(loaded, TEXT, make_clip(2, size=(3, 3)))
    assert inputs.frames_seen == 2


def test_pixels_take_the_models_dtype(checkpoint: Path) -> None:
    """A bfloat16 model is given bfloat16 pixels, and ids as they were."""
    inputs = build_inputs(load(checkpoint, "bfloat16"), TEXT, make_clip())
    assert str(inputs.tensors["pixel_values_videos"].dtype) == "torch.bfloat16"
    assert str(inputs.tensors["input_ids"].dtype) == "torch.int64"


@pytest.mark.parametrize(
    ("begins", "bos", "added"),
    [("<s>", "<s>", False), ("", "<s>", True), ("<s>", None, True)],
)
def test_a_chat_begins_once(begins: str, bos: str | None, added: bool) -> None:
    """A template that writes the first token brings it; else the tokenizer adds it."""
    loaded = SimpleNamespace(tokenizer=SimpleNamespace(bos_token=bos))
    options = text_options(cast("Loaded", loaded), f"{begins}user: {TEXT}")
    assert options.get("add_special_tokens", True) == added


def test_without_a_clip_there_is_no_video(loaded: Loaded) -> None:
    """Text alone holds no visual token and no pixel."""
    inputs = build_inputs(loaded, TEXT, None)
    assert (inputs.frames_seen, inputs.visual_tokens) == (0, 0)
    assert "pixel_values_videos" not in inputs.tensors
    assert VIDEO_PART not in inputs.rendered


def test_a_template_that_drops_the_video_is_found(own: Path) -> None:
    """The fluent text-only answer of such a checkpoint is never scored."""
    path = own / "chat_template.jinja"
    path.write_text(path.read_text().replace(VIDEO_PART, ""))
    with pytest.raises(VideoNotConsumed, match="chat template drops the video"):
        build_inputs(load(own), TEXT, make_clip())


def test_a_processor_that_drops_the_video_is_found(loaded: Loaded) -> None:
    """Placeholder and frames gone together make no error of their own."""

    def drop(inner: Untyped, **asked: Untyped) -> object:
        text = [asked["text"][0].replace(VIDEO_PART, "")]
        return inner(text=text, return_tensors="pt")

    with pytest.raises(VideoNotConsumed, match="no visual token is left"):
        build_inputs(meddled(loaded, drop), TEXT, make_clip())


def test_tokens_that_are_cut_off_are_found(loaded: Loaded) -> None:
    """An input with fewer visual tokens than the grid makes is half a video."""

    def cut(inner: Untyped, **asked: Untyped) -> object:
        encoded = inner(**asked)
        encoded["input_ids"] = encoded["input_ids"][:, :12]
        return encoded

    with pytest.raises(VideoNotConsumed, match=r"makes 16 visual tokens, .* holds \d"):
        build_inputs(meddled(loaded, cut), TEXT, make_clip())


def test_a_processor_that_samples_again_is_found(loaded: Loaded) -> None:
    """Sampling has one owner: fewer frames than were given are an error."""

    def thin(inner: Untyped, **asked: Untyped) -> object:
        return inner(**{**asked, "videos": [asked["videos"][0][::2]]})

    with pytest.raises(BackendError, match="made 4 frames of the 8 it was given"):
        build_inputs(meddled(loaded, thin), TEXT, make_clip())


@pytest.mark.parametrize("family", ["qwen3_vl"], indirect=True)
def test_a_guessed_frame_rate_is_found(family: Path) -> None:
    """Metadata that gets lost on the way would make all time marks wrong."""

    def forget(inner: Untyped, **asked: Untyped) -> object:
        return inner(**{k: v for k, v in asked.items() if k != "video_metadata"})

    with pytest.raises(BackendError, match=r"assumed 24 frames a second where 4\.0"):
        build_inputs(meddled(load(family), forget), TEXT, make_clip())


@pytest.mark.parametrize("family", FAMILIES + WHOLE, indirect=True)
def test_a_question_that_writes_a_visual_mark_is_refused(family: Path) -> None:
    """Text cannot smuggle in a second video, nor a picture; the mark is named."""
    loaded = load(family)
    marks = {loaded.processor.video_token, loaded.processor.image_token}
    for mark in marks:
        for clip in (make_clip(), None):
            with pytest.raises(BackendError, match=f"text contains '{re.escape(mark)}"):
                build_inputs(loaded, f"{TEXT} {mark} red", clip)


def test_a_template_that_writes_two_videos_is_refused(own: Path) -> None:
    """One clip cannot stand in two places."""
    path = own / "chat_template.jinja"
    path.write_text(path.read_text().replace(VIDEO_PART, VIDEO_PART * 2))
    with pytest.raises(BackendError, match="2 times where 1 was expected"):
        build_inputs(load(own), TEXT, make_clip())


@pytest.mark.parametrize("family", WHOLE, indirect=True)
@pytest.mark.parametrize("frames", [1, 5])
def test_frames_are_counted_without_a_grid(family: Path, frames: int) -> None:
    """Families that keep frames whole are counted by the shape of the pixels."""
    inputs = build_inputs(load(family), TEXT, make_clip(frames))
    assert inputs.frames_seen == frames
    # Four tokens a frame; LLaVA-OneVision ends a video with one more.
    assert inputs.visual_tokens - 4 * frames in (0, 1)


def test_frames_that_cannot_be_counted_are_an_error() -> None:
    """An unknown layout is never taken for the right number of frames."""
    from pytest_vdg.backends._hf_inputs import _count_frames

    with pytest.raises(BackendError, match="cannot be told how many frames"):
        _count_frames({"pixel_values": np.zeros((4, 2))}, 1)


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 8))
def test_padding_repeats_the_last_frame_only(frames: int, multiple: int) -> None:
    """The frames stay as they are, up to one group less one is added."""
    clip = make_clip(frames, size=(2, 2))
    padded = pad_frames(clip.frames, multiple)
    assert len(padded) % multiple == 0
    assert 0 <= len(padded) - frames < multiple
    assert (padded[:frames] == clip.frames).all()
    assert (padded[frames:] == clip.frames[-1]).all()
    assert padded.flags.writeable


@settings(deadline=None)
@given(
    st.lists(st.floats(0, 3600), min_size=1, max_size=32),
    st.floats(0.2, 240),
)
def test_metadata_tells_each_frames_time(times: list[float], fps: float) -> None:
    """Index over rate is the timestamp, to five milliseconds, at any rate."""
    clip = make_clip(len(times), timestamps_s=sorted(times), fps=fps, size=(1, 1))
    metadata = video_metadata(clip)
    told = np.array(metadata["frames_indices"]) / metadata["fps"]
    assert np.abs(told - clip.timestamps_s).max() <= 0.005 + 1e-9


def test_metadata_tells_the_whole_video() -> None:
    """Six frames at 4 a second, 20 high and 30 wide, last a second and a half."""
    told = video_metadata(make_clip(6, size=(20, 30)))
    assert (told["height"], told["width"]) == (20, 30)
    assert (told["total_num_frames"], told["duration"]) == (6, 1.5)
    assert video_metadata(make_clip(1, size=(1, 1)))["total_num_frames"] == 1


def test_a_constant_rate_keeps_the_videos_own_indices() -> None:
    """Where time and index agree, the processor is told index and true rate."""
    steady = video_metadata(make_clip(4, fps=4.0))
    assert steady["frames_indices"] == [0, 1, 2, 3]
    assert (steady["fps"], steady["total_num_frames"]) == (4.0, 4)


def test_a_variable_rate_is_told_in_milliseconds() -> None:
    """Where times are no multiples of the mean rate's, the clock is finer."""
    clip = make_clip(3, timestamps_s=[0.0, 1.0, 2.0], fps=0.4)
    metadata = video_metadata(clip)
    assert metadata["frames_indices"] == [0, 1000, 2000]
    # 3 frames at 0.4 frames a second last 7.5 s.
    assert (metadata["fps"], metadata["total_num_frames"]) == (1000.0, 7500)
