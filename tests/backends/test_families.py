"""Declared differences of families: what they say, and where they are recorded."""

from __future__ import annotations

import copy
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_vdg.backends._hf_families import (
    COMMON,
    FAMILIES,
    Family,
    family_of,
    why_unshared,
)
from pytest_vdg.backends._hf_inputs import build_inputs
from pytest_vdg.backends._hf_live import LiveBackend
from pytest_vdg.errors import BackendError, ConfigError, VideoNotConsumed
from tests.backends.conftest import MakeBackend
from tests.backends.families import TINY
from tests.backends.subject import (
    LABELS,
    Subject,
    clip,
    good,
    mixed,
    request,
    subject,
)
from tests.backends.tinymodel import edit_json

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkpoint that takes pictures, and no video."""
    return TINY["llava"].build(tmp_path_factory.mktemp("llava"))


def test_the_common_path_departs_from_nothing() -> None:
    """A family that only has a name leaves no trace in an identity."""
    assert COMMON.departs == ""
    assert FAMILIES["qwen3_vl"].departs == ""


def test_departures_are_told_in_one_order() -> None:
    """The same settings are the same text, however they were written down."""
    one = Family(name="x", frames_as="images", options={"b": 1, "a": False})
    other = Family(name="x", frames_as="images", options={"a": False, "b": 1})
    assert one.departs == other.departs == "frames as images, a=false, b=1"


def test_unknown_kinds_are_of_the_common_family() -> None:
    """No guess is made from a name that looks like another."""
    assert family_of("qwen2_vl_of_mine") is COMMON
    assert family_of(None) is COMMON


def test_what_is_set_for_a_family_is_in_the_environment(
    pictures: Path, checkpoint: Path, backend: MakeBackend
) -> None:
    """Runs with and without it are not compared; others keep their fingerprint."""
    told = backend(pictures).identity.environment["family"]
    assert told == FAMILIES["llava"].departs
    assert "family" not in backend(checkpoint).identity.environment


@pytest.mark.parametrize(
    ("kind", "attention", "dtype", "reason"),
    [
        ("qwen3_vl", None, "bfloat16", ""),
        ("gemma4", None, "bfloat16", ""),
        ("gemma4", "vision", "float32", "see those behind them"),
        ("gemma3", None, "bfloat16", "see those behind them"),
        ("of_mine", None, "float32", ""),
        ("of_mine", None, "bfloat16", "never tested, and bfloat16 hides"),
    ],
)
def test_prompts_share_only_what_rounding_cannot_hide(
    kind: str, attention: str | None, dtype: str, reason: str
) -> None:
    """Half precision hides what a trial looks for, so it is not left to the trial."""
    text = SimpleNamespace(use_bidirectional_attention=attention)
    config = SimpleNamespace(text_config=text)
    why = why_unshared(family_of(kind), config, dtype)
    assert (reason in why) if reason else not why


def test_tokens_that_are_seen_both_ways_are_not_shared_in_half_precision() -> None:
    """Gemma 3 in bfloat16 would pass the trial, and answer otherwise."""
    import torch

    it = subject("gemma3")
    half = replace(it.loaded, model=copy.deepcopy(it.loaded.model).to(torch.bfloat16))
    asking = Subject(kind=it.kind, loaded=half).asking()
    good(asking.replies(mixed(it)))
    assert asking.sharing == "shares nothing: tokens of a picture see those behind them"


def test_a_live_model_is_named_as_its_checkpoint(
    pictures: Path, backend: MakeBackend
) -> None:
    """A training run and the checkpoint that it saves are one environment."""
    model = backend(pictures)
    model.load()
    assert model._asking is not None
    loaded, settings = model._asking.loaded, model.settings
    live = LiveBackend(loaded.model, loaded.processor, settings)
    told = live.identity.environment["family"]
    assert told == model.identity.environment["family"]


def test_each_frame_is_a_picture_in_its_place(
    pictures: Path, backend: MakeBackend
) -> None:
    """As many placeholders as frames, pixels in their order."""
    model = backend(pictures)
    model.load()
    assert model._asking is not None
    own = clip(3)
    inputs = build_inputs(model._asking.loaded, "what ?", own)
    assert inputs.rendered.count("<image>") == len(own)
    backwards = replace(own, frames=own.frames[::-1].copy())
    other = build_inputs(model._asking.loaded, "what ?", backwards)
    pixels = inputs.tensors["pixel_values"]
    assert other.tensors["pixel_values"].equal(pixels.flip(0))
    assert not other.tensors["pixel_values"].equal(pixels)


def test_a_template_that_drops_pictures_is_no_reply(
    pictures: Path, tmp_path: Path, backend: MakeBackend
) -> None:
    """Without placeholders a model of pictures would look blind."""
    own = _copy(pictures, tmp_path, "<image>\n", "")
    with pytest.raises(VideoNotConsumed, match="chat template drops the video"):
        backend(own).ask(request(clip()).prompt, clip())


def test_a_template_that_shows_pictures_twice_is_refused(
    pictures: Path, tmp_path: Path, backend: MakeBackend
) -> None:
    """Four frames stand in four places."""
    own = _copy(pictures, tmp_path, "<image>\n", "<image><image>\n")
    with pytest.raises(BackendError, match="8 times where 4 was expected"):
        backend(own).ask(request(clip()).prompt, clip())


def test_a_question_that_holds_a_placeholder_is_refused(
    pictures: Path, backend: MakeBackend
) -> None:
    """A question's own text never becomes a picture's place."""
    asked = request(clip(), "what is <image> ?").prompt
    with pytest.raises(BackendError, match="reads as the place of a picture"):
        backend(pictures).ask(asked, clip())
    assert asked.labels == LABELS


def test_a_kind_that_takes_no_video_and_has_no_entry_is_refused(
    pictures: Path, tmp_path: Path, backend: MakeBackend
) -> None:
    """A model of one picture is not shown frames in a way that nobody tested."""
    own = _copy(pictures, tmp_path, "", "")
    edit_json(own / "config.json", model_type="vipllava")
    with pytest.raises(ConfigError, match="has no video processor"):
        backend(own).ask(request(None).prompt, None)


def _copy(folder: Path, target: Path, old: str, new: str) -> Path:
    """Return a copy of a checkpoint with *old* in its chat template made *new*."""
    own = Path(shutil.copytree(folder, target / "own"))
    path = own / "chat_template.jinja"
    path.write_text(path.read_text().replace(old, new) if old else path.read_text())
    return own
