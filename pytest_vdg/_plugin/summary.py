"""What the session came to: the table at the end, and whether it may be green.

Apart from the hooks because only one process has it: without xdist the only
one, with xdist the controller, which sees every report and no test.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vdg._plugin import history, loosening
from pytest_vdg._plugin.marker import KEYWORD
from pytest_vdg._plugin.options import asks_for_reports
from pytest_vdg._plugin.results import LOOSENED as LOOSER
from pytest_vdg._plugin.results import Seen, results, seen, wanted_outputs
from pytest_vdg._plugin.sight import is_sight
from pytest_vdg._plugin.state import NO_CHECKPOINT, State
from pytest_vdg.sessions.session import VdgSession

if TYPE_CHECKING:
    from pytest_vdg.reports.results import Results, RunResult

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
        self.past: list[Mapping[str, Any]] = []
        """Runs of all processes as the history has them, without verdicts."""
        self.tests: dict[str, Seen] = {}
        """Node id to what its reports said."""
        self.results: Results | None = None
        """What the session came to, once it is over and if a report wants it."""
        self.runs: list[RunResult] = []
        """Runs of all processes, if a report wants them."""
        self.criteria: dict[str, list[dict[str, Any]]] = {}
        """What claims were held to, by the file that is to say it."""
        self.faults: list[str] = []
        """Why the session fails although no test did."""
        self.annotations: list[str] = []
        """Lines for the runner of GitHub Actions."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in what *report* says of a vdg test."""
        if KEYWORD not in report.keywords:
            return
        if report.when == "setup":
            self.tests[report.nodeid] = seen(report)  # a rerun counts once
        if report.nodeid in self.tests:
            self.tests[report.nodeid].add(report)
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
        for path, claimed in message.get("criteria", {}).items():
            self.criteria.setdefault(path, []).extend(claimed)
        self.past += message.get("past", ())

    def remember(self, state: State) -> None:
        """Keep what the judged runs came to."""
        self.notes += history.remember(state, self.past, self.properties)

    def advise(self, state: State) -> None:
        """Note how to see what changed where a claim against a baseline failed."""
        if not self.properties:
            return  # a session without us reads no configuration
        from pytest_vdg.reports.properties import from_properties
        from pytest_vdg.sessions.baseline_advice import diff_command
        from pytest_vdg.sessions.baseline_candidate import candidate_path
        from pytest_vdg.verdicts import Verdict

        if state.settings.compare_to is not None:
            return
        found = [f for p in self.properties.values() for f in from_properties(p)]
        against = [f for f in found if f.baseline and f.verdict is not Verdict.PASS]
        for name in dict.fromkeys(f.slice_name for f in against):
            if candidate_path(state.settings, name).is_file():
                command = diff_command(state.settings, name)
                self.notes.append(f"what changed on {name}: {command}")

    def report(self, state: State, *, interrupted: bool) -> None:
        """Write the reports that are wanted, and note where they lie."""
        if not self.tests and not asks_for_reports(self.config):
            return
        wanted = wanted_outputs(state)
        if not wanted:
            return
        from pytest_vdg.reports.registry import write_reports

        faults = [*self.faults]
        if interrupted:
            faults.append("the session was interrupted: what ran before it is shown")
        tests = [(n, t, self.properties.get(n, ())) for n, t in self.tests.items()]
        self.results = results(
            self.config,
            tests,
            self.runs,
            notes=self.notes,
            faults=faults,
            totals=self.totals,
        )
        if "report" in wanted and not interrupted:  # it reads every video again
            from pytest_vdg.sessions.pictures import for_page

            self.results = for_page(state.settings, self.results)
        self.notes += write_reports(self.results, wanted)
        if "annotations" in wanted:
            from pytest_vdg.reports.annotations import lines

            self.annotations = lines(self.results, os.environ)

    def annotate(self) -> None:
        """Print what GitHub makes annotations of, each on a line of its own.

        After all that pytest prints, and without its reporter, which may not be
        there: the runner finds a command at the start of a line only.
        """
        if self.annotations:
            text = "\n".join(["", *self.annotations, ""])
            encoding = sys.stdout.encoding or "utf-8"
            sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
            sys.stdout.flush()

    def keep_criteria(self) -> None:
        """Write what claims were held to into baselines and candidates."""
        self.notes += loosening.write(self.criteria)

    def judge(self, *, required: bool) -> bool:
        """Return whether the session may be green, and keep why not."""
        judged = {n for n, p in self.properties.items() if _claims(p)}
        silent = sorted(self.passed - judged)
        # A check that was added does not stand for tests that judge nothing.
        if _own(self.passed) and not _own(judged):
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
            from pytest_vdg.reports.terminal import headers, table

            described = [_described(p) for p in self.properties.values()]
            lines += headers(described)
            rows = [f for p in self.properties.values() for f in from_properties(p)]
            lines += table(rows, width=self._width())
        looser = {
            v: None for p in self.properties.values() for n, v in p if n == LOOSER
        }
        lines += [f"vdg: loosened: {line}" for line in looser]
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
    if session is None:
        return {"notes": state.notes}
    return {
        **_told(session, state.notes),
        "past": history.of_this_process(state),
        "criteria": loosening.told(state),
    }


def _told(session: VdgSession, notes: list[str]) -> dict[str, Any]:
    from pytest_vdg.sessions.judging import lost_lines

    return {
        "totals": {"asked": session.asked, "cached": session.cached},
        "notes": [*lost_lines(session), *session.notes, *notes],
    }


def _claims(properties: list[tuple[str, str]]) -> bool:
    return any(name.endswith(".claim") for name, _ in properties)


def _own(tests: set[str]) -> set[str]:
    """Return those of *tests* that people wrote."""
    return {name for name in tests if not is_sight(name)}


def _tests(number: int) -> str:
    return f"{number} vdg test{'s' if number != 1 else ''}"


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    return text.removeprefix("Skipped: ")


def _described(properties: list[tuple[str, str]]) -> dict[str, str]:
    start = "vdg.run."
    return {n.removeprefix(start): v for n, v in properties if n.startswith(start)}
