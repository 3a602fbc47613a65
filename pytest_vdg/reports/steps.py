"""`Staircase`: the ladder of a run as steps that add up, whichever rungs were run.

Apart from `View.ladder`, which is all four rungs or nothing: a picture may join
two steps where the rung between them was not run, and has to say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.reports.measured import STEPS, View
from pytest_vdg.runs import AskedQuestion, Outcome
from pytest_vdg.stats import counted
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.proportion import Proportion

RUNGS = ("black", "single_frame", "shuffled", "original")
"""From the condition that shows least to the one that shows all."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """What is gained from one rung to the next that was run."""

    name: str
    """``spatial``, ``diversity``, ``temporal``, or several joined by ``+``."""
    treated: str
    control: str
    value: PairedDifference


@dataclass(frozen=True, kw_only=True)
class Staircase:
    """Accuracies and steps over the questions judged on every rung that was run."""

    rungs: tuple[tuple[str, Proportion], ...]
    """Condition and accuracy, from the rung that shows least."""
    steps: tuple[Step, ...]
    """One fewer than `rungs`; they sum to the last accuracy minus the first."""
    missing: tuple[str, ...]
    """Rungs that were not run."""
    chance: float
    n: int
    """Distinct questions."""
    n_videos: int


def staircase(view: View) -> Staircase | None:
    """Return the steps of *view*; None where they cannot be made.

    That is where fewer than two rungs were run, or no question was judged on
    all of them.
    """
    found = {name: view.present(name) for name in RUNGS}
    present = [(name, spec) for name, spec in found.items() if spec is not None]
    judged = _judged(view, [spec for _, spec in present])
    if len(present) < 2 or not judged:
        return None
    rights = [_right(view, spec, judged) for _, spec in present]
    videos, asked = [q.video for q in judged], [q.question for q in judged]
    extent = Extent.over(judged)
    return Staircase(
        rungs=tuple(
            (spec, counted.share(right, videos, view.confidence, asked))
            for (_, spec), right in zip(present, rights, strict=True)
        ),
        steps=tuple(
            Step(
                name=_joined(present[i][0], present[i + 1][0]),
                treated=present[i + 1][1],
                control=present[i][1],
                value=counted.difference(
                    rights[i + 1] - rights[i], videos, view.confidence, asked
                ),
            )
            for i in range(len(present) - 1)
        ),
        missing=tuple(name for name, spec in found.items() if spec is None),
        chance=view.run.chance(view.task),
        n=extent.n,
        n_videos=extent.n_videos,
    )


def _judged(view: View, conditions: Sequence[str]) -> list[AskedQuestion]:
    cells = view.run.cells
    return [
        q
        for q in view.run.selected(view.task)
        if all(cells[q.id, c].outcome.judged for c in conditions)
    ]


def _right(
    view: View, condition: str, questions: Sequence[AskedQuestion]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    cells = view.run.cells
    right = [cells[q.id, condition].outcome is Outcome.CORRECT for q in questions]
    return np.array(right, dtype=np.int64)


def _joined(control: str, treated: str) -> str:
    """Return the names of all steps between two rungs."""
    names = [name for name, _, _ in STEPS]
    return " + ".join(names[RUNGS.index(control) : RUNGS.index(treated)])
