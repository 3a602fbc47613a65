"""`Patience`: when a backend that has never answered is given up.

Apart from the runner because it is a rule of its own: one cell that fails is
a cell; a model that cannot answer at all must not take a night to say so.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import CellResult


class Patience:
    """Ends a run whose first *limit* cells all failed in the backend."""

    def __init__(self, limit: int) -> None:
        """Wait for *limit* failures, if no cell is answered before."""
        self._limit = limit
        self.failures: list[CellResult] = []
        """The cells that failed in the backend."""
        self._works = False

    @classmethod
    def of(cls, settings: RunSettings, *, cells: int, resumed: bool) -> Patience:
        """Return the patience with a run of so many *cells*.

        A run that is taken up again asks first what failed the last time. It is
        given up when one condition is beyond its cap in any case.
        """
        least = settings.give_up_after
        allowed = math.floor(settings.caps.failed * cells)
        return cls(max(least, allowed + 1) if resumed else least)

    def answered(self) -> None:
        """Note that the backend works; single failures are cells from now on."""
        self._works = True

    def failed(self, cell: CellResult) -> None:
        """Note a failure; raise `CouldNotBeJudged` when it is one too many."""
        self.failures.append(cell)
        if not self._works and len(self.failures) >= self._limit:
            first = self.failures[0]
            raise CouldNotBeJudged(
                f"the backend failed on each of the first {len(self.failures)} cells, "
                f"so the run was stopped. The first (question {first.question_id!r}, "
                f"condition {first.condition!r}): {first.reason}"
            )

    def take_in(
        self, cells: Iterable[CellResult], broken: Collection[tuple[str, str]]
    ) -> None:
        """Note *cells* that were asked elsewhere, of which these are *broken*."""
        for cell in cells:
            if (cell.question_id, cell.condition) in broken:
                self.failed(cell)
            elif cell.outcome.judged:
                self.answered()
