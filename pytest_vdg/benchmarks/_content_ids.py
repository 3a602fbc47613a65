"""`ContentIds`: ids for records that are published without any.

Apart from the loaders because several benchmarks give none, and a place in a
file would be another question's id as soon as one record comes or goes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence


class ContentIds:
    """Names records by what they ask."""

    def __init__(self) -> None:
        """Start without having seen any."""
        self._seen: Counter[tuple[str, str]] = Counter()

    def new(
        self,
        group: str,
        content: Sequence[str],
        answer: object,
        odd: Callable[[str], None],
    ) -> str:
        """Return an id under *group* made of *content*.

        A record that repeats another, answer and all, gets a number behind, and
        *odd* is told. One that gives another answer gets the same id, by which
        both are refused.
        """
        text = json.dumps(list(content), ensure_ascii=True)
        name = f"{group}/{hashlib.sha256(text.encode('ascii')).hexdigest()[:8]}"
        key = (name, repr(answer))
        self._seen[key] += 1
        times = self._seen[key]
        if times == 1:
            return name
        odd(f"repeats question {name}, answer and all")
        return f"{name}-{times}"
