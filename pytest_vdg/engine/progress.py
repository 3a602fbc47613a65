"""`Progress`: how far a run has come, for whoever shows it.

Apart from the runner so that reports can name the type without the engine's
dependencies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Progress:
    """State of a run after some more cells."""

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
    to_ask: int = 0
    """Cells that the model is still to be asked."""
    rate: float | None = None
    """Cells a second that the model answered of late; None before it did."""

    @property
    def left_s(self) -> float | None:
        """Seconds that are left at this rate; None where it is not known."""
        return None if self.rate is None else self.to_ask / self.rate


ProgressCallback = Callable[[Progress], None]
"""Called after each cell, or each few that were asked together, in the thread
that asks; must return quickly."""
