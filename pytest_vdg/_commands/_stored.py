"""Runs that are named on the command line.

Apart from the commands so that a path that is not there is told alike by all.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg.errors import ConfigError, near_path

if TYPE_CHECKING:
    from pytest_vdg.runs import Run


def stored(path: str) -> Run:
    """Return the run at *path*.

    Raises `ConfigError` for a path where there is no file, `StoreError` for a
    file that is no run.
    """
    from pytest_vdg.store.runfile import load_run

    if not Path(path).is_file():
        raise ConfigError(
            f"run {path!r} is not there. It takes a baseline "
            "(pytest --vdg-update-baseline) or a run kept with save_run(run, path)."
            + near_path(Path(path))
        )
    return load_run(path)
