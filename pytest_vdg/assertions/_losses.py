"""What a claim leaves out: cells without an answer, and questions without a pair.

Apart from ``_evidence`` because every claim tells it, in one form, and no number
that decides is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vdg.assertions._words import count, percent, plain, pp
from pytest_vdg.outcomes import Missing, Paired
from pytest_vdg.runs import Run, TaskFilter


def losses(
    run: Run,
    conditions: Sequence[str],
    task: TaskFilter,
    *,
    n: int,
    missing: Missing = "drop",
) -> list[tuple[str, str]]:
    """Return what is told of the cells that are not among the *n* that count."""
    left = len(run.selected(task)) - n
    return excluded_evidence(
        excluded_line(run, conditions, task, left=left, missing=missing)
    )


def pair_losses(
    run: Run, paired: Paired, task: TaskFilter
) -> tuple[tuple[str, str], ...]:
    """Return `losses` of a pair, and each condition over its own questions."""
    arms = (paired.treated_name, paired.control_name)
    lost = losses(run, arms, task, n=paired.n, missing=paired.missing)
    return *lost, *unmatched_evidence(paired, of=len(run.selected(task)))


def excluded_line(
    run: Run,
    conditions: Sequence[str],
    task: TaskFilter,
    *,
    left: int,
    missing: Missing = "drop",
) -> str:
    """Return what gave no answer under each condition, and what left the pair.

    Empty where each cell was judged and parsed.
    """
    parts = []
    lost = 0
    for condition in conditions:
        counts = run.counts(condition, task)
        lost += counts.failed + counts.unparsed + counts.not_applicable
        text = f"{plain(condition)} {counts.failed} failed, {counts.unparsed} unparsed"
        if counts.not_applicable:
            text += f", {counts.not_applicable} not applicable"
        parts.append(text)
    if not lost:
        return ""
    asked = run.selected(task)
    total = count(len(asked), "order" if any(q.of for q in asked) else "question")
    line = f"{left} of {total} left the pair: " + " | ".join(parts)
    return line + ("; failed counted wrong" if missing == "wrong" else "")


def excluded_evidence(now: str, then: str | None = None) -> list[tuple[str, str]]:
    """Return `excluded_line` with its label, of one run or two, where it tells."""
    if not now and not then:
        return []
    if then is None:
        return [("excluded", now)]
    return [("excluded", f"now {now or 'none'}\nbaseline {then or 'none'}")]


def unmatched_evidence(paired: Paired, *, of: int) -> list[tuple[str, str]]:
    """Return each condition over its own questions, where these differ."""
    if paired.n == of:
        return []
    arms = (
        (paired.treated_name, paired.treated_alone),
        (paired.control_name, paired.control_alone),
    )
    shares = [f"{plain(c)} {percent(own.accuracy)} of its {own.n}" for c, own in arms]
    difference = pp(paired.unmatched_difference)
    return [("unmatched", f"{' | '.join(shares)}, difference {difference}")]
