"""From a reply to the outcome of its cell: the one place that decides.

Apart from the runner because stored replies are graded again when they are
reused: a corrected key or a better parser then needs no model, and an old
verdict cannot outlive the rule that made it.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_vdg.backends.protocol import Reply
from pytest_vdg.benchmarks.answers import parse_answer
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import Condition
from pytest_vdg.runs import CellResult, Outcome

LABEL_SCORING = frozenset({"choice", "option_text"})
"""Scorings whose reply *is* a label: nothing is left to parse."""


def answered(
    question: Question,
    condition: Condition,
    reply: Reply,
    *,
    clip: Clip | None,
    scoring: str,
) -> CellResult:
    """Return the cell that *reply* to *question* makes.

    *clip* is what the model was shown, None for no video.
    """
    given = reply.probabilities
    cell = CellResult(
        question_id=question.id,
        condition=str(condition),
        outcome=Outcome.UNPARSED,
        reply=reply.text,
        probabilities=given and {k: float(p) for k, p in given.items()},
        label_mass=None if reply.label_mass is None else float(reply.label_mass),
        frames_seen=int(reply.frames_seen),
        visual_tokens=int(reply.visual_tokens),
        times_s=() if clip is None else tuple(clip.timestamps_s.tolist()),
        reader=None if clip is None else clip.reader,
        input_digest=reply.input_digest,
        prompt_tokens=int(reply.prompt_tokens),
        seconds=float(reply.seconds),
    )
    return graded(cell, question, scoring=scoring)


def graded(cell: CellResult, question: Question, *, scoring: str) -> CellResult:
    """Return *cell* with the outcome that its reply deserves today."""
    if cell.reply is None:
        return cell
    choice = _choice(cell.reply, question, scoring)
    if choice is None:
        return replace(
            cell,
            outcome=Outcome.UNPARSED,
            choice=None,
            reason=f"reply chose no option: {cell.reply[:80]!r}",
        )
    right = choice == question.answer
    outcome = Outcome.CORRECT if right else Outcome.WRONG
    return replace(cell, outcome=outcome, choice=choice, reason=None)


def unanswered(
    question: Question, condition: Condition, outcome: Outcome, reason: str
) -> CellResult:
    """Return the cell of a *question* that got no reply, with the *reason*."""
    return CellResult(
        question_id=question.id,
        condition=str(condition),
        outcome=outcome,
        reason=reason,
    )


def _choice(reply: str, question: Question, scoring: str) -> str | None:
    if scoring in LABEL_SCORING and reply in question.texts:
        return reply
    return parse_answer(reply, question.texts)
