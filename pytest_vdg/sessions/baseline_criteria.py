"""Margins and confidences of claims against what a baseline's file says they were.

Apart from the assertions because a claim knows only its own margin: that it
was smaller once is known to the file alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pytest_vdg import assertions
from pytest_vdg.errors import StoreError
from pytest_vdg.sessions.baseline_candidate import REASON as CANDIDATE
from pytest_vdg.spelling import one_line, points
from pytest_vdg.store.criteria import Criterion, Key
from pytest_vdg.store.runfile import load_recorded, save_recorded
from pytest_vdg.verdicts import Finding, Verdict

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
            # What could not be judged may tell of bounds at Holm's confidence.
            confidence=None
            if f.verdict is Verdict.COULD_NOT_BE_JUDGED
            else f.confidence,
            reason=reason,
        )
        for f in findings
        if f.baseline is not None and abs(f.bound) <= 1
    ]


def loosened(
    findings: Sequence[Finding], held: Iterable[Criterion], reason: str = ""
) -> Loosened:
    """Compare the margins and confidences of *findings* with those recorded.

    Parameters
    ----------
    findings : sequence of Finding
        Of one test.
    held : iterable of Criterion
        What the baseline's file says; of no use where a claim is not against it.
    reason : str
        What the test says of what is looser; empty where it says nothing.

    Returns
    -------
    Loosened
        A claim that was recorded with a smaller margin, or a higher confidence,
        needs a reason. One that never was is shown where it is looser than the
        assertion's default.
    """
    known = {each.key: each for each in held}
    lines: dict[str, None] = {}
    for finding in findings:
        for criterion in criteria_of([finding], reason):
            before = known.get(criterion.key)
            if before is not None and criterion.looser_than(before) and not reason:
                told = _unexplained(finding, criterion, before)
                return Loosened(lines=tuple(lines), unexplained=told)
            lines |= dict.fromkeys(_lines(finding, criterion, before))
    return Loosened(lines=tuple(lines))


def _lines(
    finding: Finding, criterion: Criterion, before: Criterion | None
) -> Iterator[str]:
    """Yield a line of what of *criterion* is looser than it was, or the default is."""
    why = criterion.reason or ("" if before is None else before.reason)
    because = f" ({one_line(why, 200, '...')})" if why else " (no reason given)"
    for what, grown in (
        ("margin", _margin_grown(criterion, before, why)),
        ("confidence", _confidence_fallen(criterion, before, why)),
    ):
        if grown:
            yield f"{what} of {_place(finding)}: {grown}{because}"


def _margin_grown(criterion: Criterion, before: Criterion | None, why: str) -> str:
    """Return from what to what, e.g. ``default 5.0pp -> 8.0pp``; empty if not."""
    if before is not None and criterion.wider_than(before.first_margin):
        return " -> ".join(_apart(before.first_margin, criterion.margin))
    default = _default(criterion.claim, _MARGINS)
    if default is None or not criterion.wider_than(default):
        return ""
    if before is not None and not why:
        return ""  # it was recorded so, and looked at then
    return f"default {' -> '.join(_apart(default, criterion.margin))}"


def _confidence_fallen(criterion: Criterion, before: Criterion | None, why: str) -> str:
    """Return from what to what, e.g. ``95% -> 80%``; empty where it did not."""
    since = None if before is None else before.first_confidence
    if criterion.less_sure_than(since):
        return f"{_percent(since)} -> {_percent(criterion.confidence)}"
    default = _default(criterion.claim, ("confidence",))
    if not criterion.less_sure_than(default) or (since is not None and not why):
        return ""
    return f"default {_percent(default)} -> {_percent(criterion.confidence)}"


def _place(finding: Finding) -> str:
    task = "" if finding.task is None else f", task {one_line(finding.task, 60, '...')}"
    return f"{finding.claim} on {one_line(finding.slice_name, 60, '...')}{task}"


def _unexplained(finding: Finding, criterion: Criterion, before: Criterion) -> str:
    what, old, new = _looser(criterion, before)
    return (
        f"{what} loosened from {old} to {new}: {_place(finding)}, say why with "
        '@pytest.mark.vdg(loosened="...")\n'
        f"  recorded  {criterion.measure}: {what} {old}, in the baseline's file\n"
        f"  next      give the reason in the marker, or the {what} back to the test. "
        f"Recorded anew, the file keeps the old {what} and the reason"
    )


def _looser(criterion: Criterion, before: Criterion) -> tuple[str, str, str]:
    """Return what of *criterion* is looser than *before*, what it was, and is."""
    if criterion.wider_than(before.margin):
        return ("margin", *_apart(before.margin, criterion.margin))
    return "confidence", _percent(before.confidence), _percent(criterion.confidence)


def _percent(confidence: float | None) -> str:
    return "unknown" if confidence is None else f"{100 * confidence:g}%"


def _apart(old: float, new: float) -> tuple[str, str]:
    """Return both in points, with the digits that it takes to tell them apart."""
    for digits in range(1, 7):
        texts = points(old, digits)[1:], points(new, digits)[1:]
        if texts[0] != texts[1]:
            break
    return f"{texts[0]}pp", f"{texts[1]}pp"


@cache
def _default(claim: str, names: tuple[str, ...]) -> float | None:
    """Return the default of the first of *names* that is an argument of *claim*."""
    function = getattr(assertions, claim, None)
    if function is None:
        return None
    parameters = inspect.signature(function).parameters
    name = next((name for name in names if name in parameters), None)
    if name is None or parameters[name].default is inspect.Parameter.empty:
        return None
    return float(parameters[name].default)


def tightest(criteria: Iterable[Criterion]) -> dict[Key, Criterion]:
    """Return the criterion of each claim; of several the one that allows least.

    That is the smallest margin, and among equal ones the highest confidence: it
    is always one that was claimed.
    """
    found: dict[Key, Criterion] = {}
    for each in criteria:
        known = found.get(each.key)
        if known is None or _stricter(each, known):
            found[each.key] = each
    return found


def _stricter(one: Criterion, other: Criterion) -> bool:
    if other.wider_than(one.margin) or one.wider_than(other.margin):
        return other.wider_than(one.margin)
    return other.confidence is None or other.less_sure_than(one.confidence)


def conflicts(criteria: Sequence[Criterion]) -> list[Criterion]:
    """Return those that are looser than another of the same claim, and say not why."""
    least = tightest(criteria)
    return [
        each
        for each in criteria
        if each.looser_than(least[each.key]) and not each.reason
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
                    notes.append(f"criteria of its claims are recorded in {path}")
        except StoreError as error:
            notes.append(f"criteria could not be recorded: {error}")
            continue
        if recorded.reason != CANDIDATE:
            name = recorded.run.slice_name
            notes += [_conflict(name, each, found) for each in conflicts(criteria)]
    return list(dict.fromkeys(notes))


def _conflict(slice_name: str, looser: Criterion, recorded: Sequence[Criterion]) -> str:
    held = next(each for each in recorded if each.key == looser.key)
    what, old, new = _looser(looser, held)
    return (
        f"{looser.claim} on {slice_name} is claimed with {what}s of {old} and {new}: "
        f'{old} is recorded, and the other needs @pytest.mark.vdg(loosened="...")'
    )
