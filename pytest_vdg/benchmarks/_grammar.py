"""The words around an answer: what announces, joins, denies and ends one.

Apart from ``answers.py`` so that the reader there is about labels, and each
phrase it knows stands here once.
"""

from __future__ import annotations

import re

DASH = r"[-\u2013\u2014]"
OPENERS = r"[(\[{\"'<]{0,6}"
CLOSERS = r"[)\]}\"'>]{0,6}"
NOUN = (
    r"(?:(?:the\s+)?(?:option|choice|letter|answers?|caption|sentence)(?!\w)"
    r"|选项|選項)\s*:?\s*"
)
_HEDGE = (
    r"(?:most\s+likely|likely|probably|definitely|clearly|certainly|simply)(?!\w),?"
)
_FOREIGN = (
    "ответ|réponse|antwort|respuesta|risposta|resposta|svar|odpowiedź|cevap|jawaban"
)

ANSWER = re.compile(
    rf"""(?:(?<!\w)
      (?:answers?|ans|(?:correct|right|best|final|chosen|selected|my)
        \s+(?:option|choice|letter|match|pick|selection|one|description|caption
             |sentence|response))
      (?!\w)(?:\s+(?:option|choice|letter)(?!\w))?
      (?:\s+to\s+(?:the|this|your)\s+question)?(?P<key>["'])?
      (?:(?P<colon>[ ]*[:=→]+)
        | (?P<dash>[ ]*{DASH}+(?=\s))
        | (?P<verb>\s+(?:is|was|(?:would|should|must|will)\s+be)(?![\w'])\s*:?)
        | (?P<juxtaposed>(?=[ ])))
      | (?:答案|答え|答|正解|정답)\s*(?:应该|应|该)?[是为选選は은는]?\s*:?
      | (?<!\w)(?:{_FOREIGN})(?:\s+correcta?|\s+correcte)?
        \s*(?:[:=]|\s(?:est|ist|es|è|é|är|to|adalah)(?!\w)\s*:?))
    (?:\s*{_HEDGE})?""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that announce an answer, up to where it stands."""

CHOICE = re.compile(
    rf"""(?:(?<!\w)(?:
      (?P<act>choose|choosing|chose|pick(?:ing)?|select(?:ing)?|go(?:ing)?\s+with
        | (?:would|'d)\s+say | guess)
      | (?:it|that)(?:'s|\s+is|\s+was|\s+(?:should|must|would)\s+be)
      | definitely|clearly|certainly|surely|obviously|probably|most\s+likely
      | (?:think|believe)(?=\s+(?:option|choice|[(\["]|[B-HJ-Z]\b))
      | (?:therefore|thus|hence|so|match|matches|corresponds?\s+to),?
        (?=\s+(?:the\s+)?(?:option|choice)\b)
      | (?P<alone>(?:therefore|thus|hence|so),?(?=\s+[(\["]?\w[)\]"]?[\s.!]*(?:\n|$))
        | (?:by\s+elimination|prediction|output|response|conclusion|result|verdict
           |solution|selection)\s*:))
      (?![\w'])(?:\s+{_HEDGE})?:?
      | (?P<act_zh>选择|選擇|选|選)\s*:?)""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that announce an answer if a label follows, and mean nothing if not."""

IS_RIGHT = re.compile(
    r"""\s+(?:is\s+(?:(?:definitely|clearly|likely|probably|indeed)\s+)?(?:the\s+)?
      (?:most\s+)?(?:correct|right|best|accurate|appropriate|answer)
      (?:\s+(?:answer|option|choice|one|letter|match|fit|description|caption))?
      | it\s+is)
    (?=\s*(?:[.,;:!)\]"]|$|\n|-\s)
      |\s+(?:because|since|as|based|given|due|here|and|but|while|whereas|rather
            |(?:for|to)\s+th(?:e|is)\s+(?:question|video|clip))\b)""",
    re.IGNORECASE | re.VERBOSE,
)
BEFORE_RIGHT = re.compile(r"(\w+)[\s(\[{\"'<]*$")
"""The word before a label, if nothing but space and brackets is between."""
MAY_STAND_BEFORE = frozenset({
    "option", "choice", "answer", "letter", "caption", "sentence", "that", "so",
    "therefore", "thus", "hence", "because", "think", "believe", "but", "and", "only",
    "then", "while", "although", "though", "since", "as", "say", "conclude", "feel",
    "guess", "clearly", "definitely", "probably", "likely", "now", "yes", "or", "nor",
})  # fmt: skip
"""What comes before a label that is called right; after another noun, as in
``Person B is right``, it is none."""
BECAUSE = re.compile(
    r"\s+(?:because|since|as|based|given|due|which|rather\s+than|instead\s+of)(?!\w)",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no(?! doubt)|nobody|none|neither|either|cannot|unlikely|hardly"
    r"|if|unless|whether|wrong|incorrect|false|(?<!no )(?<!without )doubt|except|avoid"
    r"|refuse|assumes?|assuming|suppos(?:e|ing)|imagine|imagining|consider(?:ing)?"
    r"|could|rather than|instead of|least|almost|nearly)\b"
    r"|n't\b|\b(?:or|nor)\s+(?:(?:that|the|my|maybe|perhaps|possibly|even)\s+)*\W*$"
    r"|[不错错非没别勿误]|(?:或者?|还是)\W*$",
    re.IGNORECASE,
)
_DISBELIEF = re.compile(
    r"(?:\bnot|n't)\s+(?:so\s+|really\s+|entirely\s+)?(?:think|believe|sure|certain)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?<!\bI )\b(?:says|said|saying|reads|claims|claimed|states|stated|asks|asked"
    r"|writes|wrote|written|argues|argued|thinks|believes|believed|shows)\b"
    r"|\b(?:might|may|some|people|others|they|you|many|someone|one)\b(?:\s+\w+){0,3}?"
    r"\s+(?:say|think|believe|argue|assume|guess|conclude|claim|expect|answer)\b",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\b(?:another|alternative|other|possible|plausible|second|third|worst|previous"
    r"|earlier|initial|original|opposite|your|his|her|their|tempting|popular|wrong"
    r"|question \d+)(?:\s+(?:best|likely|of|the|is)\b){0,2}\s*$"
    r"|\b(?:example|sample|format|template)(?:\W+(?:of|the|is)\b){0,2}\W*$"
    r"|(?<!\bit)(?<!\bthat)(?<!\bhere)(?<!\bwhat)(?<!\blet)'s\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
"""What makes the answer that is announced after it not the one given."""
CONDITION = re.compile(
    r"\b(?:if|unless|provided|otherwise|were it|assuming|in case)\b", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"'](?:the\s+|my\s+)?$", re.IGNORECASE)
_OTHERS = re.compile(
    r"\b(?:he|she|they|who|people|others|many|some|man|woman|person|child|boy|girl"
    r"|players?|someone|anyone|everyone|students?|you|between)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.!?;,\n]|\b(?:but|so|therefore|thus|hence)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?;\n]|\bbut\b", re.IGNORECASE)
JOINED = re.compile(
    r"[\s.,;:!)\]-]*(?:(?:and/)?or|nor|vs)\b|\s*(?:[/&+|、和与或及]|还是)",
    re.IGNORECASE,
)
LISTED = re.compile(
    rf"\s*(?:,|;|{DASH}|to\b|then\b|plus\b|and\b|\s)"
    r"(?:\s*(?:and|also|maybe|not|then|or|possibly|perhaps|probably|even|either)\b)*"
    r"\s*",
    re.IGNORECASE,
)
LISTED_BEFORE = re.compile(
    rf"(\w+)[)\]\"']*\s*(?:,|/|&|\band\b|\bor\b|\bnor\b)\s*(?:option\s+)?{OPENERS}$",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"""\W*(?:(?P<mark>[❌✗✘✖❎🚫⛔\u00d7])
      | (?:(?:this|that|it|which|and|but|so)\s+)*(?:(?:option|choice|answer|one)\s+)?
        (?:(?:is|was|are|seems|looks|(?:would|must|can|could|should)\s+(?:also\s+)?be)
          \s+)?(?:(?:clearly|definitely|therefore|also|obviously)\s+)?
        (?:wrong(?!\s+to\b)|incorrect|false|unlikely|impossible|invalid|ruled\s+out|eliminated
          |excluded|rejected|mistaken
          |(?:is\s+|was\s+)?not\s+(?:correct|right|true|the|a\s+match|supported
            |possible|likely|accurate|it|what|shown|seen|visible|present|consistent)
          |(?:do|does|did)(?:n't|\s+not)|(?:is|was)n't|cannot|can't|never
          |no(?=\s*[.,!:;]|\s*$))\b
      | (?P<not>not)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A label that this follows is the one that was not chosen."""
WRONG = re.compile(r"\b(?:wrong|incorrect|mistaken|not right)\b", re.IGNORECASE)
TAKEN_BACK = re.compile(
    r"(?:(?:(?<=[.!?;,:(\u2014-]\s)|(?<=\n)|\b(?:no|but|hmm|oh),?\s)wait\b"
    r"|\b(?:scratch that|on second thoughts?|on reflection|i was wrong|my mistake"
    r"|i made a mistake|correction|oops|i take (?:that|it) back|never ?mind"
    r"|let me (?:reconsider|rethink|re-?check|check again|correct)"
    r"|or maybe|no(?=[,.!]|\s*$))(?!\w))",
    re.IGNORECASE,
)
"""A second thought: what was said before it stands no longer."""
SECOND_THOUGHT = re.compile(
    r"\b(?:actually|sorry|rather(?! than)|instead(?! of)|i mean|hmm+)\b",
    re.IGNORECASE,
)
"""Perhaps a second thought: it is one if another option comes after it."""
BESIDE = re.compile(rf"^(?:[\s.:,)]|{DASH}(?!\d))*{OPENERS}")
"""What stands between a label and the text beside it."""
BULLET = re.compile(r"^[-+•>#]+\s+")
HEADING = re.compile(
    r"(?:\b(?:options|choices|answers|each|candidates|possibilit\w+|one by one|let's"
    r"|let me|analy[sz]\w+|evaluat\w+|consider\w*)\b|选项)[^.\n]*:\s*$",
    re.IGNORECASE,
)
"""A line that lists follow, not answers."""
NEXT_QUESTION = re.compile(
    r"^\W{0,4}(?P<name>(?:next\s+)?question|q|user|human|problem|query|问题|问)"
    r"\s*\d*\s*:",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a model goes on with a question, or a turn, of its own making."""
LEAD = re.compile(
    r"(?:it(?:'s| is| was)|this is|th(?:e|is) (?:video|clip) shows|there (?:is|are)"
    r"|i (?:see|choose|pick|select|think it is|would say))\s+",
    re.IGNORECASE,
)
"""What may stand before an option's text that is all there is else."""
UNSURE = re.compile(
    r"\b(?:cannot|can't|unable|sorry|sure|help|please|upload\w*|provided?|providing|unclear|idea"
    r"|certain|possible|determined?|information|but|however|maybe|wrong|incorrect|video"
    r"|as an ai|i (?:can|do|don't|see no|have no)|image|frames?)\b|\?",
    re.IGNORECASE,
)


def denied(text: str, at: int) -> bool:
    """Return whether what is announced at *at* is denied, doubted or asked."""
    before = text[max(0, at - 300) : at]
    clause = _CLAUSE.split(before)[-1]
    sentence = _SENTENCE.split(before)[-1]
    return bool(_NEGATION.search(clause) or _DISBELIEF.search(sentence))


def reported(text: str, at: int) -> bool:
    """Return whether what is announced at *at* is said by another."""
    before = text[max(0, at - 300) : at]
    if _REPORTED.search(_CLAUSE.split(before)[-1]):
        return True
    quoted = _QUOTED.search(before)
    return quoted is not None and bool(
        re.search(r"\w", before[: quoted.start()].rpartition("\n")[2])
    )


def is_another(text: str, at: int) -> bool:
    """Return whether the answer announced at *at* is not the one given."""
    return _ANOTHER.search(text[max(0, at - 80) : at]) is not None


def of_others(text: str, at: int) -> bool:
    """Return whether what is chosen at *at* is chosen by another."""
    before = text[max(0, at - 300) : at]
    return bool(_OTHERS.search(_CLAUSE.split(before)[-1]))
