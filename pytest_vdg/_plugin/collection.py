"""Collection: what is ours is marked, checked and planned.

Apart from the hooks because this is where a bad configuration must be found:
after it is known which tests will run, and before any weight is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import pytest

from pytest_vdg._plugin import options, seats, sight, workers
from pytest_vdg._plugin.ini_file import require_own_ini
from pytest_vdg._plugin.marker import (
    ASK,
    KEYWORD,
    MARKER,
    about_questions,
    is_vdg_test,
    needs_model,
    read_ask,
)
from pytest_vdg._plugin.state import NO_CHECKPOINT, STATE, State, without_checkpoint
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError, VdgError
from pytest_vdg.spelling import count


def check_command_line(config: pytest.Config) -> None:
    """Raise ``UsageError`` for a checkpoint or runs given by hand that are not there.

    What environment, file and ini say is looked at once a test needs it.
    """
    if workers.is_worker(config):
        return
    require_own_ini(config, options.test_folders(config))
    given = (config.getoption(name) for name in ("vdg_checkpoint", "vdg_replay"))
    if all(value is None for value in given):
        return
    try:
        settings = config.stash[STATE].settings
        if settings.replay is None:
            settings.locate()
        else:
            _require_replay(settings)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from error


def _require_replay(settings: Settings) -> None:
    from pytest_vdg.sessions.replay import require_replay

    require_replay(settings)


def mark(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Mark the tests that are ours, so that ``-m vdg`` finds them all."""
    state = config.stash[STATE]
    for item in items:
        if not is_vdg_test(item):
            continue
        try:
            item.stash[ASK] = read_ask(item)
        except pytest.UsageError as error:
            state.problem = state.problem or error
        item.add_marker(MARKER)
        item.keywords[KEYWORD] = True


def finish(session: pytest.Session) -> None:
    """Check, plan and group the tests that were selected.

    On a worker of xdist a usage error travels to the controller, as an
    exception here would only look like a crash there.
    """
    config, state = session.config, session.config.stash[STATE]
    try:
        if state.problem is not None:
            raise state.problem
        ours = [item for item in session.items if ASK in item.stash]
        if ours or options.asks_for_reports(config):
            _require_drawable(state)
        unread = options.unread_configs(config, (item.path for item in ours))
        state.notes += [_not_read(path, config) for path in unread]
        sight.begin(session, ours)  # first: what it asks is planned first, too
        _prepare(state, ours)
        if state.updates_baseline and not any(map(_compares, ours)):
            state.notes.append(_nothing_to_record(len(ours)))
    except (pytest.UsageError, ConfigError) as error:
        if not workers.is_worker(config):
            raise pytest.UsageError(str(error)) from error
        workers.send(config, {"usage_error": str(error)})
        session.items.clear()
    workers.write_groups(config, session.items)


def _not_read(path: Path, config: pytest.Config) -> str:
    """Return that the settings of a deeper folder do not hold, and how they would."""
    folder = os.path.relpath(path.parent, config.invocation_params.dir)
    return (
        f"{folder}/{path.name} was not read: pytest was not told to run its folder "
        f"alone. Type: pytest {quote(folder)}, or name it by --vdg-config"
    )


def _require_drawable(state: State) -> None:
    """Raise `ConfigError` where a report with pictures is wanted and none can be drawn.

    Before any weight is loaded: a night's work must not end in it.
    """
    if "report" in state.settings.outputs:
        from pytest_vdg.reports.drawing import require_drawable

        require_drawable(state.settings.where["report"].named)


def lend_a_hand(session: pytest.Session) -> None:
    """Let a worker ask, before its first test, what tests of any worker need."""
    config, state = session.config, session.config.stash[STATE]
    if state.opened is None or not session.items or not seats.helps(config):
        return
    if state.seat is not None and not session.testsfailed:
        with seats.helping(config, state.seat):
            state.session.contribute()


def _prepare(state: State, items: Sequence[pytest.Item]) -> None:
    if items and state.settings.compare_to is not None:
        _require_other(state)
    for item in items:
        ask = item.stash[ASK]
        if without_checkpoint(state, ask):
            if state.updates_baseline and _compares(item):
                raise pytest.UsageError(f"--vdg-update-baseline: {NO_CHECKPOINT}")
            if needs_model(item):
                item.add_marker(pytest.mark.skip(reason=NO_CHECKPOINT))
            continue
        _plan(state, item)


def _compares(item: pytest.Item) -> bool:
    return "vdg_baseline" in getattr(item, "fixturenames", ())


def _nothing_to_record(selected: int) -> str:
    """Return why ``--vdg-update-baseline`` writes no file this time."""
    why = "no vdg test was selected"
    if selected:
        tests = count(selected, "selected vdg test")
        why = f"{tests}, and none uses vdg_baseline"
    return f"no baseline was recorded: {why}"


def _plan(state: State, item: pytest.Item) -> None:
    """Note what *item* needs, so that all needs of a slice are met at once."""
    if about_questions(item):
        return
    session, ask = state.session, item.stash[ASK]
    session.checkpoint(ask)
    wanted = {"vdg_run", "vdg_baseline"} & set(getattr(item, "fixturenames", ()))
    if not wanted:
        return
    session.require_known(ask)
    state.settings.run_settings()
    compares = "vdg_baseline" in wanted and state.settings.compare_to is not None
    try:
        session.plan(ask)
        if compares:
            session.plan_other(ask)
        if "vdg_baseline" in wanted and state.updates_baseline:
            session.plan(ask, also=_held(state, session.slice_name(ask)))
    except ConfigError:
        raise
    except VdgError as error:  # only the tests of this slice are concerned
        if str(error) not in state.unplanned:
            state.unplanned.append(str(error))


def _require_other(state: State) -> None:
    from pytest_vdg.sessions.compared import require_other

    if state.updates_baseline:
        named = state.settings.where["compare_to"].named
        raise pytest.UsageError(
            f"--vdg-update-baseline and {named}: one records the baseline, with the "
            "other it is a checkpoint. Leave one of the two out"
        )
    require_other(state.settings)


def _held(state: State, slice_name: str) -> tuple[str, ...]:
    from pytest_vdg.sessions.baseline import (
        baseline_path,
        held_conditions,
        require_recordable,
    )

    require_recordable(state.settings)
    return held_conditions(baseline_path(state.settings, slice_name))
