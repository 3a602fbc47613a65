"""Margins of claims against what a baseline's file says they were.

Apart from the assertions because a claim knows only its own margin: that it
was smaller once is known to the file alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pytest_vdg import assertions
from pytest_vdg.errors import StoreError
from pytest_vdg.sessions.baseline_candidate import REASON as CANDIDATE
from pytest_vdg.spelling import one_line, points
from pytest_vdg.store.criteria import Criterion, Key
from pytest_vdg.store.runfile import load_recorded, save_recorded
from pytest_vdg.verdicts import Finding

_MARGINS = ("vdg_margin", "margin")
"""How an assertion calls the loss that it accepts."""


@dataclass(frozen=True, kw_only=True)
class Loosened:
    """What is looser than it was among the claims of a test."""

    lines: tuple[str, ...] = ()
    """A line each, for every summary."""
    unexplained: str | None = None
    """Why the test cannot be judged: no one says what for; None where all is said."""


def criteria_of(findings: Iterable[Finding], reason: str = "") -> list[Criterion]:
    """Return what the claims against a baseline among *findings* are held to."""
    return [
        Criterion(
            claim=f.claim,
            measure=f.measure,
            task=f.task,
            margin=abs(f.bound),
            reason=reason,
        )
        for f in findings
        if f.baseline is not None and abs(f.bound) <= 1
    ]


def loosened(
    findings: Sequence[Finding], held: Iterable[Criterion], reason: str = ""
) -> Loosened:
    """Compare the margins of *findings* with those that were recorded.

    Parameters
    ----------
    findings : sequence of Finding
        Of one test.
    held : iterable of Criterion
        What the baseline's file says; of no use where a claim is not against it.
    reason : str
        What the test says of a looser margin; empty where it says nothing.

    Returns
    -------
    Loosened
        A claim that was recorded with a smaller margin needs a reason. One that
        never was is shown where it is looser than the assertion's default.
    """
    known = {each.key: each for each in held}
    lines: dict[str, None] = {}
    for finding in findings:
        for criterion in criteria_of([finding], reason):
            before = known.get(criterion.key)
            looser = before is not None and criterion.looser_than(before.margin)
            if before is not None and looser and not reason:
                told = _unexplained(finding, criterion, before)
                return Loosened(lines=tuple(lines), unexplained=told)
            line = _line(finding, criterion, before)
            if line is not None:
                lines[line] = None
    return Loosened(lines=tuple(lines))


def _line(
    finding: Finding, criterion: Criterion, before: Criterion | None
) -> str | None:
    """Return the line that tells of *criterion*; None where nothing is looser."""
    since = before.margin if before is not None else None
    if before is not None and before.was is not None:
        since = before.was
    why = criterion.reason or (before.reason if before is not None else "")
    if since is not None and criterion.looser_than(since):
        return _told(finding, "", since, criterion.margin, why)
    default = default_margin(criterion.claim)
    if default is None or not criterion.looser_than(default):
        return None
    if before is not None and not why:
        return None  # it was recorded so, and looked at then
    return _told(finding, "default ", default, criterion.margin, why)


def _told(finding: Finding, what: str, old: float, new: float, why: str) -> str:
    shown = " -> ".join(_apart(old, new))
    because = f" ({one_line(why, 200, '...')})" if why else " (no reason given)"
    return f"margin of {_place(finding)}: {what}{shown}{because}"


def _place(finding: Finding) -> str:
    task = "" if finding.task is None else f", task {one_line(finding.task, 60, '...')}"
    return f"{finding.claim} on {one_line(finding.slice_name, 60, '...')}{task}"


def _unexplained(finding: Finding, criterion: Criterion, before: Criterion) -> str:
    old, new = _apart(before.margin, criterion.margin)
    return (
        f"margin loosened from {old} to {new}: {_place(finding)}, say why with "
        '@pytest.mark.vdg(loosened="...")\n'
        f"  recorded  {criterion.measure}: margin {old}, in the baseline's file\n"
        "  next      give the reason in the marker, or the margin back to the test. "
        "Recorded anew, the file keeps the old margin and the reason"
    )


def _apart(old: float, new: float) -> tuple[str, str]:
    """Return both in points, with the digits that it takes to tell them apart."""
    for digits in range(1, 7):
        texts = points(old, digits)[1:], points(new, digits)[1:]
        if texts[0] != texts[1]:
            break
    return f"{texts[0]}pp", f"{texts[1]}pp"


@cache
def default_margin(claim: str) -> float | None:
    """Return the margin of *claim* where none is given; None where it has none."""
    function = getattr(assertions, claim, None)
    if function is None:
        return None
    parameters = inspect.signature(function).parameters
    name = next((name for name in _MARGINS if name in parameters), None)
    return None if name is None else float(parameters[name].default)


def tightest(criteria: Iterable[Criterion]) -> dict[Key, Criterion]:
    """Return the criterion of each claim; of several the one that allows least."""
    found: dict[Key, Criterion] = {}
    for each in criteria:
        known = found.get(each.key)
        if known is None or known.looser_than(each.margin):
            found[each.key] = each
    return found


def conflicts(criteria: Sequence[Criterion]) -> list[Criterion]:
    """Return those that are looser than another of the same claim, and say not why."""
    least = tightest(criteria)
    return [
        each
        for each in criteria
        if each.looser_than(least[each.key].margin) and not each.reason
    ]


def merged(
    before: Iterable[Criterion], claimed: Iterable[Criterion]
) -> tuple[Criterion, ...]:
    """Return what to record where *claimed* is what a session's claims were held to.

    What no claim was made of stays: it did not run, and is not obsolete.
    """
    found = {each.key: each for each in before}
    for key, each in tightest(claimed).items():
        found[key] = each.after(found[key]) if key in found else each
    return tuple(found.values())


def keep_criteria(claimed: Mapping[str, Sequence[Criterion]]) -> list[str]:
    """Write what claims were held to into the files they were made against.

    *claimed* is by path. Called once a session, by its one process that writes.
    Returns what people should hear: of conflicts, and of files that are gone.
    """
    notes: list[str] = []
    for path, criteria in claimed.items():
        try:
            recorded = load_recorded(path)
            found = merged(recorded.criteria, criteria)
            if set(found) != set(recorded.criteria):
                save_recorded(replace(recorded, criteria=found), path)
                if recorded.reason != CANDIDATE:
                    notes.append(f"margins of its claims are recorded in {path}")
        except StoreError as error:
            notes.append(f"criteria could not be recorded: {error}")
            continue
        if recorded.reason != CANDIDATE:
            name = recorded.run.slice_name
            notes += [_conflict(name, each, found) for each in conflicts(criteria)]
    return list(dict.fromkeys(notes))


def _conflict(slice_name: str, looser: Criterion, recorded: Sequence[Criterion]) -> str:
    held = next(each for each in recorded if each.key == looser.key)
    old, new = _apart(held.margin, looser.margin)
    return (
        f"{looser.claim} on {slice_name} is claimed with margins of {old} and {new}: "
        f'{old} is recorded, and the other needs @pytest.mark.vdg(loosened="...")'
    )
