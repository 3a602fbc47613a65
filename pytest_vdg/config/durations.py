"""Times as people write them: ``90s``, ``30m``, ``2h``, ``1h30m``.

Apart from the kinds of values because option, variable, ini key and file all
take the same words, and none of them a bare number, whose unit one must guess.
"""

from __future__ import annotations

import re

EXAMPLES = "such as 90s, 30m or 2h"
_WORDS = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?")


def seconds(text: str) -> int | None:
    """Return what *text* means; None where it is no time above 0.

    >>> seconds("1h30m")
    5400
    """
    match = _WORDS.fullmatch(text)
    if match is None:
        return None
    hours, minutes, rest = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + rest or None
