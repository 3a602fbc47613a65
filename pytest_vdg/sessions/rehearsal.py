"""A claim tried on invented answers, before any model is loaded.

Apart from judging because its verdict means nothing: it finds what only the
assertion itself can say of its arguments, e.g. a floor in percent or a task
that the slice does not have, while nothing has been paid for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextvars import Context

from pytest_vdg.benchmarks.rotation import as_asked
from pytest_vdg.config.claims import ClaimSpec
from pytest_vdg.errors import VdgError
from pytest_vdg.runs import AskedQuestion, CellResult, Fingerprint, Outcome, Run
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.session import VdgSession

_MOST = 4
"""Questions of each task: enough to be judged, few enough to take no time."""


def fault_of(
    session: VdgSession, spec: ClaimSpec, ask: Ask, conditions: Sequence[str]
) -> str | None:
    """Return what the assertion has against its arguments; None where nothing.

    Raises what reading the slice raises.
    """
    questions = _few(_questions(session, ask))
    if not questions:
        return None
    run = _invented(questions, conditions)
    # In a context of its own: nobody who collects findings may hear of this one.
    fault: str | None = Context().run(_tried, spec, run)
    return fault


def _tried(spec: ClaimSpec, run: Run) -> str | None:
    baseline = {"baseline": run} if spec.compares else {}
    try:
        spec.function(run, **baseline, **spec.arguments)
    except (ValueError, TypeError) as error:
        return str(error)
    except (AssertionError, VdgError):
        return None  # a verdict on invented answers
    return None


def _questions(session: VdgSession, ask: Ask) -> Iterable[AskedQuestion]:
    if session.settings.replay is not None:
        return session.run(ask).questions
    return [as_asked(each) for each in session.slice(ask).questions]


def _few(questions: Iterable[AskedQuestion]) -> list[AskedQuestion]:
    met: Counter[str] = Counter()
    found = []
    for question in questions:
        met[question.task] += 1
        if met[question.task] <= _MOST:
            found.append(question)
    return found


def _invented(questions: Sequence[AskedQuestion], conditions: Sequence[str]) -> Run:
    """Return a run of right and wrong answers, by turns, on real questions."""
    cells = {}
    for row, question in enumerate(questions):
        others = [label for label in question.labels if label != question.answer]
        for column, condition in enumerate(conditions):
            right = (row + column) % 2 == 0 or not others
            choice = question.answer if right else others[0]
            cells[question.id, condition] = CellResult(
                question_id=question.id,
                condition=condition,
                outcome=Outcome.CORRECT if right else Outcome.WRONG,
                choice=choice,
                reply=choice,
            )
    return Run(
        checkpoint="none",
        slice_name="none",
        questions=tuple(questions),
        conditions=tuple(conditions),
        cells=cells,
        fingerprint=Fingerprint(comparable={}, subject={}, informative={}),
    )
