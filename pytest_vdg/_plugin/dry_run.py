"""``--vdg-dry-run``: what the selected tests need is shown, and none of them runs.

Apart from collection, which plans in any case, because this takes the place of
running: no test of anybody's is run, no weights are loaded.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_vdg._plugin.marker import ASK, FIXTURES, NO_MODEL, about_questions
from pytest_vdg._plugin.options import DRY_RUN_DEST
from pytest_vdg._plugin.state import NO_CHECKPOINT, STATE, State, without_checkpoint
from pytest_vdg.errors import ConfigError
from pytest_vdg.spelling import count

_PLANNED = frozenset({"vdg_run", "vdg_baseline"})
"""Fixtures whose needs are known before the test runs."""
_BY_HAND = FIXTURES - _PLANNED - NO_MODEL


def is_wanted(config: pytest.Config) -> bool:
    """Return whether tests are only to be planned."""
    return bool(config.getoption(DRY_RUN_DEST))


def stay_in_one_process(config: pytest.Config) -> None:
    """Keep xdist from starting workers; there is nothing for them to do.

    Must run before xdist turns ``-n`` into workers.
    """
    if is_wanted(config) and hasattr(config.option, "numprocesses"):
        config.option.numprocesses = 0
        config.option.dist = "no"
        config.option.distload = False


def show(session: pytest.Session) -> list[str]:
    """Write what the selected tests need; return why the session is not green.

    Raises ``UsageError`` for a configuration that no run could be made with.
    """
    state = session.config.stash[STATE]
    items = [item for item in session.items if ASK in item.stash]
    faults: list[str] = []
    try:
        lines = _lines(state, items, faults)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from error
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None:
        reporter.ensure_newline()
        reporter.section("vdg plan", sep="=")
        for line in lines:
            reporter.write_line(line)
    return faults


def _lines(state: State, items: Sequence[pytest.Item], faults: list[str]) -> list[str]:
    if not items:
        return ["no vdg test is selected"]
    aside = [item for item in items if about_questions(item)]
    asking = [item for item in items if item not in aside]
    without = [i for i in asking if without_checkpoint(state, i.stash[ASK])]
    others = [item for item in asking if item not in without]
    lines = _planned(state, faults) if others else []
    by_hand = sum(_asks_by_hand(item) for item in others)
    if by_hand:
        lines.append(
            f"{_tests(by_hand)} by hand (fixture vdg): what they ask is not known "
            "before they run"
        )
    if without:
        lines.append(f"{_tests(len(without))} nothing: {NO_CHECKPOINT}")
    if aside:
        lines.append(f"{_tests(len(aside))} no model: about questions only")
    return lines


def _planned(state: State, faults: list[str]) -> list[str]:
    if state.settings.replay is not None:
        return [f"stored runs are judged ({state.settings.replay}): no model is asked"]
    from pytest_vdg.sessions.costs import cost_lines, planned_costs

    costs = planned_costs(state.session, also=state.unplanned)
    if costs.faults:
        faults.append(f"{count(len(costs.faults), 'run')} could not be planned")
    return cost_lines(costs)


def _asks_by_hand(item: pytest.Item) -> bool:
    names = set(getattr(item, "fixturenames", ()))
    return bool(_BY_HAND & names) and not _PLANNED & names


def _tests(number: int) -> str:
    return "1 vdg test asks" if number == 1 else f"{number} vdg tests ask"
