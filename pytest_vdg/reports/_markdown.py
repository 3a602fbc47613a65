"""Foreign text in Markdown that GitHub renders: inert, whatever it says.

Apart from the summary because it is a question of safety: a reply of a model or
the name of a file must not make rows, links, pictures, mentions or headings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

# Marks of Markdown and HTML, and what GitHub makes links of even within code.
_MARKS = re.compile(r"[&<>|\\`*_~\[\]@$]|:(?=/)|(?<=www)\.", re.IGNORECASE)


def code(text: str, longest: int = 80) -> str:
    """Return *text* as code on one line; for anything that is not our own words.

    Inside ``<code>`` GitHub looks for no @mention, #reference, emoji or formula,
    and with every mark of Markdown as an entity nothing ends the code early. The
    empty text is empty.

    >>> code("a|b @me")
    '<code>a&#124;b &#64;me</code>'
    """
    line = _cut(" ".join(_spelt(text).split()), longest)
    inert = _MARKS.sub(lambda match: f"&#{ord(match[0])};", line)
    return f"<code>{inert}</code>" if line else ""


def number(text: str) -> str:
    """Return a number of ours with its interval, which stays on one line."""
    return text.replace("<", "&lt;").replace(", ", ",&nbsp;")


def block(lines: Iterable[str]) -> list[str]:
    """Return *lines* as they are, each on its own line; HTML in them is text.

    A block of HTML ends at ``</pre>``, which no line of it can hold.
    """
    return ["<pre>", *(_html(_spelt(line)) for line in lines), "</pre>"]


def folded(title: str) -> tuple[list[str], list[str]]:
    """Return the lines before and after what *title* opens; all of it is Markdown."""
    return ["<details>", f"<summary>{title}</summary>", ""], ["", "</details>", ""]


def row(cells: Iterable[str]) -> str:
    """Return one row of a table; the *cells* are Markdown already."""
    return f"| {' | '.join(cells)} |"


def heads(names: Sequence[str], align: str) -> list[str]:
    """Return the two lines that open a table; *align* has ``l`` or ``r`` a column."""
    marks = ["---:" if side == "r" else ":---" for side in align]
    return [row(names), row(marks)]


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _spelt(text: str) -> str:
    """Return *text* with what is not seen, or turns the line around, spelt out."""
    lines = re.sub(r"\r\n?|[\n\t\v\f\x85\u2028\u2029]", " ", text)
    return "".join(_seen(char) for char in lines)


def _seen(char: str) -> str:
    if char.isprintable() or char == " ":
        return char
    if unicodedata.category(char) == "Zs":
        return " "
    return f"\\u{ord(char):04x}"


def _cut(line: str, longest: int) -> str:
    return (
        line
        if len(line) <= longest
        else f"{line[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"
    )
