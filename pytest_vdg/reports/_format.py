"""Numbers and names as tables write them: narrow, aligned, plain ASCII.

Apart from the tables so that one accuracy looks the same in all of them.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import compress

from pytest_vdg import spelling

MISSING = "-"
"""What a table shows where nothing was measured; never a zero, never a NaN."""
WIDTH = 80
"""Signs of a line that every terminal shows whole."""
_BRACKETS = re.compile(r"\[[^\]]*\]")
_HARD_SPACE = "\xa0"


def share(value: float | None) -> str:
    """Return an accuracy with three digits, e.g. ``.523``.

    >>> share(0.523), share(1.0), share(None)
    ('.523', '1.00', '-')
    """
    if value is None or not math.isfinite(value):
        return MISSING
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text[:4]


def points(value: float | None, digits: int = 1) -> str:
    """Return a fraction in signed percentage points, e.g. ``+18.6``.

    >>> points(0.186), points(None)
    ('+18.6', '-')
    """
    if value is None or not math.isfinite(value):
        return MISSING
    return spelling.points(value, digits)


def span(low: float, high: float) -> str:
    """Return an interval in percentage points, e.g. ``[+12.1, +25.1]``."""
    return spelling.span(points(low), points(high))


def share_span(low: float, high: float) -> str:
    """Return an interval of an accuracy, e.g. ``[.47, .58]``."""
    return spelling.span(_two_digits(low), _two_digits(high))


def _two_digits(value: float) -> str:
    text = f"{value:.2f}"
    return "1.0" if text == "1.00" else text.removeprefix("0")


def points_within(value: float, low: float, high: float) -> str:
    """Return a difference with its interval, e.g. ``+18.6 [+12.1, +25.1]``."""
    return f"{points(value)} {span(low, high)}"


def share_within(value: float, low: float, high: float) -> str:
    """Return an accuracy with its interval, e.g. ``.523 [.47, .58]``."""
    return f"{share(value)} {share_span(low, high)}"


def pvalue(value: float) -> str:
    """Return a p-value with three digits; one that is smaller is said to be.

    >>> pvalue(0.0321), pvalue(0.0002), pvalue(1.0)
    ('.032', '<.001', '1.000')
    """
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def plain(text: str, longest: int) -> str:
    """Return *text* on one line of ASCII, its middle cut where it is too long."""
    return spelling.one_line(text, longest, "..")


def columns(rows: Iterable[Sequence[str]], *, align: str) -> list[str]:
    """Return *rows* with their columns padded and two spaces between them.

    *align* has one letter a column: ``l`` or ``r``.
    """
    table = [list(row) for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if side == "l" else cell.rjust(width)
            for cell, width, side in zip(row, widths, align, strict=True)
        ).rstrip()
        for row in table
    ]


def fitted(
    rows: Iterable[Sequence[str]], *, align: str, keys: int = 1, width: int = WIDTH
) -> list[str]:
    """Return *rows* as `columns` does, the first being headings, in lines of *width*.

    Where they are wider, headings go over several lines, and what has no room
    then stands in further parts below. Each part begins with the first *keys*
    columns, which name the row; these are shortened where they leave no room. A
    cell that has no room in a part of its own goes over several lines, too.

    >>> fitted([["task", "n"], ["colour", "60"]], align="lr", width=10)
    ['task     n', 'colour  60']
    >>> fitted([["task", "is right"], ["colour", ".750"]], align="lr", width=13)
    ['task       is', '        right', 'colour   .750']
    >>> wide = [["task", "right", "chance"], ["colour", ".750", ".250"]]
    >>> fitted(wide, align="lrr", width=14)
    ['task    right', 'colour   .750', '', 'task    chance', 'colour    .250']
    """
    heads, *body = (list(row) for row in rows)
    if max(map(len, columns([heads, *body], align=align))) <= width:
        return columns([heads, *body], align=align)
    table = [*_headings(heads, body), *body]
    names = _shortened([row[:keys] for row in table], 2 * width // 3)
    room = width - sum(2 + max(map(len, column)) for column in zip(*names, strict=True))
    lines: list[str] = []
    for part in _parts([row[keys:] for row in table], room):
        cells = [[row[keys + i] for i in part] for row in table]
        shown = [
            any(cells[i]) or i >= len(table) - len(body) for i in range(len(table))
        ]
        laid = _laid(list(compress(names, shown)), list(compress(cells, shown)), room)
        aligned = align[:keys] + "".join(align[keys + i] for i in part)
        lines += [*([""] if lines else []), *columns(laid, align=aligned)]
    return lines


def _headings(heads: Sequence[str], body: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return *heads* in as many lines as it takes to be no wider than their column."""
    pieces = []
    for number, text in enumerate(heads):
        head = _BRACKETS.sub(lambda found: found[0].replace(" ", _HARD_SPACE), text)
        cells = [row[number] for row in body]
        longest = max(map(len, [*cells, *head.split(" ")]))
        lines = textwrap.wrap(head, longest, break_on_hyphens=False)
        pieces.append([line.replace(_HARD_SPACE, " ") for line in lines])
    most = max(map(len, pieces))
    return [["".join(p[line : line + 1]) for p in pieces] for line in range(most)]


def _shortened(names: Sequence[Sequence[str]], room: int) -> list[list[str]]:
    """Return *names* with the longest cut, so that their columns fit in *room*."""
    widths = [max(map(len, column)) for column in zip(*names, strict=True)]
    longest = max(widths)
    while sum(2 + min(w, longest) for w in widths) > room and longest > 8:
        longest -= 1
    return [[plain(name, longest) for name in row] for row in names]


def _parts(cells: Sequence[Sequence[str]], room: int) -> list[list[int]]:
    """Return the columns of each part: as many as fit in *room*, one at least."""
    parts: list[list[int]] = []
    left = -1
    for number, column in enumerate(zip(*cells, strict=True)):
        width = max(map(len, column))
        if left < width:
            parts.append([])
            left = room
        parts[-1].append(number)
        left -= width + 2
    return parts


def _laid(
    names: Sequence[Sequence[str]], cells: Sequence[Sequence[str]], room: int
) -> list[list[str]]:
    """Return rows of *names* and *cells*, one a line: what is too long has several."""
    laid = []
    for name, row in zip(names, cells, strict=True):
        pieces = [textwrap.wrap(cell, room) or [""] for cell in row]
        for line in range(max(map(len, pieces))):
            told = name if line == 0 else [""] * len(name)
            laid.append([*told, *("".join(p[line : line + 1]) for p in pieces)])
    return laid


def wrapped(
    text: str, *, first: str = "", later: str | None = None, width: int = WIDTH
) -> list[str]:
    """Return *text* in lines of *width*, what begins the *first* and those *later*.

    Without *later* the lines stand below each other. What has no space in it, as
    a path, stays whole.
    """
    below = " " * len(first) if later is None else later
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=below,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]
