"""How numbers and foreign text are spelt: points, times, one line of ASCII.

Apart from ``assertions`` and ``reports``, which may not import each other, so
that a gap reads the same in the message of a claim and in a table.
"""

from __future__ import annotations

from datetime import datetime, timezone


def points(fraction: float, digits: int = 1) -> str:
    """Return a finite *fraction* in percentage points with its sign.

    What rounds to zero keeps its side: an interval that ends at -0.0 lies
    below zero, and that can decide a verdict.

    >>> points(0.0123), points(-0.0001), points(0.0)
    ('+1.2', '-0.0', '+0.0')
    """
    # The addition turns the float -0.0, which has no side, into 0.0.
    return f"{100 * fraction + 0.0:+.{digits}f}"


def span(low: str, high: str) -> str:
    """Return an interval whose ends are written already.

    >>> span("-2.0", "+4.4")
    '[-2.0, +4.4]'
    """
    return f"[{low}, {high}]"


def count(number: int, noun: str) -> str:
    """Return *number* with its *noun*, in the plural where it is one.

    >>> count(1, "question"), count(240, "question")
    ('1 question', '240 questions')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a time in its largest fitting unit.

    >>> duration(0.0), duration(0.4), duration(41.2), duration(700), duration(12600)
    ('0 s', '<1 s', '41 s', '12 min', '3.5 h')
    """
    if 0 < seconds < 1:
        return "<1 s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def moment() -> str:
    """Return this moment as files keep it: ISO 8601 with zone, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def one_line(text: str, longest: int, gap: str) -> str:
    r"""Return *text* on one line of plain ASCII, with a *gap* where it is too long.

    Ids, paths and reasons come from files and exceptions of others.

    >>> one_line("no\nsuch file: \u00e4", 80, "...")
    'no such file: \\xe4'
    >>> one_line("a_very_long_name.mp4", 10, "..")
    'a_ve...mp4'
    """
    line = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    line = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in line)
    if len(line) <= longest:
        return line
    tail = (longest - len(gap)) // 2
    head = longest - len(gap) - tail
    return f"{line[:head]}{gap}{line[len(line) - tail :]}"
