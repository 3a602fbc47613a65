"""Where a reply says its answer without announcing it: on a line of its own.

Apart from ``answers.py``, which tries one way of reading after the other: this
one is the way of ``B. a red car`` and of ``A red car. It turns left.``
"""

from __future__ import annotations

import re

from pytest_vdg.benchmarks._claims import Claim, Options, only
from pytest_vdg.benchmarks._grammar import (
    BULLET,
    HEADING,
    LEAD,
    NEXT_QUESTION,
    UNSURE,
    denied,
)

_WORDS = frozenset({"I", "A", "O"})
"""Labels that begin sentences."""
_NOT_THIS = re.compile(r"\bnot\s+(?:option\s+)?\(?\w+\)?(?!\w)", re.IGNORECASE)
_YES_NO = {"yes": "no", "no": "yes", "true": "false", "false": "true"}


def from_lines(text: str, options: Options) -> Claim | None:
    """Return the one option that the first or the last line opens with."""
    lines = [line for line in text.split("\n") if line.strip()]
    chosen: dict[int, Claim] = {}
    listing = NEXT_QUESTION.match(text) is not None
    for i, line in enumerate(lines):
        opened = _opened(line.strip(), options, first=i == 0, several=len(lines) > 1)
        listing = listing or HEADING.search(line) is not None
        if opened is not None and not (listing and opened.name):
            chosen[i] = opened
    listed = {claim.label for claim in chosen.values() if claim.name}
    if len(options.texts) > 1 and listed == set(options.texts):
        chosen = {i: claim for i, claim in chosen.items() if not claim.name}  # an echo
    labels = {claim.label for claim in chosen.values()}
    if len(labels) != 1 or not chosen.keys() & {0, len(lines) - 1}:
        return None
    if 0 in chosen:
        return Claim(start=0, label=labels.pop(), end=chosen[0].end)
    start = text.rfind(lines[-1])
    return Claim(
        start=start, label=labels.pop(), end=start + chosen[len(lines) - 1].end
    )


def _opened(line: str, options: Options, *, first: bool, several: bool) -> Claim | None:
    alone = options.exact(line)
    if alone:
        return Claim(start=0, label=only(alone), end=len(line))
    claim = options.claim(BULLET.sub("", line), 0)
    if claim is None or claim.label is None:
        return claim
    if options.opens_own_text(claim.label, claim.rest):
        return claim
    stands = first and _may_stand(line, claim, options, several=several)
    return claim if stands else Claim(start=0, label=None)


def _may_stand(line: str, claim: Claim, options: Options, *, several: bool) -> bool:
    """Return whether prose may follow the label that *line* opens with."""
    label, rest = claim.label, line[line.find(claim.rest[:80]) :] if claim.rest else ""
    if claim.name.isdigit():
        return False  # the items of a numbered list
    if claim.name.upper() in _WORDS and re.match(r"\s*[:,;!]", rest):
        return False  # "I, for one"; "A: The car", which answers "Q: ..."
    if several and re.match(r"\s*:", rest):
        return False  # one option is weighed after the other
    rest = _NOT_THIS.sub("", rest)
    named = {k for match in options.mentions(rest) for k in options.named(match[0])}
    return (named | options.texts_in(rest)) <= {label}


def contradicts(text: str, claim: Claim, options: Options) -> bool:
    """Return whether the first or last line is a label that *claim* is not."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for line in (lines[0], lines[-1]):
        alone = options.exact(line)
        if alone and claim.label not in alone:
            return True
    return False


def at_the_end(text: str, options: Options) -> Claim | None:
    """Return the label of a final ``(D)``, the only one named."""
    found = re.search(r"\((?:(?:option|answer)\s+)?(\w+)\)[\s.!]*$", text)
    if found is None or denied(text, found.start()):
        return None
    named = {match[0] for match in options.mentions(text)}
    label = only(options.named(found[1])) if named == {found[1]} else None
    return Claim(start=found.start(), label=label)


def in_words(text: str, options: Options) -> Claim | None:
    """Return the option whose full text is all that is said, or said first."""
    lead = LEAD.match(text)
    if lead is not None:
        label = only(options.spelled(text[lead.end() :]))
        return Claim(start=0, label=label) if label is not None else None
    claim = options.full_text(text, 0) or _yes_or_no(text, options)
    if claim is None or claim.label is None:
        return None
    after = text[len(text) - len(text.lstrip()) :]
    after = after[len(options.texts[claim.label]) :]
    named = {k for match in options.mentions(after) for k in options.named(match[0])}
    others = (named | options.texts_in(after)) - {claim.label}
    return None if others or UNSURE.search(after) else claim


def _yes_or_no(text: str, options: Options) -> Claim | None:
    word = re.match(r"(yes|no|true|false)\s*[,:;!.-]", text, re.IGNORECASE)
    if word is None:
        return None
    said = word[1].casefold()
    labels = {label for label, own in options.texts.items() if own == said}
    opposite = re.search(rf"\b{_YES_NO[said]}\b", text, re.IGNORECASE)
    if len(labels) != 1 or opposite:
        return None
    return Claim(start=0, label=only(labels), end=word.end())
