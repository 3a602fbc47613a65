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
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


@dataclass(frozen=True, kw_only=True)
class TransformersSettings:
    """Which checkpoint to ask, and how."""

    checkpoint: str | Path
    """A folder that ``save_pretrained`` wrote, or a Hub id ``owner/name``."""
    revision: str | None = None
    """Branch, tag or commit of a Hub id."""
    device: str = "auto"
    """``cpu``, ``cuda``, ``cuda:1``, ``mps``; ``auto`` is ``cuda`` where there
    is one, else ``cpu``."""
    dtype: str = "auto"
    """``float32``, ``bfloat16``, ``float16``; ``auto`` is the checkpoint's."""
    attention: str | None = None
    """Attention implementation, e.g. ``sdpa``; None is the library's choice."""
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
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                hint = did_you_mean(str(value), known)
                raise ConfigError(f"{name} cannot be {value!r}.{hint}")
        if not isinstance(self.device, str) or not _DEVICE.fullmatch(self.device):
            raise ConfigError(
                f"device must be auto, cpu, mps, cuda or cuda:N, got {self.device!r}"
            )
        _check_types(self)


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
