"""``--vdg-junit``: a JUnit file with a case for each task and claim.

Apart from the file that pytest writes, which has a case for each test and whose
names stay the same from run to run: readers on GitHub show of a case that passed
nothing but names, so here the names of suites carry numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Literal
from xml.etree import ElementTree as ET

from junit_xml import TestCase, TestSuite, to_xml_report_string

from pytest_vdg.atomic import write_atomically
from pytest_vdg.reports.properties import to_properties
from pytest_vdg.reports.results import Results, TestResult
from pytest_vdg.reports.terminal import is_share, value_of
from pytest_vdg.verdicts import Finding, Verdict

NO_VERDICT = "tests without a verdict"
"""Suite of what has no slice: skipped, or an error before anything was judged."""
SESSION = "session"
_HEADLINES = 4
_LONGEST = 800
# What XML 1.0 cannot hold, and what junit-xml would drop without a word.
_NO_CHARACTERS = "".join(
    chr(0x10000 * plane + last) for plane in range(17) for last in (0xFFFE, 0xFFFF)
)
_UNSAFE = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_NO_CHARACTERS}]"
)


@dataclass(frozen=True, kw_only=True)
class _Case:
    """One case of the file, before it is XML."""

    suite: str
    name: str
    class_name: str
    kind: Literal["passed", "failed", "error", "skipped"]
    message: str
    """The whole text; its first line is what readers show."""
    test: TestResult | None = None
    finding: Finding | None = None
    told: str = ""
    """What a case that did not fail tells all the same."""


def write(results: Results, where: str) -> Sequence[str]:
    """Write *results* to the file *where*.

    Raises `StoreError` where that is impossible; what was there then stays.
    """
    write_atomically(Path(where), to_xml(results).encode("utf-8"))
    return (where,)


def to_xml(results: Results) -> str:
    """Return *results* as a JUnit document: one suite a slice.

    A finding is a case, named after claim, measure and task in the class of its
    slice; a test that did not come to one is a case of its own, and so is each
    fault of the session.
    """
    suites: dict[str, list[_Case]] = {}
    for case in (*_cases(results.tests), *_faults(results.faults)):
        suites.setdefault(case.suite, []).append(case)
    made = [_Suite(name, _named(cases), results) for name, cases in suites.items()]
    text: str = to_xml_report_string(made, prettyprint=False, encoding="utf-8")
    root = ET.fromstring(text.encode("utf-8"))  # noqa: S314 - it is ours
    root.attrib.pop("disabled", None)  # no schema of JUnit knows it
    for name in ("tests", "failures", "errors"):
        root.attrib.setdefault(name, "0")
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document.decode("utf-8")


def _cases(tests: Iterable[TestResult]) -> Iterable[_Case]:
    for test in tests:
        yield from (_of_finding(test, finding) for finding in test.findings)
        against = any(f.verdict is not Verdict.PASS for f in test.findings)
        explained = test.outcome == "failed" and against
        if not explained and (test.outcome in ("failed", "error") or not test.findings):
            yield _of_test(test)


def _of_finding(test: TestResult, finding: Finding) -> _Case:
    """Return the case of *finding*; what let its test pass lets the case pass."""
    task = f" / {finding.task}" if finding.task else ""
    held = finding.verdict is Verdict.PASS or test.outcome == "passed"
    excused = test.outcome == "skipped" and finding.verdict is not Verdict.PASS
    return _Case(
        suite=finding.slice_name,
        name=f"{finding.claim} {finding.measure}{task}",
        class_name=finding.slice_name,
        kind="skipped" if excused else "passed" if held else "failed",
        message=test.message if excused else finding.message,
        test=test,
        finding=finding,
        told=finding.message if held or excused else "",
    )


def _of_test(test: TestResult) -> _Case:
    base, bracket, parameters = test.name.partition("[")
    path, _, name = base.rpartition("::")
    return _Case(
        suite=NO_VERDICT,
        name=name + bracket + parameters,
        class_name=_dotted(path) if path else NO_VERDICT,
        kind=test.outcome,
        message=test.message or f"{test.name} {test.outcome}",
        test=test,
        told="" if test.outcome != "passed" else "passed without a claim",
    )


def _dotted(path: str) -> str:
    """Return the class that pytest's own file names for a test at *path*."""
    file, *classes = path.split("::")
    return ".".join([*PurePath(file.removesuffix(".py")).parts, *classes])


def _faults(faults: Iterable[str]) -> Iterable[_Case]:
    """Yield why the session fails although no test did: pytest's file has no place."""
    for fault in faults:
        yield _Case(
            suite=SESSION, name="may be green", class_name=SESSION, kind="error",
            message=fault,
        )  # fmt: skip


def _named(cases: Sequence[_Case]) -> list[tuple[str, _Case]]:
    """Return *cases* with names that differ: readers take namesakes for retries."""
    often = Counter((case.class_name, case.name) for case in cases)
    seen: Counter[tuple[str, str]] = Counter()
    named = []
    for case in cases:
        name, class_name = case.name, case.class_name
        if often[class_name, name] > 1 and case.finding is not None and case.test:
            name = f"{name} ({case.test.name})"
        seen[class_name, name] += 1
        number = seen[class_name, name]
        named.append((name if number == 1 else f"{name} #{number}", case))
    return named


class _Suite:
    """A suite as junit-xml takes it, with what it has no field for."""

    def __init__(
        self, name: str, cases: Sequence[tuple[str, _Case]], results: Results
    ) -> None:
        """Hold the *cases* of one slice of *results*."""
        self.name = name
        self.cases = cases
        self.results = results

    def build_xml_doc(self, encoding: str | None = None) -> ET.Element:
        """Return the suite as XML: called by junit-xml."""
        findings = [case.finding for _, case in self.cases if case.finding is not None]
        timed: set[str] = set()
        suite = TestSuite(
            _line(_headline(self.name, findings)),
            [_to_junit(name, case, timed) for name, case in self.cases],
            timestamp=self.results.created,
            properties=_suite_properties(findings),
            stdout=_text("\n".join(_told(self.cases))) or None,
        )
        element: ET.Element = suite.build_xml_doc(encoding)
        element.attrib.pop("disabled")
        element.set("time", f"{float(element.attrib['time']):.3f}")
        for child, (_, case) in zip(element.iter("testcase"), self.cases, strict=True):
            _complete(child, case)
        return element


def _to_junit(name: str, case: _Case, timed: set[str]) -> Any:  # noqa: ANN401
    """Return *case* for junit-xml; the time of a test counts once."""
    test = case.test
    new = test is not None and test.name not in timed
    timed.update([test.name] if test is not None else [])
    made = TestCase(
        _line(name),
        classname=_line(case.class_name),
        elapsed_sec=test.seconds if test is not None and new else None,
        file=_line(test.file) if test is not None and test.file else None,
        line=test.line if test is not None and test.file else None,
        stdout=_text(case.told) or None,
    )
    first, whole = _line(case.message.strip().partition("\n")[0]), _text(case.message)
    if case.kind == "failed":
        made.add_failure_info(first, whole)
    elif case.kind == "error":
        made.add_error_info(first, whole)
    elif case.kind == "skipped":
        made.add_skipped_info(first, whole)
    return made


def _complete(element: ET.Element, case: _Case) -> None:
    """Add the properties of *case*, and let its message lead with the verdict."""
    element.attrib.setdefault("time", "0.000")
    for child in element:
        child.attrib.pop("type", None)  # readers put it before the verdict
    pairs: list[tuple[str, str]] = []
    if case.finding is not None:
        found = to_properties(case.finding)
        pairs += [pair for pair in found if pair[0] != "vdg.message"]
    if case.test is not None:
        pairs += [("vdg.loosened", line) for line in case.test.loosened]
    if not pairs:
        return
    properties = ET.Element("properties")
    for name, value in pairs:
        ET.SubElement(properties, "property", name=_text(name), value=_text(value))
    element.insert(0, properties)


def _suite_properties(findings: Sequence[Finding]) -> dict[str, str]:
    checkpoints = dict.fromkeys(finding.checkpoint for finding in findings)
    return {"vdg.checkpoint": _line(", ".join(checkpoints))} if checkpoints else {}


def _headline(name: str, findings: Sequence[Finding]) -> str:
    """Return *name* with the numbers of what held: of that readers show only names."""
    held = [f for f in findings if f.verdict is Verdict.PASS]
    said = [_number(finding) for finding in held[:_HEADLINES]]
    if len(held) > _HEADLINES:
        said.append(f"and {len(held) - _HEADLINES} more ok")
    return f"{name}: {'; '.join(said)}" if said else name


def _number(finding: Finding) -> str:
    value, interval = value_of(finding)
    task = f" {finding.task}" if finding.task else ""
    unit = "" if is_share(finding) else "pp"
    return f"{finding.verdict} {finding.measure}{task} {value}{unit} {interval}"


def _told(cases: Sequence[tuple[str, _Case]]) -> Iterable[str]:
    """Yield a line for each finding and each criterion that was loosened."""
    yield from (case.finding.summary for _, case in cases if case.finding is not None)
    tests = [case.test for _, case in cases if case.test is not None]
    loosened = dict.fromkeys(line for test in tests for line in test.loosened)
    yield from (f"loosened: {line}" for line in loosened)


def _text(text: str) -> str:
    """Return *text* with what XML cannot hold spelt out."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", lines)


def _line(text: str) -> str:
    """Return *text* on one line, as an attribute; what is too long is cut."""
    line = " ".join(_text(text).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
