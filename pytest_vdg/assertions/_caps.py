"""How much of a run may be missing, and how a refusal tells what is.

Apart from ``judge`` because it counts, while that decides in which order
the questions are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_vdg.assertions._words import count, labelled, percent, plain, size
from pytest_vdg.runs import Caps, CellResult, ConditionCounts, Outcome, Run, TaskFilter

_REASONS_SHOWN = 4


@dataclass(frozen=True, kw_only=True)
class _Lost:
    """A way in which a cell gives no answer, and how much of it is allowed."""

    outcome: Outcome
    verb: str
    cap_name: str
    count: Callable[[ConditionCounts], int]
    total: Callable[[ConditionCounts], int]
    cap: Callable[[Caps], float]
    difference_cap: Callable[[Caps], float]

    def share(self, counts: ConditionCounts) -> Fraction:
        """Return the share exactly, so that 2 of 100 is not above 2 %."""
        total = self.total(counts)
        return Fraction(self.count(counts), total) if total else Fraction(0)


_WAYS = (
    _Lost(
        outcome=Outcome.FAILED,
        verb="failed",
        cap_name="failed",
        count=lambda c: c.failed,
        total=lambda c: c.judged + c.failed,
        cap=lambda caps: caps.failed,
        difference_cap=lambda caps: caps.failed_difference,
    ),
    _Lost(
        outcome=Outcome.UNPARSED,
        verb="chose no option",
        cap_name="unparsed",
        count=lambda c: c.unparsed,
        total=lambda c: c.judged,
        cap=lambda caps: caps.unparsed,
        difference_cap=lambda caps: caps.unparsed_difference,
    ),
)


def cap_problems(
    run: Run, conditions: Sequence[str], task: TaskFilter, caps: Caps
) -> list[str]:
    """Return each cap that is exceeded, with its numbers; empty if none is."""
    counts = {c: run.counts(c, task) for c in conditions}
    problems: list[str] = []
    for way in _WAYS:
        problems += _share_problems(way, counts, caps)
        problems += _difference_problems(way, counts, caps)
    return problems


def _exactly(cap: float) -> Fraction:
    return Fraction(cap).limit_denominator(10**6)


def _share_problems(
    way: _Lost, counts: dict[str, ConditionCounts], caps: Caps
) -> list[str]:
    cap = way.cap(caps)
    return [
        f"{percent(float(way.share(c)))} of the {plain(condition)} cells {way.verb} "
        f"({way.count(c)} of {way.total(c)}, cap {way.cap_name}={cap:g})"
        for condition, c in counts.items()
        if way.share(c) > _exactly(cap)
    ]


def _difference_problems(
    way: _Lost, counts: dict[str, ConditionCounts], caps: Caps
) -> list[str]:
    by_share = sorted(counts, key=lambda name: (way.share(counts[name]), name))
    least, most = by_share[0], by_share[-1]
    low, high = way.share(counts[least]), way.share(counts[most])
    cap = way.difference_cap(caps)
    if high - low <= _exactly(cap):
        return []
    problem = (
        f"{size(float(high - low))[:-2]} points more {plain(most)} cells {way.verb} "
        f"than {plain(least)} cells ({percent(float(high))} and "
        f"{percent(float(low))}, cap {way.cap_name}_difference={cap:g})"
    )
    return [problem]


def cap_message(
    run: Run,
    conditions: Sequence[str],
    task: TaskFilter,
    problems: Sequence[str],
    name: str,
) -> str:
    """Return the whole text of a refusal for *problems*, one at least."""
    first, *others = problems
    lines = [f"{first}, {name} {plain(run.slice_name)}"]
    for problem in others:
        lines += labelled("also", problem)
    cells = [run.cells[q.id, c] for q in run.selected(task) for c in conditions]
    for outcome in (Outcome.FAILED, Outcome.UNPARSED):
        lines += reason_lines([cell for cell in cells if cell.outcome is outcome])
    lines += labelled("why", _WHY_CAPS)
    lines += labelled("next", _NEXT_CAPS_OF_LOGS if of_logs(run) else _NEXT_CAPS)
    return "\n".join(lines)


_WHY_CAPS = (
    "cells are seldom lost by chance: a gap over what is left can measure the cause "
    "of the loss instead of the use of the video"
)
_NEXT_CAPS = (
    "remove the cause and run again (answered cells are not asked twice), or raise "
    "the cap named above if you accept that many"
)
_NEXT_CAPS_OF_LOGS = (
    "see how the replies were read: vdg parse-check LOG. If you accept that many, "
    "raise the cap named above, under 'caps' in vdg.yaml"
)


def of_logs(run: Run) -> bool:
    """Return whether *run* was made of logs: judging it again asks no model."""
    return "source" in run.fingerprint.comparable


def reason_lines(cells: Sequence[CellResult]) -> list[str]:
    """Return the reasons of lost *cells*, the commonest first, bounded."""
    if not cells:
        return []
    shown = Counter(
        (cell.outcome.value, cell.condition, plain(cell.reason or "no reason given"))
        for cell in cells
    )
    ordered = sorted(shown.items(), key=lambda item: (-item[1], item[0]))
    lines = []
    for (outcome, condition, reason), number in ordered[:_REASONS_SHOWN]:
        first = _first_id(cells, condition, reason)
        text = f"{number} {plain(condition)} {outcome}: {reason} (first: {first})"
        lines += labelled("reason", text)
    if len(ordered) > _REASONS_SHOWN:
        more = count(len(ordered) - _REASONS_SHOWN, "more reason")
        lines += labelled("", f"and {more}")
    return lines


def _first_id(cells: Sequence[CellResult], condition: str, reason: str) -> str:
    return plain(
        min(
            cell.question_id
            for cell in cells
            if cell.condition == condition
            and plain(cell.reason or "no reason given") == reason
        )
    )
