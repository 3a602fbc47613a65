"""Simple baselines: rules that pick an option by its text or its place alone.

Apart from the classifier because each is a sentence, and names the flaw that it
finds. A rule that sees no difference between the options picks none, so that it
is judged by the questions that it speaks of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from pytest_vdg.audits._items import Item, draw
from pytest_vdg.audits._words import holds, telling

NONE = -1
"""Pick of a rule that does not apply."""
Scores = Sequence[float]
"""Of the options of a question; the highest is picked."""


def _length(item: Item) -> Scores:
    return [len(text) for text in item.texts]


def _shortness(item: Item) -> Scores:
    return [-len(text) for text in item.texts]


def _oddness(item: Item) -> Scores:
    """How far the length of each is from the mean of the others."""
    lengths = _length(item)
    others = len(lengths) - 1
    if others < 2:
        return [0.0] * len(lengths)  # of two, neither is the odd one
    total = sum(lengths)
    return [abs(length - (total - length) / others) for length in lengths]


def _overlap(item: Item) -> Scores:
    asked = telling(item.words)
    return [len(telling(own) & asked) for own in item.option_words]


def _named(item: Item) -> Scores:
    """How many words of each stand in the question as they are, if all do."""
    return [len(own) if holds(item.words, own) else 0 for own in item.option_words]


RULES: dict[str, Callable[[Item], Scores]] = {
    "longest": _length,
    "shortest": _shortness,
    "odd length": _oddness,
    "overlap": _overlap,
    "named": _named,
}
"""Rules that learn nothing."""
FREQUENT: dict[str, Callable[[Item], Sequence[Hashable]]] = {
    "frequent text": lambda item: item.texts,
    "frequent label": lambda item: item.labels,
}
"""Rules that pick what was the answer most often in the folds before."""


def pick(scores: Scores, item: Item, seed: int, rule: str) -> int:
    """Return the place of the highest of *scores*; of several, one by lot.

    `NONE` where all options are equal. The lot falls on a text, so that the same
    question in another order of options is picked alike.
    """
    best = max(scores)
    if best == min(scores):
        return NONE
    tied = [place for place, score in enumerate(scores) if score == best]
    if len(tied) == 1:
        return tied[0]
    return min(tied, key=lambda place: draw(seed, rule, item.of, item.texts[place]))


def ruled(items: Sequence[Item], rule: str, seed: int) -> list[int]:
    """Return what the rule of that name picks for each of *items*."""
    score = RULES[rule]
    return [pick(score(item), item, seed, rule) for item in items]


def frequent(items: Sequence[Item], rule: str, seed: int) -> list[int]:
    """Return the option that was the answer most often in the folds before.

    To the questions of the first fold there is none.
    """
    called = FREQUENT[rule]
    seen: Counter[Hashable] = Counter()
    picks = [NONE] * len(items)
    for fold in range(max(item.fold for item in items) + 1):
        here = [i for i, item in enumerate(items) if item.fold == fold]
        for i in here:
            scores = [seen[name] for name in called(items[i])]
            picks[i] = pick(scores, items[i], seed, rule)
        for i in here:
            seen[called(items[i])[items[i].answer]] += 1
    return picks


def commonest(items: Sequence[Item], rule: str) -> str:
    """Return what is the answer most often to *items*, the first of equals."""
    called = FREQUENT[rule]
    seen = Counter(str(called(item)[item.answer]) for item in items)
    return min(seen, key=lambda name: (-seen[name], name))
