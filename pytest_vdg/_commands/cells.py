"""``vdg plan --cells``: what a run will cost before it is made.

Apart from the rest of ``plan``, which is about questions that are still to be
chosen: this is about those that would be asked now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Group, Parameter

from pytest_vdg._commands._arguments import (
    Condition,
    Variadic,
    Where,
    names,
    settings_of,
)
from pytest_vdg._commands._session import asking
from pytest_vdg.errors import CouldNotBeJudged, VdgError
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.session import VdgSession


@Parameter(
    name="*",
    group=Group("With --cells: cells, videos, tokens and time of a run", sort_key=3),
)
@dataclass(frozen=True, kw_only=True)
class Cells:
    """What is only taken together with ``--cells``."""

    slice: Annotated[list[str] | None, Variadic] = None
    """Slices of vdg.yaml, or benchmarks (default: all that vdg.yaml names)"""
    conditions: Annotated[list[Condition] | None, Variadic] = None
    """Default: those of vdg.yaml"""
    checkpoint: str | None = None
    """Folder or hub id"""


def cost(
    cells: Cells, where: Where | None, tasks: Sequence[str] | None
) -> Sequence[str]:
    """Return the lines to print; no model is loaded and no video decoded.

    Raises
    ------
    ConfigError
        For names that nothing is known by, and where no checkpoint is given.
    CouldNotBeJudged
        When a run could not be planned; all such are named.
    """
    from pytest_vdg.sessions.costs import cost_lines, planned_costs
    from pytest_vdg.sessions.sight_step import steps_of

    faults: list[str] = []
    with asking(settings_of(where, checkpoint=cells.checkpoint)) as session:
        if session.settings.sight:
            steps_of(session, [session.checkpoint(Ask())])
        for ask in _asks(cells, tasks, session):
            session.checkpoint(ask)
            session.require_known(ask)
            try:
                session.plan(ask)
            except VdgError as error:
                faults.append(str(error))
        costs = planned_costs(session, also=faults)
    if costs.faults:
        raise CouldNotBeJudged(
            "what these would cost is not known:\n  " + "\n  ".join(costs.faults)
        )
    return cost_lines(costs)


def _asks(cells: Cells, tasks: Sequence[str] | None, session: VdgSession) -> list[Ask]:
    conditions = names(cells.conditions) or None
    slices = names(cells.slice) or tuple(session.settings.config.slices)
    return [
        Ask(slice=name, conditions=conditions, tasks=names(tasks) or None)
        for name in slices or (None,)
    ]
