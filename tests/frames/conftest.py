"""Clips that many tests read, written once a session and only when asked for.

Apart from ``clips.py`` so that the clips can also be made outside pytest.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frames.clips import KINDS


@pytest.fixture(scope="session")
def clip_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function from a name in `KINDS` to the file, written once."""
    folder = tmp_path_factory.mktemp("clips")

    def find(name: str) -> Path:
        path = folder / name
        return path if path.exists() else KINDS[name](path)

    return find
