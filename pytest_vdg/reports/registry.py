"""The reports that are written as files, and how each of them is asked for.

Apart from the reports so that one more is one module and one line here; what
people see on the terminal is not among them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module

from pytest_vdg.errors import VdgError
from pytest_vdg.reports.results import Results

Write = Callable[[Results, str], Sequence[str]]
"""Takes the results and where they are wanted; returns the files it wrote."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """One way to write results down."""

    home: str
    """``module:function`` below ``pytest_vdg.reports``; imported when wanted."""

    def write(self, results: Results, where: str) -> Sequence[str]:
        """Write *results* to *where* and return the files that were written."""
        module, _, name = self.home.partition(":")
        write: Write = getattr(import_module(f"pytest_vdg.reports.{module}"), name)
        return write(results, where)


REPORTS: Mapping[str, Report] = {
    "json": Report(home="results_json:write"),
    "junit": Report(home="junit:write"),
    "report": Report(home="page:write_page"),
    # Last: it names the files of the others.
    "summary": Report(home="step_summary:write"),
}
"""Name of the switch to the report behind it."""


def heard(outputs: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return *outputs* without those that are ``auto`` and nobody would read here."""
    silent = {
        "summary": not environment.get("GITHUB_STEP_SUMMARY"),
        "annotations": environment.get("GITHUB_ACTIONS", "").lower() != "true",
    }
    return {
        name: where
        for name, where in outputs.items()
        if where != "auto" or not silent.get(name, False)
    }


def write_reports(results: Results, wanted: Mapping[str, str]) -> list[str]:
    """Write each of the *wanted* reports; return a line for each file or trouble.

    *wanted* is where each goes, by the name of its switch. That a file cannot be
    written is told, and changes no verdict.
    """
    lines: list[str] = []
    for name in REPORTS:
        if name in wanted:
            known = replace(results, notes=(*results.notes, *lines))
            lines += _written(name, known, wanted[name])
    return lines


def _written(name: str, results: Results, where: str) -> list[str]:
    try:
        return [f"wrote {path}" for path in REPORTS[name].write(results, where)]
    except (OSError, VdgError) as error:
        return [f"{name} could not be written: {error}"]
