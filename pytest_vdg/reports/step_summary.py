"""The Markdown summary: what a step of GitHub Actions shows under its job.

Apart from the other reports because it is one text for people in a hurry, of
limited length, that shares its file with whatever else the step writes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_vdg.reports import _flips, _ladder_table
from pytest_vdg.reports._budget import Section, fitted
from pytest_vdg.reports._markdown import block, code, folded, heads, number, row
from pytest_vdg.reports.results import Results, TestResult
from pytest_vdg.reports.terminal import bound_of, detectable_of, is_share, value_of
from pytest_vdg.spelling import count
from pytest_vdg.verdicts import Finding, Verdict

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
LIMIT = 1_000_000
"""Bytes that the file may hold in all; GitHub drops the whole near 1,048,576."""
_WROTE = "wrote "


def write(results: Results, where: str) -> Sequence[str]:
    """Append *results* to the file *where*; ``auto`` is GitHub's, if there is one.

    Raises ``OSError`` where that is impossible.
    """
    named = os.environ.get(STEP_SUMMARY, "") if where == "auto" else where
    if not named:
        return ()
    path = Path(named)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(markdown(results, room=LIMIT - file.tell()).encode("utf-8"))
    return () if where == "auto" else (where,)


def markdown(results: Results, *, room: int = LIMIT) -> str:
    """Return *results* as Markdown of *room* bytes at most.

    What others wrote (names, questions, replies) stands in it as code and means
    nothing to GitHub. Empty where *room* is too small for anything.
    """
    files = [n.removeprefix(_WROTE) for n in results.notes if n.startswith(_WROTE)]
    whole = ", ".join(code(file, 200) for file in files)
    notice = "**Cut here**, because GitHub shows no summary of more than a megabyte: "
    notice += "{left} left out. The whole is in "
    notice += whole or code("--vdg-report DIR") + " and " + code("--vdg-json PATH")
    return fitted(_sections(results), room, notice)


def _sections(results: Results) -> Iterator[Section]:
    yield Section(opening=_opening(results))
    yield _claims(results.tests)
    yield _listed("Why the session fails", results.faults)
    yield _listed("Loosened", results.loosened)
    unjudged = [t for t in results.tests if not _explained(t)]
    yield _listed(
        "Came to no verdict", (f"{t.short_name}: {t.summary}" for t in unjudged)
    )
    yield from _evidence(results.tests)
    yield from _ladder_table.sections(results.runs)
    yield from _flips.sections(results)
    yield _listed("Notes", results.notes)


def _opening(results: Results) -> list[str]:
    bad = [t for t in results.tests if t.outcome in ("failed", "error")]
    word, told = _verdict(results, bad)
    outcomes = [t.outcome for t in results.tests]
    parts = [f"{outcomes.count('passed')} of {count(len(outcomes), 'test')} passed"]
    parts += [
        f"{outcomes.count(outcome)} {words}"
        for outcome, words in (
            ("failed", "failed"),
            ("error", "could not be judged"),
            ("skipped", "skipped"),
        )
        if outcome in outcomes
    ]
    parts += [f"{count(results.asked, 'cell')} asked"] if results.asked else []
    parts += [f"{results.cached} from cache"] if results.cached else []
    names = dict.fromkeys(each.run.checkpoint for each in results.runs)
    parts += [f"checkpoint {code(name)}" for name in names]
    lines = ["", f"## vdg: {word}", ""]
    lines += [f"**{code(told, 400)}**", ""] if told else []
    return [*lines, ", ".join(parts), ""]


def _verdict(results: Results, bad: Sequence[TestResult]) -> tuple[str, str]:
    """Return the word for all, and the line that carries it; empty for none."""
    if bad:
        gravest = replace(results, tests=tuple(bad)).verdict
        if gravest in (None, Verdict.PASS):
            return "FAILED", bad[0].summary
        return str(gravest), next(t.summary for t in bad if t.verdict is gravest)
    if results.faults:
        return "FAILED", results.faults[0]
    judged = {finding.verdict for finding in results.findings}
    if Verdict.PASS in judged:
        return str(Verdict.PASS), ""
    return (str(results.verdict), "") if judged else ("nothing was judged", "")


def _claims(tests: Iterable[TestResult]) -> Section:
    rows = [_claim(test, found) for test in tests for found in test.findings]
    if not rows:
        return Section()
    names = ["verdict", "slice / task", "measure", "n", "value"]
    levels = {f.confidence for t in tests for f in t.findings}
    names[-1] += f" [{'/'.join(f'{100 * level:g}%' for level in sorted(levels))} CI]"
    names += ["bound", "MDE", "test"]
    opening = heads(names, "lllrrrrl")
    return Section(opening=opening, rows=rows, closing=[""], what="claims")


def _claim(test: TestResult, found: Finding) -> str:
    verdict = str(found.verdict)
    value, interval = value_of(found)
    unit = "" if is_share(found) else "pp"
    task = f" / {code(found.task)}" if found.task else ""
    return row(
        [
            verdict if found.verdict is Verdict.PASS else f"**{verdict}**",
            code(found.slice_name) + task,
            code(found.measure, 40),
            f"{found.n}/{found.n_planned}" if found.n_planned else str(found.n),
            number(f"{value}{unit} {interval}"),
            number(bound_of(found) + unit),
            detectable_of(found, "pp"),
            code(test.short_name),
        ]
    )


def _listed(title: str, lines: Iterable[str]) -> Section:
    rows = [f"- {code(line, 400)}" for line in lines]
    if not rows:
        return Section()
    opening = [f"**{title}**", ""]
    return Section(opening=opening, rows=rows, closing=[""], what="lines")


def _evidence(tests: Iterable[TestResult]) -> Iterator[Section]:
    for test in tests:
        lines = test.message.strip().splitlines()
        if test.outcome in ("failed", "error") and len(lines) > 1:
            opening, closing = folded(f"Evidence of {code(test.short_name)}")
            yield Section(opening=[*opening, *block(lines), *closing])


def _explained(test: TestResult) -> bool:
    """Return whether *test* passed, or is what it is because of one of its claims."""
    against = any(found.verdict is not Verdict.PASS for found in test.findings)
    return test.outcome == "passed" or (test.outcome != "error" and against)
