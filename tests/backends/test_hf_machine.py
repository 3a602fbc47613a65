"""What the machine offers: memory beside the weights."""

from __future__ import annotations

import pytest

from pytest_vdg.backends._hf_machine import spare_bytes

torch = pytest.importorskip("torch")


def test_a_quarter_of_a_gpus_free_memory_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 100 GiB free, 25; no GPU is needed to say so."""
    found = 100 << 30, 141 << 30
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: found)
    assert spare_bytes(torch.device("cuda:1")) == 25 << 30


def test_one_gib_is_held_on_a_cpu() -> None:
    """There is more, but it is not known whose."""
    assert spare_bytes(torch.device("cpu")) == 1 << 30
