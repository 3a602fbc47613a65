"""Small runs written as strings, one letter a cell, for tests of claims.

Apart from the tests so that a table of outcomes reads as a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from pytest_vdg.assertions import ClaimFailed
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import AskedQuestion, Caps, CellResult, Fingerprint, Outcome, Run
from pytest_vdg.verdicts import Finding, collect_findings

LETTERS = {
    "C": Outcome.CORRECT,
    "W": Outcome.WRONG,
    "U": Outcome.UNPARSED,
    "F": Outcome.FAILED,
    "N": Outcome.NOT_APPLICABLE,
}
REASONS = {
    Outcome.UNPARSED: "reply chose no option",
    Outcome.FAILED: "out of memory",
    Outcome.NOT_APPLICABLE: "one frame has no other order",
}
LABELS = ("A", "B", "C", "D")
NO_CAPS = Caps(failed=1, failed_difference=1, unparsed=1, unparsed_difference=1)


def make_run(
    cells: Mapping[str, str],
    *,
    per_video: int = 1,
    tasks: Sequence[str] = ("all",),
    checkpoint: str = "new",
    slice_name: str = "sight",
    caps: Caps | None = None,
    probabilities: Mapping[str, Sequence[Mapping[str, float]]] | None = None,
    informative: Mapping[str, str] | None = None,
    comparable: Mapping[str, str] | None = None,
    order: Sequence[int] | None = None,
    created: str = "",
) -> Run:
    """Return a run whose *cells* are letters of `LETTERS`, one a question.

    Questions are ``q0000``, ``q0001``, ...; *per_video* neighbours share a
    video, and *tasks* are dealt in turn. The right label of question ``i`` is
    ``LABELS[i % 4]``, and a wrong answer chooses the label after it. *order*
    permutes the questions without changing them.
    """
    (total,) = {len(letters) for letters in cells.values()}
    questions = [_question(i, per_video, tasks) for i in range(total)]
    results = {
        (q.id, condition): _cell(
            q,
            condition,
            LETTERS[letters[i]],
            probabilities[condition][i] if probabilities else None,
        )
        for condition, letters in cells.items()
        for i, q in enumerate(questions)
    }
    return Run(
        checkpoint=checkpoint,
        slice_name=slice_name,
        questions=tuple(questions[i] for i in (order or range(total))),
        conditions=tuple(cells),
        cells=results,
        fingerprint=Fingerprint(
            comparable=comparable or {"seed": "0"},
            subject={"checkpoint": checkpoint},
            informative=informative or {},
        ),
        caps=caps or Caps(),
        created=created,
    )


def in_orders(run: Run, orders: int) -> Run:
    """Return *run* with each question asked so often, answered alike each time."""
    asked = [
        replace(q, id=f"{q.id}@{turn}", of=q.id)
        for q in run.questions
        for turn in range(orders)
    ]
    cells = {
        (q.id, c): replace(run.cells[q.of, c], question_id=q.id)
        for q in asked
        for c in run.conditions
    }
    return replace(run, questions=tuple(asked), cells=cells)


def _question(i: int, per_video: int, tasks: Sequence[str]) -> AskedQuestion:
    return AskedQuestion(
        id=f"q{i:04d}",
        video=f"v{i // per_video:04d}.mp4",
        task=tasks[i % len(tasks)],
        labels=LABELS,
        answer=LABELS[i % 4],
        digest=f"d{i}",
    )


def _cell(
    question: AskedQuestion,
    condition: str,
    outcome: Outcome,
    probabilities: Mapping[str, float] | None,
) -> CellResult:
    choice = None
    if outcome is Outcome.CORRECT:
        choice = question.answer
    elif outcome is Outcome.WRONG:
        choice = LABELS[(LABELS.index(question.answer) + 1) % 4]
    return CellResult(
        question_id=question.id,
        condition=condition,
        outcome=outcome,
        choice=choice,
        reply=choice,
        probabilities=probabilities,
        reason=REASONS.get(outcome),
    )


def arms(
    *,
    both: int = 0,
    treated_only: int = 0,
    control_only: int = 0,
    neither: int = 0,
    control: str = "black",
) -> dict[str, str]:
    """Return the cells of two conditions with these counts, in this order."""
    return {
        "original": "C" * both + "C" * treated_only + "W" * (control_only + neither),
        control: "C" * both + "W" * treated_only + "C" * control_only + "W" * neither,
    }


def outcome(claim: Callable[[], Finding]) -> Finding:
    """Return what *claim* found, whether it held, failed or was refused.

    A refusal without a finding has nothing to return and is an error here.
    """
    with collect_findings() as found, suppress(ClaimFailed, CouldNotBeJudged):
        claim()
    (finding,) = found
    return finding
