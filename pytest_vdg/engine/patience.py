"""`Patience`: when a backend that has never answered is given up.

Apart from the runner because it is a rule of its own: one cell that fails is
a cell; a model that cannot answer at all must not take a night to say so.
"""

from __future__ import annotations

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import CellResult


class Patience:
    """Ends a run whose first *limit* cells all failed in the backend."""

    def __init__(self, limit: int) -> None:
        """Wait for *limit* failures, if no cell is answered before."""
        self._limit = limit
        self._failed = 0
        self._first: CellResult | None = None
        self._works = False

    def answered(self) -> None:
        """Note that the backend works; single failures are cells from now on."""
        self._works = True

    def failed(self, cell: CellResult) -> None:
        """Note a failure; raise `CouldNotBeJudged` when it is one too many."""
        self._failed += 1
        self._first = self._first or cell
        if not self._works and self._failed >= self._limit:
            raise CouldNotBeJudged(
                f"the backend failed on each of the first {self._failed} cells, so "
                f"the run was stopped. The first (question "
                f"{self._first.question_id!r}, condition "
                f"{self._first.condition!r}): {self._first.reason}"
            )
