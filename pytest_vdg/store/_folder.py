"""Where answers may be written: checks that cost nothing and create nothing.

Apart from the store so that a folder that cannot be used is found before a
model is loaded, not when its first answer is to be kept.
"""

from __future__ import annotations

import os
from pathlib import Path

from pytest_vdg.errors import StoreError


def require_writable(folder: Path) -> None:
    """Raise `StoreError` unless *folder* can be written, or be made."""
    nearest = folder
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        raise StoreError(
            f"answers cannot be kept in {folder}: {nearest} is a file, not a "
            "folder. Choose another folder"
        )
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise StoreError(
            f"answers cannot be kept in {folder}: {nearest} is not writable. "
            f"Make it writable (chmod u+wx {nearest}) or choose another folder"
        )


def make_folder(folder: Path) -> None:
    """Make *folder*, with a ``.gitignore`` when nothing else is in it yet.

    A folder that holds other things is left as it is: whoever keeps answers
    at the top of a repository does not want all of it ignored.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not any(folder.iterdir()):
            (folder / ".gitignore").write_text(
                "# Made by pytest-vdg: answers are a cache, not source.\n*\n",
                encoding="utf-8",
            )
    except OSError as e:
        raise StoreError(f"answers cannot be kept in {folder}: {e}") from e
