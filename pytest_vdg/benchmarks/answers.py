r"""`parse_answer`: which option a reply chose, if it chose one.

Apart from the backends because a reply is read by one rule, whoever gave it
and under whichever condition. The rule, first match wins:

1. the whole reply is a label or an option's full text (``B``, ``(b).``);
2. it is a JSON object whose ``answer`` is one;
3. the *last* declaration in it (``the answer is C``, ``Answer: C``, ``option
   C is correct``, ``Definitely C``, ``\boxed{C}``);
4. its first or last line opens with a label or is an option's text, and no
   other line does so with another;
5. it ends with ``(D)``, and names no other label.

Two labels, a label beside another option's text, a label that is no option, a
negation or a question choose nothing. A capital letter in prose is no answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from pytest_vdg.benchmarks._claims import Claim, Options, only
from pytest_vdg.benchmarks._grammar import (
    ANSWER,
    BULLET,
    CHOICE,
    CLOSERS,
    IS_RIGHT,
    LISTED_BEFORE,
    TAKEN_BACK,
    negated,
)
from pytest_vdg.benchmarks._replies import spoken, unmarked

_ANSWER_KEYS = frozenset({"answer", "final_answer", "choice", "option", "label"})


def parse_answer(reply: str, options: Mapping[str, str]) -> str | None:
    r"""Return the label of the option that *reply* chose, or None.

    None means that it chose none, several, or one that is not there. It is
    counted and reported, and never replaced by a guess: a guess is right once
    in K times under every condition, which bends both accuracies.

    Parameters
    ----------
    reply
        What the model said, verbatim; any text.
    options
        Label to text, in the order shown.

    Examples
    --------
    >>> colours = {"A": "a red car", "B": "a blue car"}
    >>> parse_answer("A person waves, so the answer is (B).", colours)
    'B'
    >>> parse_answer("A red car", colours)
    'A'
    >>> parse_answer("A dog runs across.", colours) is None
    True
    """
    said = spoken(reply)
    if not said:
        return None
    return _read(said, _options(tuple(options.items())))


@lru_cache(maxsize=1024)
def _options(pairs: tuple[tuple[str, str], ...]) -> Options:
    return Options(pairs)


def _read(said: str, options: Options) -> str | None:
    whole = options.exact(said)
    if whole:
        return only(whole)
    record = _json_object(said) if said.startswith("{") else None
    if record is not None:
        return _from_record(record, options)
    text = unmarked(said)
    claims = [
        *_declared(text, options),
        *_chosen(text, options),
        *_called_right(text, options),
    ]
    if claims:
        last = max(claims, key=lambda claim: claim.start)
        return None if _is_taken_back(text, last, options) else last.label
    label = _from_lines(text, options) or _at_the_end(text, options)
    if _is_taken_back(text, Claim(start=0, label=label), options):
        return None
    return label


def _from_record(record: Mapping[str, object], options: Options) -> str | None:
    values = [v for k, v in record.items() if k.casefold() in _ANSWER_KEYS]
    if len(values) != 1 or isinstance(values[0], bool):
        return None
    if not isinstance(values[0], (str, int)):
        return None
    text = unmarked(str(values[0]))
    return only(options.exact(text)) or _from_lines(text, options)


def _declared(text: str, options: Options) -> Iterator[Claim]:
    """Yield what each ``answer is`` and ``Answer:`` announces."""
    for announced in ANSWER.finditer(text):
        if negated(text, announced.start()):
            continue
        at = announced.end()
        claim = (
            options.number(text, at)
            or options.claim(text, at)
            or options.full_text(text, at)
        )
        if claim:
            yield claim
        elif announced["colon"]:
            # "Answer: I cannot tell" takes back what was said before it.
            yield Claim(start=at, label=None)


def _chosen(text: str, options: Options) -> Iterator[Claim]:
    """Yield each label after ``I choose``, ``it is`` and the like."""
    for announced in CHOICE.finditer(text):
        at = announced.end()
        claim = options.number(text, at) or options.claim(text, at)
        if claim and not negated(text, announced.start()):
            yield claim


def _called_right(text: str, options: Options) -> Iterator[Claim]:
    """Yield each ``B is correct``."""
    for right in IS_RIGHT.finditer(text):
        for found in options.mentions(text, max(0, right.start() - 40)):
            if not re.fullmatch(CLOSERS, text[found.end() : right.start()]):
                continue
            before = text[: found.start()]
            if negated(text, found.start()):
                continue
            several = LISTED_BEFORE.search(before) and options.mentions(before[-20:])
            label = None if several else only(options.named(found[0]))
            yield Claim(start=found.start(), label=label)


def _is_taken_back(text: str, claim: Claim, options: Options) -> bool:
    """Return whether another label follows a second thought, as in ``no, B``."""
    return any(
        mention[0] != claim.label
        for thought in TAKEN_BACK.finditer(text, claim.start)
        for mention in options.mentions(thought[0])
    )


def _from_lines(text: str, options: Options) -> str | None:
    """Return the one option that the first or the last line opens with."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    chosen: dict[int, str | None] = {}
    for i, line in enumerate(lines):
        alone = options.exact(line)
        claim = None if alone else options.claim(BULLET.sub("", line), 0)
        if alone:
            chosen[i] = only(alone)
        elif claim:
            chosen[i] = _opening(claim, options, first=i == 0)
    labels = set(chosen.values())
    if len(labels) != 1 or not chosen.keys() & {0, len(lines) - 1}:
        return None
    return labels.pop()


def _opening(claim: Claim, options: Options, *, first: bool) -> str | None:
    """Return the label a line opens with, if the rest of the line may stand."""
    if claim.label is None or options.opens_own_text(claim.label, claim.rest):
        return claim.label
    if not first or claim.label.isdigit():
        return None  # prose, or the items of a numbered list
    if claim.label in {"A", "I"} and re.match(r"\s*[:,;!]", claim.rest):
        return None  # "I, for one"; "A: The car", which answers "Q: ..."
    named = {match[0] for match in options.mentions(claim.rest)}
    return claim.label if named <= {claim.label} else None


def _at_the_end(text: str, options: Options) -> str | None:
    """Return the label of a final ``(D)``, the only one named."""
    found = re.search(r"\((?:(?:option|answer)\s+)?(\w+)\)[\s.!]*$", text)
    if found is None or negated(text, found.start()):
        return None
    named = {match[0] for match in options.mentions(text)}
    return only(options.named(found[1])) if named == {found[1]} else None


def _json_object(text: str) -> Mapping[str, object] | None:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
