"""The options of a logged question and its key, from any of their written forms.

Apart from the readers because they differ in columns, not in how a list of
options can be written down. Nothing is guessed: what does not read as options
gives None, and whoever imports is asked for the benchmark.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_vdg.benchmarks.options import (
    by_index,
    by_label,
    by_line,
    by_text,
    embedded,
    lettered,
    split_options,
)
from pytest_vdg.benchmarks.schema import Option
from pytest_vdg.errors import BenchmarkError
from pytest_vdg.logs.answers import KeyKind

_LINE = re.compile(r"\s*\(?([A-Z])\s*[.):]\s*(?=\S)")


def as_mapping(options: Sequence[Option]) -> dict[str, str]:
    """Return label to text, in the order shown, space made one."""
    return {o.label: " ".join(o.text.split()) for o in options}


def offered(value: object) -> dict[str, str] | None:
    """Return the options in *value*: a list, an object, or either as text.

    Texts that begin with a label keep it, wherever they stand; others are
    labelled A, B, ... None for nothing.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, Mapping):
        return {str(k): " ".join(str(v).split()) for k, v in value.items()}
    if not isinstance(value, Sequence) or not all(isinstance(v, str) for v in value):
        raise BenchmarkError(f"options {value!r:.60} are no list of texts")
    try:
        return as_mapping(embedded(value))
    except BenchmarkError:
        return as_mapping(lettered(value))


def _from_text(value: str) -> dict[str, str] | None:
    for read in (json.loads, ast.literal_eval):
        try:
            found: Any = read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, (list, tuple, dict)):
            return offered(found)
    return as_mapping(split_options(value))


def from_prompt(prompt: str) -> tuple[str, dict[str, str] | None]:
    """Return the text before the options of *prompt*, and the options.

    They are the one block of neighbouring lines that begin with labels A to
    the last without a gap, in any order. All of *prompt* and None where there
    is no such block, or more than one.
    """
    lines = prompt.split("\n")
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines):
        if not _LINE.match(line):
            continue
        if blocks and blocks[-1][0] + len(blocks[-1][1]) == number:
            blocks[-1][1].append(line)
        else:
            blocks.append((number, [line]))
    found = []
    for start, block in blocks:
        try:
            options = embedded(block)
        except BenchmarkError:
            continue
        if len(options) > 1:
            found.append((start, options))
    if len(found) != 1:
        return prompt, None
    start, options = found[0]
    return "\n".join(lines[:start]).strip(), as_mapping(options)


def key_of(value: str, options: Mapping[str, str], kind: KeyKind) -> str:
    """Return the label that the key *value* names.

    A number is taken for a place from 0 only under *kind* ``index``. Raises
    `BenchmarkError` where it names no option, or could name two.
    """
    listed = tuple(Option(label=k, text=v) for k, v in options.items())
    if kind == "index":
        if value in options:  # the letter, where another version wrote the number
            return value
        return listed[by_index(value, len(listed))].label
    if value in options and value not in options.values():
        return value
    resolved = (_tried(way, value, listed) for way in (by_label, by_text, by_line))
    found = {label for label in resolved if label is not None}
    if len(found) == 1:
        return found.pop()
    how = "none" if not found else "more than one"
    shown = ", ".join(f"{k}. {v}" for k, v in options.items())
    raise BenchmarkError(f"key {value!r:.60} is {how} of the options ({shown:.200})")


def _tried(
    way: Callable[[str, Sequence[Option]], str], value: str, options: Sequence[Option]
) -> str | None:
    try:
        return way(value, options)
    except BenchmarkError:
        return None
