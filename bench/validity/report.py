"""Cells as tables that people read, put between the marks of a page.

Apart from the page, which is prose: a number that is measured stands between
marks and is written by the command, never by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bench.validity.bootstrapped import NAME
from bench.validity.grid import INDEPENDENT, SHAPES, SIZES, Cell
from bench.validity.losses import LossCell
from bench.validity.planned import PlanCell

LOWEST, HIGHEST = 0.93, 0.975
"""Where nominal 95 % intervals are meant to lie, from 50 questions on."""
FROM = 50
METHODS = ("gap", "accuracy", "change of a gap", NAME)
DRAWN = METHODS[:3]
"""Methods of the picture: measured over the whole grid."""
HARSH = {shape.name for shape in SHAPES if shape.harsh}

KINDS = ("1 question a video", "3-10 a video", "harsh")
Row = Sequence[str]


def put(text: str, blocks: Mapping[str, str]) -> str:
    """Return a page with each of *blocks* between its marks."""
    for name, block in blocks.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end {name} -->"
        if (text.count(start), text.count(end)) != (1, 1):
            raise ValueError(f"the page needs one place for {name!r}: {start}{end}")
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}{block}\n{end}{after}"
    return text


def table(head: Row, rows: Iterable[Row]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def percent(share: float) -> str:
    """Return a share in percent with one digit, without the sign."""
    return f"{100 * share:.1f}"


def kind(cell: Cell) -> str:
    """Return to which of three kinds of slice a cell belongs."""
    if cell.shape == INDEPENDENT:
        return KINDS[0]
    return KINDS[2] if cell.shape in HARSH else KINDS[1]


def in_short(
    cells: Sequence[Cell], losses: Sequence[LossCell], plans: Sequence[PlanCell]
) -> str:
    """Return the main results, one a line."""
    lines = []
    for name in KINDS:
        parts = []
        for method in DRAWN:
            held = [
                c.interval.held
                for c in cells
                if (c.method, kind(c)) == (method, name) and c.n >= FROM
            ]
            narrow = sum(h < LOWEST for h in held)
            parts.append(f"{method} {percent(min(held))} ({narrow} of {len(held)})")
        lines.append(
            f"**{name}**, from 50 questions on: lowest coverage, and cells below 93: "
            + ", ".join(parts)
        )
    ordinary = [c for c in losses if c.n >= FROM and c.shape not in HARSH]
    alarms = max(c.error for c in ordinary if not c.lost)
    passes = max(c.error for c in ordinary if c.lost)
    lines.append(
        "**A regression is called** where nothing was lost in at most "
        f"{percent(alarms)} of 100 slices; a loss of the margin passes in at most "
        f"{percent(passes)} (harsh slices left out)"
    )
    off = [c.off for c in plans]
    lines.append(
        f"**The planner** promises 80 % power and is off by {100 * min(off):+.1f} to "
        f"{100 * max(off):+.1f} points"
    )
    return "\n".join(f"- {line}." for line in lines)


def coverage_table(cells: Sequence[Cell]) -> str:
    """Return lowest and highest coverage by method, kind of slice and n."""
    rows = []
    for method in METHODS:
        for name in KINDS:
            chosen = [c for c in cells if c.method == method and kind(c) == name]
            if not chosen:
                continue
            rows.append([method, name, *(_range(chosen, n) for n in SIZES)])
    return table(["interval", "slices", *(f"n={n}" for n in SIZES)], rows)


def _range(cells: Sequence[Cell], n: int) -> str:
    held = [c.interval.held for c in cells if c.n == n]
    if not held:
        return ""
    low, high = min(held), max(held)
    text = f"{percent(low)}-{percent(high)}"
    return f"**{text}**" if low < LOWEST and n >= FROM else text


def outside(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells that are not where they are meant to be, the worst first."""
    return sorted(
        (c for c in cells if c.n >= FROM and not LOWEST <= c.interval.held <= HIGHEST),
        key=lambda c: c.interval.held,
    )


def why(cell: Cell) -> str:
    """Return the reason for which a cell lies outside."""
    if cell.interval.held > HIGHEST:
        return _why_cautious(cell)
    if cell.exact:
        return "discrete: one count more or less decides"
    if cell.carrying / cell.n <= 0.1:
        return "rare answers bunched on a few videos that a slice may miss"
    if cell.videos < 15:
        return "design effect measured on very few videos"
    return "design effect is an estimate, for which t nearly makes up"


def _why_cautious(cell: Cell) -> str:
    if cell.carrying < 5:
        return "caution: fewer than 5 questions carry it; samples often show none"
    return "caution: the wider of two intervals, with t, where videos are few"


def counts_outside(cells: Sequence[Cell]) -> str:
    """Return how many cells lie outside, by method, side and reason."""
    rows = []
    for method in METHODS:
        of_method = [c for c in cells if c.method == method and c.n >= FROM]
        beyond = outside(of_method)
        for reason in sorted({why(c) for c in beyond}):
            found = [c for c in beyond if why(c) == reason]
            held = [c.interval.held for c in found]
            rows.append(
                [
                    method,
                    f"{len(found)} of {len(of_method)}",
                    f"{percent(min(held))}-{percent(max(held))}",
                    reason,
                ]
            )
    return table(["interval", "cells", "coverage", "reason"], rows)


def list_outside(cells: Sequence[Cell]) -> str:
    """Return every cell outside, one a row."""
    rows = [
        [
            c.method,
            c.setting,
            c.shape,
            str(c.n),
            str(c.videos),
            f"{c.carrying:.1f}",
            f"{percent(c.interval.held)} {_error(c)}",
            why(c),
        ]
        for c in outside(cells)
    ]
    head = ["interval", "truth", "slice", "n", "videos", "carrying", "coverage", "why"]
    return table(head, rows)


def _error(cell: Cell) -> str:
    return "(exact)" if cell.exact else f"± {percent(cell.interval.error)}"
