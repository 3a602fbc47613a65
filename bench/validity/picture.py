"""Coverage and false verdicts of every cell, as a picture.

Apart from the tables because a table shows the worst and a picture the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.validity.grid import SIZES, Cell
from bench.validity.report import DRAWN, HIGHEST, KINDS, LOWEST, kind

_KINDS = dict(zip(KINDS, ("#2b6a99", "#e08214", "#999999"), strict=True))
_LOWEST_SHOWN, _MOST_SHOWN = 0.80, 0.15
"""What lies beyond is drawn at the edge."""


def draw_cells(cells: Sequence[Cell], path: Path) -> None:
    """Write the picture of *cells* to *path*."""
    figure = Figure(figsize=(11, 6.4), layout="constrained", dpi=110)
    axes = figure.subplots(2, len(DRAWN), sharex=True, sharey="row")
    for column, method in enumerate(DRAWN):
        of_method = [c for c in cells if c.method == method]
        _coverage(axes[0, column], of_method)
        _errors(axes[1, column], of_method)
        axes[0, column].set_title(method)
        axes[1, column].set_xlabel("questions")
    axes[0, 0].set_ylabel("95 % intervals that hold the truth")
    axes[1, 0].set_ylabel("one-sided 95 % bounds beyond the truth")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=len(labels), frameon=False
    )
    figure.savefig(path, metadata={"Software": ""})


def _coverage(axes: Axes, cells: Sequence[Cell]) -> None:
    axes.axhspan(LOWEST, HIGHEST, color="#2b6a99", alpha=0.10, lw=0)
    axes.axhline(0.95, color="black", lw=0.8)
    _scatter(axes, cells, lambda c: [max(c.interval.held, _LOWEST_SHOWN)])
    axes.set_ylim(_LOWEST_SHOWN - 0.008, 1.004)
    marks = [_LOWEST_SHOWN, 0.85, 0.9, LOWEST, 0.95, HIGHEST, 1]
    axes.set_yticks(marks, [f"{100 * mark:g}%" for mark in marks])


def _errors(axes: Axes, cells: Sequence[Cell]) -> None:
    axes.axhline(0.05, color="black", lw=0.8)
    _scatter(
        axes,
        cells,
        lambda c: [min(x, _MOST_SHOWN) for x in (c.bounds.above, c.bounds.below)],
    )
    axes.set_ylim(-0.003, _MOST_SHOWN + 0.004)
    marks = [0, 0.025, 0.05, 0.075, 0.1, _MOST_SHOWN]
    axes.set_yticks(marks, [f"{100 * mark:g}%" for mark in marks])


def _scatter(axes: Axes, cells: Sequence[Cell], shares: object) -> None:
    rng = np.random.default_rng(0)  # of the sideways jitter only
    for place, (name, colour) in enumerate(_KINDS.items()):
        points = [
            (c.n, share)
            for c in cells
            if kind(c) == name
            for share in shares(c)  # type: ignore[operator]
        ]
        if not points:
            continue
        n, y = np.array(points).T
        x = n * np.exp(0.22 * (place - 1) + rng.uniform(-0.08, 0.08, len(n)))
        axes.scatter(x, y, s=7, color=colour, alpha=0.6, lw=0, label=name)
    axes.set_xscale("log")
    axes.set_xticks(SIZES, [f"{n}" for n in SIZES])
    axes.minorticks_off()
