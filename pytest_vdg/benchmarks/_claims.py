"""`Options`: reads a label, or an option's full text, at one place of a reply.

Apart from ``answers.py`` so that whether a letter *is* a label is decided here,
and which of several places counts is decided there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_vdg.benchmarks._grammar import (
    BECAUSE,
    BESIDE,
    CLOSERS,
    DASH,
    JOINED,
    LISTED,
    NOUN,
    OPENERS,
)
from pytest_vdg.benchmarks._replies import bare, plain, unmarked

_ABBREVIATION = re.compile(r"\.[^\W\d]\b")
"""What follows the first letter of ``A.I.`` or ``B.C.``"""
_NUMBER_BEFORE = re.compile(rf"(?:{DASH}|[.,])$")
_NUMBER_AFTER = re.compile(r"[.,:]\d|\s*%")
_STOP = re.compile(rf"\s*[.,:;!)(]|\s*{DASH}+\s")
_VERB = re.compile(r"\s*(?:is|isn't|was|are|can|cannot|and)\b")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A place where a reply names an option, or fails to."""

    start: int
    label: str | None
    """None when what stands there is several options, or none of these."""
    rest: str = ""
    """What follows on the same line."""


class Options:
    """The options of one question, ready to be found in replies."""

    def __init__(self, options: tuple[tuple[str, str], ...]) -> None:
        """Take pairs of label and text, in the order shown."""
        self.labels = {label: bare(label) for label, _ in options}
        self.texts = {label: plain(text) for label, text in options}
        self._reach = max(len(text) for _, text in options) * 2 + 20
        longest = sorted(set(self.labels.values()), key=len, reverse=True)
        names = "|".join(re.escape(name) for name in longest)
        self._token = re.compile(
            rf"\s*(?:{NOUN})?(?P<open>{OPENERS})(?P<name>{names}|[a-z]|\d+)"
            rf"(?!\w)(?P<close>{CLOSERS})",
            re.IGNORECASE,
        )
        self._capital = re.compile(rf"(?<![\w'])(?P<name>{names})(?![\w'])")

    def exact(self, text: str) -> set[str]:
        """Return the options that *text* names with nothing beside it."""
        alone = re.sub(rf"^{NOUN}", "", text.strip(), flags=re.IGNORECASE)
        found = self.named(bare(unmarked(alone))) or self.named(alone)
        for form in {plain(text), plain(unmarked(text)), plain(alone)}:
            found |= {label for label, own in self.texts.items() if own == form}
        return found

    def named(self, name: str) -> set[str]:
        """Return the labels written *name*; case counts where it tells them apart."""
        same = {label for label, own in self.labels.items() if own == name}
        folded = name.casefold()
        return same or {k for k, own in self.labels.items() if own.casefold() == folded}

    def claim(self, text: str, at: int) -> Claim | None:
        """Read a label at *at*, or return None where there is none."""
        token = self._token.match(text, at)
        if token is None or _is_number(text, token):
            return None
        rest = text[token.end() :].partition("\n")[0]
        if rest.lstrip().startswith("?"):
            return None
        start = token.start("name")
        if JOINED.match(rest) or self._is_listed(text, token.end()):
            return Claim(start=start, label=None)
        if not self._ends_there(rest, bracketed=bool(token["open"] and token["close"])):
            return None
        label = only(self.named(token["name"]))
        if label is not None and not self._agrees(label, token["name"], rest):
            label = None
        return Claim(start=start, label=label, rest=rest)

    def number(self, text: str, at: int) -> Claim | None:
        """Read a number at *at* that is an option's text and no option's label."""
        token = self._token.match(text, at)
        if token is None or not token["name"].isdigit() or self.named(token["name"]):
            return None
        said = plain(BESIDE.sub("", text[token.end() :].partition("\n")[0]))
        if any(_opens(said, own) for own in self.texts.values()):
            return None
        return self.full_text(text, at)

    def full_text(self, text: str, at: int) -> Claim | None:
        """Read an option's full text at *at*, up to the end of a sentence."""
        start = len(text) - len(text[at:].lstrip())
        line = text[start:].partition("\n")[0]
        found: set[str] = set()
        # A stop beyond the longest text ends none of them.
        for stop in re.finditer(r"[.;!](?=\s|$)|$", line[: self._reach]):
            found = self._with_text(line[: stop.start()]) or found
        if not found or line.rstrip().endswith("?"):
            return None
        return Claim(start=start, label=only(found))

    def mentions(self, text: str, start: int = 0) -> list[re.Match[str]]:
        """Return where one-letter labels stand in *text* and are no words."""
        found = self._capital.finditer(text, start)
        return [match for match in found if self._is_mention(text, match)]

    def opens_own_text(self, label: str, rest: str) -> bool:
        """Return whether *rest* is the text of *label*, or its beginning."""
        said = plain(BESIDE.sub("", rest))
        own = self.texts[label]
        return _opens(said, own) or self._is_cut_off(label, said)

    def _is_cut_off(self, label: str, said: str) -> bool:
        """Return whether *said* is a text's beginning, ended by a token limit."""
        is_label = self.named(bare(said)) - {label}
        return self.texts[label].startswith(said) and not is_label

    def _with_text(self, said: str) -> set[str]:
        form = plain(said)
        return {label for label, own in self.texts.items() if own == form}

    def _is_listed(self, text: str, end: int) -> bool:
        """Return whether another label follows at *end*, as in ``A, B``."""
        gap = LISTED.match(text, end)
        if gap is None or "\n" in gap[0] or re.search(r"(?i)\bnot\b", gap[0]):
            return False
        following = self._token.match(text, gap.end())
        return following is not None and self._is_mention(text, following)

    def _is_mention(self, text: str, found: re.Match[str]) -> bool:
        """Return whether a label in running text is no article or pronoun."""
        name = found["name"]
        if len(name) > 1 or name not in self.labels.values():
            return False
        word = re.match(r"\s+(\w+)", text[found.end() :])
        if name not in "AI" or word is None:
            return True
        return word[1] in {"or", "and", "nor", "is", "was"}

    def _ends_there(self, rest: str, *, bracketed: bool) -> bool:
        """Return whether what follows a label lets it be one."""
        if not re.search(r"\w", rest):
            return "?" not in rest
        said = plain(BESIDE.sub("", rest))
        if any(_opens(said, own) for own in self.texts.values()):
            return True
        if _ABBREVIATION.match(rest):
            return False
        if bracketed and not _VERB.match(rest):
            return True
        return bool(_STOP.match(rest) or BECAUSE.match(rest))

    def _agrees(self, label: str, name: str, rest: str) -> bool:
        """Return whether neither *name* nor what follows is another option's text."""
        if self._with_text(name) - {label}:
            return False
        said = plain(BESIDE.sub("", rest))
        same = self._with_text(said)
        if not said or same:
            return not same or label in same
        if self._is_cut_off(label, said):
            return True
        if self.named(bare(said)) - {label}:
            return False
        begun = {k: len(t) for k, t in self.texts.items() if _opens(said, t)}
        return not begun or begun.get(label) == max(begun.values())


def only(labels: set[str]) -> str | None:
    """Return the one label there is, or None."""
    return next(iter(labels)) if len(labels) == 1 else None


def _opens(said: str, text: str) -> bool:
    return said.startswith(text) and not re.match(r"\w", said[len(text) :])


def _is_number(text: str, token: re.Match[str]) -> bool:
    """Return whether a digit is part of a number such as -2 or 2.5."""
    if not token["name"].isdigit():
        return False
    before = text[: token.start("name")]
    return bool(
        _NUMBER_BEFORE.search(before) or _NUMBER_AFTER.match(text[token.end() :])
    )
