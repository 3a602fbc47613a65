"""JSON read more strictly than Python does: what is ambiguous is refused.

Apart from ``tables.py`` because a line, a cell and a file are all read by it.
"""

from __future__ import annotations

import json
import math
from typing import NoReturn

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.errors import BenchmarkError


def strict_json(text: str) -> object:
    """Return what *text* says; raise `BenchmarkError` for more than JSON forbids.

    No key twice in one object, no NaN or infinite number, no end in the middle.
    """
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(error.doc.rstrip()) or "Unterminated" in error.msg
        half = "; it ends in the middle: written or copied in part" if cut else ""
        line = f"line {error.lineno} " if "\n" in error.doc else ""
        where = f"{line}column {error.colno}"
        raise BenchmarkError(f"not JSON: {error.msg} in {where}{half}") from None
    except (ValueError, RecursionError) as error:  # endless digits, endless nesting
        raise BenchmarkError(f"not JSON that can be read: {error}") from None
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BenchmarkError(f"key {shown(twice)} stands twice in one object")
    return record


def _not_finite(word: str) -> NoReturn:
    raise BenchmarkError(f"{word} is no JSON value; leave the key out or use null")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise BenchmarkError(f"{shown(digits)} is too large a number")
    return number


# Made once: `json.loads` makes one a call, which doubles the time of a short line.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_not_finite, parse_float=_finite
)
