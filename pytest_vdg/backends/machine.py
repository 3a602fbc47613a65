"""What of this machine a checkpoint could be asked on, for people to read.

Apart from ``_hf_machine``, which the backend itself needs: here everything is
looked at, torch imported, and nothing depends on what is found.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_vdg.backends._free_memory import available
from pytest_vdg.backends._hf_machine import NEEDED, cuda_devices, versions

__all__ = ["NEEDED", "Device", "devices", "knows_model_type", "versions"]


@dataclass(frozen=True, kw_only=True)
class Device:
    """One place where a model may run; memory in bytes, None where unknown."""

    name: str
    """As a configuration says it, e.g. ``cuda:0``."""
    title: str
    """What it is, e.g. the GPU's product name."""
    free: int | None
    total: int | None


def devices() -> tuple[Device, ...]:
    """Return the devices that torch would find, the CPU last.

    Without torch only the CPU is told.
    """
    there = importlib.util.find_spec("torch") is not None
    return (*(_accelerators() if there else ()), _cpu())


def knows_model_type(model_type: str) -> bool:
    """Tell whether the installed transformers has a class for *model_type*."""
    from transformers import CONFIG_MAPPING

    return model_type in CONFIG_MAPPING


def _accelerators() -> Iterator[Device]:
    number = cuda_devices()
    import torch

    for index in range(number):
        free, total = torch.cuda.mem_get_info(index)
        title = torch.cuda.get_device_name(index)
        yield Device(name=f"cuda:{index}", title=title, free=free, total=total)
    if torch.backends.mps.is_available():
        yield Device(name="mps", title="Apple GPU", free=None, total=None)


def _cpu() -> Device:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    title = f"{cores or os.cpu_count() or 'unknown number of'} cores"
    return Device(
        name="cpu",
        title=title,
        free=available(),
        total=_memory("SC_PHYS_PAGES"),
    )


def _memory(pages: str) -> int | None:
    try:
        return os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):  # not told on this system
        return None
