"""What became of all questions under one condition, as arrays.

Apart from ``runs``, which knows no numpy because reading a command line needs
runs; and apart from the joining because claims about one condition count too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pytest_vdg.outcomes.paired import Missing
from pytest_vdg.runs import Outcome, Run, TaskFilter

JUDGED = tuple(outcome for outcome in Outcome if outcome.judged)
COUNTED: Mapping[Missing, tuple[Outcome, ...]] = {
    "drop": JUDGED,
    "wrong": (*JUDGED, Outcome.FAILED),
}
"""Outcomes that stay in a pair, by what becomes of missing replies."""


def column(run: Run, condition: str, task: TaskFilter = None) -> npt.NDArray[np.uint8]:
    """Return ``run.column(condition, task)`` as an array of shape ``(n,)``."""
    return np.frombuffer(run.column(condition, task), dtype=np.uint8)


def among(
    numbers: npt.NDArray[np.uint8], outcomes: Collection[Outcome]
) -> npt.NDArray[np.bool_]:
    """Return which *numbers* of a column stand for one of *outcomes*."""
    return np.array([outcome in outcomes for outcome in Outcome])[numbers]


def counted_in_all(
    run: Run,
    conditions: Sequence[str],
    task: TaskFilter = None,
    missing: Missing = "drop",
) -> npt.NDArray[np.bool_]:
    """Return whether each question of *task* counts under all *conditions*.

    Shape ``(n,)``, in the order of ``run.selected(task)``.
    """
    counted = np.ones(len(run.selected(task)), dtype=np.bool_)
    for condition in conditions:
        counted &= among(column(run, condition, task), COUNTED[missing])
    return counted
