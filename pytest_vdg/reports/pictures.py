"""The figures of a report: data in, a matplotlib ``Figure`` out.

Apart from the page that holds them, so that other reports draw the same
picture of the same number. Intervals are always drawn; what was not measured
is not drawn. Make them inside `drawing.drawing()`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_vdg.reports.drawing import (
    BLUE,
    COLOURS,
    GREEN,
    GRID,
    INK,
    ORANGE,
    PALE,
    PAPER,
    PINK,
    chance_line,
    label,
    new_figure,
)
from pytest_vdg.reports.steps import Staircase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Kind = Literal["good", "bad", "open"]
_MARKS = {"good": (GREEN, "o"), "bad": (ORANGE, "X"), "open": (PINK, "D")}
_ROW = 0.24
"""Inches of one row of a figure that lists things."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A number with its interval, on a line of its own; all are fractions."""

    name: str
    estimate: float
    low: float
    high: float
    note: str = ""
    """What stands behind it, e.g. ``n=40``."""
    kind: Kind | None = None
    """How it is marked; None where it is no verdict."""
    bound: float | None = None
    """What it was held against; None where it was not."""
    strong: bool = False
    """Whether it stands for all others."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """Two numbers of one thing, each with its interval (low, high); fractions."""

    name: str
    x: float
    x_ends: tuple[float, float]
    y: float
    y_ends: tuple[float, float]
    strong: bool = False


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One number of a series; None where it was not measured."""

    when: str
    estimate: float | None
    low: float = math.nan
    high: float = math.nan


def rows_figure(rows: Sequence[Row], xlabel: str) -> Figure:
    """Draw each of *rows*, the first on top, as a point with its interval."""
    figure = new_figure(0.75 + _ROW * len(rows))
    axes = figure.add_subplot()
    axes.axvline(0, color=PALE, linewidth=0.8)
    for place, row in enumerate(rows):
        colour, mark = _MARKS[row.kind] if row.kind else (BLUE, "o")
        colour = INK if row.strong else colour
        axes.plot(
            [100 * row.low, 100 * row.high],
            [place, place],
            color=colour,
            linewidth=2.2 if row.strong else 1.4,
            solid_capstyle="butt",
        )
        axes.plot(
            100 * row.estimate,
            place,
            mark,
            color=colour,
            markersize=5.5,
            markeredgecolor=PAPER,
            markeredgewidth=0.5,
        )
        if row.bound is not None:
            axes.plot([100 * row.bound] * 2, [place - 0.38, place + 0.38], color=INK)
    _name_rows(axes, rows)
    axes.set_xlabel(xlabel)
    axes.grid(visible=True, axis="x")
    return figure


def _name_rows(axes: Axes, rows: Sequence[Row]) -> None:
    axes.set_yticks(range(len(rows)), [label(row.name, 40) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for tick, row in zip(axes.get_yticklabels(), rows, strict=True):
        tick.set_fontweight("bold" if row.strong else "normal")
    notes = axes.secondary_yaxis("right")
    notes.set_yticks(range(len(rows)), [label(row.note, 20) for row in rows])
    notes.tick_params(axis="y", length=0, labelcolor=PALE)
    notes.spines["right"].set_visible(False)


def waterfall_figure(stairs: Staircase) -> Figure:
    """Draw the ladder: the first accuracy, what each step adds, the last accuracy."""
    figure = new_figure(2.9)
    axes = figure.add_subplot()
    (first, least), (last, most) = stairs.rungs[0], stairs.rungs[-1]
    names = [f"{label(first, 16)}\naccuracy"]
    _bar(axes, 0, 0.0, least.estimate, PALE)
    _whisker(axes, 0, least.low, least.high)
    _amount(axes, 0, least.high, f"{100 * least.estimate:.1f}")
    base = least.estimate
    for place, step in enumerate(stairs.steps, start=1):
        value = step.value
        colour = BLUE if value.estimate >= 0 else ORANGE
        _bar(axes, place, base, value.estimate, colour)
        _whisker(axes, place, base + value.low, base + value.high)
        top = base + max(value.high, 0.0)
        _amount(axes, place, top, f"{100 * value.estimate + 0.0:+.1f}")
        axes.plot([place - 1.36, place + 0.36], [100 * base] * 2, color=PALE, lw=0.7)
        names.append("+ " + step.name.replace(" + ", "\n+ "))
        base += value.estimate
    place = len(stairs.steps) + 1
    axes.plot([place - 1.36, place + 0.36], [100 * base] * 2, color=PALE, lw=0.7)
    _bar(axes, place, 0.0, most.estimate, INK)
    _whisker(axes, place, most.low, most.high)
    _amount(axes, place, most.high, f"{100 * most.estimate:.1f}")
    names.append(f"{label(last, 16)}\naccuracy")
    chance_line(axes, stairs.chance, place)
    axes.set_xticks(range(len(names)), names)
    axes.tick_params(axis="x", length=0, labelcolor=INK, labelsize=7.5)
    axes.set_ylim(0, 116)
    axes.set_yticks(range(0, 101, 20))
    axes.set_ylabel("accuracy, %")
    axes.grid(visible=True, axis="y")
    return figure


def _bar(axes: Axes, place: float, base: float, height: float, colour: str) -> None:
    axes.bar(
        place,
        100 * height,
        0.72,
        bottom=100 * base,
        color=colour,
        edgecolor=colour,
        linewidth=1,
    )


def _whisker(axes: Axes, place: float, low: float, high: float) -> None:
    """Draw an interval so that it shows on the bar and off it."""
    ends = [100 * low, 100 * high]
    axes.plot([place, place], ends, color=PAPER, linewidth=4, solid_capstyle="butt")
    axes.plot([place, place], ends, color=INK, linewidth=1.4, solid_capstyle="butt")


def _amount(axes: Axes, place: float, top: float, text: str) -> None:
    axes.annotate(
        text,
        (place, 100 * top),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        color=INK,
    )


def plane_figure(points: Sequence[Point], *, xlabel: str, ylabel: str) -> Figure:
    """Draw each of *points* with both intervals; numbered as in the table."""
    figure = new_figure(3.5)
    axes = figure.add_subplot()
    axes.axvline(0, color=PALE, linewidth=0.8)
    axes.axhline(0, color=PALE, linewidth=0.8)
    for point in points:
        colour = INK if point.strong else BLUE
        across, up = [100 * e for e in point.x_ends], [100 * e for e in point.y_ends]
        width = 1.8 if point.strong else 0.9
        axes.plot(across, [100 * point.y] * 2, color=colour, linewidth=width)
        axes.plot([100 * point.x] * 2, up, color=colour, linewidth=width)
        axes.plot(100 * point.x, 100 * point.y, "o", color=colour, markersize=4.5)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(visible=True)
    for names, point in _together(points):
        axes.annotate(
            names,
            (100 * point.x, 100 * point.y),
            xytext=(4, 3),
            textcoords="offset points",
            color=INK,
            fontsize=7.5,
            bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.8, "pad": 0.4},
        )
    return figure


def _together(points: Sequence[Point]) -> list[tuple[str, Point]]:
    """Return what to write beside points: the numbers of all that lie in one place."""
    spread = [max(v) - min(v) for v in zip(*((p.x, p.y) for p in points), strict=True)]
    groups: list[tuple[list[int], Point]] = []
    for number, point in enumerate(points, start=1):
        for numbers, other in groups:
            apart = abs(point.x - other.x), abs(point.y - other.y)
            if all(a <= 0.06 * s for a, s in zip(apart, spread, strict=True)):
                numbers.append(number)
                break
        else:
            groups.append(([number], point))
    return [(", ".join(map(str, numbers)), point) for numbers, point in groups]


def trend_figure(lines: Sequence[tuple[str, Sequence[Moment]]], ylabel: str) -> Figure:
    """Draw each named series of moments, oldest first; a gap stays a gap."""
    figure = new_figure(2.8)
    axes = figure.add_subplot()
    axes.axhline(0, color=PALE, linewidth=0.8)
    marks = ("o", "s", "^", "D")
    for number, (name, moments) in enumerate(lines):
        aside = 0.08 * (number - (len(lines) - 1) / 2)  # or one interval hides another
        shown = [
            (i + aside, m) for i, m in enumerate(moments) if m.estimate is not None
        ]
        colour = COLOURS[number % len(COLOURS)]
        for place, moment in shown:
            ends = [100 * moment.low, 100 * moment.high]
            axes.plot([place, place], ends, color=colour, linewidth=1)
        axes.plot(
            [place for place, _ in shown],
            [
                100 * moment.estimate
                for _, moment in shown
                if moment.estimate is not None
            ],
            color=colour,
            linewidth=1.2,
            marker=marks[number % len(marks)],
            markersize=4.5,
            label=label(name, 40),
        )
    longest = max((moments for _, moments in lines), key=len)
    step = math.ceil(len(longest) / 6)
    ticks = range(0, len(longest), step)
    axes.set_xticks(ticks, [label(longest[i].when, 16) for i in ticks])
    axes.tick_params(axis="x", labelsize=7)
    axes.set_xlim(-0.5, len(longest) - 0.5)
    axes.set_ylabel(ylabel)
    axes.grid(visible=True, axis="y")
    if len(lines) > 1:
        figure.legend(loc="outside upper left", ncols=2, fontsize=7.5)
    axes.spines["bottom"].set_color(GRID)
    return figure
