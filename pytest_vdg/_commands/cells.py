"""``vdg plan --cells``: what a run will cost before it is made.

Apart from the rest of ``plan``, which is about questions that are still to be
chosen: this is about those that would be asked now.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pytest_vdg._commands._arguments import add_switches, names, settings_of
from pytest_vdg.config.switches import SWITCHES
from pytest_vdg.errors import CouldNotBeJudged, VdgError
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.session import VdgSession

_IDLE = ("baseline_dir", "replay", "time_budget")
"""Settings of where to run that cost nothing."""
ARGUMENTS = ("slice", "conditions", *(s.name for s in SWITCHES if s.name not in _IDLE))
"""What is only taken together with ``--cells``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is only taken together with ``--cells``."""
    group = parser.add_argument_group(
        "with --cells", "cells, cached cells, videos, tokens and time of a run"
    )
    group.add_argument(
        "--slice",
        nargs="+",
        metavar="SLICE",
        help="slices of vdg.yaml, or benchmarks; default: all that vdg.yaml names",
    )
    group.add_argument(
        "--conditions",
        nargs="+",
        metavar="CONDITION",
        help="default: those of vdg.yaml",
    )
    add_switches(group, without=_IDLE)


def output(options: argparse.Namespace) -> Sequence[str]:
    """Return the lines to print; no model is loaded and no video decoded.

    Raises
    ------
    ConfigError
        For names that nothing is known by, and where no checkpoint is given.
    CouldNotBeJudged
        When a run could not be planned; all such are named.
    """
    from pytest_vdg.sessions.costs import cost_lines, planned_costs

    session = VdgSession(settings_of(options))
    try:
        faults: list[str] = []
        for ask in _asks(options, session):
            session.checkpoint(ask)
            session.require_known(ask)
            try:
                session.plan(ask)
            except VdgError as error:
                faults.append(str(error))
        costs = planned_costs(session, also=faults)
    finally:
        session.close()
    if costs.faults:
        raise CouldNotBeJudged(
            "what these would cost is not known:\n  " + "\n  ".join(costs.faults)
        )
    return cost_lines(costs)


def _asks(options: argparse.Namespace, session: VdgSession) -> list[Ask]:
    conditions = names(options.conditions) or None
    slices = names(options.slice) or tuple(session.settings.config.slices)
    tasks = names(options.tasks) or None
    return [
        Ask(slice=name, conditions=conditions, tasks=tasks)
        for name in slices or (None,)
    ]
