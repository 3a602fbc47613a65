"""Annotations of GitHub Actions: a line at the test of each claim that failed.

Apart from the summary because these are commands to the runner that reads the
log: what a name or a reply holds must not become one of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_vdg.reports.results import Results, TestResult
from pytest_vdg.spelling import one_line
from pytest_vdg.verdicts import Verdict

MOST = 10
"""Annotations of one session; GitHub shows no more of one kind of a step."""
_LONGEST = 1000
_LONGEST_EVIDENCE = 200


@dataclass(frozen=True, kw_only=True)
class _Note:
    """One annotation."""

    level: Literal["error", "warning", "notice"]
    title: str
    text: str
    test: TestResult | None = None


def wanted(environment: Mapping[str, str]) -> bool:
    """Return whether GitHub Actions reads along."""
    return environment.get("GITHUB_ACTIONS", "").lower() == "true"


def lines(results: Results, environment: Mapping[str, str]) -> list[str]:
    """Return what to print, each on a line of its own; nothing outside GitHub.

    An error for each fault of the session and each failing test, a notice where
    an ``INCONCLUSIVE`` claim was let pass: ten in all, then how many more there
    are. What failing tests say beyond their first line follows in groups.
    """
    if not wanted(environment):
        return []
    notes = [*_errors(results), *_undecided(results.tests)]
    workspace = environment.get("GITHUB_WORKSPACE", "")
    told = [_command(note, results.root, workspace) for note in notes[:MOST]]
    more = len(notes) - MOST
    if more > 0:
        text = f"{more} more; all of them are in the step summary and in the log"
        told.append(_command(_Note(level="warning", title="vdg", text=text), "", ""))
    return [*told, *_evidence(note.test for note in notes[:MOST])]


def _errors(results: Results) -> Iterable[_Note]:
    for fault in results.faults:
        yield _Note(level="error", title="vdg: the session fails", text=fault)
    for test in results.tests:
        if test.outcome in ("failed", "error"):
            verdict = test.verdict
            word = "FAILED" if verdict in (None, Verdict.PASS) else str(verdict)
            text = test.summary or f"{test.name} {test.outcome}"
            yield _Note(
                level="error", title=f"{word} {test.short_name}", text=text, test=test
            )


def _undecided(tests: Iterable[TestResult]) -> Iterable[_Note]:
    for test in tests:
        if test.outcome != "passed":
            continue
        for found in test.findings:
            if found.verdict is Verdict.INCONCLUSIVE:
                title = f"{found.verdict} {test.short_name}"
                yield _Note(level="notice", title=title, text=found.summary, test=test)


def _command(note: _Note, root: str, workspace: str) -> str:
    pairs = {"title": one_line(note.title, 200, "...")}
    path = None if note.test is None else _place(note.test.file, root, workspace)
    if note.test is not None and path is not None:
        pairs = {"file": path, "line": str(note.test.line or 1), **pairs}
    told = ",".join(f"{name}={_property(value)}" for name, value in pairs.items())
    return f"::{note.level} {told}::{_data(one_line(note.text, _LONGEST, '...'))}"


def _place(file: str | None, root: str, workspace: str) -> str | None:
    """Return *file* relative to the checkout; None where it is not within it."""
    if not file or not workspace:
        return None
    try:
        path = os.path.relpath((Path(root) / file).resolve(), Path(workspace).resolve())
    except (OSError, ValueError):  # another drive, a loop of links
        return None
    path = path.replace(os.sep, "/")
    return None if path == ".." or path.startswith("../") else path


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _evidence(tests: Iterable[TestResult | None]) -> Iterable[str]:
    """Yield what failing tests say, a group each, which the log shows folded."""
    for test in tests:
        said = [] if test is None else test.message.strip().splitlines()
        if test is None or test.outcome == "passed" or len(said) < 2:
            continue
        title = one_line(test.short_name, _LONGEST_EVIDENCE, "...")
        yield f"::group::vdg: {_data(title)}"
        yield from (_inert(line) for line in said)
        yield "::endgroup::"


def _inert(line: str) -> str:
    """Return *line* so that the runner finds no command in it.

    It looks for ``::`` behind any blanks, and for ``##[`` anywhere.
    """
    return "| " + " ".join(line.rstrip().replace("##[", "## [").split("\r"))
