"""The results of a pytest session: its reports of tests, and the runs behind.

Apart from the summary on the terminal because a report as a file wants all of
a test, where the terminal shows a line; only one process writes, see `Summary`.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_vdg._plugin.sight import is_sight
from pytest_vdg._plugin.state import State
from pytest_vdg.spelling import moment

if TYPE_CHECKING:
    from pytest_vdg.reports.results import Results, RunResult, TestOutcome, TestResult

Properties = Sequence[tuple[str, str]]
LOOSENED = "vdg.loosened"
"""Property of a test: a criterion that is looser than it was, in a line."""


@dataclass(kw_only=True)
class Seen:
    """What the reports of one vdg test said so far."""

    file: str | None
    """None of a test that stands in none."""
    line: int | None
    outcome: TestOutcome = "passed"
    message: str = ""
    seconds: float = 0.0

    def add(self, report: pytest.TestReport) -> None:
        """Take in the *report* of one phase; the worst of them counts."""
        self.seconds += report.duration
        if report.failed:
            self.outcome = "failed" if report.when == "call" else "error"
            self.message = _said(report)
        elif report.skipped and self.outcome == "passed":
            self.outcome = "skipped"
            self.message = _said(report)


def seen(report: pytest.TestReport) -> Seen:
    """Return the place of the test that *report* is about, nothing heard yet."""
    path, line, _ = report.location
    if is_sight(report.nodeid):
        return Seen(file=None, line=None)
    return Seen(file=path, line=(line or 0) + 1)


def wanted_outputs(state: State) -> dict[str, str]:
    """Return where each report goes; raises ``UsageError`` as the settings do."""
    from pytest_vdg.reports.registry import heard

    return heard(state.settings.outputs, os.environ)


def runs_of(state: State) -> tuple[RunResult, ...]:
    """Return the runs of this process, if a report wants them."""
    session = state.opened
    if session is None or not wanted_outputs(state):
        return ()
    from pytest_vdg.sessions.results import run_results

    return run_results(session, state.compared)


def for_controller(runs: Sequence[RunResult]) -> list[str]:
    """Return *runs* as texts, on a worker."""
    if not runs:
        return []
    from pytest_vdg.sessions.results import packed

    return packed(runs)


def from_worker(texts: Sequence[str]) -> tuple[RunResult, ...]:
    """Return the runs that a worker sent as *texts*."""
    if not texts:
        return ()
    from pytest_vdg.sessions.results import unpacked

    return unpacked(texts)


def results(
    config: pytest.Config,
    tests: Iterable[tuple[str, Seen, Properties]],
    runs: Sequence[RunResult],
    *,
    notes: Sequence[str],
    faults: Sequence[str],
    totals: dict[str, int],
) -> Results:
    """Return what the session came to, for reports."""
    from pytest_vdg.reports.results import Results
    from pytest_vdg.sessions.results import merged

    return Results(
        origin="pytest",
        created=moment(),
        command=shlex.join(["pytest", *map(str, config.invocation_params.args)]),
        root=str(config.rootpath),
        tests=tuple(_test(name, each, pairs) for name, each, pairs in tests),
        runs=merged(runs),
        notes=tuple(notes),
        faults=tuple(faults),
        asked=totals.get("asked", 0),
        cached=totals.get("cached", 0),
    )


def _test(name: str, each: Seen, properties: Properties) -> TestResult:
    from pytest_vdg.reports.properties import from_properties
    from pytest_vdg.reports.results import TestResult

    return TestResult(
        name=name,
        outcome=each.outcome,
        message=each.message,
        file=each.file,
        line=each.line,
        seconds=each.seconds,
        findings=tuple(from_properties(properties)),
        loosened=tuple(v for n, v in properties if n == LOOSENED),
    )


def _said(report: pytest.TestReport) -> str:
    """Return the message of a failure, error or skip, without its traceback."""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return str(crash.message)
    waived = getattr(report, "wasxfail", None)
    return str(report.longrepr or "") if waived is None else f"xfailed: {waived}"
