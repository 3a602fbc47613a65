"""Numbers and names as tables write them: narrow, aligned, plain ASCII.

Apart from the tables so that one accuracy looks the same in all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pytest_vdg import spelling

MISSING = "-"
"""What a table shows where nothing was measured; never a zero, never a NaN."""


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
    return text[1:] if text.startswith("0.") else "1.0"


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
