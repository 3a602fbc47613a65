"""The words around an answer: what announces, joins, denies and ends one.

Apart from ``answers.py`` so that the reader there is about labels, and each
phrase it knows stands here once.
"""

from __future__ import annotations

import re

DASH = r"[-\u2013\u2014]"
OPENERS = r"[(\[{\"'<]*"
CLOSERS = r"[)\]}\"'>]*"
NOUN = r"(?:the\s+)?(?:options?|choices?|letters?|answers?)(?!\w)\s*:?\s*"
_HEDGE = (
    r"(?:most\s+likely|likely|probably|definitely|clearly|certainly|simply)(?!\w),?"
)

ANSWER = re.compile(
    rf"""(?:(?<!\w)
      (?:answers?|ans|(?:correct|right|best|final|chosen|selected|my)
        \s+(?:option|choice|letter|match|pick|selection))
      (?!\w)(?:\s+(?:option|choice|letter)(?!\w))?
      (?:\s+to\s+(?:the|this|your)\s+question)?["']?
      (?:(?P<colon>\s*[:=→]+)
        | \s*{DASH}+(?=\s)
        | \s+(?:is|was|(?:would|should|must|will)\s+be)(?![\w'])\s*:?
        | (?=[ ]))
      | 答案(?:应该|应)?[是为选]?\s*:?)
    (?:\s*{_HEDGE})?""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that announce an answer, up to where it stands."""

CHOICE = re.compile(
    rf"""(?<!\w)(?:choose|choosing|chose|pick(?:ing)?|select(?:ing)?|go(?:ing)?\s+with
      | (?:would|'d)\s+say | guess
      | (?:it|that)(?:'s|\s+is|\s+was|\s+(?:should|must|would)\s+be)
      | definitely|clearly|certainly|surely|obviously|probably|most\s+likely
      | (?:think|believe)(?=\s+(?:option|choice|[(\["]|[B-HJ-Z]\b))
      | (?:therefore|thus|hence|so|match|matches|corresponds?\s+to),?
        (?=\s+(?:the\s+)?(?:option|choice)\b))
    (?![\w'])(?:\s+{_HEDGE})?:?""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that announce an answer if a label follows, and mean nothing if not."""

IS_RIGHT = re.compile(
    r"\s+is\s+(?:(?:definitely|clearly|likely|probably|indeed)\s+)?(?:the\s+)?"
    r"(?:most\s+)?(?:correct|right|best|accurate|appropriate|answer)(?!\w)",
    re.IGNORECASE,
)
BECAUSE = re.compile(
    r"\s+(?:because|since|as|based|given|due|which)(?!\w)", re.IGNORECASE
)
_NEGATION = re.compile(
    r"\b(?:not|never|no(?! doubt)|neither|either|cannot|unlikely|if|unless|whether"
    r"|wrong|incorrect|false|(?<!no )(?<!without )doubt|except"
    r"|rather than|instead of)\b"
    r"|n't\b|\b(?:or|nor)\s*\W*$",
    re.IGNORECASE,
)
_DISBELIEF = re.compile(
    r"(?:\bnot|n't)\s+(?:so\s+|really\s+|entirely\s+)?(?:think|believe|sure|certain)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.!?;,\n]|\b(?:but|so|therefore|thus|hence)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?;\n]|\bbut\b", re.IGNORECASE)
JOINED = re.compile(r"\s*(?:[/&+|]|(?:and/)?or\b|nor\b|vs\b)", re.IGNORECASE)
LISTED = re.compile(
    rf"\s*(?:,|;|{DASH}|to\b|then\b|plus\b|and\b|\s)"
    r"(?:\s*(?:and|also|maybe|not)\b)*\s*",
    re.IGNORECASE,
)
LISTED_BEFORE = re.compile(
    rf"\w[)\"']*\s*(?:,|/|&|\band\b|\bor\b|\bnor\b)\s*(?:option\s+)?{OPENERS}$",
    re.IGNORECASE,
)
TAKEN_BACK = re.compile(
    r"(?i:\b(?:wait|actually|sorry|correction|rather|i mean|no(?=,))\b)[^.\n]*"
    r"(?:\.\s*[(\[]?[A-Z]\b[^.\n]*)?"
)
"""A second thought, up to the end of its sentence, and a label right after it."""
BESIDE = re.compile(rf"^(?:[\s.:,)]|{DASH})*{OPENERS}")
"""What stands between a label and the text beside it."""
BULLET = re.compile(r"^[-+•>#]+\s+")


def negated(text: str, at: int) -> bool:
    """Return whether what is announced at *at* is denied, doubted or asked."""
    before = text[max(0, at - 300) : at]
    clause = _CLAUSE.split(before)[-1]
    sentence = _SENTENCE.split(before)[-1]
    return bool(_NEGATION.search(clause) or _DISBELIEF.search(sentence))
