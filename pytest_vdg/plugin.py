"""The pytest plugin: hooks only, each a few lines into ``_plugin``.

Apart from everything that computes, because every pytest run of an
environment imports this module. It must cost nothing there: no heavy import,
no output and no file where no test is ours.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from pytest_vdg import hookspecs
from pytest_vdg._plugin import (
    collection,
    dry_run,
    loosening,
    options,
    outcomes,
    results,
    seats,
    sight,
    workers,
)
from pytest_vdg._plugin.marker import HELP, KEYWORD
from pytest_vdg._plugin.state import STATE, State
from pytest_vdg._plugin.summary import Summary, told
from pytest_vdg.fixtures.baseline import vdg_baseline
from pytest_vdg.fixtures.runs import vdg_run, vdg_slice
from pytest_vdg.fixtures.session import vdg, vdg_model
from pytest_vdg.verdicts import collect_findings

__all__ = ["vdg", "vdg_baseline", "vdg_model", "vdg_run", "vdg_slice"]

SUMMARY: pytest.StashKey[Summary] = pytest.StashKey()


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Offer our own hooks."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ``--vdg-*`` options and their ini twins."""
    options.add_options(parser)


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(
    config: pytest.Config,
) -> Generator[None, int | None, int | None]:
    """Claim the scheduling of tests before xdist decides."""
    sight.take_named(config)
    dry_run.stay_in_one_process(config)
    workers.claim_scheduling(config)
    try:
        return (yield)
    finally:
        workers.release(config)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, check the options, and listen where reports arrive."""
    config.addinivalue_line("markers", HELP)
    options.inconclusive_policy(config)
    config.stash[STATE] = State(config)
    collection.check_command_line(config)
    if not workers.is_worker(config):
        summary = config.stash[SUMMARY] = Summary(config)
        config.pluginmanager.register(summary, "vdg-summary")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Free the model, if one was asked for, and let GitHub annotate."""
    summary = config.stash.get(SUMMARY, None)
    if summary is not None:
        summary.annotate()
    state = config.stash.get(STATE, None)
    if state is not None and state.opened is not None:
        state.opened.close()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Mark what is ours before ``-m`` selects, and read the markers."""
    collection.mark(config, items)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Check and plan what the selected tests need, before anything is loaded."""
    collection.finish(session)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Show the plan in place of running tests, or ask what all workers need."""
    if not dry_run.is_wanted(session.config):
        collection.lend_a_hand(session)
        return None
    if session.testsfailed:
        return None  # pytest says which files could not be collected
    session.config.stash[SUMMARY].faults += dry_run.show(session)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Forget what an earlier attempt at *item* left; a rerun counts once."""
    ours = [p for p in item.user_properties if str(p[0]).startswith("vdg.")]
    for pair in ours:
        item.user_properties.remove(pair)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let no session be green that was ended in one of our tests."""
    with outcomes.exits_told(item, item.config.stash[STATE].notes):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Collect the findings of a vdg test, and apply ini ``vdg_inconclusive``."""
    if KEYWORD not in item.keywords:
        return (yield)
    policy = options.inconclusive_policy(item.config)
    with collect_findings() as found:
        try:
            with outcomes.model_told(item), outcomes.undecided_as(policy, item):
                yield
        finally:
            outcomes.keep(item, found)
            loosening.note(item, found)
    loosening.require_reason(item)
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let the report of a verdict begin with the verdict."""
    report = yield
    if call.excinfo is not None:
        outcomes.shape_report(item, call.excinfo.value, report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the totals over, and let no session be green that judged nothing."""
    config = session.config
    state, summary = config.stash.get(STATE, None), config.stash.get(SUMMARY, None)
    if state is not None:
        state.free()  # first: what that raises is told with all else
    message = told(state) if state else {}
    runs = results.runs_of(state) if state else ()
    if summary is None:
        if workers.is_worker(config):
            workers.send(config, {**message, "runs": results.for_controller(runs)})
        return
    summary.runs += runs
    summary.absorb(message)
    summary.keep_criteria()
    green = summary.judge(required=bool(config.getini("vdg_required")))
    if not green and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if state is not None:
        summary.remember(state)  # first: the report draws the trend up to now
        summary.advise(state)
        cut = session.exitstatus == pytest.ExitCode.INTERRUPTED
        summary.report(state, interrupted=cut)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Write the table of findings."""
    summary = config.stash.get(SUMMARY, None)
    if summary is not None:
        summary.write(terminalreporter)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: seats.Node) -> None:
    """Tell a worker of xdist where its groups are wanted."""
    workers.tell_worker(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Keep all tests of one checkpoint on one worker."""
    return workers.make_scheduler(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: seats.Node) -> None:
    """Take in what a worker sent at its end; its usage error is ours."""
    seats.free_seat(node)
    message: Mapping[str, Any] = workers.received(node)
    if "usage_error" in message:
        raise pytest.UsageError(message["usage_error"])
    summary = node.config.stash[SUMMARY]
    summary.runs += results.from_worker(message.get("runs", ()))
    summary.absorb(message)
