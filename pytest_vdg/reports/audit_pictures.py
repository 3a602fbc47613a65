"""Figures of an audit and of a filter: numbers in, a matplotlib ``Figure`` out.

Apart from the figures of a run because here many models answer, and thresholds are
swept. Make them inside `drawing.drawing()`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vdg.audits.audit import Audit
from pytest_vdg.audits.filters import Sweep
from pytest_vdg.audits.measures import RUNGS, Measures
from pytest_vdg.audits.space import Place, place
from pytest_vdg.reports.drawing import (
    BLUE,
    COLOURS,
    INK,
    ORANGE,
    PALE,
    chance_line,
    label,
    new_figure,
)
from pytest_vdg.reports.pictures import Row, rows_figure
from pytest_vdg.stats.filtering import THRESHOLD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKS = ("o", "s", "^", "D")


def sweep_figure(swept: Sequence[Sweep], tau: float | None = THRESHOLD) -> Figure:
    """Draw what each threshold leaves: gap and gain, and the number of questions.

    One panel a score; dashes are the values of the whole benchmark, the upright
    stroke in the panel of S is *tau*.
    """
    figure = new_figure(2.6, width=7.2)
    every = figure.subplots(1, len(swept), sharey=True, squeeze=False)[0]
    ends = [
        100 * v
        for s in swept
        for row in (*s.rows, s.full)
        for v in (row.blind_gap, row.visual_gain)
        if v is not None
    ]
    for number, (axes, each) in enumerate(zip(every, swept, strict=True)):
        _sweep(axes, each, last=number == len(swept) - 1)
        axes.set_ylim(min(ends) - 8, max(ends) + 8)
        if each.score == "S" and tau is not None:
            axes.axvline(tau, color=INK, linewidth=0.9)
    every[0].set_ylabel("percentage points")
    handles, names = every[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=3, fontsize=7.5)
    return figure


def _sweep(axes: Axes, swept: Sweep, *, last: bool) -> None:
    for name, colour, mark in (
        ("blind gap", BLUE, "o"),
        ("visual gain", ORANGE, "s"),
    ):
        key = name.replace(" ", "_")
        shown = [
            (row.threshold, 100 * value)
            for row in swept.rows
            if (value := getattr(row, key)) is not None
        ]
        axes.plot(
            [x for x, _ in shown],
            [y for _, y in shown],
            color=colour,
            marker=mark,
            markersize=2.6,
            linewidth=1.2,
            label=name,
        )
        whole = getattr(swept.full, key)
        if whole is not None:
            axes.axhline(
                100 * whole, color=colour, linewidth=0.8, linestyle=(0, (4, 3))
            )
    axes.axhline(0, color=PALE, linewidth=0.6)
    sizes = axes.twinx()
    sizes.plot(
        [row.threshold for row in swept.rows],
        [row.n for row in swept.rows],
        color=PALE,
        linewidth=1.2,
        linestyle=":",
    )
    axes.plot([], [], color=PALE, linewidth=1.2, linestyle=":", label="questions left")
    sizes.set_ylim(0, 1.08 * swept.full.n)
    sizes.tick_params(
        axis="y", labelcolor=PALE, labelsize=7, labelright=last, right=last
    )
    if last:
        sizes.set_ylabel("questions left", color=PALE)
    axes.set_xlabel(f"keep {swept.score} \u2264 \u03c4")
    axes.grid(visible=True, axis="y")


def spectrum_figure(audit: Audit) -> Figure | None:
    """Draw VDG by task of the leading model or mean; None where it was not measured."""
    lead = audit.leading
    if lead is None or "VDG" not in lead.gains:
        return None
    rows = [
        Row(
            name=each.task or "all tasks",
            estimate=gap.estimate,
            low=gap.low,
            high=gap.high,
            note=f"n={each.n}",
            strong=each.task is None,
        )
        for each in audit.measures
        if each.who == lead.who and (gap := each.gains.get("VDG")) is not None
    ]
    rows = [rows[0], *sorted(rows[1:], key=lambda row: -row.estimate)]
    return rows_figure(rows, f"VDG, percentage points, {label(lead.who, 40)}")


def ladder_figure(audit: Audit) -> Figure | None:
    """Draw each video model's accuracy from black to the video, against chance."""
    shown = [m for m in audit.measures if m.kind == "video" and m.task is None]
    shown = [m for m in shown if sum(name in m.above for name in RUNGS) > 1]
    if not shown:
        return None
    names = ("text_only", *RUNGS, "reversed")
    figure = new_figure(2.9)
    axes = figure.add_subplot()
    for number, each in enumerate(shown):
        _rungs(axes, each, names, number, len(shown))
    chance_line(axes, shown[0].chance, len(names) - 1)
    axes.set_xticks(range(len(names)), [n.replace("_", "\n") for n in names])
    axes.set_ylim(0, 105)
    axes.set_ylabel("accuracy, %")
    axes.grid(visible=True, axis="y")
    if len(shown) > 1:
        figure.legend(loc="outside upper left", ncols=2, fontsize=7.5)
    return figure


def _rungs(
    axes: Axes, each: Measures, names: Sequence[str], number: int, of: int
) -> None:
    aside = 0.1 * (number - (of - 1) / 2)  # or one interval hides another
    mean = each.members > 1
    colour = INK if mean else COLOURS[number % len(COLOURS)]
    there = [(i + aside, each.above[n]) for i, n in enumerate(names) if n in each.above]
    for at, value in there:
        low, high = (100 * (end + value.chance) for end in (value.low, value.high))
        axes.plot([at, at], [low, high], color=colour, linewidth=1)
    axes.plot(
        [at for at, _ in there],
        [100 * value.accuracy for _, value in there],
        color=colour,
        linewidth=2 if mean else 1.2,
        marker=_MARKS[number % len(_MARKS)],
        markersize=4.5,
        label=label(each.who, 40),
    )


def audit_places(audit: Audit) -> list[Place]:
    """Return where the benchmark lies, then each of its tasks, by the leading model."""
    lead = audit.leading
    if lead is None:
        return []
    found = [
        place(each, each.task or audit.slice_name)
        for each in audit.measures
        if each.who == lead.who
    ]
    return [each for each in found if each is not None]
