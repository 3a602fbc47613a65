"""A real server, ``transformers serve``, with a tiny checkpoint on loopback.

Apart from the tests with a stub because it takes packages that a server needs and
we do not, and a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.backends import make_backend
from pytest_vdg.backends.openai_server import OpenAIBackend
from pytest_vdg.backends.protocol import Prompt, Reply, Request
from pytest_vdg.backends.transformers import TransformersBackend
from pytest_vdg.benchmarks.answers import parse_answer
from pytest_vdg.benchmarks.sight import load_sight
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.sampling import Sampling
from tests.backends.conftest import make_clip
from tests.serving import serving

CHECKPOINT = Path(__file__).parents[2] / "example_suite" / "checkpoints" / "grounded"
TOKENS = 2
"""A letter and the end."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a server that serves the checkpoint; ended afterwards."""
    with serving(tmp_path_factory.mktemp("serve"), CHECKPOINT) as address:
        yield address


@pytest.fixture(scope="module")
def backend(url: str) -> Iterator[OpenAIBackend]:
    """Return a backend that asks it, frames as images."""
    server = {"url": url, "max_concurrent": 1, "retries": 1, "timeout_s": 600.0}
    made = make_backend(
        "openai",
        {"checkpoint": str(CHECKPOINT), "max_new_tokens": TOKENS, "server": server},
    )
    assert isinstance(made, OpenAIBackend)
    yield made
    made.close()


@pytest.fixture(scope="module")
def asked() -> list[Request]:
    """Return eight questions of the built-in benchmark: shown, black, and without."""
    benchmark = load_sight()
    found = []
    for question in benchmark.questions[::12][:8]:
        options = question.texts
        lines = [question.text, *(f"{k}. {v}" for k, v in options.items())]
        text = "\n".join([*lines, "Answer with the letter of the correct option."])
        prompt = Prompt(
            text=text, labels=question.labels, option_texts=tuple(options.values())
        )
        clip = read_clip(benchmark.video_path(question), Sampling(frames=8))
        black = make_clip(8, black=True, size=clip.size)
        found += [Request(prompt=prompt, clip=c) for c in (clip, black, None)]
    return found


@pytest.fixture(scope="module")
def replies(backend: OpenAIBackend, asked: list[Request]) -> list[Reply]:
    """Return what the server replies."""
    answers = backend.ask_many(asked)
    assert all(isinstance(each, Reply) for each in answers), answers
    return answers  # type: ignore[return-value]


def test_the_images_are_seen_and_counted(
    asked: list[Request], replies: list[Reply]
) -> None:
    """Eight images of 32 x 32 pixels: 4 tokens each, a mark before and one behind."""
    for request, reply in zip(asked, replies, strict=True):
        shown = request.clip is not None
        assert reply.frames_seen == 8 * shown
        assert reply.visual_tokens == 8 * (4 + 2) * shown


def test_answers_are_those_of_the_checkpoint_in_this_process(
    asked: list[Request], replies: list[Reply]
) -> None:
    """The same images, template and greedy search by the library itself."""
    chosen = [_choice(request, _in_process(request)) for request in asked]
    assert [
        _choice(request, reply.text)
        for request, reply in zip(asked, replies, strict=True)
    ] == chosen
    assert len({label for label in chosen if label}) > 1


def test_both_backends_agree_on_pictures(
    asked: list[Request], replies: list[Reply]
) -> None:
    """With frames as images our own backend makes the same prompt, and its answer."""
    settings = {"scoring": "generate", "device": "cpu", "max_new_tokens": TOKENS}
    local = make_backend(
        "transformers", {"checkpoint": CHECKPOINT, "frames_as": "images", **settings}
    )
    try:
        assert isinstance(local, TransformersBackend)
        own = local.ask_many(asked)
    finally:
        local.close()
    for request, mine, theirs in zip(asked, own, replies, strict=True):
        assert isinstance(mine, Reply), mine
        assert mine.prompt_tokens == theirs.prompt_tokens
        assert mine.frames_seen == theirs.frames_seen
        assert _choice(request, mine.text) == _choice(request, theirs.text)


def test_what_the_server_says_of_itself_is_recorded(
    backend: OpenAIBackend, replies: list[Reply]
) -> None:
    """Its name of the model; and that it gives no probabilities."""
    assert str(CHECKPOINT) in backend.observed["server model"]
    assert all(reply.probabilities is None for reply in replies)
    assert backend.counts.failed == 0


def _choice(request: Request, reply: str) -> str | None:
    prompt = request.prompt
    return parse_answer(
        reply, dict(zip(prompt.labels, prompt.option_texts, strict=True))
    )


_LOADED: list[Any] = []


def _in_process(request: Request) -> str:
    """Return the library's own greedy reply to *request*, frames as images."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    if not _LOADED:
        model = AutoModelForImageTextToText.from_pretrained(CHECKPOINT)
        _LOADED.extend([AutoProcessor.from_pretrained(CHECKPOINT), model.eval()])
    processor, model = _LOADED
    content = [{"type": "image", "image": image} for image in _images(request.clip)]
    content.append({"type": "text", "text": request.prompt.text})
    inputs = processor.apply_chat_template(
        [{"role": "user", "content": content}],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )
    with torch.inference_mode():
        out = model.generate(**inputs, do_sample=False, max_new_tokens=TOKENS)
    new = out[0, inputs["input_ids"].shape[1] :]
    return str(processor.tokenizer.decode(new, skip_special_tokens=True))


def _images(clip: Clip | None) -> list[Any]:
    from PIL import Image

    return [] if clip is None else [Image.fromarray(f) for f in clip.frames]
