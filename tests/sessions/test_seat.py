"""Seats: what a worker gets of the machine, and when there are too many."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.config.file import load_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError
from pytest_vdg.sessions import seat as seats
from pytest_vdg.sessions.seat import Seat, own_part, require_spread


def settings(folder: Path, text: str) -> Settings:
    """Return what a ``vdg.yaml`` of *text* sets."""
    path = folder / "vdg.yaml"
    path.write_text(text, encoding="utf-8")
    config = load_config(path)
    return resolve([file_voice(config, folder)], base=folder, config=config)


def seat(number: int = 0, workers: int = 2) -> Seat:
    """Return one of *workers* seats."""
    return Seat(number=number, workers=workers, folder=Path())


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let the machine have two GPUs and eight cores."""
    monkeypatch.setattr("pytest_vdg.backends._hf_machine.cuda_devices", lambda: 2)
    monkeypatch.setattr(seats, "_cores", lambda: 8)
    return monkeypatch


@pytest.mark.parametrize("device", ["", "device: auto", "device: cuda"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_each_worker_gets_a_gpu_of_its_own(
    tmp_path: Path, machine: pytest.MonkeyPatch, device: str, number: int
) -> None:
    """In turn where, by force, there are more workers than GPUs."""
    part = own_part(settings(tmp_path, device), seat(number, 3))
    assert part == {"device": f"cuda:{number % 2}"}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("device: cuda:1", {}),
        ("device: mps", {}),
        ("device: cpu", {"threads": 2}),
        ("device: cpu\nthreads: 5", {}),
        ("backend: python:mine:model", {}),
        ("backend: python:mine:model\ndevice: cuda", {}),
    ],
)
def test_what_was_chosen_by_hand_stays(
    tmp_path: Path, machine: pytest.MonkeyPatch, text: str, part: dict[str, object]
) -> None:
    """A named device is kept, and a CPU's cores are shared."""
    assert own_part(settings(tmp_path, text), seat(1, 4)) == part


@pytest.mark.parametrize(("workers", "threads"), [(1, 8), (3, 2), (8, 1), (20, 1)])
def test_cores_are_shared_where_there_is_no_gpu(
    tmp_path: Path, machine: pytest.MonkeyPatch, workers: int, threads: int
) -> None:
    """At least one each; all of them together no more than there are, if they can."""
    machine.setattr("pytest_vdg.backends._hf_machine.cuda_devices", lambda: 0)
    part = own_part(settings(tmp_path, ""), seat(0, workers))
    assert part == {"threads": threads}


def test_more_workers_than_gpus_are_refused_unless_told(
    tmp_path: Path, machine: pytest.MonkeyPatch
) -> None:
    """The message names both numbers and both ways out."""
    require_spread(settings(tmp_path, "spread: true"), seat(0, 2))
    with pytest.raises(ConfigError, match=r"3 workers .* 2 GPUs.* -n 2.*=force"):
        require_spread(settings(tmp_path, "spread: true"), seat(0, 3))
    require_spread(settings(tmp_path, "spread: force"), seat(0, 3))
    require_spread(settings(tmp_path, "spread: true\ndevice: cpu"), seat(0, 3))


def test_one_model_on_all_devices_is_not_spread(
    tmp_path: Path, machine: pytest.MonkeyPatch
) -> None:
    """Each worker would lay its own over the same GPUs; the message says which key."""
    text = "spread: force\ndevice_map: auto"
    with pytest.raises(ConfigError, match=r"spread and device_map: each worker"):
        require_spread(settings(tmp_path, text), seat(0, 2))


def test_a_seat_that_is_not_there_is_refused() -> None:
    """Seats count from 0."""
    with pytest.raises(ValueError, match="no seat 2 of 2"):
        seat(2, 2)
