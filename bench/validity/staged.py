"""Runs for the public assertions, made from counts that were drawn.

Apart from the draws because runs are slow to make: only the samples that the
assertions themselves judge become runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bench.validity.worlds import Ints, World
from pytest_vdg.assertions import ClaimFailed
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import AskedQuestion, CellResult, Fingerprint, Outcome, Run
from pytest_vdg.verdicts import Finding, Verdict, collect_findings

LABELS = ("A", "B", "C", "D")
_SAME = Fingerprint(comparable={"seed": "0"}, subject={}, informative={})


def answers(
    world: World, counts: Ints
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
    """Return right answers, shape ``(n, arms)``, and videos of ``(videos, K)``."""
    videos, outcomes = np.indices(counts.shape)
    times = counts.ravel()
    rows = np.repeat(outcomes.ravel(), times)
    return world.patterns[rows], np.repeat(videos.ravel(), times)


def run_of(
    right: npt.NDArray[np.bool_],
    videos: Sequence[int] | npt.NDArray[np.intp],
    conditions: Sequence[str],
    *,
    tasks: int = 1,
    checkpoint: str = "new",
) -> Run:
    """Return a run: one column of *right* a condition, one row a question.

    Videos are dealt to *tasks* in turn. A right answer is the key's label; a
    wrong one goes round the other three, so that no label is preferred.
    """
    questions = _questions(tuple(int(v) for v in videos), tasks)
    cells = {
        (q.id, condition): _cell(q, i, condition, bool(right[i, arm]))
        for arm, condition in enumerate(conditions)
        for i, q in enumerate(questions)
    }
    return Run(
        checkpoint=checkpoint,
        slice_name="simulated",
        questions=questions,
        conditions=tuple(conditions),
        cells=cells,
        fingerprint=_SAME,
    )


@lru_cache(maxsize=8)
def _questions(videos: tuple[int, ...], tasks: int) -> tuple[AskedQuestion, ...]:
    return tuple(
        AskedQuestion(
            id=f"q{i:05d}",
            video=f"v{video:05d}",
            task=f"task{video % tasks:02d}",
            labels=LABELS,
            answer=LABELS[i % 4],
            digest=f"d{i}",
        )
        for i, video in enumerate(videos)
    )


def _cell(
    question: AskedQuestion, at: int, condition: str, is_right: bool
) -> CellResult:
    step = 0 if is_right else 1 + (at // 4) % 3
    choice = LABELS[(at + step) % 4]
    return CellResult(
        question_id=question.id,
        condition=condition,
        outcome=Outcome.CORRECT if is_right else Outcome.WRONG,
        choice=choice,
        reply=choice,
    )


def found(claim: object, *arguments: object, **named: object) -> list[Finding]:
    """Return all that *claim* finds, whether it holds, fails or is refused."""
    with collect_findings() as findings, suppress(ClaimFailed, CouldNotBeJudged):
        claim(*arguments, **named)  # type: ignore[operator]
    return findings


AGAINST = frozenset(
    {
        Verdict.BELOW_FLOOR,
        Verdict.ABOVE_CEILING,
        Verdict.REGRESSION,
        Verdict.DISSOCIATION,
    }
)
