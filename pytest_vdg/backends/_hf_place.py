"""`Placing`: on which devices weights are loaded, and in what form.

Apart from loading, which does what is decided here: what can be refused is
refused before minutes are spent on reading weights.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends import _hf_quantise
from pytest_vdg.backends._hf_room import Memory
from pytest_vdg.errors import ConfigError

# transformers builds its models by name at run time.
Model = Any
Device = Any

Places = Mapping[str, "int | str"]
"""From a part of a model to a GPU's number, ``cpu`` or ``disk``."""

_ASIDE = ("cpu", "disk")
"""Places where weights wait, and nothing is computed while there is a GPU."""


@dataclass(frozen=True, kw_only=True)
class Placing:
    """How the weights of one checkpoint are loaded."""

    device: str
    """``cpu``, ``mps``, ``cuda`` or ``cuda:1``."""
    quantisation: str | None = None
    kept: tuple[str, ...] | None = None
    """Layers that are not quantised; None for those that the library leaves."""
    places: Places | None = None
    """Where each part goes; None for all on `device`."""
    warning: str = ""
    """That memory may be short; empty where it is not."""

    @property
    def offloaded(self) -> bool:
        """Whether parts wait in main memory or on disk."""
        return offloaded(self.places or {})

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should hear of it."""
        return tuple(note for note in (self.warning, self._spread) if note)

    @property
    def _spread(self) -> str:
        """On what the model lies, where that is more than one device."""
        names = _names(self.places or {})
        if self.offloaded:
            return (
                f"the model lies on {', '.join(names)}: what waits in main memory or "
                "on disk is fetched for every pass, which is slow"
            )
        return f"the model lies on {', '.join(names)}" if len(names) > 1 else ""

    def options(self, dtype: str) -> dict[str, Any]:
        """Return what ``from_pretrained`` is told of it."""
        found: dict[str, Any] = {}
        if self.quantisation is not None:
            found["quantization_config"] = _hf_quantise.config(
                self.quantisation, dtype, self.kept
            )
        if self.quantisation is not None or self.device.startswith("cuda"):
            # Straight to where it belongs: all of it at once need not fit in main
            # memory, which nobody has looked at.
            found["device_map"] = {"": self.device}
        if self.places is not None:
            found["device_map"] = dict(self.places)
        return found


def placing_of(memory: Memory) -> Placing:
    """Return how to load what *memory* is of.

    Raises `ConfigError` where it does not fit.
    """
    memory.require()
    asked = memory.asked
    settings, method = asked.settings, asked.settings.quantisation
    skeleton = asked.skeleton if method or settings.device_map else None
    kept = None
    if skeleton is not None and method is not None:
        kept = skeleton.left(method, asked.device)
    return Placing(
        device=asked.device,
        quantisation=method,
        kept=kept,
        places=_places(memory) if settings.device_map else None,
        warning=memory.warning,
    )


def _places(memory: Memory) -> Places:
    """Return where each part goes, what passes need left free if that can be."""
    asked = memory.asked
    settings = asked.settings
    stored = None if asked.files.quantisation == "none" else memory.weights
    if asked.skeleton is None:
        raise ConfigError(
            f"device_map: auto: transformers does not say what parts {asked.name} has. "
            "Leave it out, and name one device"
        )
    for spared in (memory.work or 0, 0):
        room = {_key(name): left for name, left in _left(memory, spared).items()}
        places = asked.skeleton.device_map(
            room, settings.quantisation, asked.device, stored=stored
        )
        waiting = {str(each) for each in places.values()} - set(map(str, room))
        if settings.offload or not waiting:
            _require_busy(memory, places)
            return places
    raise _unplaced(memory)


def _unplaced(memory: Memory) -> ConfigError:
    return ConfigError(
        f"{memory.asked.name} does not fit: {memory.told}; its parts cannot be "
        "divided so that each has a place.\nWhat would fit: offload: true keeps the "
        "rest in main memory and on disk, slowly"
    )


def _require_busy(memory: Memory, places: Places) -> None:
    """Raise `ConfigError` where all waits in main memory, and no GPU has a part.

    It would be computed on the processor, under the name of another device.
    """
    on_gpu = any(isinstance(each, int) for each in places.values())
    if memory.asked.device != "cpu" and not on_gpu:
        raise ConfigError(
            f"{memory.asked.name} does not fit: {memory.told}; no part finds a place "
            "on a GPU beside what passes need. Set: device: cpu, or free memory"
        )


def _left(memory: Memory, spared: int) -> dict[str, int]:
    """Return the bytes that weights may take on each device.

    *spared* are left free where passes are computed, and a tenth of main memory
    where parts of a model only wait.
    """
    kind = memory.asked.device.partition(":")[0]
    known = {name: free or 0 for name, free in memory.free.items()}
    return {
        name: max(0, free - (spared if name.startswith(kind) else free // 10))
        for name, free in known.items()
    }


def _key(name: str) -> int | str:
    kind, _, number = name.partition(":")
    return int(number) if kind == "cuda" else kind


def offloaded(places: Places) -> bool:
    """Whether in *places* parts wait where nothing is computed."""
    found = set(places.values())
    return "disk" in found or ("cpu" in found and len(found) > 1)


def _names(places: Places) -> list[str]:
    found = dict.fromkeys(places.values())
    return [f"cuda:{each}" if isinstance(each, int) else each for each in found]


def with_room_on_disk(
    placing: Placing, load: Callable[[Mapping[str, Any]], Model]
) -> Model:
    """Return what *load* makes, given a folder where parts of it lie on disk.

    Weights that are loaded in another form than they are stored in are written
    there. It is removed when the model is let go of, or the process ends.
    """
    if "disk" not in (placing.places or {}).values():
        return load({})
    folder = tempfile.mkdtemp(prefix="vdg-offload-")
    try:
        model = load({"offload_folder": folder})
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(model, shutil.rmtree, folder, ignore_errors=True)
    return model


def place_model(model: Model, device: str) -> Model:
    """Move *model* to *device*, unless it was dispatched or quantised.

    Such models sit where they must already, and refuse to be moved.
    """
    config = getattr(model, "config", None)
    if getattr(model, "hf_device_map", None) or getattr(model, "is_quantized", False):
        return model
    if getattr(config, "quantization_config", None) is not None:
        return model
    return model.to(device)


def first_device(model: Model) -> Device:
    """Return the device on which *model* takes its inputs.

    A model that lies on several takes them where it computes first: never where
    parts of it only wait.
    """
    import torch

    places = list(dict.fromkeys((getattr(model, "hf_device_map", None) or {}).values()))
    busy = [each for each in places if str(each) not in (*_ASIDE, "meta")]
    if busy:
        return torch.device(busy[0])
    return torch.device("cpu") if places else torch.device(model.device)
