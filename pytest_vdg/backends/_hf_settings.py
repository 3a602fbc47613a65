"""`TransformersSettings`: which checkpoint to ask, and how; checked when made.

Apart from the backend so that a wrong setting is refused by a module that
imports nothing of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from pytest_vdg.errors import ConfigError, did_you_mean

_CHOICES = {
    "scoring": ("choice", "generate", "option_text"),
    "option_likelihood": ("sum", "per_character"),
    "dtype": ("auto", "bfloat16", "float16", "float32"),
}
_WAYS = {
    "frames_as": ("video", "images"),
    "quantisation": ("nf4", "int8"),
    "device_map": ("auto",),
}
"""Choices that may also be left to the checkpoint, by None."""
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


@dataclass(frozen=True, kw_only=True)
class TransformersSettings:
    """Which checkpoint to ask, and how."""

    checkpoint: str | Path
    """A folder that ``save_pretrained`` wrote, or a Hub id ``owner/name``, which may
    end in ``@`` and a revision. An adapter is one, too."""
    revision: str | None = None
    """Branch, tag or commit of a Hub id."""
    base: str | None = None
    """Folder or Hub id of the weights below an adapter; None for those it names."""
    device: str = "auto"
    """``cpu``, ``cuda``, ``cuda:1``, ``mps``; ``auto`` is ``cuda`` where there
    is one, else ``cpu``."""
    dtype: str = "auto"
    """``float32``, ``bfloat16``, ``float16``; ``auto`` is the checkpoint's, or
    ``bfloat16`` where float32 weights are quantised on a GPU."""
    quantisation: Literal["nf4", "int8"] | None = None
    """What weights are quantised to as they are loaded; None: as they are stored."""
    device_map: Literal["auto"] | None = None
    """``auto``: over all devices of a kind; None: on one."""
    offload: bool = False
    """Whether parts that fit on no device may lie in main memory and on disk."""
    attention: str | None = None
    """Attention implementation, e.g. ``sdpa``; None is the library's choice."""
    frames_as: Literal["video", "images"] | None = None
    """Frames as one video, or each as a picture; None is what the family does."""
    scoring: Literal["choice", "generate", "option_text"] = "choice"
    """One forward pass, greedy generation, or how likely each option's text is."""
    option_likelihood: Literal["sum", "per_character"] = "sum"
    """Under ``option_text``: log-probability of a text as it is, or divided by its
    length, which otherwise counts against long options."""
    max_new_tokens: int = 16
    """Longest reply under ``generate``, in tokens."""
    trust_remote_code: bool = False
    """Whether Python code of the checkpoint's own may run."""
    allow_pickle: bool = False
    """Whether weights may be read from pickles where there is nothing else."""
    local_files_only: bool = True
    """Whether a Hub id must be in the local cache; False may download."""
    threads: int | None = None
    """CPU threads of one forward pass; None leaves them alone."""
    share_prefixes: bool = True
    """Whether prompts may share what they have in common, if the model passes
    the trial."""
    prefix_bytes: int | None = None
    """Memory held of what was read, in bytes; None is a quarter of what is free on
    a GPU once the weights are there, and 1 GiB elsewhere."""
    batch_tokens: int = 8192
    """Tokens of one forward pass, remembered ones and padding included."""

    @property
    def scored(self) -> dict[str, str]:
        """How replies become answers, as part of a backend's identity."""
        further: dict[str, dict[str, str]] = {
            "generate": {
                "max_new_tokens": str(self.max_new_tokens),
                "decoding": "greedy",
            },
            "option_text": {"option_likelihood": self.option_likelihood},
        }
        return {"scoring": self.scoring, **further.get(self.scoring, {})}

    def __post_init__(self) -> None:
        """Refuse values that no checkpoint could be asked with."""
        if not isinstance(self.checkpoint, (str, Path)) or not str(self.checkpoint):
            raise ConfigError(f"checkpoint must be a path, got {self.checkpoint!r}")
        for name, known in {**_CHOICES, **_WAYS}.items():
            value = getattr(self, name)
            if value not in known and not (name in _WAYS and value is None):
                hint = did_you_mean(str(value), known)
                raise ConfigError(f"{name} cannot be {value!r}.{hint}")
        if not isinstance(self.device, str) or not _DEVICE.fullmatch(self.device):
            raise ConfigError(
                f"device must be auto, cpu, mps, cuda or cuda:N, got {self.device!r}"
            )
        _check_types(self)
        _check_placing(self)


def _check_placing(settings: TransformersSettings) -> None:
    """Refuse what contradicts itself in where weights go, and in what form."""
    device, method = settings.device, settings.quantisation
    if settings.device_map is not None and device not in ("auto", "cuda", "cpu"):
        raise ConfigError(
            f"device_map: auto lays a model over all devices, and device: {device} "
            "names one. Leave one of the two out"
        )
    if settings.offload and settings.device_map is None:
        raise ConfigError(
            "offload: true says where parts go that a device map finds no place for. "
            "Add: device_map: auto"
        )
    if settings.offload and method is not None:
        raise ConfigError(
            f"offload: true and quantisation: {method}: what lies in main memory would "
            "not be quantised, and so be another model. Leave one of the two out"
        )
    if method is not None and device == "mps":
        raise ConfigError(
            f"quantisation: {method} cannot be computed on device mps. Leave it out, "
            "or set device: cpu"
        )


def _check_types(settings: TransformersSettings) -> None:
    """Refuse values of another type than the file they come from shows."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        if field.type == "bool" and not isinstance(value, bool):
            raise ConfigError(f"{field.name} must be true or false, got {value!r}")
        if field.type == "str | None" and not isinstance(value, (str, type(None))):
            raise ConfigError(f"{field.name} must be text, got {value!r}")
        is_count = type(value) is int and value >= 1
        if field.type == "int" and not is_count:
            raise ConfigError(f"{field.name} must be at least 1, got {value!r}")
        if field.type == "int | None" and value is not None and not is_count:
            raise ConfigError(f"{field.name} must be at least 1, got {value!r}")
