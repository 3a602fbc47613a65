"""From settings to the files of a checkpoint, and of the base of an adapter.

Apart from the backend because an adapter is two folders, either of which may lie
here or on the Hub, and because people should hear which ones were found.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pytest_vdg.backends._hf_adapter_checks import base_named, is_adapter, open_adapter
from pytest_vdg.backends._hf_adapter_files import AdapterFiles
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_hub import Place, find_checkpoint, is_hub_id
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.errors import BackendUnavailable, ConfigError

Check = Callable[[Path, AdapterFiles | None], CheckpointFiles]
"""Checks a folder of whole weights, and the adapter that goes on top of them."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A checked checkpoint, and where it was found."""

    files: CheckpointFiles
    place: Place
    base: Place | None = None
    """Where the weights below an adapter were found."""

    @property
    def observed(self) -> dict[str, str]:
        """Which base and which commits of the Hub were found, for a run's record."""
        told = {"commit": self.place.commit}
        if self.base is not None:
            told |= {"base": self.base.name, "base commit": self.base.commit}
        return {name: text for name, text in told.items() if text}

    @property
    def notes(self) -> tuple[str, ...]:
        """That what was asked for may be something else tomorrow."""
        below = "" if self.base is None else self.base.note("base: ")
        return tuple(note for note in (self.place.note(), below) if note)


def open_files(settings: TransformersSettings, check: Check) -> Opened:
    """Find and *check* the files that *settings* name; no weight is read.

    Raises `ConfigError` for what is not there or not usable, and for a base
    that is given without an adapter; `BackendUnavailable` for an adapter without
    the package that loads it.
    """
    place = _find(settings, str(settings.checkpoint), settings.revision)
    if not is_adapter(place.folder):
        if settings.base is not None:
            raise ConfigError(
                f"base is only for adapters, and {place.folder} is none: it has no "
                "adapter_config.json. Remove base, or point to the adapter's folder"
            )
        return Opened(files=check(place.folder, None), place=place)
    adapter = open_adapter(place.folder, allow_pickle=settings.allow_pickle)
    if importlib.util.find_spec("peft") is None:
        raise BackendUnavailable("transformers", "peft", extra="adapters")
    base = _find_base(settings, adapter)
    return Opened(files=check(base.folder, adapter), place=place, base=base)


def may_fetch(settings: TransformersSettings) -> bool:
    """Tell whether opening the files could download any of them."""
    checkpoint = Path(settings.checkpoint).expanduser()
    if settings.local_files_only:
        return False
    if not checkpoint.exists():
        return True
    if not is_adapter(checkpoint):
        return False
    adapter = open_adapter(checkpoint, allow_pickle=settings.allow_pickle)
    return is_hub_id(settings.base or base_named(adapter)[0])


def _find(settings: TransformersSettings, name: str, revision: str | None) -> Place:
    return find_checkpoint(
        name,
        revision=revision,
        local_files_only=settings.local_files_only,
        allow_pickle=settings.allow_pickle,
        trust_remote_code=settings.trust_remote_code,
    )


def _find_base(settings: TransformersSettings, adapter: AdapterFiles) -> Place:
    """Return where the weights below *adapter* lie."""
    if settings.base is not None:
        return _find(settings, settings.base, None)
    named, revision = base_named(adapter)
    try:
        return _find(settings, named, revision)
    except ConfigError as error:
        raise ConfigError(
            f"{adapter.folder} is an adapter of {named}, as its adapter_config.json "
            f"says: {error}\nIf it lies elsewhere, write in vdg.yaml: base: FOLDER"
        ) from error
