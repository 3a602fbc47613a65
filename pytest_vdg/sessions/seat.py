"""`Seat`: one worker's place among those that ask a session's questions together.

Apart from the session, which has a seat or none, because what a worker gets of
the machine (a GPU of its own, or its share of the cores) is decided here, and
so is what is refused before any weight is loaded.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import FORCE, LOCAL_BACKENDS
from pytest_vdg.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Seat:
    """Place *number* of *workers*, counted from 0."""

    number: int
    workers: int
    folder: Path
    """Where all of them see what each has taken; on this machine's disk."""

    def __post_init__(self) -> None:
        """Refuse a seat that is not there."""
        if not 0 <= self.number < self.workers:
            raise ValueError(f"there is no seat {self.number} of {self.workers}")


def require_spread(settings: Settings, seat: Seat) -> None:
    """Raise `ConfigError` where *settings* do not allow all workers to ask.

    Imports torch only where GPUs may be found.
    """
    named = settings.where["spread"].named
    if not settings.keeps_answers:
        other = settings.where["no_cache"].named
        raise ConfigError(
            f"{named} and {other}: workers hand each other their answers through the "
            "store, so one is needed. Leave one of the two out; --vdg-cache-dir can "
            "name a new, empty folder"
        )
    if settings.config.device_map is not None:
        raise ConfigError(
            f"{named} and device_map: each worker would lay its model over the same "
            "devices. Leave one of the two out: either one model on several devices, "
            "or several workers with a device each"
        )
    gpus = _gpus(settings)
    if gpus and seat.workers > gpus and settings.spread != FORCE:
        raise ConfigError(
            f"{named}: {seat.workers} workers would load the model on {gpus} "
            f"GPU{'s' * (gpus > 1)}. Use -n {gpus}, or say that they may share: "
            f"--vdg-spread={FORCE}"
        )


def own_part(settings: Settings, seat: Seat) -> dict[str, object]:
    """Return what a backend in *seat* is made with beside *settings*.

    A GPU of its own where there are any, else its share of the cores. Nothing
    where a device was named, and nothing for backends of other packages: what
    they would make of it is theirs to say.
    """
    gpus = _gpus(settings)
    if gpus:
        return {"device": f"cuda:{seat.number % gpus}"}
    on_cpu = gpus == 0 or settings.device == "cpu"
    if not on_cpu or settings.backend not in LOCAL_BACKENDS or settings.config.threads:
        return {}
    return {"threads": max(1, _cores() // seat.workers)}


def _gpus(settings: Settings) -> int | None:
    """Return how many GPUs can be dealt out; None where that is not ours to do."""
    if settings.backend not in LOCAL_BACKENDS:
        return None
    if settings.device not in (None, "auto", "cuda"):
        return None
    from pytest_vdg.backends import _hf_machine

    return _hf_machine.cuda_devices()


def _cores() -> int:
    """Return on how many cores this process may run."""
    return len(os.sched_getaffinity(0))
