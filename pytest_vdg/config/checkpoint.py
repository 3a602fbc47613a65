"""Telling a checkpoint folder from a hub id, and a misspelt one from both.

Apart from the backends because this is asked before any of them is made: a
path with a typing error must not turn into a download an hour later.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from pytest_vdg.errors import ConfigError

_HUB_ID = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*"
    r"(@(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._/-]*)?"
)
_NEAR = 3
_MOST_NAMES = 500


def locate_checkpoint(
    text: str, base: Path, *, source: str, what: str = "checkpoint"
) -> str:
    """Return the absolute folder that *text* names, or *text* if a hub id.

    A hub id may end in ``@`` and a branch, tag or commit. A relative path starts
    at *base*. What lies in a folder that exists is a path, even if it looks like
    a hub id. *source* says in errors where *text* was written, *what* as what.
    """
    path = base / Path(text).expanduser()
    if path.is_dir():
        return str(path.resolve())
    if path.exists():
        raise ConfigError(
            f"{what} {text!r} ({source}) is a file. Give the folder that "
            f"holds it: {path.parent}"
        )
    owner = base / text.partition("/")[0]
    if _HUB_ID.fullmatch(text) and not owner.is_dir():
        return text
    raise ConfigError(
        f"{what} {text!r} ({source}) is not there: no folder {path}."
        + _near_names(path)
    )


def _near_names(path: Path) -> str:
    """Return a hint from the nearest folder above that exists."""
    above = path.parent
    if not above.is_dir():
        while not above.is_dir() and above != above.parent:
            above = above.parent
        return f" The path exists up to {above}"
    names = sorted(p.name for p in above.iterdir() if p.is_dir())[:_MOST_NAMES]
    near = difflib.get_close_matches(path.name, names, n=_NEAR, cutoff=0.5)
    if near:
        return f" Did you mean {' or '.join(repr(name) for name in near)}?"
    shown = ", ".join(names[:_NEAR]) if names else "no folder"
    more = f" and {len(names) - _NEAR} more" if len(names) > _NEAR else ""
    return f" In {above} there is {shown}{more}"
