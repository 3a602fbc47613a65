"""`Named`: what the options of a question are called, by label and by text.

Apart from ``_claims.py`` so that how a name is written is known here, and what
must stand around it there.
"""

from __future__ import annotations

import re

from pytest_vdg.benchmarks._grammar import CLOSERS, NOUN, OPENERS
from pytest_vdg.benchmarks._replies import bare, plain, unmarked

_NOUN = re.compile(rf"^{NOUN}", re.IGNORECASE)
_WORD_AFTER = re.compile(r"\s+(\w+)")
_COUNT = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b")


class Named:
    """The names of the options of one question, ready to be found in replies."""

    def __init__(self, options: tuple[tuple[str, str], ...]) -> None:
        """Take pairs of label and text, in the order shown."""
        self.labels = _short({label: bare(label) for label, _ in options})
        self.texts = {label: plain(text) for label, text in options}
        clean = {label: plain(unmarked(text)) for label, text in options}
        self.keep_signs = len(set(clean.values())) < len(set(self.texts.values()))
        """Whether some texts differ in nothing but stars, dollars or backticks."""
        self._by_text: dict[str, set[str]] = {}
        for texts in (self.texts, self.texts if self.keep_signs else clean):
            for label, text in texts.items():
                self._by_text.setdefault(text, set()).add(label)
        self._by_text.pop("", None)  # labels of which the texts are not known
        heads = self.texts if self.keep_signs else clean
        self.heads = {k: re.sub(rf"^{OPENERS}", "", t) for k, t in heads.items()}
        self.counted = any(_COUNT.search(text) for text in self.texts.values())
        """Whether a number may be meant as what an option says."""
        self._reach = max(len(text) for _, text in options) * 2 + 20
        longest = sorted(set(self.labels.values()), key=len, reverse=True)
        names = "|".join(re.escape(name) for name in longest)
        self.token = re.compile(
            rf"\s*(?:[-•>#]+\s+)?(?P<open>{OPENERS})(?P<noun>{NOUN})?(?P<inner>{OPENERS})"
            rf"(?P<name>{names}|[a-z]|\d+)(?!\w)(?P<close>{CLOSERS})",
            re.IGNORECASE,
        )
        self._capital = re.compile(rf"(?<![\w'])(?P<name>{names})(?![\w'])")
        self._final = re.compile(
            rf"(?<![\w'])(?P<name>{names})(?=[)\]\"']*\s*(?:[.!\n]|$))", re.IGNORECASE
        )
        found = sorted(set(self.texts.values()) - {""}, key=len, reverse=True)
        self.text = re.compile(
            rf"(?<!\w)(?:{'|'.join(map(re.escape, found)) or '(?!)'})(?!\w)"
        )

    def exact(self, text: str) -> set[str]:
        """Return the options that *text* names with nothing beside it."""
        if len(text) > self._reach + 200:
            return set()
        alone = without_noun(text.strip())
        found = self.named(without_noun(bare(self.clean(alone)))) or self.named(alone)
        for form in {plain(text), plain(self.clean(text)), plain(alone)}:
            found = found | self.with_text(form)
        return found or self.with_text(plain(text).rstrip("!"))

    def clean(self, text: str) -> str:
        """Return *text* without the markup that tells no options apart."""
        return unmarked(text, keep_signs=self.keep_signs)

    def spelled(self, text: str) -> set[str]:
        """Return the options whose full text *text* is."""
        return self.with_text(text) or self.with_text(text.rstrip().rstrip("!"))

    def named(self, name: str) -> set[str]:
        """Return the labels written *name*; case counts where it tells them apart."""
        same = {label for label, own in self.labels.items() if own == name}
        folded = name.casefold()
        return same or {k for k, own in self.labels.items() if own.casefold() == folded}

    def mentions(
        self, text: str, start: int = 0, end: int | None = None
    ) -> list[re.Match[str]]:
        """Return where labels stand in *text* and are no words."""
        found = self._capital.finditer(text, start, len(text) if end is None else end)
        return [match for match in found if self.is_mention(text, match)]

    def finals(self, text: str, start: int = 0) -> set[str]:
        """Return the options whose labels end a sentence, in either case."""
        found = self._final.finditer(text, start)
        return {label for match in found for label in self.named(match["name"])}

    def texts_in(self, text: str) -> set[str]:
        """Return the options whose texts stand somewhere in *text*."""
        found = self.text.findall(plain(text))
        return {label for said in found for label in self.with_text(said)}

    def line(self, text: str, start: int) -> str:
        """Return what follows on the same line, as far as it can matter."""
        return text[start : start + self._reach + 200].partition("\n")[0]

    def with_text(self, said: str) -> set[str]:
        """Return the options whose text is *said*, compared as texts are."""
        return self._by_text.get(said) or self._by_text.get(plain(said)) or set()

    def is_mention(self, text: str, found: re.Match[str]) -> bool:
        """Return whether a label in running text is no article or pronoun."""
        name = found["name"]
        if name not in self.labels.values():
            return False
        if len(name) > 1:
            return name.isupper() or any(c.isdigit() for c in name)
        word = _WORD_AFTER.match(text, found.end())
        if name not in "AI" or word is None:
            return True
        return word[1] in {"or", "and", "nor", "is", "was"}


def _short(labels: dict[str, str]) -> dict[str, str]:
    """Return labels without a noun that all have, as in ``Caption A``."""
    short = {k: without_noun(own) for k, own in labels.items()}
    return short if all(short.values()) and len(set(short.values())) > 1 else labels


def without_noun(text: str) -> str:
    """Return a label or text without ``option`` or the like before it."""
    return _NOUN.sub("", text)
