"""The tables of a report about one run: its numbers in words, each with its interval.

Apart from the chapters, which say what stands where, so that every number is
spelt once, and what was not measured looks the same in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vdg.outcomes import Paired
from pytest_vdg.reports._format import (
    MISSING,
    points_within,
    pvalue,
    share,
    share_within,
)
from pytest_vdg.reports.measured import Measured
from pytest_vdg.reports.pictures import Point
from pytest_vdg.reports.steps import Staircase
from pytest_vdg.runs import Run
from pytest_vdg.stats import counted
from pytest_vdg.stats.spectrum import SpectrumRow

CONFIDENCE = 0.95
"""Of all intervals that no claim asked for."""
LEVEL = f"{100 * CONFIDENCE:g}% CI"
ALL = "all tasks"
OVERALL = "overall"
"""Group of a spectrum that holds all tasks."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of words; the first columns name the row."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    names: int = 1
    """Columns that name the row."""


def part_of(paired: Paired, group: str) -> Paired:
    """Return the questions of a spectrum's *group*."""
    if group == OVERALL:
        return paired
    return paired.at([i for i, task in enumerate(paired.tasks) if task == group])


def spectrum_table(rows: Sequence[SpectrumRow], paired: Paired) -> Table:
    """Return VDG of each of *rows*, the first of which is of all tasks."""
    heads = ("task", f"VDG, pp [{LEVEL}]", "n (videos)")
    arms = (f"original [{LEVEL}]", f"black [{LEVEL}]")
    return Table(
        heads=(*heads, *arms, "p (Holm)"),
        rows=tuple(_spectrum_row(row, part_of(paired, row.group)) for row in rows),
    )


def _spectrum_row(row: SpectrumRow, part: Paired) -> tuple[str, ...]:
    arms = [
        counted.share(right, part.video_ids, CONFIDENCE, part.asked_ids)
        for right in (part.treated, part.control)
    ]
    return (
        ALL if row.group == OVERALL else row.group,
        points_within(row.estimate, row.low, row.high),
        f"{part.extent.n} ({row.n_videos})",
        *(share_within(a.estimate, a.low, a.high) for a in arms),
        pvalue(row.adjusted_pvalue),
    )


def step_table(stairs: Staircase) -> Table:
    """Return the steps that a waterfall draws."""
    rows = [
        (
            step.name,
            f"{step.treated} - {step.control}",
            points_within(step.value.estimate, step.value.low, step.value.high),
            f"{stairs.n} ({stairs.n_videos})",
        )
        for step in stairs.steps
    ]
    heads = ("step", "is", f"pp [{LEVEL}]", "n (videos)")
    return Table(heads=heads, rows=tuple(rows), caption="Steps, as drawn")


def accuracy_table(run: Run, found: Sequence[Measured]) -> Table:
    """Return the accuracy under each condition of *run*, and what has no answer."""
    rows = []
    for each in found:
        if each.measure != "accuracy" or each.task is not None:
            continue
        counts = run.counts(each.treated)
        lost = (counts.unparsed, counts.failed, counts.not_applicable)
        rows.append((each.treated, _share_of(each), str(each.n), *map(str, lost)))
    heads = ("condition", f"accuracy [{LEVEL}]", "n", "unparsed", "failed", "n/a")
    caption = f"Accuracy under each condition (chance {share(run.chance())})"
    return Table(heads=heads, rows=tuple(rows), caption=caption)


def effect_table(found: Sequence[Measured]) -> Table:
    """Return all differences of all tasks together, those not measured with why."""
    rows = [
        (
            each.measure,
            f"{each.treated} - {each.control}",
            _points_of(each),
            str(each.n) if each.estimate is not None else each.reason or MISSING,
        )
        for each in found
        if each.measure != "accuracy" and each.task is None
    ]
    heads = ("effect", "is", f"pp [{LEVEL}]", "n")
    return Table(heads=heads, rows=tuple(rows), caption="Effects, all tasks")


def gaps_table(shown: Sequence[Point]) -> Table:
    """Return both gaps of each point that is *shown*, numbered as in the picture."""
    rows = tuple(
        (
            str(number),
            point.name,
            points_within(point.x, *point.x_ends),
            points_within(point.y, *point.y_ends),
        )
        for number, point in enumerate(shown, start=1)
    )
    heads = ("", "task", f"blind gap, pp [{LEVEL}]", f"visual gain, pp [{LEVEL}]")
    return Table(heads=heads, rows=rows)


def _share_of(each: Measured) -> str:
    if each.estimate is None or each.low is None or each.high is None:
        return MISSING
    return share_within(each.estimate, each.low, each.high)


def _points_of(each: Measured) -> str:
    if each.estimate is None or each.low is None or each.high is None:
        return MISSING
    return points_within(each.estimate, each.low, each.high)
