"""The words of questions and options, so that "plays" meets "playing".

Apart from the baselines because all of them must mean the same by a word, and
because every language has some: what is not known of one is left as it is.
"""

from __future__ import annotations

import re
import unicodedata

_SINGLE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Signs of scripts without spaces: each stands for itself."""
_WORD = re.compile(rf"[{_SINGLE}]|[^\W_{_SINGLE}]+")
_ENDINGS = ("ing", "ies", "ied", "ed", "es", "s")
_SHORTEST = 3
"""Letters that are left of a word at least."""
ASKING = frozenset(("how", "what", "when", "where", "which", "who", "whom", "why"))
"""Words that tell which kind of answer fits, common as they are."""
STOP = ASKING | frozenset(
    (
        "a", "an", "and", "are", "as", "at", "be", "been", "being", "by", "can",
        "could", "did", "do", "does", "for", "from", "had", "has", "have", "he",
        "her", "his", "in", "is", "it", "its", "of", "on", "or", "she", "that",
        "the", "their", "them", "there", "these", "they", "this", "those", "to",
        "was", "were", "will", "with", "would",
    )
)  # fmt: skip
"""Words that two texts share whatever they are about."""


def words(text: str) -> tuple[str, ...]:
    """Return the words of *text* in order, without regard to case and endings.

    >>> words("The boys are playing; the BOY plays.")
    ('the', 'boy', 'are', 'play', 'the', 'boy', 'play')
    >>> words("L'été à Zürich")
    ('l', 'été', 'à', 'zürich')
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_stem(word) for word in _WORD.findall(plain))


def telling(found: tuple[str, ...]) -> frozenset[str]:
    """Return the words that tell what a text is about.

    >>> sorted(telling(words("What is the colour of the shapes?")))
    ['colour', 'shap']
    """
    return frozenset(found) - STOP


def holds(text: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Return whether the words *part* stand in *text*, one after the other.

    >>> holds(words("a dark red square"), words("dark red"))
    True
    >>> holds(words("a red square"), words("dark red"))
    False
    """
    length = len(part)
    return length > 0 and any(
        text[i : i + length] == part for i in range(len(text) - length + 1)
    )


def _stem(word: str) -> str:
    if word.endswith("ss") or not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            word = word.removesuffix(ending)
            doubled = len(word) > _SHORTEST and word[-1] == word[-2]
            word = word[:-1] if doubled and ending in ("ing", "ed") else word
            break
    return word.removesuffix("e") if len(word) > _SHORTEST else word  # move, moving
