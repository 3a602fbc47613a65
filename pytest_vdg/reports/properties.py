"""Findings as properties of a test, and back.

Apart from the terminal table because properties are the only thing that
crosses from an xdist worker to its controller and into JUnit XML by itself:
the table is built from what this module reads back.

========================  ==============================================
property                  meaning
========================  ==============================================
``vdg.claim``             name of the assertion
``vdg.verdict``           what it came to
``vdg.measure``           what was measured
``vdg.value``             the estimate, a fraction
``vdg.ci_low``,           two-sided interval at ``vdg.confidence``
``vdg.ci_high``
``vdg.bound``             floor, minus the margin, or ceiling
``vdg.bound_is``          ``floor`` or ``ceiling``: the side that holds
``vdg.mde``               smallest detectable drop, or rise above a ceiling;
                          above 1: none could have been shown
``vdg.n``, ``vdg.videos``  questions and videos judged
``vdg.planned``           questions that there should have been, where more
``vdg.slice``, ``vdg.task``, ``vdg.checkpoint``, ``vdg.baseline``
``vdg.accuracy.NAME``     accuracy under a condition
``vdg.message``           the whole text
========================  ==============================================

What was not measured is left out. The second finding of one test has the
names ``vdg.2.claim`` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from pytest_vdg.verdicts import Finding, Verdict

Properties = list[tuple[str, str]]

_NAMES = {
    "claim": "claim",
    "verdict": "verdict",
    "measure": "measure",
    "estimate": "value",
    "low": "ci_low",
    "high": "ci_high",
    "confidence": "confidence",
    "bound": "bound",
    "bound_is": "bound_is",
    "smallest_detectable": "mde",
    "n": "n",
    "n_planned": "planned",
    "n_videos": "videos",
    "slice_name": "slice",
    "task": "task",
    "checkpoint": "checkpoint",
    "baseline": "baseline",
    "message": "message",
}
"""Field of `Finding` to the name of its property."""
_FLOATS = {"estimate", "low", "high", "confidence", "bound", "smallest_detectable"}
_COUNTS = {"n", "n_planned", "n_videos"}
_OPTIONAL = {"task", "baseline", "bound_is", "n_planned"}
_OURS = re.compile(
    r"vdg\.(?:(?P<number>[1-9]\d*)\.)?"
    rf"(?P<name>{'|'.join(_NAMES.values())}|accuracy\.(?P<condition>.+))",
    re.DOTALL,
)
# XML 1.0 has no way to write these, and attribute values lose line breaks.
_UNSAFE = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_ESCAPE = re.compile(r"\\(?:n|\\|u([0-9a-f]{4}))")


def to_properties(finding: Finding, *, number: int = 1) -> Properties:
    """Return *finding* as (name, value) pairs for ``user_properties``.

    Parameters
    ----------
    finding : Finding
        What to hand on.
    number : int
        Which finding of its test this is, from 1. From the second on it
        becomes part of the names, so that they stay apart.

    Returns
    -------
    list of (str, str)
        Floats as `repr` writes them, so that nothing is lost; text escaped to
        what XML can hold.
    """
    if number < 1:
        raise ValueError(f"findings are numbered from 1, got {number!r}")
    prefix = "vdg." if number == 1 else f"vdg.{number}."
    pairs: Properties = []
    for field, name in _NAMES.items():
        value = getattr(finding, field)
        if value is not None:
            pairs.append((prefix + name, _to_text(field, value)))
    pairs += [
        (f"{prefix}accuracy.{_escape(condition)}", repr(float(accuracy)))
        for condition, accuracy in finding.accuracies
    ]
    return pairs


def all_to_properties(findings: Iterable[Finding]) -> Properties:
    """Return all *findings* of one test, numbered in order."""
    return [
        pair
        for number, finding in enumerate(findings, start=1)
        for pair in to_properties(finding, number=number)
    ]


def from_properties(properties: Iterable[tuple[Any, Any]]) -> list[Finding]:
    """Return the findings among *properties*, in the order of their numbers.

    Properties of others are ignored, also those that only begin with ``vdg.``;
    so is a number without a ``claim``.

    Raises
    ------
    ValueError
        When a finding is there but lacks a part, or has one twice: a report
        that silently lost a verdict would look like a better one.
    """
    groups: dict[int, dict[str, str]] = {}
    for name, value in properties:
        match = _OURS.fullmatch(name) if isinstance(name, str) else None
        if match is None:
            continue
        group = groups.setdefault(int(match["number"] or 1), {})
        if match["name"] in group:
            raise ValueError(f"property {name!r} is there twice")
        group[match["name"]] = str(value)
    return [
        _to_finding(number, group)
        for number, group in sorted(groups.items())
        if "claim" in group
    ]


def _to_finding(number: int, group: dict[str, str]) -> Finding:
    values: dict[str, Any] = {}
    for field, name in _NAMES.items():
        if name in group:
            values[field] = _reader(field)(group[name])
        elif field not in _OPTIONAL:
            raise ValueError(
                f"finding {number} ({group['claim']}) has no property {name!r}"
            )
    values["accuracies"] = tuple(
        (_unescape(name.removeprefix("accuracy.")), float(text))
        for name, text in group.items()
        if name.startswith("accuracy.")
    )
    return Finding(**values)


def _to_text(field: str, value: object) -> str:
    if field in _FLOATS:
        return repr(float(str(value)))
    if isinstance(value, Verdict):
        return value.value
    return _escape(str(value))


def _reader(field: str) -> Callable[[str], Any]:
    if field in _FLOATS:
        return float
    if field in _COUNTS:
        return int
    return Verdict if field == "verdict" else _unescape


def _escape(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        char = match[0]
        known = {"\\": "\\\\", "\n": "\\n"}
        return known.get(char, f"\\u{ord(char):04x}")

    return _UNSAFE.sub(one, text)


def _unescape(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return "\n" if match[0] == "\\n" else "\\"

    return _ESCAPE.sub(one, text)
