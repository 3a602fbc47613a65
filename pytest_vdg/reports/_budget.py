"""Text that must fit: sections with rows, cut where the bytes run out.

Apart from what the sections say because GitHub drops a step summary that is too
long whole, counts bytes and not characters, and counts what is there already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a text: lines that open it, rows, and lines that close it."""

    opening: Sequence[str] = ()
    rows: Sequence[str] = ()
    """Lines that can be left out, the last ones first."""
    closing: Sequence[str] = ()
    what: str = "rows"
    """What the rows are called where some are left out."""


def fitted(sections: Iterable[Section], room: int, notice: str) -> str:
    """Return *sections* as text of *room* bytes of UTF-8 at most.

    Where they do not fit, the text ends with *notice*, in which ``{left}`` tells
    what was left out. Empty where there is room for nothing but the notice.
    """
    whole = [each for each in sections if _lines(each)]
    text = _text(line for each in whole for line in _lines(each))
    if _size(text) <= room:
        return text
    longest = max((each.what for each in whole), key=_size)
    most = f"9999999 {longest} and 9999999 sections"
    end = _text(["", notice.replace("{left}", most), ""])
    room -= _size(end)
    kept: list[str] = []
    dropped, lost = 0, 0
    for section in whole:
        frame = _size(_text([*section.opening, *section.closing]))
        if dropped or lost or frame > room:
            lost += 1
            continue
        room -= frame
        rows = _first(section.rows, room)
        room -= _size(_text(rows))
        dropped = len(section.rows) - len(rows)
        left = f"{dropped} {section.what}"
        kept += [*section.opening, *rows, *section.closing]
    parts = [left] if dropped else []
    parts += [f"{lost} section{'s' if lost > 1 else ''}"] if lost else []
    told = notice.replace("{left}", " and ".join(parts))
    return _text([*kept, "", told]) if kept else ""


def _lines(section: Section) -> list[str]:
    return [*section.opening, *section.rows, *section.closing]


def _first(rows: Sequence[str], room: int) -> list[str]:
    kept = []
    for row in rows:
        room -= _size(row) + 1
        if room < 0:
            break
        kept.append(row)
    return kept


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _size(text: str) -> int:
    return len(text.encode("utf-8"))
