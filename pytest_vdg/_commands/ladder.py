"""``vdg ladder``: ask a checkpoint, and show what each step is worth.

Apart from ``plan`` because it alone of the commands runs a model.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from pytest_vdg._commands._arguments import add_switches, names, settings_of
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.session import VdgSession

CONDITIONS = ("original", "black", "single_frame", "shuffled", "reversed", "text_only")
"""What is asked by default: the four rungs, the video backwards, no video."""


HELP = "accuracy under each condition, and what each step is worth"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("checkpoint", help="folder or hub id")
    parser.add_argument("--slice", help="slice of vdg.yaml, or a benchmark")
    parser.add_argument(
        "--conditions",
        nargs="+",
        metavar="CONDITION",
        help=f"default: {' '.join(CONDITIONS)}",
    )
    parser.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="only these tasks, taken together"
    )
    parser.add_argument("--json", action="store_true", help="write JSON, not a table")
    add_switches(parser, without=("checkpoint", "baseline_dir"))


def output(options: argparse.Namespace) -> Sequence[str]:
    """Return the lines to print, a table or JSON."""
    session = VdgSession(settings_of(options))
    ask = Ask(
        slice=options.slice,
        conditions=names(options.conditions) or CONDITIONS,
        tasks=names(options.tasks) or None,
    )
    try:
        session.checkpoint(ask)
        session.require_known(ask)
        run = session.run(ask)
        return [_json(run)] if options.json else _table(run, session)
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
