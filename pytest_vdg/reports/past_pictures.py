"""Which pictures lie beside a page: listed in it, and removed with it.

Apart from the writing because nothing may go that is not ours: a folder of reports
is a folder of the user's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

_HEAD = 1 << 20
"""Bytes of a page in which its list is looked for; it stands before the style."""
_LIST = re.compile(r'<meta name="pytest-vdg-pictures" content="([^"]*)">')
_ONE = re.compile(r"([\w.-]+\.(?:svg|png)) ([0-9a-f]{16})", re.ASCII)


def listed(files: Iterable[tuple[str, bytes]]) -> str:
    """Return what a page says of the *files* beside it: names, and what is in them."""
    return ", ".join(f"{name} {_digest(data)}" for name, data in files)


def listed_pictures(page: Path) -> Mapping[str, str]:
    """Return the pictures that *page* lists, name to digest; none if it is not ours."""
    try:
        with page.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        return {}
    found = _LIST.search(head)
    if found is None:
        return {}
    parts = map(_ONE.fullmatch, found[1].split(", "))
    return {part[1]: part[2] for part in parts if part is not None}


def remove_pictures(folder: Path, pictures: Mapping[str, str]) -> None:
    """Remove from *folder* those of *pictures* that are what was listed.

    What someone else has put there under the name stays, and so does what cannot
    be removed: the page is written all the same.
    """
    for name, digest in pictures.items():
        path = folder / name
        with suppress(OSError):
            ours = path.is_file() and not path.is_symlink()
            if ours and _digest(path.read_bytes()) == digest:
                path.unlink()


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
