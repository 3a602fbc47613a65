"""What libraries say: shortened where it is passed on, hushed where it is of no use.

Apart from whoever calls them because an error of theirs is to read the same
wherever it was met.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


def short_reason(error: BaseException) -> str:
    """Return type and first line of *error*, bounded in length."""
    first = str(error).strip().partition("\n")[0][:300]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def some(names: Iterable[str], limit: int = 3) -> str:
    """Return the first of *names*, and that there are more."""
    listed = list(names)
    return ", ".join(listed[:limit]) + (", ..." if len(listed) > limit else "")


@contextmanager
def hushed(name: str, category: type[Warning] = Warning) -> Iterator[None]:
    """Keep the logger called *name* from all but errors, and *category* from all."""
    log = logging.getLogger(name)
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", category)
            yield
    finally:
        log.setLevel(before)
