"""The same test for every family: does a checkpoint of it see what is shown?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import pytest

from pytest_vdg.backends._hf_families import AS_IMAGES, FAMILIES
from pytest_vdg.errors import VideoNotConsumed
from tests.backends import model_table
from tests.backends.contract import LINES, result
from tests.backends.families import LEFT_OUT, TINY
from tests.backends.subject import Subject, subject

pytest.importorskip("torch")
pytest.importorskip("transformers")

# In the code of transformers, which counts tokens of tensors with numpy.
pytestmark = [
    pytest.mark.filterwarnings("ignore:__array_wrap__:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
]


def require(kind: str) -> None:
    """Skip where a family needs a package that is not installed."""
    package = TINY[kind].needs
    if package is not None and importlib.util.find_spec(package) is None:
        pytest.skip(f"transformers needs {package} for {kind}")


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("kind", TINY)
def test_family(kind: str, line: str) -> None:
    """What the line's own docstring claims holds for the family."""
    require(kind)
    assert result(kind, line)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("kind", AS_IMAGES)
def test_family_as_images(kind: str, line: str) -> None:
    """The same claim holds where each frame is a picture of its own."""
    require(kind)
    assert result(kind, line, "images")


def test_no_family_is_declared_without_its_test() -> None:
    """What is said of a family is what its tiny checkpoint showed."""
    assert set(TINY) == set(FAMILIES)


def test_what_takes_videos_can_be_shown_pictures() -> None:
    """Both ways are declared for each family that has a video of its own."""
    own = {kind for kind, family in FAMILIES.items() if family.frames_as == "video"}
    assert set(AS_IMAGES) == own
    assert {family.frames_as for family in AS_IMAGES.values()} == {"images"}


def test_what_takes_videos_is_tested_or_named() -> None:
    """Nothing that transformers registers for videos is left out in silence."""
    from transformers.models.auto import modeling_auto, video_processing_auto

    known = modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
    taking = video_processing_auto.VIDEO_PROCESSOR_MAPPING_NAMES
    assert set(known) & set(taking) <= set(FAMILIES) | set(LEFT_OUT)
    assert not set(FAMILIES) & set(LEFT_OUT)
    assert set(FAMILIES) <= set(known)


def test_the_page_is_what_the_contract_says() -> None:
    """The committed table has these very results, one row a family."""
    import transformers

    page = model_table.PAGE.read_text(encoding="utf-8")
    assert model_table.part(page, "departures") == model_table.departures()
    assert model_table.part(page, "left out") == model_table.left_out()
    images = model_table.part(page, "departures as images")
    assert images == model_table.departures_as_images()
    told = model_table.part(page, "families")
    if f"transformers {transformers.__version__}," not in told:
        pytest.skip(f"made with another transformers than {transformers.__version__}")
    for kind in TINY:
        require(kind)
    assert told == model_table.table()
    told = model_table.part(page, "families as images")
    assert told == model_table.table_as_images()


def test_a_token_that_black_loses_is_noticed() -> None:
    """VideoLLaMA3 as it is published has fewer tokens for black, and is refused."""
    plain = replace(FAMILIES["video_llama_3"], options={"use_token_compression": True})
    it = subject("video_llama_3")
    published = Subject(kind=it.kind, loaded=replace(it.loaded, family=plain))
    with pytest.raises(VideoNotConsumed, match="16 visual tokens, the input holds 7"):
        LINES["tokens equal"](published)


def test_a_model_that_sees_nothing_is_noticed() -> None:
    """Where the projector says the same of every picture, two claims fail."""
    import torch

    it = subject("llava_onevision")
    projector = it.loaded.model.model.multi_modal_projector
    handle = projector.register_forward_hook(lambda m, i, out: torch.zeros_like(out))
    try:
        for line in ("frames reach it", "order reaches it"):
            with pytest.raises(AssertionError):
                LINES[line](it)
    finally:
        handle.remove()


def test_a_processor_that_samples_is_noticed() -> None:
    """Were sampling left to the processor, the claim would fail."""
    it = subject("qwen2_vl")
    plain = replace(it.loaded.family, options={"do_sample_frames": True})
    careless = Subject(kind=it.kind, loaded=replace(it.loaded, family=plain))
    with pytest.raises(AssertionError, match="samples frames by itself"):
        LINES["samples again"](careless)
