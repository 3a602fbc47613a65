"""What past runs came to, run after run: as lines of text, and to be drawn.

Apart from the history, which keeps and does not choose: here only like stands
beside like, for a line through two prompts or two slices shows neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_vdg.reports._format import (
    MISSING,
    WIDTH,
    columns,
    plain,
    points,
    share,
    span,
    wrapped,
)
from pytest_vdg.spelling import count
from pytest_vdg.store.history import Level, PastRun
from pytest_vdg.verdicts import GRAVITY

_NAME = 40
_LAST = 12
_INDENT = "  "
_WIDTH = WIDTH - len(_INDENT)
_LONGEST_VERDICT = 19


@dataclass(frozen=True, kw_only=True)
class Point:
    """One run in a trend."""

    when: str
    """ISO 8601 with zone."""
    label: str
    """The checkpoint, and its step where it has one."""
    step: int | None
    origin: str
    verdict: str
    """The gravest of its claims, in words; empty where there was none."""
    questions: int
    values: dict[str, tuple[float, float, float]]
    """Estimate, low and high, fractions: ``VDG``, the steps, and accuracies by
    the name of their condition. What was not measured is not there."""


@dataclass(frozen=True, kw_only=True)
class Trend:
    """Runs that measure the same thing, oldest first."""

    slice_name: str
    environment: str | None
    comparable: str
    """Digest of what the runs have in common."""
    confidence: float
    """Of all intervals."""
    points: tuple[Point, ...]

    @property
    def title(self) -> str:
        """The slice, and the environment where one is declared."""
        where = f", {plain(self.environment, _NAME)}" if self.environment else ""
        return f"{plain(self.slice_name, _NAME)}{where}"

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of all values of any point, in the order of the first that has each."""
        return tuple(dict.fromkeys(n for p in self.points for n in p.values))


def trends(runs: Iterable[PastRun]) -> tuple[Trend, ...]:
    """Return *runs* as trends, the one with the newest run first.

    Runs of different checkpoints stand in one trend if they measure the same
    thing: slice, prompt, frames, seed, scoring, dtype and whatever else a
    comparison refuses to differ in; and the same environment.
    """
    groups: dict[tuple[str, str | None, str, float], list[PastRun]] = {}
    for run in runs:
        key = run.slice_name, run.environment, run.comparable, run.confidence
        if not run.questions:  # nothing was asked: it stands where it would have
            alike = (k for k in reversed(groups) if k[:2] == key[:2])
            key = next(alike, key)
        # Taken out and put back: the group that was heard of last is the last.
        groups[key] = [*groups.pop(key, []), run]
    return tuple(_trend(group) for group in reversed(groups.values()))


def trend_lines(
    runs: Iterable[PastRun], *, last: int = _LAST, most: int = 4
) -> list[str]:
    """Return a table for each trend of *runs*.

    Parameters
    ----------
    runs
        As the history gives them, oldest first.
    last
        Runs that each table shows at most, the newest.
    most
        Trends that are shown at most; how many are not is told.
    """
    found = trends(runs)
    lines: list[str] = []
    for trend in found[:most]:
        lines += [*([""] if lines else []), *_table(trend, last)]
    if len(found) > most:
        rest = len(found) - most
        lines += ["", f"and {count(rest, 'trend')} of other slices or settings"]
    return lines


def gravest(verdicts: Sequence[str]) -> str:
    """Return the gravest of *verdicts*, which are words; empty where there is none.

    A word that is not known, as a later version may write, counts as gravest:
    it must not hide behind an ``ok``.
    """
    known = [str(verdict) for verdict in GRAVITY]
    unknown = [word for word in verdicts if word not in known]
    ordered = [*unknown, *(word for word in known if word in verdicts)]
    return ordered[0] if ordered else ""


def label_of(run: PastRun) -> str:
    """Return what a trend calls *run*: its checkpoint, with the step if it has one.

    A name such as ``checkpoint-500`` says it already.
    """
    told = run.step is None or re.search(rf"(?<!\d){run.step}$", run.checkpoint)
    return plain(run.checkpoint, _NAME) + ("" if told else f" @{run.step}")


def run_line(run: PastRun) -> str:
    """Return what *run* came to in a few words, without the checkpoint."""
    vdg = run.level("VDG")
    number = "" if vdg is None else f" VDG {points(vdg.estimate)} {_ends(vdg)}"
    words = gravest([word for _, word in run.verdicts])
    return f"{plain(run.slice_name, _NAME)}{number} n={run.questions} {words}".rstrip()


def _ends(level: Level) -> str:
    return span(level.low, level.high)


def _trend(runs: Sequence[PastRun]) -> Trend:
    first = runs[0]
    return Trend(
        slice_name=first.slice_name,
        environment=first.environment,
        comparable=first.comparable,
        confidence=first.confidence,
        points=tuple(map(_point, runs)),
    )


def _point(run: PastRun) -> Point:
    known = (*run.effects, *run.accuracies)
    return Point(
        when=run.when,
        label=label_of(run),
        step=run.step,
        origin=run.origin,
        verdict=gravest([word for _, word in run.verdicts]),
        questions=run.questions,
        values={each.name: (each.estimate, each.low, each.high) for each in known},
    )


def _table(trend: Trend, last: int) -> list[str]:
    shown = trend.points[-last:]
    earlier = len(trend.points) - len(shown)
    first = f"trend of {trend.title}: {count(len(trend.points), 'run')}"
    if earlier:
        first += f", the last {len(shown)}"
    level = f"{100 * trend.confidence:g}%"
    temporal = any("temporal" in point.values for point in shown)
    years = {point.when[:4] for point in shown}
    when = f"when, {min(years)}" if len(years) == 1 else "when"
    numbers = "n", "orig", f"VDG, pp [{level} CI]", *(("temp",) if temporal else ())
    heads = [when, "checkpoint", *numbers, "verdict"]
    align = "llrrl" + "r" * temporal + "l"
    year = 0 if len(years) > 1 else len("2026-")
    rows = [heads, *(_row(point, year, temporal=temporal) for point in shown)]
    lines = columns(rows, align=align)
    if max(map(len, lines)) > _WIDTH:  # the checkpoint goes below its run
        folded = columns([row[:1] + row[2:] for row in rows], align=align[1:])
        names = ["", *(f"\n    {point.label}" for point in shown)]
        both = (line + name for line, name in zip(folded, names, strict=True))
        lines = "\n".join(both).splitlines()
    return [*wrapped(first), *(f"{_INDENT}{line}" for line in lines)]


def _row(point: Point, year: int, *, temporal: bool) -> list[str]:
    vdg = point.values.get("VDG")
    return [
        plain(point.when[year:16].replace("T", " "), 16),
        point.label,
        str(point.questions),
        share(_estimate(point, "original")),
        MISSING if vdg is None else f"{points(vdg[0]):>5} {span(*vdg[1:])}",
        *([points(_estimate(point, "temporal"))] if temporal else []),
        plain(point.verdict, _LONGEST_VERDICT) or MISSING,
    ]


def _estimate(point: Point, name: str) -> float | None:
    return point.values[name][0] if name in point.values else None
