"""Single values of a record, checked: loaders share them, and their words.

Apart from ``options.py``, which is about what is asked; these say which
question it is and which video it is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks.options import by_index, lettered, without_padding
from pytest_vdg.benchmarks.schema import Option
from pytest_vdg.errors import BenchmarkError

Record = Mapping[str, object]


def text_at(record: Record, key: str) -> str:
    """Return the text at *key*; `KeyError` without it, an error if it is no text."""
    value = record[key]
    if not isinstance(value, str):
        raise BenchmarkError(f"{key} must be text, got {shown(value)}")
    return value


def name_at(record: Record, key: str) -> str:
    """Return the text or whole number at *key* as text: tables keep ids as either."""
    value = record[key]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_at(record, key)


def number_at(record: Record, key: str) -> float:
    """Return the finite number at *key*."""
    value = record[key]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise BenchmarkError(f"{key} must be a number, got {shown(value)}")


def list_at(record: Record, key: str) -> Sequence[object]:
    """Return the list at *key*."""
    value = record[key]
    if not isinstance(value, (list, tuple)):
        raise BenchmarkError(f"{key} must be a list, got {shown(value)}")
    return value


def kept(record: Record, keys: Iterable[str]) -> dict[str, object]:
    """Return those of *keys* that *record* says something about."""
    return {key: record[key] for key in keys if record.get(key) is not None}


def numbered(
    texts: Sequence[object], answer: object, *, padding: Sequence[str] = ("",)
) -> tuple[tuple[Option, ...], str]:
    """Return lettered options, and the label of the one at place *answer* from 0.

    Texts that are *padding* are left out, but *answer* counts them.
    """
    place = by_index(answer, len(texts))
    filled = without_padding(texts, padding=padding)
    if place not in filled:
        raise BenchmarkError(f"answer {shown(answer)} is an option without text")
    options = lettered(list(filled.values()))
    return options, options[list(filled).index(place)].label
