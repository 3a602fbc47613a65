"""What a report says of past runs: a picture and a table for each trend.

Apart from `trend`, which decides what stands beside what and is read on a
terminal, too; and from the chapters, which are about the runs of this session.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vdg.reports import pictures
from pytest_vdg.reports._format import MISSING, points_within, share_within
from pytest_vdg.reports.chapters import Part
from pytest_vdg.reports.pictures import Moment
from pytest_vdg.reports.results import Results
from pytest_vdg.reports.run_tables import Table
from pytest_vdg.reports.trend import Point, Trend, trends

MOST_TRENDS = 6
MOST_RUNS = 60
"""Runs of a trend that are shown, the newest."""


def trend_parts(results: Results) -> list[Part]:
    """Return the trends of the slices that *results* are about."""
    names = {each.run.slice_name for each in results.runs}
    about = [run for run in results.history if run.slice_name in names or not names]
    found = trends(about)
    return [_part(trend, place) for place, trend in enumerate(found[:MOST_TRENDS], 1)]


def _part(trend: Trend, place: int) -> Part:
    shown = trend.points[-MOST_RUNS:]
    earlier = len(trend.points) - len(shown)
    level = f"{100 * trend.confidence:g}% CI"
    lines = [("VDG", [_moment(point, "VDG") for point in shown])]
    if any("temporal" in point.values for point in shown):
        lines.append(("temporal", [_moment(point, "temporal") for point in shown]))
    return Part(
        title=trend.title,
        name=f"trend-{place}",
        alt=f"VDG of past runs on {trend.title}; the table holds the same numbers",
        figure=pictures.trend_figure(lines, f"percentage points [{level}]"),
        tables=(_table(shown, level),),
        notes=(f"{earlier} earlier runs are not shown.",) if earlier else (),
    )


def _moment(point: Point, name: str) -> Moment:
    value = point.values.get(name)
    when = point.when[:16].replace("T", " ")
    if value is None:
        return Moment(when=when, estimate=None)
    return Moment(when=when, estimate=value[0], low=value[1], high=value[2])


def _table(shown: Sequence[Point], level: str) -> Table:
    heads = ("when", "checkpoint", "n", f"VDG, pp [{level}]", f"original [{level}]")
    return Table(
        heads=(*heads, f"temporal, pp [{level}]", "verdict"),
        rows=tuple(_row(point) for point in reversed(shown)),
    )


def _row(point: Point) -> tuple[str, ...]:
    original = point.values.get("original")
    return (
        point.when[:16].replace("T", " "),
        point.label,
        str(point.questions),
        _points(point.values.get("VDG")),
        MISSING if original is None else share_within(original[0], *original[1:]),
        _points(point.values.get("temporal")),
        point.verdict or MISSING,
    )


def _points(value: tuple[float, float, float] | None) -> str:
    return MISSING if value is None else points_within(value[0], *value[1:])
