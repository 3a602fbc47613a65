"""Questions joined across conditions and models, as the checks need them.

Apart from the checks so that which questions count is written once: the paper
drops missing answers in one table and calls them wrong in the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pytest_vdg.outcomes import Missing, Paired, pair, pair_answers
from pytest_vdg.runs import Outcome, Run
from tools.reproduction.printed import OVERALL

POLICY: Mapping[Missing, str] = {
    "drop": "missing dropped",
    "wrong": "missing counted wrong",
}

Vector = npt.NDArray[np.bool_]


def arms(run: Run, task: str, missing: Missing) -> Paired:
    """Return original and black of *run* over the questions of *task*."""
    chosen = None if task == OVERALL else task
    return pair(run, control="black", task=chosen, missing=missing)


def duel(first: Run, second: Run) -> tuple[Paired, Paired]:
    """Return two models on original, then on black clips.

    Over the questions that both answered under both conditions.
    """
    original, black = (
        pair_answers(first, second, condition=c) for c in ("original", "black")
    )
    common = set(original.question_ids) & set(black.question_ids)
    return original.kept(common), black.kept(common)


def differences(
    runs: Mapping[str, Run], missing: Missing
) -> tuple[tuple[str, ...], dict[str, npt.NDArray[np.int64]]]:
    """Return the questions that count for all models, and each one's VDG."""
    pairs = {m: pair(run, control="black", missing=missing) for m, run in runs.items()}
    common = set.intersection(*(set(p.question_ids) for p in pairs.values()))
    ids = tuple(sorted(common))
    by_id = {
        m: dict(zip(p.question_ids, p.differences.tolist(), strict=True))
        for m, p in pairs.items()
    }
    return ids, {m: np.array([of[q] for q in ids]) for m, of in by_id.items()}


def tasks_of(run: Run, ids: tuple[str, ...]) -> list[str]:
    """Return the task of each of *ids*."""
    task = {q.id: q.task for q in run.questions}
    return [task[q] for q in ids]


def correct(run: Run, ids: Sequence[str], condition: str) -> Vector:
    """Return which of *ids* were answered correctly under *condition*."""
    outcomes = (run.cells[q, condition].outcome for q in ids)
    return np.array([o is Outcome.CORRECT for o in outcomes], dtype=bool)
