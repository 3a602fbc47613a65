"""Whether a checkpoint fits: refused before a weight is read, with what would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_vdg.backends import _hf_load, _hf_room
from pytest_vdg.backends._hf_machine import spare_bytes
from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.errors import ConfigError
from tests.backends.conftest import MakeBackend

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")

LITTLE = {"batch_tokens": 64, "prefix_bytes": 1000}
"""So that passes need no more than the tiny weights do."""
WEIGHTS = 569_344
"""Bytes of the tiny checkpoint in float32: 142,336 numbers of four bytes."""


@contextmanager
def machine(
    monkeypatch: pytest.MonkeyPatch,
    *,
    main: int | None = None,
    gpus: Mapping[str, int] | None = None,
) -> Iterator[None]:
    """Pretend that there is so much free memory."""
    with monkeypatch.context() as patched:
        patched.setattr(_hf_room, "available", lambda: main)

        def free(device: str, *, several: bool) -> dict[str, int | None]:
            return dict(gpus or {}) if several else {"cuda:0": (gpus or {})["cuda:0"]}

        patched.setattr(_hf_room, "_of_gpus", free)
        yield


def on_gpu(folder: Path, **settings: object) -> TransformersBackend:
    """Return a backend that would ask on a GPU."""
    return TransformersBackend(
        TransformersSettings(checkpoint=folder, device="cuda", **settings)  # type: ignore[arg-type]
    )


def test_what_is_needed_and_there_is_told_in_a_line(
    checkpoint: Path, backend: MakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights, their form, passes, and each device with what it has."""
    with machine(monkeypatch, main=7_000_000):
        told = backend(checkpoint, **LITTLE).memory_told()
    assert told.startswith("weights 569 kB (float32) + about ")
    assert told.endswith(" at work; cpu has 7 MB free")


def test_what_does_not_fit_is_refused_before_it_is_read(
    checkpoint: Path,
    backend: MakeBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The message says what is needed, what is there, and what would fit."""
    monkeypatch.setattr(_hf_load, "load_checkpoint", None)
    model = backend(checkpoint, **LITTLE)
    with machine(monkeypatch, main=300_000), pytest.raises(ConfigError) as refused:
        model.ask(prompt, None)
    first, fits = str(refused.value).splitlines()
    assert "does not fit: weights 569 kB (float32)" in first
    assert first.endswith("cpu has 300 kB free.")
    assert fits.startswith("What would fit: dtype: bfloat16 would need 285 kB; ")
    assert fits.endswith("quantisation: int8 would need 244 kB")


def test_where_nothing_helps_that_is_said(
    checkpoint: Path, backend: MakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No form of it fits into a kilobyte."""
    model = backend(checkpoint, **LITTLE)
    with machine(monkeypatch, main=1000):
        memory = model.memory
    with pytest.raises(ConfigError, match="Nothing that can be set here"):
        memory.require()


def test_weights_that_just_fit_are_not_refused(
    checkpoint: Path, backend: MakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One byte less is; that passes may be short of memory is a warning."""
    for room, lacks in ((WEIGHTS, False), (WEIGHTS - 1, True)):
        with machine(monkeypatch, main=room):
            memory = backend(checkpoint, **LITTLE).memory
        assert (memory.lacks, memory.tight) == (lacks, not lacks)
    with machine(monkeypatch, main=WEIGHTS):
        warned = backend(checkpoint, **LITTLE).memory.warning
    assert "may be short" in warned
    assert warned.endswith("set batch_tokens: 32, or share_prefixes: false")


def test_a_tight_fit_is_told_at_the_end(
    checkpoint: Path,
    backend: MakeBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is asked all the same, and its note is one of the session's."""
    model = backend(checkpoint, **LITTLE)
    assert model.notes == ()
    with machine(monkeypatch, main=WEIGHTS):
        assert model.ask(prompt, None).probabilities
    (note,) = model.notes
    assert note.startswith(f"memory of {model.name} may be short: weights 569 kB")


def test_where_memory_is_not_told_nothing_is_judged(
    checkpoint: Path, backend: MakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number that nobody knows refuses nobody."""
    with machine(monkeypatch, main=None):
        memory = backend(checkpoint).memory
    assert (memory.lacks, memory.tight) == (False, False)
    assert memory.told.endswith("cpu has unknown free")


def test_one_gpu_that_is_too_small_is_not_the_only_one(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that hold it together are named."""
    two = {"cuda:0": 400_000, "cuda:1": 400_000}
    with machine(monkeypatch, gpus=two):
        memory = on_gpu(checkpoint, **LITTLE).memory
        with pytest.raises(ConfigError, match=r"over 2 devices has 800 kB"):
            memory.require()
        assert not on_gpu(checkpoint, device_map="auto", **LITTLE).memory.lacks


def test_more_is_held_of_prompts_on_a_cpu(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it is a gigabyte; on a GPU a part of what is left, whatever that is."""
    with machine(monkeypatch, main=1 << 40, gpus={"cuda:0": 1 << 40}):
        gpu = on_gpu(checkpoint).memory.work
        settings = TransformersSettings(checkpoint=checkpoint, device="cpu")
        cpu = TransformersBackend(settings).memory.work
    assert gpu is not None
    assert cpu == gpu + spare_bytes(None)


def test_main_memory_beside_gpus_counts_where_it_may_be_used(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ``offload``, nothing is too large: the rest goes to disk."""
    with machine(monkeypatch, main=1000, gpus={"cuda:0": 1000}):
        memory = on_gpu(checkpoint, device_map="auto", offload=True).memory
    assert list(memory.free) == ["cuda:0", "cpu"]
    assert not memory.lacks


def test_real_gpus_are_asked_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """``cuda`` is the current one, ``cuda:1`` the second, a map all of them."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(_hf_room, "cuda_devices", lambda: 2)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda i: (10 + i, 100))
    assert _hf_room.free_memory("cuda") == {"cuda:0": 10}
    assert _hf_room.free_memory("cuda:1") == {"cuda:1": 11}
    both = {"cuda:0": 10, "cuda:1": 11}
    assert _hf_room.free_memory("cuda", several=True) == both
    assert _hf_room.free_memory("cuda:7") == {"cuda:7": None}
    assert _hf_room.free_memory("mps") == {"mps": None}
    monkeypatch.setattr(_hf_room, "cuda_devices", lambda: 0)
    assert _hf_room.free_memory("cuda") == {"cuda": None}
