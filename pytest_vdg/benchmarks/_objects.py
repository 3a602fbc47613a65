"""The JSON objects in a reply, and what they give as the answer.

Apart from ``answers.py`` because it knows no options: what the values mean is
read there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_KEYS = frozenset({"answer", "final_answer", "choice", "option", "label"})
_DECODER = json.JSONDecoder(object_pairs_hook=list)
"""Keeps keys that are there twice, each of which may be an answer."""
_TRIES = 20


def answers_in(text: str) -> tuple[list[str] | None, str]:
    """Return the answers that objects in *text* give, and what is beside them.

    The answers are None where no object has one, and a value that is no text
    and no number is ``""``, which chooses nothing.
    """
    found: list[str] = []
    beside: list[str] = []
    at = 0
    for start, end, pairs in _objects(text):
        answers = [_said(v) for k, v in pairs if k.strip().casefold() in _KEYS]
        if answers:
            found += answers
            beside.append(text[at:start])
            at = end
    if not found:
        return ([] if _is_object(text) else None), text
    return found, "".join([*beside, text[at:]])


def _is_object(text: str) -> bool:
    """Return whether all of *text* is an object: then nothing else is said."""
    first = next(_objects(text), None)
    return first is not None and first[:2] == (0, len(text))


def _objects(text: str) -> Iterator[tuple[int, int, list[tuple[str, object]]]]:
    at = 0
    for _ in range(_TRIES):
        brace = re.compile(r"\{\s*\"").search(text, at)
        if brace is None:
            return
        try:
            value, end = _DECODER.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            at = brace.end()
            continue
        if value:
            yield brace.start(), end, value
        at = end


def _said(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value)
