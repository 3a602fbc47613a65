"""`import_libraries`: torch and transformers imported, for no more than they cost.

Apart from loading because it needs no checkpoint, so that it is done while videos
are looked at, and because a third of its time is not the libraries': they
make some 700,000 objects, all of which Python's collector looks through again
and again while they are made, and once more when the process ends.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LIBRARIES = ("torch", "transformers")
"""What takes seconds to import; where both are there, nothing is left to spare."""


def import_libraries() -> None:
    """Import what loading and asking need; costs nothing from the second time on."""
    if all(name in sys.modules for name in LIBRARIES):
        _import()
        return
    with uncollected():
        _import()


@contextmanager
def uncollected() -> Iterator[None]:
    """Make objects inside that the collector never looks at, nor at any before.

    It is for imports, whose objects stay until the process ends. What is garbage
    by now is collected first, or it would stay as long. Reference counts free
    objects as ever; a collector that was off stays off, and changes nothing.
    """
    if not (gc.isenabled() and hasattr(gc, "freeze")):
        yield
        return
    gc.collect()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _import() -> None:
    import torch  # noqa: F401 - first, as transformers looks for it
    import transformers

    # Its names are imported when they are looked up.
    for name in ("AutoModelForImageTextToText", "AutoProcessor", "GenerationConfig"):
        getattr(transformers, name)
