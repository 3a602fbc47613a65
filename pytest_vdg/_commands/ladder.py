"""``vdg ladder``: ask a checkpoint, and show what each step is worth.

Apart from ``plan`` because it runs a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pytest_vdg._commands._arguments import (
    Condition,
    Flag,
    Task,
    Variadic,
    Where,
    names,
    settings_of,
)
from pytest_vdg._commands._counts import counts_of, fingerprint_of, written
from pytest_vdg._commands._session import asking
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.session import VdgSession

CONDITIONS = ("original", "black", "single_frame", "shuffled", "reversed", "text_only")
"""What is asked by default: the four rungs, the video backwards, no video."""


def ladder(
    checkpoint: str,
    /,
    *,
    slice: str | None = None,  # noqa: A002 - the name of the option
    conditions: Annotated[list[Condition] | None, Variadic] = None,
    tasks: Annotated[list[Task] | None, Variadic] = None,
    json: Flag = False,
    where: Where | None = None,
) -> Sequence[str]:
    """Show the accuracy under each condition, and what each step is worth.

    example:
      vdg ladder checkpoints/step-2000 --slice mvbench-300 --device cuda

    Parameters
    ----------
    checkpoint
        Folder or hub id.
    slice
        Slice of vdg.yaml, or a benchmark.
    conditions
        Names of conditions (default: original black single_frame shuffled
        reversed text_only).
    tasks
        Only these tasks, taken together.
    json
        Write JSON, not a table.
    """
    settings = settings_of(where, checkpoint=checkpoint)
    ask = Ask(
        slice=slice,
        conditions=names(conditions) or CONDITIONS,
        tasks=names(tasks) or None,
    )
    with asking(settings) as session:
        session.checkpoint(ask)
        session.require_known(ask)
        run = session.run(ask)
    return [written(_values(run))] if json else _table(run, session)


def _table(run: Run, session: VdgSession) -> list[str]:
    from pytest_vdg.reports.ladder import ladder_lines
    from pytest_vdg.reports.terminal import unanswered_lines

    lines = [*ladder_lines(run), *unanswered_lines(run)]
    if session.cached:
        lines.append(f"{session.cached} of {len(run.cells)} cells from cache")
    return [*lines, *(f"note: {note}" for note in session.notes)]


def _values(run: Run) -> dict[str, object]:
    """Return counts for each task and condition, and what the run was made of."""
    return {
        "checkpoint": run.checkpoint,
        "slice": run.slice_name,
        "questions": len(run.questions),
        "chance": run.chance(),
        "conditions": counts_of(run),
        "tasks": {task: counts_of(run, task) for task in run.tasks},
        "fingerprint": fingerprint_of(run),
    }
