"""Sharing: what prompts have in common is read once, and no answer changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_vdg.backends import _hf_asking
from pytest_vdg.backends._hf_shared import SharedForward
from pytest_vdg.backends.protocol import Prompt, Reply, Request
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.errors import BackendError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import Condition, apply

pytest.importorskip("torch")

FAMILIES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "llava_onevision", "internvl")
CONDITIONS = ("original", "black", "single_frame", "shuffled", "reversed")
QUESTIONS = ("what color is the shape ?", "which comes first ?", "what is the letter ?")


def clip(seed: int, frames: int = 4) -> Clip:
    """Return a clip of noise, two frames a second."""
    rng = np.random.default_rng(seed)
    return Clip(
        frames=rng.integers(0, 256, (frames, 32, 32, 3), dtype=np.uint8),
        timestamps_s=np.arange(frames) / 2,
        source_fps=2.0,
        source_frames=frames,
        source_indices=tuple(range(frames)),
        reader="synthetic",
    )


def requests(
    videos: int = 2, frames: int = 4, conditions: Sequence[str] = CONDITIONS
) -> list[Request]:
    """Return three questions on each video, under each condition and with none."""
    found = []
    for video in range(videos):
        seen = clip(video, frames)
        for question in QUESTIONS:
            prompt = Prompt(
                text=f"{question}\nA . red\nB . green\nC . blue\n",
                labels=("A", "B", "C"),
                option_texts=("red", "green", "blue"),
            )
            shown = [
                apply(Condition.parse(c), seen, question_id=question, seed=0, block=2)
                for c in conditions
            ]
            found += [Request(prompt=prompt, clip=each) for each in (*shown, None)]
    return found


def asked(path: Path, wanted: Sequence[Request], **settings: object) -> list[Reply]:
    """Return the replies of the checkpoint at *path* to all of *wanted*."""
    backend = TransformersBackend(
        TransformersSettings(checkpoint=path, device="cpu", **settings)  # type: ignore[arg-type]
    )
    return good(backend.ask_many(wanted))


def good(answers: Sequence[Reply | BackendError]) -> list[Reply]:
    """Return *answers*, all of which must be replies."""
    for answer in answers:
        if isinstance(answer, BackendError):
            raise answer
    return [answer for answer in answers if isinstance(answer, Reply)]


def require_same(one: Sequence[Reply], other: Sequence[Reply]) -> None:
    """Raise unless both are the same answers on the same inputs."""
    assert [r.input_digest for r in one] == [r.input_digest for r in other]
    assert [r.text for r in one] == [r.text for r in other]
    for mine, theirs in zip(one, other, strict=True):
        assert mine.probabilities == pytest.approx(theirs.probabilities, abs=1e-4)
        assert mine.label_mass == pytest.approx(theirs.label_mass, abs=1e-4)
        for name in ("frames_seen", "visual_tokens", "prompt_tokens"):
            assert getattr(mine, name) == getattr(theirs, name)


@pytest.mark.parametrize("family", FAMILIES)
def test_sharing_changes_no_answer(built: Callable[[str], Path], family: str) -> None:
    """Shared and plain passes give the same labels and probabilities."""
    wanted = requests()
    backend = TransformersBackend(
        TransformersSettings(checkpoint=built(family), device="cpu")
    )
    shared = good(backend.ask_many(wanted))
    assert backend.sharing.startswith("shares prefixes"), backend.sharing
    require_same(shared, asked(built(family), wanted, share_prefixes=False))


@pytest.mark.parametrize("family", FAMILIES)
def test_generated_replies_are_the_same(
    built: Callable[[str], Path], family: str
) -> None:
    """Greedy replies of several tokens do not depend on sharing."""
    wanted = requests(videos=1)
    how = {"scoring": "generate", "max_new_tokens": 6}
    shared = asked(built(family), wanted, **how)
    plain = asked(built(family), wanted, share_prefixes=False, **how)
    assert [r.text for r in shared] == [r.text for r in plain]


@pytest.mark.parametrize("frames", [1, 3, 5])
@pytest.mark.parametrize("family", FAMILIES)
def test_odd_numbers_of_frames(
    built: Callable[[str], Path], family: str, frames: int
) -> None:
    """Frames that are padded to a pair are shared as exactly as others."""
    wanted = requests(frames=frames, conditions=("original", "black", "single_frame"))
    shared = asked(built(family), wanted)
    require_same(shared, asked(built(family), wanted, share_prefixes=False))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 16])
def test_no_answer_depends_on_its_batch(
    built: Callable[[str], Path], size: int
) -> None:
    """Asked in groups of any size, in any order, each request has one answer."""
    wanted = requests()
    backend = TransformersBackend(
        TransformersSettings(checkpoint=built("qwen2_vl"), device="cpu")
    )
    expected = good(backend.ask_many(wanted))
    order = np.random.default_rng(size).permutation(len(wanted)).tolist()
    replies: dict[int, Reply] = {}
    for start in range(0, len(order), size):
        group = order[start : start + size]
        answers = good(backend.ask_many([wanted[i] for i in group]))
        replies.update(zip(group, answers, strict=True))
    require_same([replies[i] for i in range(len(wanted))], expected)


def test_few_tokens_a_pass_change_no_answer(built: Callable[[str], Path]) -> None:
    """However few tokens one pass may have, the answers are the same."""
    wanted = requests()
    small = asked(built("qwen2_vl"), wanted, batch_tokens=1)
    require_same(small, asked(built("qwen2_vl"), wanted))


def test_all_that_the_model_reads_is_counted(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Passes, and their tokens with the padding, those of the trial included."""
    backend = TransformersBackend(
        TransformersSettings(checkpoint=built("qwen2_vl"), device="cpu")
    )
    backend.load()
    assert backend._asking is not None
    model = backend._asking.loaded.model
    forward, read = model.forward, []

    @wraps(forward)
    def counted(**given: Any) -> object:  # noqa: ANN401
        read.append(given["input_ids"].numel())
        return forward(**given)

    monkeypatch.setattr(model, "forward", counted)
    good(backend.ask_many(requests()))
    assert backend.sharing == "shares prefixes and frames"
    assert backend.work.passes == len(read)
    assert backend.work.lm_tokens + backend.work.padded_tokens == sum(read)


def test_time_is_divided_among_what_is_asked_together(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six seconds for three requests are two for each."""
    clock = SimpleNamespace(perf_counter=iter([10.0, 16.0]).__next__)
    monkeypatch.setattr(_hf_asking, "time", clock)
    replies = asked(built("qwen2_vl"), requests(videos=1, conditions=())[:3])
    assert [reply.seconds for reply in replies] == [2.0] * 3


def test_what_is_forgotten_is_read_again(built: Callable[[str], Path]) -> None:
    """With no memory between two calls, the second gives the same answers."""
    wanted = requests()
    backend = TransformersBackend(
        TransformersSettings(checkpoint=built("qwen2_vl"), device="cpu", prefix_bytes=1)
    )
    first = good(backend.ask_many(wanted))
    require_same(good(backend.ask_many(wanted)), first)


def prefix_tree_tokens(wanted: Sequence[Request], replies: Sequence[Reply]) -> int:
    """Return the tokens of the prefix tree of all prompts, counted by hand.

    The tiny tokenizer makes one token of each word, so that the text after a
    video can be counted without our code. All prompts begin with the same three
    tokens (``<|im_start|>``, ``user``, line end), and end with the same five.
    """
    paths: set[tuple[object, ...]] = set()
    total = 0
    for request, reply in zip(wanted, replies, strict=True):
        words = request.prompt.text.replace("\n", " \n ").split(" ")
        text = [word for word in words if word]
        text += ["<|im_end|>", "\n", "<|im_start|>", "assistant", "\n"]
        video = None if request.clip is None else request.clip.digest()
        parts: list[tuple[object, int]] = [("<|im_start|>", 1), ("user", 1), ("\n", 1)]
        if video is not None:
            seen = reply.visual_tokens
            parts += [("<|vision_start|>", 1), (video, seen), ("<|vision_end|>", 1)]
        parts += [(word, 1) for word in text]
        assert sum(n for _, n in parts) == reply.prompt_tokens
        path: tuple[object, ...] = ()
        for part, tokens in parts:
            path = (*path, part)
            if path not in paths:
                paths.add(path)
                total += tokens
    return total


@pytest.mark.parametrize("videos", [1, 8])
def test_every_token_is_read_once(built: Callable[[str], Path], videos: int) -> None:
    """The language model reads the prefix tree of all prompts, and no token more.

    Beside the few prompts that the trial at load asks both ways.
    """
    wanted = requests(videos=videos)
    backend = TransformersBackend(
        TransformersSettings(checkpoint=built("qwen2_vl"), device="cpu")
    )
    backend.ask_many(wanted[:2])
    before = replace(backend.work)
    backend.close()
    backend.ask_many(wanted[:2])
    assert backend.work == before
    replies = good(backend.ask_many(wanted))
    read = backend.work.minus(before).lm_tokens
    assert read <= prefix_tree_tokens(wanted, replies)
    known = prefix_tree_tokens(wanted[:2], replies[:2])
    assert read >= prefix_tree_tokens(wanted, replies) - known


def test_frames_are_encoded_once(built: Callable[[str], Path]) -> None:
    """One frame repeated costs one group of frames, black ones one in all.

    Two videos of four frames: two pairs of each original, one pair for each of
    the three single frames, one black pair.
    """
    wanted = requests(conditions=("original", "black", "single_frame"))
    backend = TransformersBackend(
        TransformersSettings(checkpoint=built("qwen2_vl"), device="cpu")
    )
    backend.ask_many(wanted[:2])
    before = replace(backend.work)
    replies = good(backend.ask_many(wanted))
    assert backend.sharing == "shares prefixes and frames"
    distinct = {
        r.clip.frames[i : i + 2].tobytes()
        for r in wanted
        if r.clip is not None
        for i in (0, 2)
    }
    first = {
        r.clip.frames[i : i + 2].tobytes()
        for r in wanted[:2]
        if r.clip is not None
        for i in (0, 2)
    }
    each = max(r.visual_tokens for r in replies) // 2
    made = backend.work.minus(before).vision_tokens
    assert made == each * (len(distinct) - len(first))


def test_a_request_that_fails_leaves_the_others(
    built: Callable[[str], Path],
) -> None:
    """A label that is no token is the error of its own request."""
    wanted = requests(videos=1)
    odd = Prompt(text="what ?", labels=("zebra", "A"), option_texts=("red", "blue"))
    backend = TransformersBackend(
        TransformersSettings(checkpoint=built("qwen2_vl"), device="cpu")
    )
    answers = backend.ask_many([*wanted, Request(prompt=odd, clip=None)])
    assert isinstance(answers[-1], BackendError)
    assert "no single token" in str(answers[-1])
    good(answers[:-1])


def test_out_of_memory_is_met_with_smaller_passes(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass that does not fit is read in halves, with the same answers."""
    import torch

    wanted = requests()
    expected = asked(built("qwen2_vl"), wanted)
    backend = TransformersBackend(
        TransformersSettings(checkpoint=built("qwen2_vl"), device="cpu")
    )
    backend.ask_many(wanted[:2])
    assert backend._asking is not None
    model = backend._asking.loaded.model
    forward, sizes = model.forward, []

    def tight(**given: object) -> object:
        ids = given["input_ids"]
        assert isinstance(ids, torch.Tensor)
        sizes.append(len(ids))
        if len(ids) > 3:
            raise torch.OutOfMemoryError
        return forward(**given)

    monkeypatch.setattr(model, "forward", tight)
    require_same(good(backend.ask_many(wanted)), expected)
    assert max(sizes) > 3


def test_a_model_that_remembers_wrongly_runs_plain(
    built: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where shared passes come out different, none is used, and that is said."""
    wanted = requests()
    expected = asked(built("qwen2_vl"), wanted, share_prefixes=False)

    def forgetful(*_: object) -> object:
        from transformers import DynamicCache

        return DynamicCache()

    monkeypatch.setattr(SharedForward, "_remembered", forgetful)
    backend = TransformersBackend(
        TransformersSettings(checkpoint=built("qwen2_vl"), device="cpu")
    )
    require_same(good(backend.ask_many(wanted)), expected)
    assert backend.sharing.startswith("shares nothing: ")


def test_a_video_of_one_token_keeps_its_places() -> None:
    """Its places are a table of one column, which is laid beside those of text."""
    import torch

    from pytest_vdg.backends._hf_shared import _places
    from pytest_vdg.backends._hf_tree import Element

    video = Element("v", (9,), torch.tensor([[4], [5], [6]]))
    words = [Element(("w", i), (i,), (i, i, i)) for i in (7, 8)]
    places = _places([words[0], video, words[1]], 3)
    assert places.tolist() == [[7, 4, 8], [7, 5, 8], [7, 6, 8]]
