"""`TimeBudget`: how long a session may ask models, and what that left undone.

Apart from the session because a run that was cut short must be told as one
wherever it is used: beside its numbers, before a baseline, instead of one.
"""

from __future__ import annotations

import time

from pytest_vdg.config.durations import seconds
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import Run


class TimeBudget:
    """One budget for all runs of a session; it begins with the first."""

    def __init__(self, text: str | None) -> None:
        """Allow as long as *text* says, e.g. ``30m``; None for ever."""
        self._text = text
        self._until: float | None = None

    def until(self) -> float | None:
        """Return when no more videos are begun, of `time.monotonic`."""
        length = None if self._text is None else seconds(self._text)
        if self._until is None and length is not None:
            self._until = time.monotonic() + length
        return self._until

    def notes(self, run: Run) -> list[str]:
        """Return what people must know of a *run* that was cut short."""
        if run.planned is None:
            return []
        from pytest_vdg.outcomes.extent import of_wanted  # numpy comes with it

        budget = f"time budget {self._text}"
        return [f"slice {run.slice_name}: {of_wanted(run)} ({budget})"]


def require_whole(run: Run) -> None:
    """Raise `CouldNotBeJudged` for a run that was cut short: it is no baseline."""
    if run.planned is not None:
        from pytest_vdg.outcomes.extent import of_wanted

        raise CouldNotBeJudged(
            f"slice {run.slice_name!r}: only {of_wanted(run)} were asked within the "
            "time budget, and a baseline holds all. Run again with more time, or "
            "without --vdg-time-budget: answers that are kept are not asked again"
        )
