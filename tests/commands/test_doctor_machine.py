"""``vdg doctor``: what it says of packages, devices and decoders of a machine."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_vdg._commands import doctor as command
from pytest_vdg._commands._check import Check, State
from pytest_vdg._commands._check_machine import machine
from pytest_vdg._commands._outcome import Failed
from pytest_vdg.backends.machine import Device
from pytest_vdg.errors import MediaError
from pytest_vdg.store.runfile import save_run
from tests.assertions.build import make_run

GPU = Device(name="cuda:0", title="GPU", free=2_000_000_000, total=8_000_000_000)
FULL = Device(name="cuda:1", title="GPU", free=0, total=8_000_000_000)
CPU = Device(name="cpu", title="4 cores", free=None, total=16_000_000_000)
APPLE = Device(name="mps", title="Apple GPU", free=None, total=None)


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it have four devices and one decoder, which reads."""
    found = (GPU, FULL, APPLE, CPU)
    monkeypatch.setattr("pytest_vdg.backends.machine.devices", lambda: found)
    monkeypatch.setattr(
        "pytest_vdg.frames.decode.reader_versions", lambda: {"pyav": "1"}
    )
    reads(monkeypatch, 2)


def reads(monkeypatch: pytest.MonkeyPatch, frames: int) -> None:
    """Let the decoder give *frames* of a clip; minus one is a fault."""

    def read_clip(*_: object, **__: object) -> SimpleNamespace:
        if frames < 0:
            raise MediaError("no key frame")
        return SimpleNamespace(frames=[None] * frames)

    monkeypatch.setattr("pytest_vdg.frames.decode.read_clip", read_clip)


def said(
    about: str, backend: str = "transformers", device: str | None = None
) -> list[Check]:
    """Return what is said *about* something for a run by *backend* on *device*."""
    found = machine(backend=backend, device=device)
    return [check for check in found if check.about == about]


def test_devices_are_told_with_their_memory() -> None:
    """What is free of what there is, none free too; nothing that is not known."""
    assert [check.told for check in said("device")] == [
        "cuda:0: GPU, memory 2 GB free of 8 GB",
        "cuda:1: GPU, memory 0 B free of 8 GB",
        "mps: Apple GPU",
        "cpu: 4 cores, memory 16 GB",
    ]


@pytest.mark.parametrize("device", [None, "auto", "cuda", "cuda:1", "mps", "cpu"])
def test_a_device_that_is_here_is_no_fault(device: str | None) -> None:
    """By its kind, by its number, or as whatever is best."""
    assert {check.state for check in said("device", device=device)} == {State.OK}


@pytest.mark.parametrize("device", ["cuda:2", "xpu", "", ":"])
def test_a_device_that_is_not_here_fails(device: str) -> None:
    """A local model would be loaded there; a server takes no notice of it."""
    *_, last = said("device", device=device)
    assert (last.state, last.advice != "") == (State.FAIL, True)
    assert repr(device) in last.told
    elsewhere = said("device", backend="openai", device=device)
    assert {check.state for check in elsewhere} == {State.OK}


@pytest.mark.parametrize(
    ("backend", "state"),
    [("transformers", State.FAIL), ("text-lm", State.FAIL), ("openai", State.OK)],
)
def test_packages_of_a_model_are_needed_where_it_is_loaded(
    monkeypatch: pytest.MonkeyPatch, backend: str, state: State
) -> None:
    """The line names them, with what to type only where a run would stop."""
    monkeypatch.setattr("pytest_vdg.backends.machine.NEEDED", ("torch", "accelerate"))
    monkeypatch.setattr("pytest_vdg.backends.machine.versions", lambda: {"torch": "2"})
    (model,) = said("model", backend=backend)
    assert (model.state, model.told) == (state, "not installed: accelerate")
    assert (model.advice != "") is (state is State.FAIL)


def test_versions_are_those_that_are_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A package that is not there is called so, and no other."""
    monkeypatch.setattr(
        "pytest_vdg._commands._check_machine._EXTRAS",
        {"some": ("numpy", "not-a-package-of-anybody")},
    )
    (packages,) = said("packages")
    assert f"pytest {version('pytest')}, numpy {version('numpy')}" in packages.told
    (extras,) = said("extras")
    absent = "not-a-package-of-anybody not installed"
    assert extras.told == f"some: numpy {version('numpy')}, {absent}"


@pytest.mark.parametrize(
    ("frames", "told"), [(1, "gave 1 frames of 2"), (-1, "no key frame")]
)
def test_a_decoder_that_does_not_read_a_clip_fails(
    monkeypatch: pytest.MonkeyPatch, frames: int, told: str
) -> None:
    """Each video of a run would be lost, whatever is installed."""
    reads(monkeypatch, frames)
    (decoder,) = said("decoder")
    assert (decoder.state, decoder.told) == (State.FAIL, f"pyav 1: {told}")
    assert decoder.advice
    reads(monkeypatch, 2)
    (decoder,) = said("decoder")
    assert (decoder.state, decoder.advice) == (State.OK, "")


def test_no_decoder_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """No video can be read."""
    monkeypatch.setattr("pytest_vdg.frames.decode.reader_versions", dict)
    (decoder,) = said("decoder")
    assert decoder.state is State.FAIL


def test_who_replays_needs_neither_device_nor_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of a cluster is judged on a laptop, by the same ``vdg.yaml``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pytest_vdg.backends.machine.versions", dict)
    save_run(make_run({"original": "CW", "black": "WW"}), tmp_path / "run.jsonl")
    asks, replays = "device: cuda:7\n", "device: cuda:7\nreplay: run.jsonl\n"
    for text, fails in ((asks, True), (replays, False)):
        (tmp_path / "vdg.yaml").write_text(text, encoding="utf-8")
        assert isinstance(command.doctor(), Failed) is fails
