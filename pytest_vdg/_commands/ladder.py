"""``vdg ladder``: ask a checkpoint, and show what each step is worth.

Apart from ``plan`` because it alone of the commands runs a model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pytest_vdg.config.settings import Settings
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.session import VdgSession

CONDITIONS = ("original", "black", "single_frame", "shuffled", "reversed", "text_only")
"""What is asked by default: the four rungs, the video backwards, no video."""


def ladder_output(
    settings: Settings,
    *,
    slice_name: str | None,
    conditions: Sequence[str],
    tasks: Sequence[str],
    as_json: bool,
) -> list[str]:
    """Return the lines to print, a table or JSON."""
    session = VdgSession(settings)
    ask = Ask(
        slice=slice_name,
        conditions=tuple(conditions) or CONDITIONS,
        tasks=tuple(tasks) or None,
    )
    try:
        session.checkpoint(ask)
        session.require_known(ask)
        run = session.run(ask)
        return [_json(run)] if as_json else _table(run, session)
    finally:
        session.close()


def _table(run: Run, session: VdgSession) -> list[str]:
    from pytest_vdg.reports.ladder import ladder_lines
    from pytest_vdg.reports.terminal import unanswered_lines

    lines = [*ladder_lines(run), *unanswered_lines(run)]
    if session.cached:
        lines.append(f"{session.cached} of {len(run.cells)} cells from cache")
    return lines


def _json(run: Run) -> str:
    """Return counts for each task and condition, and what the run was made of."""
    tasks = {task: _counts(run, task) for task in run.tasks}
    values = {
        "checkpoint": run.checkpoint,
        "slice": run.slice_name,
        "questions": len(run.questions),
        "chance": run.chance(),
        "conditions": _counts(run, None),
        "tasks": tasks,
        "fingerprint": {
            kind: dict(sorted(getattr(run.fingerprint, kind).items()))
            for kind in ("subject", "comparable", "informative")
        },
    }
    return json.dumps(values, indent=2, allow_nan=False)


def _counts(run: Run, task: str | None) -> dict[str, dict[str, float | None]]:
    counted = {name: run.counts(name, task) for name in run.conditions}
    return {n: {**vars(c), "accuracy": c.accuracy} for n, c in counted.items()}
