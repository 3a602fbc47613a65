"""`Memory`: whether a checkpoint fits where it is to be asked, in numbers and words.

Apart from the sizes, which are the checkpoint's, because here they meet a machine
that may have no room: what does not fit is refused before any weight is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_vdg import spelling
from pytest_vdg.backends._free_memory import available
from pytest_vdg.backends._hf_asked import Asked
from pytest_vdg.backends._hf_machine import cuda_devices, spare_bytes
from pytest_vdg.backends._hf_quantise import METHODS
from pytest_vdg.backends._hf_size import ITEM, work_bytes
from pytest_vdg.errors import ConfigError

UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Memory:
    """What a checkpoint needs and what there is, in bytes; None where unknown."""

    asked: Asked
    weights: int | None
    work: int | None
    """Of the largest pass, and of what is held of prompts."""
    free: Mapping[str, int | None]
    """By device, those that the weights may lie on."""

    @property
    def room(self) -> int | None:
        """Free bytes of all devices together."""
        known = [each for each in self.free.values() if each is not None]
        return sum(known) if len(known) == len(self.free) else None

    @property
    def told(self) -> str:
        """What is needed and what is there, in a line."""
        method = self.asked.settings.quantisation
        form = f"{method}, {self.asked.dtype}" if method else self.asked.dtype
        places = ", ".join(
            f"{name} has {_size(free)} free" for name, free in self.free.items()
        )
        return (
            f"weights {_size(self.weights)} ({form}) + about {_size(self.work)} at "
            f"work; {places}"
        )

    @property
    def lacks(self) -> bool:
        """Whether the weights alone are more than there is room for."""
        if self.asked.settings.offload or self.weights is None or self.room is None:
            return False
        return self.weights > self.room

    @property
    def tight(self) -> bool:
        """Whether the weights fit, and the largest pass may not."""
        if self.asked.settings.offload or self.lacks:
            return False
        if None in (self.weights, self.work, self.room):
            return False
        each = (self.work or 0) * len(self.free)
        return (self.weights or 0) + each > (self.room or 0)

    @property
    def warning(self) -> str:
        """What to say where it may be tight; empty elsewhere."""
        if not self.tight:
            return ""
        settings = self.asked.settings
        # What is held of prompts is most of it where the model is small.
        held = ", or share_prefixes: false" if settings.share_prefixes else ""
        return (
            f"memory of {self.asked.name} may be short: {self.told}. If cells fail for "
            f"it, set batch_tokens: {settings.batch_tokens // 2}{held}"
        )

    def require(self) -> None:
        """Raise `ConfigError` where the weights do not fit, naming what would."""
        if not self.lacks:
            return
        raise ConfigError(
            f"{self.asked.name} does not fit: {self.told}.\n{self._advice()}"
        )

    def _advice(self) -> str:
        fits = list(self._fitting())
        if fits:
            return f"What would fit: {'; '.join(fits)}"
        return (
            "Nothing that can be set here makes it fit: free memory, or ask it on a "
            "larger device"
        )

    def _fitting(self) -> Iterator[str]:
        asked, room = self.asked, self.room or 0
        settings = asked.settings
        forms: list[tuple[str, int | None]] = []
        if asked.files.quantisation == "none" and settings.quantisation is None:
            forms = [(f"quantisation: {each}", asked.weights(each)) for each in METHODS]
            if asked.dtype == "float32":
                halved = asked.weights(None, "bfloat16")
                forms.insert(0, ("dtype: bfloat16", halved))
        for what, needed in forms:
            if needed is not None and needed <= room:
                yield f"{what} would need {_size(needed)}"
        if settings.device_map is None and asked.device == "cuda":
            many = free_memory("cuda", several=True)
            total = sum(each or 0 for each in many.values())
            if len(many) > 1 and total >= (self.weights or 0):
                yield f"device_map: auto over {len(many)} devices has {_size(total)}"
        elif settings.device_map is not None and settings.quantisation is None:
            yield "offload: true keeps the rest in main memory and on disk, slowly"


def memory_of(asked: Asked) -> Memory:
    """Return what *asked* needs and what this machine has.

    Imports torch where a GPU may be, and transformers too where weights are
    quantised. Reads headers, and no weight.
    """
    settings, method = asked.settings, asked.settings.quantisation
    several = settings.device_map is not None
    free = free_memory(asked.device, several=several, offload=settings.offload)
    return Memory(
        asked=asked,
        weights=asked.weights(method),
        work=_work(asked, method),
        free=free,
    )


def _work(asked: Asked, method: str | None) -> int | None:
    """Return what passes need: the largest, and on a CPU what is held, too.

    On a GPU that is a part of what is left, whatever that is.
    """
    settings = asked.settings
    found = work_bytes(asked.files.config, asked.dtype, settings.batch_tokens)
    if found is None:
        return None
    if method == "nf4" and asked.skeleton is not None:  # a layer, made whole again
        largest = asked.skeleton.largest(method, asked.device)
        found += largest * ITEM[asked.dtype]
    held = settings.prefix_bytes
    if held is None:
        held = 0 if asked.device.startswith("cuda") else spare_bytes(None)
    return found + (held if settings.share_prefixes else 0)


def free_memory(
    device: str, *, several: bool = False, offload: bool = False
) -> dict[str, int | None]:
    """Return the free bytes of *device* by its full name; None where not told.

    *several*: of all GPUs, where *device* is one of them. *offload*: main memory
    as well.
    """
    kind = device.partition(":")[0]
    found: dict[str, int | None] = {}
    if kind == "cuda":
        found = _of_gpus(device, several=several)
    elif kind == "mps":
        found = {"mps": None}
    if kind == "cpu" or offload:
        found["cpu"] = available()
    return found


def _of_gpus(device: str, *, several: bool) -> dict[str, int | None]:
    number = cuda_devices()
    if not number:
        return {device: None}  # loading will say that there is none
    import torch

    own = torch.device(device).index
    first = torch.cuda.current_device() if own is None else own
    chosen = range(number) if several else [first]
    return {
        f"cuda:{index}": int(torch.cuda.mem_get_info(index)[0])
        for index in chosen
        if index < number
    } or {device: None}


def _size(number: int | None) -> str:
    return UNKNOWN if number is None else spelling.size(number)
