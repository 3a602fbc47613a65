"""What an adapter's folder tells without torch: its weights, config and content.

Apart from whole checkpoints, whose files it is added to, because it is known by
other files, in the layout of PEFT.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_vdg.backends._digests import content_digest
from pytest_vdg.backends._hf_files import canonical, read_json

ADAPTER_CONFIG = "adapter_config.json"
"""What makes a folder an adapter."""
# What an adapter's config says of where and by what it was made.
_IDLE_ADAPTER_KEYS = frozenset(
    {"base_model_name_or_path", "revision", "inference_mode", "auto_mapping"}
    | {"peft_version", "task_type"}
)


@dataclass(frozen=True, kw_only=True)
class AdapterFiles:
    """A checked adapter folder; made by `_hf_adapter_checks.open_adapter`."""

    folder: Path
    weights: Path
    """The file that holds its weights."""
    weights_are_pickle: bool = False
    """Whether that is a pickle, which was allowed explicitly."""

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """Content of ``adapter_config.json``."""
        return read_json(self.folder / ADAPTER_CONFIG)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over its weights, and its config without what changes no answer."""
        state = hashlib.sha256(content_digest(self.weights))
        told = self.config.items()
        kept = {key: _settled(v) for key, v in told if key not in _IDLE_ADAPTER_KEYS}
        state.update(canonical(kept))
        return state.hexdigest()

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of it that can change an answer."""
        return (self.folder / ADAPTER_CONFIG, self.weights)


def _settled(value: object) -> object:
    """Return *value*, names in it in order: PEFT writes sets of them as they fall."""
    names = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return sorted(value) if isinstance(value, list) and names else value
