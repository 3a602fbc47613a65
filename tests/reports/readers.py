"""What three reporters on GitHub show of a JUnit file, by the rules of their parsers.

Apart from the tests so that the rules stand by themselves, one function a reader,
in our own words. Read from their sources:

* dorny/test-reporter 29672c5, ``src/parsers/java-junit`` and ``src/report``; its
  reporter ``python-xunit`` is the same parser.
* mikepenz/action-junit-report 305cd1f, ``src/testParser.ts``, with
  ``include_passed``, ``detailed_summary`` and ``group_suite``.
* EnricoMi/publish-unit-test-result-action c9bbcab, ``python/publish``, with
  ``report_suite_logs``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

_EMOJI = re.compile("[\U0001f300-\U0001f6ff\U0001f900-\U0001f9ff\u2600-\u27bf]")


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A case as a reader shows it."""

    outcome: str
    """In the reader's own words."""
    title: str
    text: str
    """All that is shown with it."""
    heading: str = ""
    """What stands above it."""
    file: str | None = None
    line: int | None = None


def _suites(xml: str) -> list[ET.Element]:
    root = ET.fromstring(xml.encode("utf-8"))
    return list(root.iterfind("testsuite")) if root.tag == "testsuites" else [root]


def dorny(xml: str) -> list[Shown]:
    """Return the report of dorny/test-reporter: an error is a failure to it.

    Of a failure it shows the message, with the type before it where there is one;
    a class that is not the name of its suite is a line above its cases. Neither
    properties nor output are read.
    """
    shown = []
    for suite in _suites(xml):
        name = suite.attrib["name"].strip()
        for case in suite.iterfind("testcase"):
            group = case.get("classname", "")
            bad = case.find("failure")
            bad = case.find("error") if bad is None else bad
            skipped = case.find("skipped") is not None
            outcome = "success" if not skipped else "skipped"
            shown.append(
                Shown(
                    outcome="failed" if bad is not None else outcome,
                    title=case.attrib["name"].strip(),
                    text="" if bad is None else _dorny_text(bad),
                    heading="\n".join([name, "" if group == name else group]).strip(),
                )
            )
    return shown


def _dorny_text(bad: ET.Element) -> str:
    message = bad.get("message")
    if message is None:  # a failure without attributes is its text
        return next((s for s in (bad.text or "").splitlines() if s.strip()), "")
    kind = bad.get("type")
    return f"{kind}: {message}" if kind else message


def mikepenz(xml: str) -> list[Shown]:
    """Return the annotations of mikepenz/action-junit-report.

    The message is that of the failure or error, else the first two lines of its
    text, else the name; a case that passed has nothing but its name. A skipped
    case does not fail. Emoji are taken out.
    """
    shown = []
    for suite in _suites(xml):
        for case in suite.iterfind("testcase"):
            issues = [*case.iterfind("failure"), *case.iterfind("error")]
            status = case.get("status")
            skipped = case.find("skipped") is not None
            skipped |= status in ("disabled", "ignored")
            for issue in issues or [None]:
                trace = "" if issue is None else (issue.text or "").strip()
                told = "" if issue is None else issue.get("message", "")
                told = told or "\n".join(trace.split("\n")[:2]) or case.attrib["name"]
                file, line = _mikepenz_place(suite, case, trace)
                name = case.attrib["name"]
                outcome = "success" if not issues else "failure"
                shown.append(
                    Shown(
                        outcome="skipped" if skipped else outcome,
                        title=_EMOJI.sub(
                            "", f"{file}.{name}" if file != name else name
                        ),
                        text=_EMOJI.sub("", f"{told.strip()}\n{trace}").strip(),
                        heading=suite.get("name", ""),
                        file=file,
                        line=line,
                    )
                )
    return shown


def _mikepenz_place(suite: ET.Element, case: ET.Element, trace: str) -> tuple[str, int]:
    file = case.get("file") or suite.get("file")
    line = case.get("line") or suite.get("line")
    named = case.get("classname") or case.attrib["name"]
    name = file or named.split(".")[-1]
    if name and line:
        return name, int(line)
    found = re.findall(rf" [^ ]*{re.escape(name)}.*?:\d+", trace)
    return name, int(found[-1].rsplit(":", 1)[1]) if found else int(line or 1)


def enricomi(xml: str) -> list[Shown]:
    """Return the annotations of EnricoMi/publish-unit-test-result-action.

    Errors and failures are told apart, and have message (unless the text begins
    with it), text and output. Of others the name is listed. The output of a suite
    is an annotation of its own.
    """
    shown = []
    for suite in _suites(xml):
        for case in suite.iterfind("testcase"):
            found = _gravest(case)
            state = found[0].tag if found else "success"
            named = [case.get("classname"), case.get("name")]
            details = []
            if state in ("error", "failure"):
                details = list(_enricomi_details(case, found))
            line = case.get("line", "")
            shown.append(
                Shown(
                    outcome=state,
                    title=" \u2011 ".join(part for part in named if part),
                    text="\n".join(details),
                    file=case.get("file") or case.get("classname"),
                    line=int(line) if line.isdigit() else None,
                )
            )
        output = (suite.findtext("system-out") or "").strip()
        if output:
            name = suite.get("name", "")
            shown.append(Shown(outcome="log", title=name, text=output))
    return shown


def _gravest(case: ET.Element) -> list[ET.Element]:
    for tag in ("error", "failure", "skipped"):
        found = case.findall(tag)
        if found:
            return found
    return []


def _enricomi_details(case: ET.Element, found: list[ET.Element]) -> Iterator[str]:
    message = "\n".join(each.get("message", "") for each in found)
    content = "\n".join(each.text or "" for each in found)
    first = " ".join(content.split()).startswith(" ".join(message.split()))
    outputs = [case.findtext("system-out"), case.findtext("system-err")]
    for part in ([] if first and message else [message]) + [content, *outputs]:
        if part and part.strip():
            yield part.rstrip()


READERS = {"dorny": dorny, "mikepenz": mikepenz, "EnricoMi": enricomi}
"""Name of the reader to its rules."""
