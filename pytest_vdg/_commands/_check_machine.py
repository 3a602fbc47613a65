"""What ``vdg doctor`` says of the machine: packages, devices, decoders.

Apart from what it says of the project, which may be broken while this is not.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version

from pytest_vdg._commands._check import Check, State, looked
from pytest_vdg.config.switches import LOCAL_BACKENDS
from pytest_vdg.errors import MediaError
from pytest_vdg.spelling import size

_OURS = ("pytest-vdg", "pytest", "numpy", "scipy", "PyYAML", "cyclopts")
_EXTRAS = {
    "tables": ("pyarrow", "openpyxl", "xlrd"),
    "plots": ("matplotlib",),
    "server": ("httpx2", "pillow"),
    "quantised": ("bitsandbytes",),
    "adapters": ("peft",),
    "ray": ("ray",),
    "xdist": ("pytest-xdist",),
}
_INSTALL = "pip install 'pytest-vdg[model]'"


def machine(
    *, backend: str, device: str | None, elsewhere: bool = False
) -> Iterator[Check]:
    """Yield what the machine offers a run by *backend* on *device*.

    What only whoever asks *elsewhere*, or asked before, needs may be missing here.
    """
    local = backend in LOCAL_BACKENDS and not elsewhere
    yield Check(about="python", told=f"{platform.python_version()} at {sys.executable}")
    yield from looked("packages", lambda: _packages(needed=local))
    yield from looked("extras", _extras)
    yield from looked("devices", lambda: _devices(device if local else None))
    yield from looked("decoders", _decoders)


def _packages(*, needed: bool) -> Iterator[Check]:
    from pytest_vdg.backends.machine import NEEDED, versions

    yield Check(about="packages", told=_listed(_OURS))
    found = versions()
    lacking = [name for name in NEEDED if name not in found]
    told = ", ".join(f"{name} {found[name]}" for name in found)
    if not lacking:
        yield Check(about="model", told=told)
        return
    yield Check(
        about="model",
        state=State.FAIL if needed else State.OK,
        told=f"not installed: {', '.join(lacking)}",
        advice=_INSTALL if needed else "",
    )


def _extras() -> Iterator[Check]:
    told = (f"{name}: {_listed(packages)}" for name, packages in _EXTRAS.items())
    yield Check(about="extras", told="; ".join(told))


def _listed(packages: Sequence[str]) -> str:
    return ", ".join(f"{name} {_version(name) or 'not installed'}" for name in packages)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _devices(wanted: str | None) -> Iterator[Check]:
    from pytest_vdg.backends.machine import devices

    found = devices()
    for each in found:
        memory = ""
        if each.total is not None:
            free = "" if each.free is None else f"{size(each.free)} free of "
            memory = f", memory {free}{size(each.total)}"
        yield Check(about="device", told=f"{each.name}: {each.title}{memory}")
    kinds = {each.name.partition(":")[0] for each in found}
    names = {*kinds, *(each.name for each in found), "auto"}
    if wanted is not None and wanted not in names:
        yield Check(
            about="device",
            state=State.FAIL,
            told=f"device {wanted!r} is configured, and is not here",
            advice="vdg doctor --device cpu, or run where it is",
        )


def _decoders() -> Iterator[Check]:
    from pytest_vdg.benchmarks.sight import load_sight
    from pytest_vdg.frames.decode import reader_versions

    found = reader_versions()
    benchmark = load_sight()
    clip = benchmark.video_path(benchmark.questions[0])
    tried = {name: _tried(name, str(clip)) for name in found}
    for name, fault in tried.items():
        alone = fault is not None and all(tried.values())
        yield Check(
            about="decoder",
            state=State.OK if fault is None else State.FAIL if alone else State.WARN,
            told=f"{name} {found[name]}: {fault or 'reads a clip of this package'}",
            advice="" if fault is None else _INSTALL,
        )
    if not found:
        yield Check(
            about="decoder",
            state=State.FAIL,
            told="neither av nor decord is installed: no video can be read",
            advice=_INSTALL,
        )


def _tried(reader: str, clip: str) -> str | None:
    """Return why *reader* does not read *clip*, or None where it does."""
    from pytest_vdg.frames.decode import read_clip
    from pytest_vdg.frames.sampling import Sampling

    try:
        read = read_clip(clip, Sampling(frames=2), reader=reader)
    except MediaError as error:
        return str(error)
    return None if len(read.frames) == 2 else f"gave {len(read.frames)} frames of 2"
