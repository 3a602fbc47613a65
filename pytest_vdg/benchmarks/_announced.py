"""Where a reply declares its answer in words, and what of it stands.

Apart from ``answers.py``, which tries one way of reading after the other: this
one is the way of ``the answer is C``, with all that denies and takes it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_vdg.benchmarks._claims import Claim, Options, only
from pytest_vdg.benchmarks._grammar import (
    ANSWER,
    BECAUSE,
    BEFORE_RIGHT,
    CHOICE,
    CLOSERS,
    CONDITION,
    IS_RIGHT,
    LISTED_BEFORE,
    MAY_STAND_BEFORE,
    SECOND_THOUGHT,
    TAKEN_BACK,
    WRONG,
    denied,
    is_another,
    of_others,
    reported,
)

_ARTICLES = frozenset("AaIi")
_LINE_START = re.compile(
    r"(?:^|[\n.:])[^\w\n]*(?:(?:so|thus|hence|therefore|and|the|my|final|correct),?\s+)*$",
    re.IGNORECASE,
)


def announced(text: str, options: Options) -> Claim | None:
    """Return the answer that *text* declares; its label is None for several.

    The last ``answer is`` counts. What is less than that, as ``I choose``,
    counts where there is none, and must not contradict.
    """
    strong = list(_declared(text, options))
    weak = [*_chosen(text, options), *_called_right(text, options)]
    if strong:
        last = max(strong, key=lambda claim: claim.start)
        weak = [claim for claim in weak if claim.start > last.start]
    elif weak:
        last = max(weak, key=lambda claim: claim.start)
    else:
        return None
    if any(claim.label != last.label for claim in weak):
        return Claim(start=last.start, label=None, end=last.end)
    return last


def is_taken_back(text: str, claim: Claim, options: Options) -> bool:
    """Return whether a second thought follows, as in ``no, B``."""
    if TAKEN_BACK.search(text, claim.end):
        return True
    thought = SECOND_THOUGHT.search(text, claim.end)
    if thought is None:
        return False
    named = {
        label
        for mention in options.mentions(text, thought.end())
        for label in options.named(mention[0])
    }
    named |= options.finals(text, thought.end())
    named |= options.texts_in(text[thought.end() :])
    return bool(named - {claim.label})


def _declared(text: str, options: Options) -> Iterator[Claim]:
    """Yield what each ``answer is`` and ``Answer:`` announces."""
    for said in ANSWER.finditer(text):
        claim = (
            options.number(text, said.end())
            or options.claim(text, said.end())
            or options.full_text(text, said.end())
        )
        if claim is None and not said["colon"]:
            continue
        if denied(text, said.start()) or is_another(text, said.start()):
            continue
        if not said["key"] and reported(text, said.start()):
            continue
        if claim and _is_meant(text, said, claim, options):
            own = _has_own_text(claim, options)
            doubtful = (not own and _is_doubtful(claim, options)) or (
                _is_listed_below(text, claim, options)
            )
            yield Claim(start=claim.start, label=None) if doubtful else claim
        elif said["colon"]:
            # "Answer: I cannot tell" takes back what was said before it.
            yield Claim(start=said.end(), label=None)


def _is_meant(text: str, said: re.Match[str], claim: Claim, options: Options) -> bool:
    """Return whether words and label belong together, as not in ``to answer A``."""
    if said["verb"] and claim.name in {"a", "i"} and not claim.bracketed:
        return bool(claim.rest.strip())  # "the answer is a", cut off
    if claim.name == "I" and re.match(r"\s*,", claim.rest):
        return claim.bracketed or _has_own_text(claim, options)
    # "he answers: A" is told, not declared.
    many = said[0].casefold().startswith("answers")
    if said["juxtaposed"] is None and said["dash"] is None and not many:
        return True
    if not _LINE_START.search(text[max(0, said.start() - 80) : said.start()]):
        return False
    if said["juxtaposed"] is None:
        return True
    alone = not re.search(r"\w", claim.rest) or bool(BECAUSE.match(claim.rest))
    return alone or _has_own_text(claim, options)


def _has_own_text(claim: Claim, options: Options) -> bool:
    said = claim.label is not None and re.search(r"\w", claim.rest) is not None
    return said and options.opens_own_text(str(claim.label), claim.rest)


def _is_listed_below(text: str, claim: Claim, options: Options) -> bool:
    """Return whether the next line opens with another option, as in an echo."""
    here = not re.search(r"\w", claim.rest) or _has_own_text(claim, options)
    end = text.find("\n", claim.start)
    if not here or end < 0:
        return False
    below = options.claim(text, end + 1)
    if below is None or below.label in {None, claim.label}:
        return False
    return not re.search(r"\w", below.rest) or _has_own_text(below, options)


def _chosen(text: str, options: Options) -> Iterator[Claim]:
    """Yield each label after ``I choose``, ``it is`` and the like."""
    for said in CHOICE.finditer(text):
        at, start = said.end(), said.start()
        number = options.number(text, at)
        claim = number or options.claim(text, at)
        if claim is None or denied(text, start) or reported(text, start):
            continue
        if said["act"] and of_others(text, start):
            continue
        plainly = number or claim.bracketed or _has_own_text(claim, options)
        bare_number = claim.name.isdigit() and options.counted
        if not _has_own_text(claim, options) and _is_conditional(claim):
            continue
        if not plainly and (bare_number or not _stands_alone(said, claim)):
            continue
        yield (
            Claim(start=claim.start, label=None) if _is_wrong(claim, options) else claim
        )


def _stands_alone(said: re.Match[str], claim: Claim) -> bool:
    """Return whether a bare letter is no article and no word of a sentence."""
    if claim.name in _ARTICLES or said["alone"]:
        ends = re.match(r"\s*(?:[.!]|$)", claim.rest)
        return not claim.name.islower() and ends is not None
    return True


def _is_doubtful(claim: Claim, options: Options) -> bool:
    return options.is_count_elsewhere(claim) or _is_conditional(claim)


def _is_conditional(claim: Claim) -> bool:
    """Return whether the rest of the sentence says when it would be the answer."""
    return CONDITION.search(re.split(r"[.!?]", claim.rest, maxsplit=1)[0]) is not None


def _is_wrong(claim: Claim, options: Options) -> bool:
    """Return whether the rest of the sentence calls the choice wrong."""
    sentence = re.split(r"[.!?\n]", claim.rest, maxsplit=1)[0]
    found = WRONG.search(sentence)
    if found is None:
        return False
    others = re.search(r"\b(?:others?|rest)\b", sentence) or options.mentions(sentence)
    return not others


def _called_right(text: str, options: Options) -> Iterator[Claim]:
    """Yield each ``B is correct``."""
    for right in IS_RIGHT.finditer(text):
        start = max(0, right.start() - 40)
        for found in options.mentions(text, start, right.start() + 4):
            if found.end() > right.start() or not re.fullmatch(
                CLOSERS, text[found.end() : right.start()]
            ):
                continue
            before = text[max(0, found.start() - 60) : found.start()]
            if denied(text, found.start()) or reported(text, found.start()):
                continue
            word = BEFORE_RIGHT.search(before)
            if word and word[1].casefold() not in MAY_STAND_BEFORE:
                continue
            listed = LISTED_BEFORE.search(before)
            several = listed is not None and bool(options.named(listed[1]))
            label = None if several else only(options.named(found[0]))
            yield Claim(start=found.start(), label=label, end=right.end())
