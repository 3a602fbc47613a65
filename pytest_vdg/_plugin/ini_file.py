"""Whether pytest read the ini file of the project, or of a checkpoint.

Apart from the options because it is about how pytest starts: it looks for its
ini file before it knows our options, and takes ``/models/x`` in
``--vdg-checkpoint /models/x`` for a path of tests. Where no other path is
given, the project's own file is not read, and ``vdg_required`` with it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from pytest_vdg.config.switches import SWITCHES

_ALWAYS = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_WITH_SECTION = {
    "pyproject.toml": b"[tool.pytest",
    "tox.ini": b"[pytest]",
    "setup.cfg": b"[tool:pytest]",
}


def require_own_ini(config: pytest.Config, folders: Sequence[Path]) -> None:
    """Raise ``UsageError`` where an option of ours misled pytest.

    *folders* are those of the tests, the nearest first.
    """
    given = _given_as_two_words(config)
    if given is None or config.getoption("inifilename", default=None):
        return
    nearest = folders[0]
    own = next(filter(None, map(_ini_in, (nearest, *nearest.parents))), None)
    read = config.inipath
    if own is None and (read is None or read.parent in (nearest, *nearest.parents)):
        return
    if own is not None and read is not None and read.parent == own.parent:
        return
    option, value = given
    raise pytest.UsageError(
        f"pytest took the value of {option} for a path of tests, and so read "
        f"{read or 'no ini file'} instead of {own or 'none'}. "
        f"Write: {option}={value}"
    )


def _given_as_two_words(config: pytest.Config) -> tuple[str, str] | None:
    """Return one of our options whose value is a path and a word of its own."""
    words = [
        *shlex.split(os.environ.get("PYTEST_ADDOPTS", "")),
        *map(str, config.invocation_params.args),
    ]
    names = {switch.option for switch in SWITCHES}
    for option, value in pairwise(words):
        if option in names and (config.invocation_params.dir / value).exists():
            return option, value
    return None


def _ini_in(folder: Path) -> Path | None:
    for name in _ALWAYS:
        if (folder / name).is_file():
            return folder / name
    for name, section in _WITH_SECTION.items():
        path = folder / name
        if path.is_file() and section in path.read_bytes():
            return path
    return None
