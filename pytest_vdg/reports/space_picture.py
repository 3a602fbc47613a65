"""The diagnostic space as a picture: benchmarks between their text and their video.

Apart from the other figures of an audit because circles, arrows and their numbers
must find room beside each other. Make it inside `drawing.drawing()`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vdg.audits.space import Place
from pytest_vdg.reports.drawing import COLOURS, INK, PALE, PAPER, label, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_AREA = 520
"""Points squared of the circle of an accuracy of 1."""
_LEAST = 40
"""Percentage points that an axis spans at the least."""


def space_figure(places: Sequence[Place]) -> Figure:
    """Draw the diagnostic space: a circle a benchmark, an arrow to where it moves.

    To the right is what text alone earns above chance, upwards what video adds; a
    circle's area is the accuracy with the video, an open one is what a filter
    leaves. Intervals are crosses; numbers are explained below the figure.
    """
    shown = _shown(places)
    figure = new_figure(3.3 + 0.17 * ((len(shown) + 1) // 2))
    axes = figure.add_subplot()
    axes.axvline(0, color=PALE, linewidth=0.8)
    axes.axhline(0, color=PALE, linewidth=0.8)
    for each in shown:
        _circle(axes, each, _AREA if len(shown) < 6 else _AREA / 3)
    for origin in places:
        for end in shown:
            if end.place is origin.moved_to:
                _arrow(axes, origin, end)
    _room(axes, shown)
    axes.set_xlabel("blind gap, percentage points (text alone above chance)")
    axes.set_ylabel("visual gain, percentage points")
    axes.grid(visible=True)
    _number(axes, shown)
    handles = [_handle(each) for each in shown]
    figure.legend(handles=handles, loc="outside lower left", ncols=2, fontsize=7)
    return figure


def _room(axes: Axes, shown: Sequence[_Shown]) -> None:
    """Leave room for circles, and draw no difference of a point as if it were one."""
    x, y = (_limits(shown, of) for of in ("blind_gap", "visual_gain"))
    axes.set_xlim(*x)
    axes.set_ylim(*y)


def _limits(shown: Sequence[_Shown], of: str) -> tuple[float, float]:
    ends = [100 * end for each in shown for end in (*getattr(each.place, of), 0.0)]
    middle = (min(ends) + max(ends)) / 2
    reach = max(max(ends) - min(ends), _LEAST) * 1.28 / 2
    return middle - reach, middle + reach


@dataclass(frozen=True, eq=False)
class _Shown:
    """One circle, its number and its colour."""

    place: Place
    number: int
    colour: str
    hollow: bool = False

    @property
    def words(self) -> str:
        p = self.place
        accuracy = f"accuracy {100 * p.accuracy:.0f}"
        return f"{self.number}  {label(p.name, 22)} (n={p.n}, {accuracy})"


def _shown(places: Sequence[Place]) -> list[_Shown]:
    """Return each circle once: several filters start from one benchmark."""
    found: list[_Shown] = []
    for each in places:
        if not any(_alike(s.place, each) for s in found):
            colour = INK if not found else COLOURS[(len(found) - 1) % len(COLOURS)]
            found.append(_Shown(each, len(found) + 1, colour))
        if each.moved_to is not None:
            colour = COLOURS[(len(found) - 1) % len(COLOURS)]
            found.append(_Shown(each.moved_to, len(found) + 1, colour, hollow=True))
    return found


def _alike(one: Place, other: Place) -> bool:
    at = one.name, one.blind_gap, one.visual_gain, one.n
    return at == (other.name, other.blind_gap, other.visual_gain, other.n)


def _circle(axes: Axes, each: _Shown, area: float) -> None:
    x, *across = (100 * v for v in each.place.blind_gap)
    y, *up = (100 * v for v in each.place.visual_gain)
    axes.plot(across, [y, y], color=each.colour, linewidth=0.8)
    axes.plot([x, x], up, color=each.colour, linewidth=0.8)
    axes.scatter(
        [x],
        [y],
        s=area * each.place.accuracy,
        facecolor="none" if each.hollow else each.colour,
        edgecolor=each.colour,
        alpha=1.0 if each.hollow else 0.4,
        linewidth=1.4,
        zorder=3,
    )


def _handle(each: _Shown) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        marker="o",
        linestyle="none",
        color=each.colour,
        markerfacecolor="none" if each.hollow else each.colour,
        markersize=6,
        label=each.words,
    )


def _number(axes: Axes, shown: Sequence[_Shown]) -> None:
    """Write beside circles their numbers, those that lie in one place together."""
    xs = [each.place.blind_gap[0] for each in shown]
    ys = [each.place.visual_gain[0] for each in shown]
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    near_x, near_y = 0.05 * (right - left) / 100, 0.07 * (top - bottom) / 100
    groups: list[list[_Shown]] = []
    for each, x, y in zip(shown, xs, ys, strict=True):
        for group in groups:
            first = group[0].place
            dx, dy = abs(first.blind_gap[0] - x), abs(first.visual_gain[0] - y)
            if dx <= near_x and dy <= near_y:
                group.append(each)
                break
        else:
            groups.append([each])
    for group in groups:
        first = group[0].place
        axes.annotate(
            ", ".join(str(each.number) for each in group),
            (100 * first.blind_gap[0], 100 * first.visual_gain[0]),
            xytext=(13, 8),
            textcoords="offset points",
            fontsize=8,
            color=INK,
            zorder=6,
            bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.8, "pad": 0.4},
        )


def _arrow(axes: Axes, start: Place, end: _Shown) -> None:
    axes.annotate(
        "",
        xy=(100 * end.place.blind_gap[0], 100 * end.place.visual_gain[0]),
        xytext=(100 * start.blind_gap[0], 100 * start.visual_gain[0]),
        arrowprops={
            "arrowstyle": "-|>",
            "color": end.colour,
            "linewidth": 1.4,
            "shrinkA": 12,
            "shrinkB": 11,
        },
        zorder=5,
    )
