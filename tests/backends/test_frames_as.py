"""Frames shown as pictures to a model that also takes videos."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_vdg.backends import make_backend
from pytest_vdg.backends._hf_families import AS_IMAGES, FAMILIES, family_of
from pytest_vdg.backends._hf_inputs import build_inputs
from pytest_vdg.backends._hf_live import LiveBackend
from pytest_vdg.backends._hf_pixels import PixelMaker, Pixels
from pytest_vdg.backends._hf_prepare import InputBuilder
from pytest_vdg.backends._hf_processor import require_video
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.backends.openai_server import OpenAIBackend
from pytest_vdg.backends.protocol import Request
from pytest_vdg.backends.work import Work
from pytest_vdg.config.file import load_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.errors import BackendError, ConfigError, VideoNotConsumed
from pytest_vdg.frames.clip import Clip
from pytest_vdg.sessions.live import Live
from tests.backends.conftest import MakeBackend
from tests.backends.families import TINY
from tests.backends.subject import Subject, clip, good, request, shown, subject
from tests.backends.tinymodel import edit_json
from tests.backends.tinytext import build_text_model

pytest.importorskip("torch")

# In the code of transformers, which counts tokens of tensors with numpy.
pytestmark = [
    pytest.mark.filterwarnings("ignore:__array_wrap__:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
]

IMAGE_PART = "<|vision_start|><|image_pad|><|vision_end|>"
SERVER = {"url": "http://localhost:1/v1"}
FAST = ("qwen2_vl", "qwen3_vl", "glm4v", "internvl", "video_llava", "gemma4")
"""Families whose pixels do not depend on what else is in the prompt."""


def test_pictures_are_not_merged(checkpoint: Path, backend: MakeBackend) -> None:
    """Order is lost one by one where each frame is a picture, so a block is one."""
    assert backend(checkpoint).frames_per_token == 2
    assert backend(checkpoint, frames_as="images").frames_per_token == 1


def test_the_way_is_part_of_the_environment(
    checkpoint: Path, backend: MakeBackend
) -> None:
    """Runs of the two ways are not compared; the family's own way leaves no trace."""
    own, video, images = (
        backend(checkpoint, frames_as=way).identity for way in (None, "video", "images")
    )
    assert own == video
    assert images.environment == {**own.environment, "family": "frames as images"}
    assert images.subject == own.subject


def test_the_familys_own_pictures_need_no_setting(
    tmp_path: Path, backend: MakeBackend
) -> None:
    """Set or not, a model that takes no videos is asked the same way."""
    folder = TINY["llava"].build(tmp_path / "llava")
    identity = backend(folder).identity
    assert backend(folder, frames_as="images").identity == identity


def test_each_frame_is_a_picture_in_its_place() -> None:
    """As many placeholders as frames, and a grid row for each, in their order."""
    it, own = subject("qwen2_vl", "images"), clip(3)
    forwards = it.inputs(own)
    assert forwards.rendered.count(IMAGE_PART) == len(own) == forwards.frames_seen
    assert forwards.tensors["image_grid_thw"].tolist() == [[1, 4, 4]] * len(own)
    assert "pixel_values_videos" not in forwards.tensors
    backwards = it.inputs(replace(own, frames=own.frames[::-1].copy()))
    pixels, other = (
        each.tensors["pixel_values"].chunk(len(own)) for each in (forwards, backwards)
    )
    assert all(a.equal(b) for a, b in zip(pixels, other[::-1], strict=True))
    assert not pixels[0].equal(other[0])


@pytest.mark.parametrize("frames_as", ["image", "clips", 2])
def test_another_way_is_refused(frames_as: Any) -> None:  # noqa: ANN401 - wrong ones
    """What is misspelt is named before any file is opened."""
    with pytest.raises(ConfigError, match=f"frames_as cannot be {frames_as!r}"):
        TransformersSettings(checkpoint="x", frames_as=frames_as)


def test_a_video_is_not_shown_to_a_processor_of_pictures(
    tmp_path: Path, backend: MakeBackend
) -> None:
    """The error says which part is missing, and which way is left."""
    folder = TINY["llava"].build(tmp_path / "llava")
    with pytest.raises(ConfigError, match=r"no video processor.\n.*frames_as: images"):
        backend(folder, frames_as="video").load()


def test_pictures_are_not_shown_to_a_processor_of_videos() -> None:
    """Where it has no part for pictures, the way that it has is named."""
    processor = SimpleNamespace(tokenizer=1, video_processor=1)
    family = family_of("qwen2_vl", "images")
    with pytest.raises(ConfigError, match=r"no image processor.\n.*frames_as: video"):
        require_video(processor, "x", family)


def test_a_kind_that_was_never_tested_is_told(
    checkpoint: Path,
    tmp_path: Path,
    backend: MakeBackend,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A model of no family may be shown pictures, and is not taken for a known one."""
    own = Path(shutil.copytree(checkpoint, tmp_path / "own"))
    edit_json(own / "config.json", model_type="qwen2_vl_of_mine")
    with pytest.raises(BackendError):
        backend(own, frames_as="images").load()
    assert "never tested with frames as images" in caplog.text
    assert not family_of("qwen2_vl_of_mine", "images").tested
    assert not family_of("gemma3", "video").tested
    assert all(family.tested for family in (*FAMILIES.values(), *AS_IMAGES.values()))


def test_a_template_without_a_place_for_pictures_is_no_reply(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend
) -> None:
    """A template of videos alone would leave a model blind that is not."""
    own = Path(shutil.copytree(checkpoint, tmp_path / "own"))
    path = own / "chat_template.jinja"
    path.write_text(path.read_text().replace(IMAGE_PART, ""))
    with pytest.raises(VideoNotConsumed, match="chat template drops the video"):
        backend(own, frames_as="images").ask(request(clip()).prompt, clip())


def test_tokens_that_pictures_do_not_make_are_noticed() -> None:
    """As many visual tokens as the grid of all pictures says, or none is believed."""
    it, own = subject("qwen2_vl", "images"), clip(3)
    processor = _Cut(it.loaded.processor)
    with pytest.raises(VideoNotConsumed, match=r"pictures make 8 visual tokens.*12"):
        build_inputs(replace(it.loaded, processor=processor), "what ?", own)


class _Cut:
    """A processor that loses the last picture's grid."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401 - of transformers
        self._inner = inner

    def __call__(self, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - its own
        made = dict(self._inner(**given))
        return {**made, "image_grid_thw": made["image_grid_thw"][:-1]}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any of its parts
        return getattr(self._inner, name)


@pytest.mark.parametrize("kind", FAST)
def test_pictures_of_one_size_are_made_together(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processor is asked for one prompt; the inputs are what it would make."""
    it, calls = subject(kind, "images"), list[int]()
    inner = PixelMaker._call

    def counted(self: PixelMaker, some: Sequence[Clip]) -> Pixels:
        calls.append(len(some))
        return inner(self, some)

    monkeypatch.setattr(PixelMaker, "_call", counted)
    clips, work = [clip(seed=seed) for seed in range(12)], Work()
    builder = InputBuilder(it.loaded, work)
    builder.look_ahead(clips)
    made = [builder.build(f"? {i}", seen) for i, seen in enumerate(clips)]
    # One to learn from, the others, and one alone to hold that against.
    assert calls == [1, 11, 1]
    assert work.processed == 1 + sum(calls)
    expected = [build_inputs(it.loaded, f"? {i}", c) for i, c in enumerate(clips)]
    assert [each.digest for each in made] == [each.digest for each in expected]


@pytest.mark.parametrize("kind", AS_IMAGES)
def test_inputs_are_those_of_the_processor_whatever_was_learnt(kind: str) -> None:
    """Numbers of frames in turn, black ones first, two questions on each."""
    if TINY[kind].needs is not None:
        pytest.importorskip(TINY[kind].needs)
    it = subject(kind, "images")
    builder = InputBuilder(it.loaded, Work())
    clips = [shown("black", clip(2), 1), clip(2), clip(3), clip(1), clip(2, seed=5)]
    builder.look_ahead(clips)
    for text in ("what ?", "which comes first ?"):
        for seen in clips:
            expected = build_inputs(it.loaded, text, seen)
            assert builder.build(text, seen).digest == expected.digest


def test_a_frame_is_encoded_once() -> None:
    """However often a picture stands in a prompt, and in however many.

    A video of four frames, one of them repeated, and four black ones: five
    pictures of four tokens.
    """
    it, own = subject("qwen2_vl", "images"), clip(4)
    asking = it.asking()
    good(asking.replies(_asked(it, [clip(2, seed=9), clip(2, seed=8)])))
    assert asking.sharing == "shares prefixes and frames"
    clips = [own, shown("black", own, 1), shown("single_frame", own, 1)]
    # The trial of four pictures reads two prompts whole and encodes theirs, too.
    good(asking.replies(_asked(it, clips[:1])))
    before = replace(asking.work)
    good(asking.replies(_asked(it, clips)))
    assert asking.work.minus(before).vision_tokens == (5 - 4) * 4


def _asked(it: Subject, clips: Sequence[Clip]) -> list[Request]:
    return [request(each, q) for each in clips for q in ("what ?", "which is red ?")]


def test_a_live_model_is_shown_pictures_as_its_checkpoint_is(
    checkpoint: Path, backend: MakeBackend
) -> None:
    """Environment, merged frames and inputs are those of the folder."""
    saved = backend(checkpoint, frames_as="images")
    saved.load()
    assert saved._asking is not None
    loaded = saved._asking.loaded
    settings = TransformersSettings(checkpoint="live", frames_as="images")
    live = LiveBackend(loaded.model, loaded.processor, settings)
    assert live.identity.environment == saved.identity.environment
    assert live.frames_per_token == saved.frames_per_token == 1
    wanted = [request(clip(2)), request(clip(2, seed=3))]
    ours, theirs = (good(each.ask_many(wanted)) for each in (live, saved))
    assert [r.input_digest for r in ours] == [r.input_digest for r in theirs]


def test_a_model_in_training_is_shown_what_the_file_says(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend
) -> None:
    """`frames_as` of ``vdg.yaml`` holds for a live model, too."""
    saved = backend(checkpoint)
    saved.load()
    assert saved._asking is not None
    loaded = saved._asking.loaded
    live = Live(model=loaded.model, processor=loaded.processor, name="live")
    path = tmp_path / "vdg.yaml"
    for text, merged in (("frames_as: images\n", 1), ("seed: 1\n", 2)):
        path.write_text(text)
        config = load_config(path)
        settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
        assert live.backend(settings).frames_per_token == merged


def test_a_model_without_eyes_is_shown_nothing_either_way(tmp_path: Path) -> None:
    """A panel's language models read the same ``vdg.yaml``, and stay who they are."""
    folder = build_text_model(tmp_path)
    plain, told = (
        make_backend("text-lm", {"checkpoint": folder, "device": "cpu", **way})
        for way in ({}, {"frames_as": "images"})
    )
    assert told.identity == plain.identity
    assert told.frames_per_token == 1


@pytest.mark.parametrize(
    ("server", "given"),
    [({}, "images"), ({"frames_as": "video"}, "video"), ({}, None)],
)
def test_a_server_and_a_local_model_may_be_shown_the_same(
    server: dict[str, object], given: str | None
) -> None:
    """One ``vdg.yaml`` serves both; what agrees is not told as unused."""
    settings = {"frames_as": given} if given else {}
    made = make_backend(
        "openai", {"checkpoint": "m", "server": {**SERVER, **server}, **settings}
    )
    assert isinstance(made, OpenAIBackend)
    assert not [note for note in made.notes if "frames_as" in note]


@pytest.mark.parametrize(
    ("server", "given"), [({}, "video"), ({"frames_as": "video"}, "images")]
)
def test_a_server_that_is_shown_something_else_is_refused(
    server: dict[str, object], given: str
) -> None:
    """The error says which key a server obeys."""
    settings = {"checkpoint": "m", "server": {**SERVER, **server}, "frames_as": given}
    with pytest.raises(ConfigError, match=f"server: {{frames_as: {given}}}"):
        make_backend("openai", settings)
