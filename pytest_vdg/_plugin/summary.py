"""What the session came to: the table at the end, and whether it may be green.

Apart from the hooks because only one process has it: without xdist the only
one, with xdist the controller, which sees every report and no test.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pytest_vdg._plugin.marker import KEYWORD
from pytest_vdg._plugin.state import NO_CHECKPOINT, State
from pytest_vdg.sessions.session import VdgSession

NOT_JUDGED = "vdg.not_judged"
"""Property of a report: why its test came to no verdict."""


class Summary:
    """Counts the reports of vdg tests and keeps their findings."""

    def __init__(self, config: pytest.Config) -> None:
        """Start empty; a session that never hears of us stays so."""
        self.config = config
        self.skipped: dict[str, str] = {}
        """Node id to reason."""
        self.passed: set[str] = set()
        self.excused: set[str] = set()
        """Node ids of tests that failed as they were expected to."""
        self.properties: dict[str, list[tuple[str, str]]] = {}
        """Node id to our properties, of tests that came to something."""
        self.totals: dict[str, int] = {}
        self.notes: list[str] = []
        self.faults: list[str] = []
        """Why the session fails although no test did."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in what *report* says of a vdg test."""
        if KEYWORD not in report.keywords:
            return
        if report.when == "teardown":
            ours = [p for p in report.user_properties if str(p[0]).startswith("vdg.")]
            if ours:
                self.properties[report.nodeid] = [(n, str(v)) for n, v in ours]
        if report.skipped and hasattr(report, "wasxfail"):
            self.excused.add(report.nodeid)
        elif report.skipped:
            self.skipped[report.nodeid] = _reason(report)
        elif report.when == "call" and report.passed:
            self.passed.add(report.nodeid)

    def absorb(self, message: Mapping[str, Any]) -> None:
        """Add what a session sent at its end, see `told`."""
        for name, number in message.get("totals", {}).items():
            self.totals[name] = self.totals.get(name, 0) + number
        self.notes += [n for n in message.get("notes", ()) if n not in self.notes]

    def judge(self, *, required: bool) -> bool:
        """Return whether the session may be green, and keep why not."""
        judged = {n for n, p in self.properties.items() if _claims(p)}
        silent = sorted(self.passed - judged)
        if self.passed and not judged:
            self.faults.append(
                f"nothing was judged: {_tests(len(silent))} ran and made no claim. "
                "Use an assertion of pytest_vdg, e.g. assert_vdg_above(vdg_run, 0.1)"
            )
        elif required and silent:
            self.faults.append(
                f"vdg_required: {_tests(len(silent))} made no claim ({silent[0]})"
            )
        unheard = sorted(self.excused - judged)
        if required and unheard:
            self.faults.append(
                f"vdg_required: {_tests(len(unheard))} failed as expected, but came to "
                f"no verdict ({unheard[0]})"
            )
        if required and self.skipped:
            first, reason = next(iter(sorted(self.skipped.items())))
            self.faults.append(
                f"vdg_required: {_tests(len(self.skipped))} skipped ({first}: {reason})"
            )
        return not self.faults

    def write(self, reporter: pytest.TerminalReporter) -> None:
        """Write the section of the terminal summary, if there is anything."""
        lines = self._lines()
        if not lines and not self.faults:
            return
        reporter.ensure_newline()
        reporter.section("vdg", sep="=")
        for line in lines:
            reporter.write_line(line)
        for fault in self.faults:
            reporter.write_line(f"vdg: FAILED, {fault}", red=True, bold=True)

    def _lines(self) -> list[str]:
        lines: list[str] = []
        if self.properties:
            from pytest_vdg.reports.properties import from_properties
            from pytest_vdg.reports.terminal import header, table

            described = [_described(p) for p in self.properties.values()]
            lines += [header(fields) for fields in _headers(described)]
            rows = [f for p in self.properties.values() for f in from_properties(p)]
            lines += table(rows, width=self._width())
        lines += [f"vdg: {line}" for line in self._counts()]
        return lines + [f"vdg: {note}" for note in self.notes]

    def _width(self) -> int:
        writer = self.config.get_terminal_writer()
        return max(80, writer.fullwidth)

    def _counts(self) -> list[str]:
        lines = []
        lost = [p for p in self.properties.values() if NOT_JUDGED in dict(p)]
        if lost:
            lines.append(f"{_tests(len(lost))} could not be judged")
        silent = self.passed - {n for n, p in self.properties.items() if _claims(p)}
        if silent and not self.faults:
            lines.append(
                f"{_tests(len(silent))} passed without a claim ({min(silent)})"
            )
        unset = sum(NO_CHECKPOINT in reason for reason in self.skipped.values())
        others = len(self.skipped) - unset
        if unset:
            lines.append(f"{_tests(unset)} skipped: {NO_CHECKPOINT}")
        if others:
            lines.append(f"{_tests(others)} skipped for other reasons")
        cached = self.totals.get("cached", 0)
        if cached:
            total = cached + self.totals.get("asked", 0)
            lines.append(f"{cached} of {total} cells from cache")
        return lines


def told(state: State) -> dict[str, Any]:
    """Return what a session has to tell at its end, as plain values."""
    session = state.opened
    return {"notes": state.notes} if session is None else _told(session, state.notes)


def _told(session: VdgSession, notes: list[str]) -> dict[str, Any]:
    from pytest_vdg.reports.terminal import (
        short_lines,
        unanswered_lines,
        unknown_lines,
    )

    lost = [
        line
        for run in session.runs
        for line in (*unanswered_lines(run), *short_lines(run), *unknown_lines(run))
    ]
    return {
        "totals": {"asked": session.asked, "cached": session.cached},
        "notes": [*lost, *session.notes, *notes],
    }


def _claims(properties: list[tuple[str, str]]) -> bool:
    return any(name.endswith(".claim") for name, _ in properties)


def _tests(number: int) -> str:
    return f"{number} vdg test{'s' if number != 1 else ''}"


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    return text.removeprefix("Skipped: ")


def _described(properties: list[tuple[str, str]]) -> dict[str, str]:
    start = "vdg.run."
    return {n.removeprefix(start): v for n, v in properties if n.startswith(start)}


def _headers(described: list[dict[str, str]]) -> list[dict[str, object]]:
    """Return the fields of one header line for each model that was asked."""
    models: dict[tuple[str, str, str], dict[str, str]] = {}
    for run in described:
        if not run:
            continue
        weights = run.get("weights", "").rpartition(":")[2][:8]
        name = run["checkpoint"] + (f"@{weights}" if weights else "")
        key = (name, run.get("backend", ""), run.get("device", ""))
        of = f"/{run['planned']}" if "planned" in run else ""
        models.setdefault(key, {})[run["slice"]] = run["questions"] + of
    return [
        {
            "checkpoint": name,
            "backend": backend,
            "device": device,
            "slices": ",".join(f"{s}:{n}" for s, n in slices.items()),
        }
        for (name, backend, device), slices in models.items()
    ]
