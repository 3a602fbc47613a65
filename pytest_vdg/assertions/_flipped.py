"""Which questions lie behind a verdict, with old and new choices.

Apart from the other evidence because it names questions where that counts
them: these lines are what a reader opens first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import compress

import numpy as np
import numpy.typing as npt

from pytest_vdg.assertions._words import listed_as, plain
from pytest_vdg.outcomes import Paired, PairedRuns
from pytest_vdg.runs import CellResult, Outcome, Run


def answered_alike(run: Run, paired: Paired) -> tuple[tuple[str, str], ...]:
    """Return the questions that were right without the video, by name.

    These are what a reader wants to open first when a gap is missing.
    """
    both = ids_where(paired, paired.treated & paired.control)
    hurt = ids_where(paired, ~paired.treated & paired.control)
    lines: list[tuple[str, str]] = []
    if both:
        what = f"right under {plain(paired.control_name)} too ({len(both)})"
        lines.append(("answers", f"{what}: {listed_as(plain, both)}"))
    if hurt:
        moves = partial(_move, run, (paired.control_name, paired.treated_name))
        what = f"right under {plain(paired.control_name)} only ({len(hurt)})"
        lines.append(("" if lines else "answers", f"{what}: {listed_as(moves, hurt)}"))
    return tuple(lines)


def _move(run: Run, conditions: tuple[str, str], question: str) -> str:
    old, new = (choice_of(run, question, condition) for condition in conditions)
    return f"{plain(question)} ({old}->{new})"


def flips(run: Run, baseline: Run, runs: PairedRuns) -> tuple[tuple[str, str], ...]:
    """Return the questions whose gap changed, with old and new choices."""
    lost = ids_where(runs.now, runs.changes < 0)
    gained = ids_where(runs.now, runs.changes > 0)
    lines: list[tuple[str, str]] = []
    conditions = (runs.now.treated_name, runs.now.control_name)
    flip = partial(_flip, run, baseline, conditions)
    for number, (what, ids) in enumerate((("lost", lost), ("gained", gained))):
        text = f"{what} grounding ({len(ids)})"
        if ids:
            text += f": {listed_as(flip, ids)}"
        lines.append(("" if number else "flipped", text))
    return tuple(lines)


def _flip(run: Run, baseline: Run, conditions: Sequence[str], question: str) -> str:
    moves = []
    for condition in conditions:
        old = choice_of(baseline, question, condition)
        new = choice_of(run, question, condition)
        if old != new:
            moves.append(f"{plain(condition)} {old}->{new}")
    return f"{plain(question)} ({', '.join(moves)})"


def choice_of(run: Run, question: str, condition: str) -> str:
    """Return what was chosen, or what became of the cell."""
    cell: CellResult = run.cells[question, condition]
    if cell.choice is not None:
        return plain(cell.choice)
    # A run read from a log may know right and wrong but not which option.
    return cell.outcome.value if cell.outcome.judged else Outcome.FAILED.value


def ids_where(paired: Paired, mask: npt.NDArray[np.bool_]) -> list[str]:
    """Return the ids of the questions in *mask*, sorted."""
    return sorted(compress(paired.question_ids, mask))


def broken_and_mended(run: Run, paired: Paired) -> tuple[tuple[str, str], ...]:
    """Return what the condition that is not ``original`` broke and mended."""
    other = next(
        name
        for name in (paired.treated_name, paired.control_name)
        if name != "original"
    )
    treated = paired.treated_name == other
    after, before = paired.treated, paired.control
    if not treated:
        after, before = before, after
    move = partial(_move, run, ("original", other))
    lines: list[tuple[str, str]] = []
    for what, mask in (("broken", before & ~after), ("mended", after & ~before)):
        ids = ids_where(paired, mask)
        text = f"{what} by {plain(other)} ({len(ids)})"
        text += f": {listed_as(move, ids)}" if ids else ""
        lines.append(("" if lines else "flipped", text))
    return tuple(lines)


def moved(
    run: Run, baseline: Run, paired: Paired, condition: str
) -> tuple[tuple[str, str], ...]:
    """Return what became right and wrong under one condition since *baseline*."""
    flip = partial(_flip, run, baseline, (condition,))
    lines: list[tuple[str, str]] = []
    for what, mask in (
        ("became wrong", paired.control & ~paired.treated),
        ("became right", paired.treated & ~paired.control),
    ):
        ids = ids_where(paired, mask)
        text = f"{what} ({len(ids)})" + (f": {listed_as(flip, ids)}" if ids else "")
        lines.append(("" if lines else "flipped", text))
    return tuple(lines)
