r"""`parse_answer`: which option a reply chose, if it chose one.

Apart from the backends because a reply is read by one rule, whoever gave it
and under whichever condition. The rule, first match wins:

1. the whole reply is a label or an option's full text (``B``, ``(b).``);
2. it holds one JSON object whose ``answer`` is one;
3. the *last* declaration in it (``the answer is C``, ``Answer: C``,
   ``\boxed{C}``), or else what ``I choose C``, ``option C is correct`` and the
   like all name;
4. its first or last line opens with a label or is an option's text, and no
   other line does so with another;
5. it ends with ``(D)``, and names no other label;
6. its first sentence is an option's full text, and no other is named.

Two labels, a label beside another option's text, a label that is no option, a
negation, a question, a second thought or another's words choose nothing. A
capital letter in prose is no answer, and a question that the reply goes on to
ask itself is not ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pytest_vdg.benchmarks._announced import announced, is_taken_back
from pytest_vdg.benchmarks._claims import Options, only
from pytest_vdg.benchmarks._grammar import NEXT_QUESTION
from pytest_vdg.benchmarks._lines import at_the_end, contradicts, from_lines, in_words
from pytest_vdg.benchmarks._objects import answers_in
from pytest_vdg.benchmarks._replies import spoken


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
    said = _of_this_question(said, options)
    answers, beside = answers_in(said)
    if answers is None:
        return _from_text(options.clean(said), options)
    labels = {_from_value(answer, options) for answer in answers}
    label = labels.pop() if len(labels) == 1 else None
    claim = announced(options.clean(beside), options)
    return label if claim is None or claim.label == label else None


def _of_this_question(said: str, options: Options) -> str:
    """Return *said* up to where it goes on with a question of its own."""
    for question in NEXT_QUESTION.finditer(said):
        before = said[: question.start()].strip()
        if before and not options.named(question["name"]):
            return before
    return said


def _from_value(value: str, options: Options) -> str | None:
    text = options.clean(value)
    whole = options.exact(text)
    if whole:
        return only(whole)
    claim = from_lines(text, options)
    return claim.label if claim else None


def _from_text(text: str, options: Options) -> str | None:
    claim = announced(text, options)
    if claim is None:
        claim = (
            from_lines(text, options)
            or at_the_end(text, options)
            or in_words(text, options)
        )
    elif contradicts(text, claim, options):
        return None
    if claim is None or claim.label is None or is_taken_back(text, claim, options):
        return None
    return claim.label
