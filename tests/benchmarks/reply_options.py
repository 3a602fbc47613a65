"""Sets of options that replies are made for, the treacherous ones above all.

Apart from ``replies`` because what is offered and what is said vary freely.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable

Options = dict[str, str]
OptionSet = Callable[[random.Random], tuple[str, Options]]

_FIXED: dict[str, list[str]] = {
    "cars": ["a green car", "a red car", "a blue car", "a white car turning left"],
    "articles": ["A man walks", "A dog runs", "I see nothing", "A man runs"],
    "prefixes": ["a car", "a car turning", "a car turning left", "a bus"],
    "yes or no": ["Yes", "No"],
    "true or false": ["True", "False"],
    "counts": ["1", "2", "3", "12"],
    "decimals": ["0.5", "1.5", "-2", "10%"],
    "number words": ["two cars", "three cars", "four cars", "no car"],
    "negations": ["The car stops", "The car does not stop", "It is not seen"],
    "not": ["not moving", "moving", "never seen"],
    "above": ["a man", "a dog", "None of the above", "All of the above"],
    "both": ["a man", "a dog", "Both A and B", "Neither A nor B"],
    "letters": ["the letter B", "vitamin C", "plan A", "a D minor chord"],
    "wrong": ["the wrong car", "the right car", "the correct car", "no car"],
    "names": ["Person B", "Person A", "Person D", "Person C"],
    "taller": ["B is taller than A", "A is taller than B", "they are equal"],
    "orders": ["A, then B, then C", "C, then B, then A", "B, then A, then C"],
    "choices": ["he answers", "he asks", "he chooses", "the answer is shown"],
    "commas": ["red, blue", "red", "blue", "blue, red"],
    "sentences": ["He runs. He falls.", "He runs.", "He falls.", "He sings"],
    "code": ["C#", "C++", "Java", "B"],
    "times": ["00:10", "00:20", "1:00", "10:00"],
    "places": ["left", "right", "the left side", "the right side"],
    "marks": ["$5", "5", "2 * 3", "**bold**"],
    "brackets": ["a car (red)", "a car (blue)", "(nothing)", "a [new] car"],
    "quotes": ['"Stop"', "'Go'", "it's late", "\u201cLook\u201d"],
    "scripts": ["\u4e00\u4eba", "\u4e24\u4eba", "\u4e00\u72d7", "\u4e0d\u77e5\u9053"],
    "waits": ["wait for it", "actually a man", "sorry, a dog", "no, a cat"],
    "questions": ["who?", "what now?", "why", "when"],
}  # fmt: skip
_LABELS: list[Callable[[int], list[str]]] = [
    lambda n: list(string.ascii_uppercase[:n]),
    lambda n: list(string.ascii_uppercase[:n]),
    lambda n: list(string.ascii_uppercase[:n]),
    lambda n: [str(i + 1) for i in range(n)],
    lambda n: [str(i) for i in range(n)],
    lambda n: [f"Option {i + 1}" for i in range(n)],
    lambda n: [f"Caption {c}" for c in string.ascii_uppercase[:n]],
    lambda n: ["I", "II", "III", "IV", "V", "VI"][:n],
    lambda n: list(string.ascii_lowercase[:n]),
]


def option_sets() -> list[OptionSet]:
    """Return makers of option sets with their names."""
    return [_many, _many, *[_fixed(name) for name in _FIXED]]


def _many(rng: random.Random) -> tuple[str, Options]:
    count = rng.randint(2, 26)
    labels = string.ascii_uppercase[:count]
    return "many", {label: f"thing number {i + 40}" for i, label in enumerate(labels)}


def _fixed(name: str) -> OptionSet:
    def make(rng: random.Random) -> tuple[str, Options]:
        texts = list(_FIXED[name])
        if name != "both":  # names its own labels
            rng.shuffle(texts)
        labels = rng.choice(_LABELS if name != "both" else _LABELS[:1])(len(texts))
        return name, dict(zip(labels, texts, strict=True))

    return make
