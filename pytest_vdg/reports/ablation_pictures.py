"""The figures of an ablation: numbers in, a matplotlib ``Figure`` out.

Apart from the figures of a run because the levels of one kind are an axis here.
Make them inside `drawing.drawing()`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pytest_vdg.reports.ablated import Ablation, Flatness, Level, Measured
from pytest_vdg.reports.drawing import (
    BLUE,
    GREEN,
    GRID,
    INK,
    ORANGE,
    PALE,
    PAPER,
    label,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AXES = {"compressed": "CRF", "sampled": "frames", "fps": "frames a second"}
"""Name of a condition that is a level to what its numbers are."""
_MARKS: dict[Flatness, tuple[str, str]] = {
    "FLAT": ("o", BLUE),
    "NOT FLAT": ("X", ORANGE),
    "INCONCLUSIVE": ("D", BLUE),
    "COULD NOT BE JUDGED": ("P", PALE),
}
_COLUMNS = 3
_ROW = 1.6
"""Inches of a row of tasks."""
_SHARES = -4, 104
"""Ends of an axis of shares, so that marks at 0 and 100 are whole."""
_Value: TypeAlias = Callable[[Measured], tuple[float, float, float]]
"""Estimate, low and high, in percent."""


def levels_figure(found: Ablation) -> Figure:
    """Draw accuracy, its paired change and the stable share, by level.

    The band is the margin within which a change does not matter; marks are the
    verdicts, and what could not be measured is not drawn.
    """
    figure = new_figure(4.6)
    panels = figure.subplot_mosaic([["accuracy", "stable"], ["change", "change"]])
    accuracy, stable, change = (panels[n] for n in ("accuracy", "stable", "change"))
    _titled(accuracy, "accuracy, %")
    _original(accuracy, found.levels)
    _series(accuracy, found.levels, _accuracy, BLUE, marks=True)
    accuracy.set_ylim(*_SHARES)
    _titled(change, "level - original, percentage points")
    margin = 100 * found.margin
    change.axhspan(-margin, margin, color=GRID, linewidth=0)
    change.axhline(0, color=PALE, linewidth=0.8)
    _series(change, found.levels, _change, BLUE, marks=True)
    low, high = change.get_ylim()
    change.set_ylim(min(low, -2 * margin), max(high, 2 * margin))
    _titled(stable, "stable answers, %")
    _series(stable, found.levels, _stable, GREEN)
    stable.set_ylim(*_SHARES)
    for axes in (accuracy, change, stable):
        _levels(axes, found.levels)
    _legend(figure, found.levels, f"within {margin:g} points")
    return figure


def tasks_figure(found: Ablation) -> Figure | None:
    """Draw accuracy and stable share of each task; None where there is one task."""
    tasks = list(dict.fromkeys(level.task for level in found.by_task))
    if not tasks:
        return None
    rows = math.ceil(len(tasks) / _COLUMNS)
    figure = new_figure(0.9 + _ROW * rows)
    across = min(len(tasks), _COLUMNS)
    grid = figure.subplots(rows, across, sharey=True, squeeze=False)
    every = [axes for row in grid for axes in row]
    for place, (axes, task) in enumerate(zip(every, tasks, strict=False)):
        levels = [level for level in found.by_task if level.task == task]
        _titled(axes, label(task or "", 24))
        _original(axes, levels)
        _series(axes, levels, _stable, GREEN, aside=0.14)
        _series(axes, levels, _accuracy, BLUE, marks=True, aside=-0.14)
        axes.set_ylim(*_SHARES)
        _levels(axes, levels)
        if place + across < len(tasks):  # the panel below says it
            axes.set_xlabel("")
    for axes in every[len(tasks) :]:
        axes.remove()
    for row in grid:
        row[0].set_ylabel("%")
    _legend(figure, found.by_task, None)
    return figure


def _titled(axes: Axes, title: str) -> None:
    axes.set_title(title, color=INK, fontsize=8.5)
    axes.grid(visible=True, axis="y")


def _accuracy(found: Measured) -> tuple[float, float, float]:
    value = found.accuracy
    return 100 * value.estimate, 100 * value.low, 100 * value.high


def _change(found: Measured) -> tuple[float, float, float]:
    value = found.flips.change
    return 100 * value.estimate, 100 * value.low, 100 * value.high


def _stable(found: Measured) -> tuple[float, float, float]:
    value = found.flips.stable_share
    return 100 * value.estimate, 100 * value.low, 100 * value.high


def _original(axes: Axes, levels: Sequence[Level]) -> None:
    """Draw the accuracy under the original, of the questions judged at each level."""
    shown = [
        (place, 100 * level.measured.original.estimate)
        for place, level in enumerate(levels)
        if level.measured is not None
    ]
    if not shown:
        return
    # A dash as wide as its level, so that one level alone has a line, too.
    places = [x + side for x, _ in shown for side in (-0.4, 0.4)]
    heights = [y for _, y in shown for _ in range(2)]
    axes.plot(
        places, heights, color=PALE, linewidth=1, linestyle=(0, (3, 2)), gid="original"
    )


def _series(
    axes: Axes,
    levels: Sequence[Level],
    value: _Value,
    colour: str,
    *,
    marks: bool = False,
    aside: float = 0.0,
) -> None:
    """Draw one number of each of *levels*; with *marks* its verdict, else a square.

    *aside* moves it, or one interval hides another.
    """
    shown = [
        (place + aside, level, value(level.measured))
        for place, level in enumerate(levels)
        if level.measured is not None
    ]
    for place, _, (_, low, high) in shown:
        axes.plot([place, place], [low, high], color=colour, linewidth=1.2)
    axes.plot([p for p, _, _ in shown], [v[0] for _, _, v in shown], color=colour, lw=1)
    for place, level, (estimate, _, _) in shown:
        mark, own = _MARKS[level.verdict] if marks else ("s", colour)
        axes.plot(
            place,
            estimate,
            marker=mark,
            color=own,
            markersize=5.5 if marks else 4,
            markeredgecolor=PAPER,
            markeredgewidth=0.5,
        )


def _levels(axes: Axes, levels: Sequence[Level]) -> None:
    """Name the places on the axis: numbers where the levels are of one kind."""
    parts = [level.condition.partition(":") for level in levels]
    kinds = {name for name, _, _ in parts}
    alone = kinds.pop() if len(kinds) == 1 else ""
    axes.set_xticks(
        range(len(levels)),
        [label(n if alone in AXES else f"{k}{c}{n}", 14) for k, c, n in parts],
    )
    axes.set_xlabel(AXES.get(alone, "level"))
    axes.set_xlim(-0.6, len(levels) - 0.4)
    axes.spines["bottom"].set_color(GRID)


def _legend(figure: Figure, levels: Iterable[Level], band: str | None) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found = {level.verdict for level in levels if level.measured is not None}
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=own, marker=mark, markersize=5.5, lw=1, label=verdict)
        for verdict, (mark, own) in _MARKS.items()
        if verdict in found
    ]
    dashes = (0, (3, 2))
    original = "original, same questions"
    handles.append(Line2D([], [], color=PALE, ls=dashes, lw=1, label=original))
    if band is not None:
        handles.append(Patch(color=GRID, label=band))
    else:
        stable = Line2D([], [], color=GREEN, marker="s", markersize=4, lw=1)
        stable.set_label("stable answers")
        handles.append(stable)
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=min(len(handles), 3),
        fontsize=7.5,
    )
