"""Numbers and names as the messages write them: plain ASCII, never a NaN.

Apart from ``_explain`` so that every sentence of every assertion spells a
gap, an accuracy and an id in the same way.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence

from pytest_vdg import spelling

_LONGEST_NAME = 80
_SMALLEST_PVALUE = 0.001
_LABEL_WIDTH = 10
_LINE_WIDTH = 100
_MOST_LISTED = 8

count = spelling.count


def points(fraction: float, digits: int = 1) -> str:
    """Return *fraction* in percentage points, or raise if it is no number."""
    if not math.isfinite(fraction):
        raise ValueError(f"only finite numbers are evidence, got {fraction!r}")
    return spelling.points(fraction, digits)


def pp(fraction: float) -> str:
    """Return *fraction* in percentage points with its unit, e.g. ``+1.2pp``."""
    return f"{points(fraction)}pp"


def size(fraction: float) -> str:
    """Return a margin or a drop in percentage points, unsigned."""
    return f"{points(abs(fraction))[1:]}pp"


def span(low: float, high: float) -> str:
    """Return an interval of a gap in percentage points.

    >>> span(-0.02, 0.044)
    '[-2.0, +4.4]'
    """
    return spelling.span(points(low), points(high))


def percent(share: float) -> str:
    """Return a share of one in percent, e.g. ``61.0%``."""
    return f"{points(share)[1:] if share >= 0 else points(share)}%"


def percent_span(low: float, high: float) -> str:
    """Return an interval of a share, e.g. ``[55.1, 66.6]``."""
    return spelling.span(percent(low)[:-1], percent(high)[:-1])


def apart(value: float, bound: float) -> tuple[str, str]:
    """Return both in points, with the digits it takes to tell them apart.

    A bound of 9.98 points against a floor of 10 must not read "+10.0 is not
    above +10.0".

    >>> apart(0.0998, 0.1)
    ('+9.98pp', '+10.00pp')
    """
    for digits in range(1, 7):
        texts = points(value, digits), points(bound, digits)
        if texts[0] != texts[1] or value == bound:
            break
    return f"{texts[0]}pp", f"{texts[1]}pp"


def pvalue(value: float) -> str:
    """Return a p-value with its sign of equality: ``=0.27`` or ``<0.001``."""
    if value < _SMALLEST_PVALUE:
        return f"<{_SMALLEST_PVALUE}"
    return f"={value:.3f}" if value < 0.1 else f"={value:.2f}"


def plain(text: str, longest: int = _LONGEST_NAME) -> str:
    """Return *text* on one line of plain ASCII, shortened in the middle."""
    return spelling.one_line(text, longest, "...")


def listed(items: Sequence[str], most: int = _MOST_LISTED) -> str:
    """Return the first *most* items, and how many more there are."""
    shown = ", ".join(items[:most])
    more = len(items) - most
    return f"{shown}, and {more} more" if more > 0 else shown


def listed_as(
    write: Callable[[str], str], items: Sequence[str], most: int = _MOST_LISTED
) -> str:
    """Return `listed` *items*, of which only those shown are written."""
    return listed([*map(write, items[:most]), *items[most:]], most)


def labelled(label: str, text: str) -> list[str]:
    """Return *text* behind its *label*, wrapped; tables keep their columns."""
    first = f"  {label:<{_LABEL_WIDTH}}"
    later = " " * (_LABEL_WIDTH + 2)
    lines: list[str] = []
    for number, part in enumerate(text.split("\n")):
        start = first if number == 0 else later
        lines += textwrap.wrap(
            part,
            width=_LINE_WIDTH,
            initial_indent=start,
            subsequent_indent=later,
            break_long_words=False,
            break_on_hyphens=False,
            replace_whitespace=False,
            drop_whitespace=True,
        ) or [start.rstrip()]
    return lines
