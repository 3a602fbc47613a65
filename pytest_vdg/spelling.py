"""How numbers and foreign text are spelt: points, times, ids, one line of ASCII.

Apart from ``assertions`` and ``reports``, which may not import each other, so
that a gap reads the same in the message of a claim and in a table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
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


def detectable(fraction: float, unit: str = "") -> str:
    """Return the smallest change that a slice could have shown, in points.

    Nothing changes by more than there is: what needs more than 100 points is
    no size of a change, but says that none could have been shown.

    >>> detectable(0.042, "pp"), detectable(1.0), detectable(1.138, "pp")
    ('4.2pp', '100.0', 'none')
    """
    return "none" if fraction > 1 else f"{points(fraction)[1:]}{unit}"


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


def size(number: int) -> str:
    """Return a size in bytes in three digits, e.g. ``1.25 MB``.

    >>> size(999), size(1_250_000)
    ('999 B', '1.25 MB')
    """
    amount, unit = float(number), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 999.5:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} B" if unit == "B" else f"{amount:.3g} {unit}"


def moment() -> str:
    """Return this moment as files keep it: ISO 8601 with zone, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def plain_id(name: str) -> str:
    r"""Return *name* without what people and files mix up in ids.

    That is case, space around it and Unicode form: ids that are alike in this are
    one id, in a benchmark as in answers that are joined by it.

    >>> plain_id(" Q1"), plain_id("\uff31\uff11")
    ('q1', 'q1')
    """
    # Text of ASCII is its own normal form, and most ids are.
    same = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return same.strip().casefold()


def spelt_twice(placed: Iterable[tuple[str, str]]) -> str | None:
    """Return which id is spelt in two ways, in words, or None where none is.

    *placed* are pairs of place and id; ids count as one by `plain_id`.

    >>> spelt_twice([("row 1", "q1"), ("row 2", "q2"), ("row 3", "q1")])
    >>> print(spelt_twice([("row 1", "q1"), ("row 2", "Q1")]).partition(",")[0])
    row 2: id 'Q1' is 'q1' in row 1
    """
    first: dict[str, tuple[str, str]] = {}
    for place, name in placed:
        there, earlier = first.setdefault(plain_id(name), (place, name))
        if earlier != name:
            # Two forms of one letter look alike: escapes tell them apart.
            return (
                f"{place}: id {name!a} is {earlier!a} in {there}, but for case, space "
                "or Unicode form. Spell one question one way"
            )
    return None


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
