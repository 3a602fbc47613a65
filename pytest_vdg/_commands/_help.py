"""How help is laid out: two columns of plain text that fit 80 characters.

Apart from ``cli`` so that there is one style for all commands, whatever the
version of the library that collects what stands in it.
"""

from __future__ import annotations

import re
import sys
import textwrap
import types
from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from pytest_vdg._commands._output import write

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

WIDTH = 80
_LABEL = 24
"""Where the second column starts; a longer label has a line of its own."""
_VALUES = {int: "N", float: "X", str: "TEXT"}
"""What stands for the value of an option of a type that has no name of its own."""
_TYPED = re.compile(r"(--[\w-]+) [A-Z]+")


class Help:
    """Formatter of help pages, in the library's terms."""

    def __init__(self, order: Sequence[str] = ()) -> None:
        """Take the *order* of commands; others follow by name."""
        self._rank = {name: rank for rank, name in enumerate(order)}

    def render_usage(
        self,
        console: Console,
        options: ConsoleOptions,  # noqa: ARG002 - the protocol's
        usage: object,
    ) -> None:
        """Write the line of usage, without types of values."""
        text = _TYPED.sub(r"\1 ...", _plain(usage)).removeprefix("Usage: ")
        indent = " " * len("Usage: ")
        _write(console, [*_wrapped(f"Usage: {text}", indent), ""])

    def render_description(
        self,
        console: Console,
        options: ConsoleOptions,  # noqa: ARG002 - the protocol's
        description: object,
    ) -> None:
        """Write what a command does as it is laid out in its docstring."""
        _write(console, [*_plain(description).splitlines(), ""])

    def __call__(
        self,
        console: Console,
        options: ConsoleOptions,  # noqa: ARG002 - the protocol's
        panel: HelpPanel,
    ) -> None:
        """Write one group of commands, arguments or options."""
        if not panel.entries:
            return
        entries = list(panel.entries)
        if panel.format == "command":
            last = len(self._rank)
            entries.sort(key=lambda e: self._rank.get((*e.names, "")[0], last))
        lines = [line for entry in entries for line in _entry(entry)]
        _write(console, [f"{_title(panel)}:", *lines, ""])


def _title(panel: HelpPanel) -> str:
    title = _plain(panel.title)
    return "Options" if title == "Parameters" else title


def _entry(entry: HelpEntry) -> list[str]:
    label = "  " + ", ".join(_names(entry))
    value = _value(entry) if label.lstrip().startswith("--") else ""
    label += f" {value}" if value else ""
    text = _plain(entry.description).strip().removesuffix(".")
    notes = _notes(entry)
    told = f"{text} ({'; '.join(notes)})" if notes else text
    told = " ".join(told.split())
    if not told:
        return [label]
    indent = " " * _LABEL
    if len(label) + 2 > _LABEL:
        return [label, *_wrapped(indent + told, indent)]
    return _wrapped(f"{label:<{_LABEL}}{told}", indent)


def _names(entry: HelpEntry) -> tuple[str, ...]:
    label = getattr(entry, "positional_label", None)  # before 5.0 one of the names
    return (*((label,) if label else ()), *entry.names, *entry.shorts)


def _notes(entry: HelpEntry) -> list[str]:
    notes = [", ".join(entry.choices)] if entry.choices else []
    if entry.required:
        notes.append("required")
    if entry.default not in (None, "", '""'):
        notes.append(f"default: {entry.default}")
    return notes


def _value(entry: HelpEntry) -> str:
    """Return what stands for the value of an option; nothing for a flag."""
    if entry.type is None:
        return ""  # --help
    return value_of(entry.type)


def value_of(hint: Any) -> str:  # noqa: ANN401 - a type as it is written
    """Return what stands for a value of type *hint* in help and in advice.

    >>> value_of(int), value_of(float | None), value_of(list[str]), value_of(bool)
    ('N', 'X', 'TEXT ...', '')
    """
    kinds = [each for each in get_args(hint) if each is not type(None)]
    if get_origin(hint) in (Union, types.UnionType):
        return value_of(kinds[0])
    if get_origin(hint) is list:
        return f"{value_of(kinds[0])} ..."
    if hint is bool:
        return ""
    if get_origin(hint) is Literal:
        return "CHOICE"
    return _VALUES.get(hint) or str(hint.__name__).upper()


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def _plain(shown: object) -> str:
    """Return the words of what the library would show, in as many lines."""
    if isinstance(shown, str) or shown is None:
        return shown or ""
    from rich.console import Console

    page = Console(file=StringIO(), width=10_000, no_color=True, highlight=False)
    with page.capture() as caught:
        page.print(shown, end="")
    return "\n".join(line.rstrip() for line in caught.get().splitlines()).strip("\n")


def _write(console: Console, lines: Sequence[str]) -> None:
    # Not `print`, which would wrap and colour.
    if console.file is sys.stdout:
        write("".join(f"{line}\n" for line in lines))
    else:
        console.out("\n".join(lines), highlight=False)
