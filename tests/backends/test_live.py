"""A model in memory is asked like its checkpoint, and trained as if it never was."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_vdg.backends._hf_aside import aside
from pytest_vdg.backends._hf_live import LiveBackend, refuse_sharded, unwrapped
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.backends.protocol import Prompt, Request
from pytest_vdg.errors import BackendError, ConfigError
from tests.backends.conftest import MakeBackend, make_clip

Untyped = Any  # transformers builds its classes by name at run time


@pytest.fixture
def model(checkpoint: Path) -> Untyped:
    """Return the tiny model, in training mode, with dropout in its attention."""
    import transformers

    loaded = transformers.AutoModelForImageTextToText.from_pretrained(checkpoint)
    loaded.train()
    return loaded


@pytest.fixture
def processor(checkpoint: Path) -> Untyped:
    """Return the processor of the tiny model."""
    import transformers

    return transformers.AutoProcessor.from_pretrained(checkpoint)


def live(model: Untyped, processor: Untyped, **more: Untyped) -> LiveBackend:
    """Return a backend around *model*."""
    how = {key: more.pop(key) for key in ("scoring",) if key in more}
    settings = TransformersSettings(checkpoint="live", **how)
    return LiveBackend(model, processor, settings, **more)


def requests(prompt: Prompt) -> list[Request]:
    """Return what shares a prefix, what does not, and what has no video."""
    clips = [make_clip(), make_clip(), make_clip(black=True), None]
    return [Request(prompt=prompt, clip=clip) for clip in clips]


@pytest.mark.parametrize("scoring", ["choice", "generate"])
def test_a_live_model_answers_as_its_checkpoint(  # noqa: PLR0917
    checkpoint: Path,
    model: Untyped,
    processor: Untyped,
    prompt: Prompt,
    backend: MakeBackend,
    scoring: str,
) -> None:
    """Environment, tokens and answers are those of the folder it came from."""
    saved = backend(checkpoint, scoring=scoring)
    asked = live(model, processor, scoring=scoring)
    assert asked.identity.environment == saved.identity.environment
    assert asked.frames_per_token == saved.frames_per_token
    with aside(model):
        ours = asked.ask_many(requests(prompt))
    for one, other in zip(ours, saved.ask_many(requests(prompt)), strict=True):
        assert not isinstance(one, BackendError), one
        assert not isinstance(other, BackendError), other
        assert (one.text, one.input_digest) == (other.text, other.input_digest)
        if scoring == "choice":
            assert one.probabilities == pytest.approx(other.probabilities, abs=1e-5)


def test_no_two_moments_have_one_name(model: Untyped, processor: Untyped) -> None:
    """Weights that may have been trained in between are never taken for the same."""
    names = {live(model, processor).identity.subject["weights"] for _ in range(3)}
    assert len(names) == 3


def state(model: Untyped) -> dict[str, Any]:
    """Return all that must stay: modes, attributes, tensors, gradients, randomness."""
    import torch

    found: dict[str, Any] = {}
    for name, module in model.named_modules():
        found[f"{name}: attributes"] = {
            key: id(value)
            for key, value in vars(module).items()
            if not key.startswith("_")
        } | {"training": module.training}
        found[f"{name}: buffers"] = {
            key: (id(buffer), None if buffer is None else buffer.tolist())
            for key, buffer in module._buffers.items()
        }
    for name, parameter in model.named_parameters():
        grad = parameter.grad
        found[name] = (
            parameter.tolist(),
            parameter.requires_grad,
            parameter._version,
            None if grad is None else grad.tolist(),
        )
    found["config"] = model.config.to_dict()
    found["randomness"] = (
        random.getstate(),
        [str(part) for part in np.random.get_state()],  # noqa: NPY002
        torch.get_rng_state().tolist(),
        torch.is_grad_enabled(),
    )
    return found


@pytest.mark.parametrize("scoring", ["choice", "generate"])
def test_nothing_of_a_question_is_left(
    model: Untyped, processor: Untyped, prompt: Prompt, scoring: str
) -> None:
    """Modes, buffers, attributes, gradients and generators are as they were."""
    model.model.visual.eval()  # a frozen part that is kept in evaluation mode
    model.lm_head.weight.requires_grad_(False)
    renamed = hasattr(model, "activation_checkpointing_enable")
    kind = "activation" if renamed else "gradient"
    getattr(model, f"{kind}_checkpointing_enable")()
    for parameter in model.parameters():
        parameter.grad = parameter.detach().clone()
    before = state(model)
    asked = live(model, processor, scoring=scoring)
    padding = processor.tokenizer.padding_side
    with aside(model):
        asked.ask_many(requests(prompt))
        random.random(), np.random.rand()  # noqa: NPY002
        assert not any(module.training for module in model.modules())
    asked.close()
    after = state(model)
    changed = [name for name in before if before[name] != after[name]]
    assert changed == []
    assert processor.tokenizer.padding_side == padding


def test_what_fails_inside_leaves_nothing_either(model: Untyped) -> None:
    """An error in the middle of an evaluation puts the model back in training."""
    before = state(model)
    with pytest.raises(KeyboardInterrupt), aside(model):  # noqa: PT012
        model.rope_deltas = 3
        random.random()
        raise KeyboardInterrupt
    assert state(model) == before


def test_a_buffer_that_was_made_anew_comes_back(model: Untyped) -> None:
    """A buffer of inference mode could not be trained through."""
    import torch

    rotary = model.model.language_model.rotary_emb
    held = rotary.inv_freq
    with aside(model), torch.inference_mode():
        rotary.inv_freq = held * 2
        rotary.register_buffer("grown", torch.ones(3))
    assert rotary.inv_freq is held
    assert not hasattr(rotary, "grown")


def test_a_buffer_that_was_written_to_has_its_content_back(model: Untyped) -> None:
    """What a forward pass counts, it counted in training only."""
    import torch

    rotary = model.model.language_model.rotary_emb
    before = rotary.inv_freq.clone()
    with aside(model), torch.no_grad():
        rotary.inv_freq.mul_(2)
    assert torch.equal(rotary.inv_freq, before)


def test_what_trains_a_model_is_taken_off(model: Untyped) -> None:
    """The model is found inside data parallelism and a compiled module."""
    import torch

    assert unwrapped(torch.nn.DataParallel(model)) is model
    assert unwrapped(torch.compile(model)) is model


@pytest.mark.parametrize("kind", ["FSDP", "DeepSpeed", "offloaded"])
def test_divided_weights_are_refused_with_words(kind: str) -> None:
    """What no process holds whole is left to `vdg watch`, and the message says so."""
    import torch

    divided: Untyped = torch.nn.Linear(2, 2)
    if kind == "FSDP":
        divided = type("FullyShardedDataParallel", (torch.nn.Module,), {})()
    elif kind == "DeepSpeed":
        divided.weight.ds_id = 0
    else:
        divided = torch.nn.Linear(2, 2, device="meta")
    with pytest.raises(ConfigError, match=f"(?s){kind}.*vdg watch"):
        refuse_sharded(divided)


def test_a_processor_without_video_is_refused(model: Untyped) -> None:
    """A tokenizer alone cannot be asked about videos, and is told so at once."""
    tokenizer = type("Words", (), {"tokenizer": object()})()
    with pytest.raises(ConfigError, match="no video processor"):
        live(model, tokenizer)


def test_mixed_precision_is_computed_and_named(
    model: Untyped, processor: Untyped, prompt: Prompt
) -> None:
    """Under autocast the answers are those of the training, and their name says so."""
    asked = live(model, processor, autocast="bfloat16")
    assert asked.identity.environment["autocast"] == "bfloat16"
    plain = live(model, processor)
    with aside(model):
        rounded = asked.ask(prompt, make_clip()).probabilities
        exact = plain.ask(prompt, make_clip()).probabilities
    assert rounded != exact
    assert rounded == pytest.approx(exact, abs=0.2)
