"""Sharing where something goes wrong: no answer changes, no fault is hidden."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pytest_vdg.backends import _hf_shared, _hf_vision
from pytest_vdg.backends._hf_sharing import MOST_KINDS
from pytest_vdg.backends.protocol import Prompt, Reply, Request
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.backends.work import Work
from pytest_vdg.errors import BackendError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import Condition, apply
from tests.backends.test_sharing import FAMILIES, require_same
from tests.backends.tinyfamilies import Untyped

pytest.importorskip("torch")

QUESTIONS = ("what color is the shape ?", "which comes first ?")


def clip(seed: int, size: tuple[int, int] = (32, 32)) -> Clip:
    """Return four frames of noise, two a second."""
    rng = np.random.default_rng(seed)
    return Clip(
        frames=rng.integers(0, 256, (4, *size, 3), dtype=np.uint8),
        timestamps_s=np.arange(4) / 2,
        source_fps=2.0,
        source_frames=4,
        source_indices=tuple(range(4)),
        reader="synthetic",
    )


def requests(
    clips: Sequence[Clip], conditions: Sequence[str] = ("black", "original")
) -> list[Request]:
    """Return two questions on each of *clips*, condition by condition."""
    return [
        Request(
            prompt=Prompt(
                text=f"{question}\nA . red\nB . green\n",
                labels=("A", "B"),
                option_texts=("red", "green"),
            ),
            clip=apply(
                Condition.parse(name), seen, question_id=question, seed=0, block=2
            ),
        )
        for name in conditions
        for seen in clips
        for question in QUESTIONS
    ]


def loaded(path: Path, **settings: object) -> tuple[TransformersBackend, Untyped]:
    """Return a backend with its weights loaded, and what was loaded."""
    backend = TransformersBackend(
        TransformersSettings(checkpoint=path, device="cpu", **settings)  # type: ignore[arg-type]
    )
    backend.load()
    assert backend._asking is not None
    return backend, backend._asking.loaded


def plain(path: Path, wanted: Sequence[Request]) -> list[Reply]:
    """Return the replies to *wanted*, one after the other."""
    backend, _ = loaded(path, share_prefixes=False)
    return [backend.ask(request.prompt, request.clip) for request in wanted]


def good(answers: Sequence[Reply | BackendError]) -> list[Reply]:
    """Return *answers*, all of which must be replies."""
    for answer in answers:
        if isinstance(answer, BackendError):
            raise answer
    return [answer for answer in answers if isinstance(answer, Reply)]


@pytest.mark.parametrize("family", FAMILIES)
def test_black_clips_of_two_formats_are_two_pictures(
    built: Callable[[str], Path], family: str
) -> None:
    """Wide and tall black clips have the same pixels, and not the same features."""
    backend, _ = loaded(built(family))
    good(backend.ask_many(requests([clip(1)])))
    assert backend.sharing.startswith("shares prefixes"), backend.sharing
    wanted = requests([clip(2, (16, 64)), clip(3, (64, 16))])
    require_same(good(backend.ask_many(wanted)), plain(built(family), wanted))


@pytest.mark.parametrize("family", FAMILIES)
def test_memory_that_ends_behind_a_pass_loses_no_video(
    built: Callable[[str], Path], family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read just before memory ran out is read again with its video."""
    import torch

    backend, _ = loaded(built(family))
    good(backend.ask_many(requests([clip(1)])))
    assert backend.sharing.startswith("shares prefixes"), backend.sharing
    take, full = _hf_shared.taken, []

    def tight(cache: Untyped, row: int, past: int, length: int) -> object:
        if row and not full:
            full.append(row)
            raise torch.OutOfMemoryError
        return take(cache, row, past, length)

    monkeypatch.setattr(_hf_shared, "taken", tight)
    wanted = requests([clip(2), clip(3)], ("original",))
    answers = good(backend.ask_many(wanted))
    assert full
    require_same(answers, plain(built(family), wanted))


@pytest.mark.parametrize("asked_before", [0, 2])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_that_drops_its_video_gives_bit_equal_answers(
    built: Callable[[str], Path], family: str, asked_before: int
) -> None:
    """What the run's last check looks for is there: not one bit of difference.

    Questions differ in length, so that passes of several shapes round differently.
    Some may have been asked without a video before, which tells of no picture.
    """
    backend, parts = loaded(built(family))
    model = parts.model.model
    tower = model.visual if hasattr(model, "visual") else model.vision_tower
    for weights in tower.parameters():
        weights.data.zero_()
    clips = [clip(seed) for seed in range(5)]
    blind = [replace(request, clip=None) for request in requests(clips)]
    good(backend.ask_many(blind[:asked_before]))
    black = good(backend.ask_many(requests(clips, ("black",))))
    original = good(backend.ask_many(requests(clips, ("original",))))
    assert [r.probabilities for r in black] == [r.probabilities for r in original]
    assert "other pixels do not change one bit" in backend.sharing


def test_a_processor_that_loses_pictures_is_not_gone_round(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that makes all clips black is right on the first, and found out after."""
    import torch

    backend, parts = loaded(built("qwen2_vl"))
    call = type(parts.processor).__call__

    def blackened(self: Untyped, **given: Untyped) -> Untyped:
        made = call(self, **given)
        if "pixel_values_videos" in made:
            pixels = made["pixel_values_videos"]
            made["pixel_values_videos"] = torch.full_like(pixels, -1.0)
        return made

    monkeypatch.setattr(type(parts.processor), "__call__", blackened)
    replies = good(backend.ask_many(requests([clip(1), clip(2)])))
    assert len({reply.input_digest for reply in replies}) == len(QUESTIONS)


def test_clips_that_cannot_be_made_together_are_made_alone(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A video processor that takes one clip at a time costs no answer."""
    backend, parts = loaded(built("qwen2_vl"))
    kind = type(parts.processor.video_processor)
    call = kind.__call__

    def alone(self: Untyped, videos: Untyped, **given: Untyped) -> Untyped:
        if len(videos) > 1:
            raise ValueError("one at a time")
        return call(self, videos, **given)

    monkeypatch.setattr(kind, "__call__", alone)
    good(backend.ask_many(requests([clip(1)])))
    wanted = requests([clip(2), clip(3), clip(4)])
    require_same(good(backend.ask_many(wanted)), plain(built("qwen2_vl"), wanted))


def test_a_model_whose_rule_of_positions_is_another_runs_plain(
    built: Callable[[str], Path],
) -> None:
    """One that cannot be asked for positions from outside is asked plainly."""
    backend, parts = loaded(built("qwen2_vl"))
    rule = parts.model.model.get_rope_index

    def inside(
        input_ids: Untyped,
        image_grid_thw: Untyped,
        video_grid_thw: Untyped,
        **given: Untyped,
    ) -> Untyped:
        grids = {"image_grid_thw": image_grid_thw, "video_grid_thw": video_grid_thw}
        return rule(input_ids, **grids, **given)

    parts.model.model.get_rope_index = inside
    wanted = requests([clip(1), clip(2)])
    require_same(good(backend.ask_many(wanted)), plain(built("qwen2_vl"), wanted))
    assert "image_grid_thw" in backend.sharing


def test_positions_that_fail_later_cost_no_other_answer(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A prompt without positions is its own failure, and not that of the run."""
    backend, parts = loaded(built("qwen2_vl"))
    good(backend.ask_many(requests([clip(1)])))
    rule = parts.model.model.get_rope_index

    def picky(*args: Untyped, video_grid_thw: Untyped, **given: Untyped) -> Untyped:
        if video_grid_thw[0, 1] == 2:
            raise ValueError("too flat")
        return rule(*args, video_grid_thw=video_grid_thw, **given)

    monkeypatch.setattr(parts.model.model, "get_rope_index", picky)
    picky.__signature__ = inspect.signature(rule)  # type: ignore[attr-defined]
    answers = backend.ask_many(requests([clip(2), clip(3, (16, 64))], ("original",)))
    assert [isinstance(answer, BackendError) for answer in answers] == [
        *(False for _ in QUESTIONS),
        *(True for _ in QUESTIONS),
    ]


def test_prompts_that_cannot_be_read_are_not_held(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failures, with the pixels of their clips, leave nothing in the tree."""
    backend, parts = loaded(built("qwen2_vl"))
    good(backend.ask_many(requests([clip(1)])))
    assert backend._asking is not None
    assert backend._asking._forward is not None
    shared = backend._asking._forward.shared
    assert shared is not None
    before = len(list(shared._tree.nodes()))

    def broken(**_: object) -> object:
        raise RuntimeError("no kernel")

    monkeypatch.setattr(parts.model, "forward", broken)
    answers = backend.ask_many(requests([clip(2), clip(3)], ("original",)))
    assert all(isinstance(answer, BackendError) for answer in answers)
    left = list(shared._tree.nodes())
    assert len(left) <= before + 1  # one node may be divided in two
    assert not any(element.visual for node in left for element in node.elements)


def test_a_tokenizer_that_marks_beginnings_is_not_misread(
    built: Callable[[str], Path], tmp_path: Path
) -> None:
    """Where a space before a question changes its tokens, all are the processor's.

    Alone, ``what`` and `` what`` are both read as a first word; behind a video
    only the second is.
    """
    folder = Path(shutil.copytree(built("llava_onevision"), tmp_path / "spaces"))
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    words = ("\u2581A", "\u2581B", "\u2581what", "\u2581which", "what", "which")
    for word, unused in zip(words, "~^`|{}", strict=True):
        vocabulary[word] = vocabulary.pop(unused)
    line = {"type": "Split", "pattern": {"String": "\n"}, "behavior": "Isolated"}
    first = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first"}
    tokenizer["pre_tokenizer"] = {
        "type": "Sequence",
        "pretokenizers": [{**line, "invert": False}, {**first, "split": True}],
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    seen = apply(Condition.parse("original"), clip(1), question_id="q", seed=0, block=2)
    wanted = [
        Request(
            prompt=Prompt(text=text, labels=("A", "B"), option_texts=("red", "blue")),
            clip=seen,
        )
        for text in (" what", "what", " which", "which")
    ]
    backend, _ = loaded(folder)
    replies = good(backend.ask_many(wanted))
    assert len({reply.input_digest for reply in replies}) == len(wanted)
    require_same(replies, plain(folder, wanted))


def test_a_fault_that_shows_on_a_later_video_is_found(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first clip of each new shape is asked both ways, and its answers are right.

    Here all black clips have one name, whatever their format.
    """
    named = _hf_vision.frame_digests

    def careless(visual: Mapping[str, Untyped]) -> tuple[str, ...]:
        return tuple(name.rpartition(" ")[2] for name in named(visual))

    monkeypatch.setattr(_hf_vision, "frame_digests", careless)
    backend, _ = loaded(built("qwen3_vl"))
    good(backend.ask_many(requests([clip(1, (16, 64))])))
    assert backend.sharing == "shares prefixes and frames"
    wanted = requests([clip(2, (64, 16))])
    require_same(good(backend.ask_many(wanted)), plain(built("qwen3_vl"), wanted))
    assert backend.sharing.startswith("shares nothing: log-probabilities differ")


def test_a_video_alone_is_not_read_by_what_was_tried_on_none(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found out without a video tells nothing of one that comes singly.

    Here shared passes show the model no video at all.
    """
    backend, _ = loaded(built("qwen2_vl"))
    monkeypatch.setattr(_hf_shared.SharedForward, "_visual", lambda *_: {})
    wanted = requests([clip(1), clip(2)], ("original",))
    good(backend.ask_many([replace(request, clip=None) for request in wanted]))
    assert backend.sharing == "shares prefixes"
    replies = [good(backend.ask_many([request]))[0] for request in wanted[:2]]
    require_same(replies, plain(built("qwen2_vl"), wanted[:2]))


def test_few_videos_are_asked_both_ways(built: Callable[[str], Path]) -> None:
    """Where every video has a shape of its own, the trials come to an end."""
    backend, _ = loaded(built("qwen2_vl"))
    for frames in range(1, 12):
        seen = replace(
            clip(frames),
            frames=np.full((2 * frames, 32, 32, 3), 7 * frames, dtype=np.uint8),
            timestamps_s=np.arange(2 * frames) / 2,
            source_indices=tuple(range(2 * frames)),
        )
        good(backend.ask_many(requests([seen])))
    assert backend._asking is not None
    assert backend._asking._forward is not None
    assert len(backend._asking._forward.kinds) == MOST_KINDS


@pytest.mark.parametrize("held_bytes", [1 << 30, 100_000])
def test_memory_that_is_full_of_prefixes_costs_no_answer(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, held_bytes: int
) -> None:
    """Where plain passes have room, shared ones give way, whatever they may hold."""
    import torch

    backend, parts = loaded(built("qwen2_vl"), prefix_bytes=held_bytes)
    good(backend.ask_many(requests([clip(1)])))
    assert backend._asking is not None
    assert backend._asking._forward is not None
    shared = backend._asking._forward.shared
    assert shared is not None
    forward, full = parts.model.forward, []

    def tight(**given: object) -> object:
        held = sum(n.memory.nbytes for n in shared._tree.nodes() if n.memory)
        if held > 250_000:
            full.append(held)
            raise torch.OutOfMemoryError
        return forward(**given)

    monkeypatch.setattr(parts.model, "forward", tight)
    wanted = requests([clip(seed) for seed in range(2, 14)])
    require_same(good(backend.ask_many(wanted)), plain(built("qwen2_vl"), wanted))
    assert bool(full) == (held_bytes == 1 << 30)


@pytest.mark.parametrize("shares", [True, False])
@pytest.mark.parametrize("scoring", ["choice", "generate"])
def test_a_question_that_writes_a_picture_fails_alone(
    built: Callable[[str], Path], scoring: str, shares: bool
) -> None:
    """A mark of pictures in its text is its own fault, and no lost video."""
    backend, _ = loaded(built("qwen2_vl"), scoring=scoring, share_prefixes=shares)
    wanted = requests([clip(1)], ("original",))
    good(backend.ask_many(wanted))
    for mark in ("<|image_pad|>", "<|video_pad|>"):
        odd = replace(wanted[0].prompt, text=f"what is {mark} ?\nA . red\nB . green\n")
        for seen in (wanted[0].clip, None):
            bad = Request(prompt=odd, clip=seen)
            first, failed, last = backend.ask_many([wanted[0], bad, wanted[1]])
            assert isinstance(failed, BackendError)
            assert repr(mark) in str(failed)
            good([first, last])


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_trial_that_fails_is_made_again(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """Memory that is short for a moment does not make a run plain; three times do."""
    import torch

    backend, parts = loaded(built("qwen2_vl"))

    def full(**_: object) -> object:
        raise torch.OutOfMemoryError("no room")

    with monkeypatch.context() as short:
        short.setattr(parts.model, "forward", full)
        for seed in range(failing):
            for answer in backend.ask_many(requests([clip(seed)])):
                assert isinstance(answer, BackendError)
    wanted = requests([clip(7), clip(8)])
    require_same(good(backend.ask_many(wanted)), plain(built("qwen2_vl"), wanted))
    if failing < 3:
        assert backend.sharing == "shares prefixes and frames"
    else:
        assert backend.sharing == (
            "shares nothing: the trial failed 3 times, at last by "
            "OutOfMemoryError: no room"
        )


def test_a_model_whose_memory_cannot_be_divided_says_why(
    built: Callable[[str], Path],
) -> None:
    """Layers that keep one state for all tokens are named, and answers are plain."""
    import torch
    import transformers

    kind = getattr(transformers, "Qwen3_5ForConditionalGeneration", None)
    if kind is None:
        pytest.skip("this transformers has no Qwen3.5")
    backend, parts = loaded(built("qwen3_vl"))
    known = parts.model.config
    sizes = {
        "linear_key_head_dim": 16,
        "linear_value_head_dim": 16,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 2,
        "layer_types": ["linear_attention", "full_attention"],
    }
    torch.manual_seed(0)
    config = transformers.Qwen3_5Config(
        **{
            name: value
            for name, value in known.to_dict().items()
            if name.endswith("_token_id")
        },
        text_config={**plain_sizes(known.text_config), **sizes},
        vision_config=plain_sizes(known.vision_config),
    )
    assert backend._asking is not None
    model = kind(config).eval()
    backend._asking.loaded = replace(parts, model=model)
    backend._asking.forget()
    good(backend.ask_many(requests([clip(1), clip(2)])))
    assert backend.sharing == (
        "shares nothing: the model keeps more than keys and values of each token "
        "(linear_attention), which cannot be divided"
    )


def plain_sizes(config: Untyped) -> dict[str, Untyped]:
    """Return the sizes of *config*, without what names its own family."""
    names = {"model_type", "architectures", "transformers_version", "dtype"}
    return {n: v for n, v in config.to_dict().items() if n not in names}


@pytest.mark.parametrize("room", [1, 3, 5])
def test_pixels_are_made_no_further_ahead_than_they_can_be_held(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """Those of the first clips are there when they are needed, none is made twice."""
    from pytest_vdg.backends import _hf_pixels

    _, parts = loaded(built("qwen2_vl"))
    clips = [clip(seed) for seed in range(8)]
    one = _hf_pixels.PixelMaker(parts, Work()).of(clips[0])
    size = sum(value.nbytes for value in one.values())
    monkeypatch.setattr(_hf_pixels, "MOST_BYTES", room * size)
    work = Work()
    maker = _hf_pixels.PixelMaker(parts, work)
    maker.of(clips[0])
    maker.make(clips)
    assert set(maker._held) == {_hf_pixels._key(c) for c in clips[: max(1, room)]}
    before = work.processed
    for seen in clips:
        maker.of(seen)
    assert work.processed - before == len(clips) - room
