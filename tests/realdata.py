"""Where optional real files lie that tests use when they are there.

Apart from the tests so that one place knows the folder, and one wording says
why a test was skipped. The files are not part of the project.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REAL = Path(
    os.environ.get(
        "VDG_REAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"
    )
)


def real(name: str) -> Path:
    """Return the real file *name*, or skip the calling test with a reason."""
    path = REAL / name
    if not path.exists():
        pytest.skip(f"real file {name} is not here (set VDG_REAL_DATA to its folder)")
    return path
