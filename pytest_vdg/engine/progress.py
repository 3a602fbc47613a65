"""`Progress`: how far a run has come, for whoever shows it.

Apart from the runner so that reports can name the type without the engine's
dependencies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Progress:
    """State of a run after one more cell."""

    done: int
    """Cells finished, cached ones included."""
    total: int
    """Cells of the whole run."""
    cached: int
    """Cells answered from the store so far."""
    failed: int
    """Cells without a reply so far."""
    seconds: float
    """Wall time since the run began."""


ProgressCallback = Callable[[Progress], None]
"""Called after each cell, in the thread that asks; must return quickly."""
