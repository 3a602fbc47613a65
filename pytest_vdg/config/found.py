"""Which ``vdg.yaml`` holds: the one that is named, else the nearest.

Apart from the settings, which are made from its text, because whether there is
a file at all is asked long before anything is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_vdg.config.file import FILE_NAME, load_config
from pytest_vdg.config.specs import VdgConfig
from pytest_vdg.config.switches import SWITCHES, Voice
from pytest_vdg.errors import ConfigError


def find_config(voices: Sequence[Voice], folders: Sequence[Path]) -> VdgConfig:
    """Load the file that the first of *voices* names, else the nearest one.

    *folders* are looked through in order for a ``vdg.yaml``; none is no
    error. A file that was named and is not there is a `ConfigError`.
    """
    for voice in voices:
        if "config" in voice.values:
            path = voice.base / Path(str(voice.values["config"])).expanduser()
            if not path.is_file():
                raise ConfigError(
                    f"configuration file {path} ({voice.named(SWITCHES[1])}) is not "
                    "there"
                )
            return load_config(path)
    nearest = nearest_config(folders)
    return VdgConfig() if nearest is None else load_config(nearest)


def nearest_config(folders: Sequence[Path]) -> Path | None:
    """Return the first ``vdg.yaml`` in *folders*, without reading it."""
    return next((f / FILE_NAME for f in folders if (f / FILE_NAME).is_file()), None)
