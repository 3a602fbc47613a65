"""`Options`: reads a label, or an option's full text, at one place of a reply.

Apart from ``answers.py`` so that whether a letter *is* a label is decided here,
and which of several places counts is decided there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pytest_vdg.benchmarks._grammar import (
    BECAUSE,
    BESIDE,
    DASH,
    DENIED,
    JOINED,
    LISTED,
)
from pytest_vdg.benchmarks._named import Named, without_noun
from pytest_vdg.benchmarks._replies import bare, plain

_ABBREVIATION = re.compile(r"\.[^\W\d]\b")
"""What follows the first letter of ``A.I.`` or ``B.C.``"""
_NUMBER_BEFORE = re.compile(rf"(?:{DASH}|[.,])\Z")
_NUMBER_AFTER = re.compile(r"[.,:]\d|\s*%")
_STOP = re.compile(rf"\s*[.,:;!)(]|\s*{DASH}+\s")
_NO_STOP = re.compile(r"[#%&@=°²³+/^~\\]")
"""Signs that make a letter part of a name, as in ``C#``."""
_VERB = re.compile(r"\s*(?:is|isn't|was|are|can|cannot|and)\b")
_TEXT_ENDS = re.compile(
    r"[.;!](?=\s|$)|$|,(?=\s(?:because|as|since|so|which|not)\b)"
    r"|\s(?=\(|(?:because|since)\b)",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[^.!?\n]*\?")
_SPACE = re.compile(r"\s*")
_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A place where a reply names an option, or fails to."""

    start: int
    label: str | None
    """None when what stands there is several options, or none of these."""
    rest: str = ""
    """What follows on the same line, or the beginning of it."""
    bracketed: bool = False
    """Whether brackets, quotes or a word such as ``option`` mark it as a label."""
    name: str = ""
    """The label as it is written; empty for a text."""
    end: int = 0
    """Where it ends, the option's text beside it included."""


class Options(Named):
    """The options of one question, ready to be found in replies."""

    def claim(self, text: str, at: int) -> Claim | None:
        """Read a label at *at*, or return None where there is none."""
        token = self.token.match(text, at)
        if token is None or _is_number(text, token):
            return None
        rest = self.line(text, token.end())
        label = only(self.named(token["name"]))
        claim = Claim(
            start=token.start("name"),
            label=label,
            rest=rest,
            bracketed=bool(token["noun"]) or _in_brackets(token),
            name=token["name"],
            end=token.end(),
        )
        after = self._after_own_text(label, rest)
        if label is None or after is None:
            return self._spelled_at(text, at, claim) or self._bare(text, claim, token)
        if _ASKED.match(after):
            return None
        beside = len(rest) - len(BESIDE.sub("", rest))
        end = claim.end + beside + len(self.texts[label])
        wrong = self._goes_on(after, label) or self._is_denied(after)
        return replace(claim, label=None if wrong else label, end=end)

    def _bare(self, text: str, claim: Claim, token: re.Match[str]) -> Claim | None:
        """Return *claim*, a label without its text, as far as it holds."""
        rest, label = claim.rest, claim.label
        if _ASKED.match(rest):
            return None
        if self._is_several(text, claim.end) or self._goes_on(rest, label):
            return replace(claim, label=None)
        if not self._ends_there(rest, bracketed=_in_brackets(token)):
            return None
        holds = label is not None and self._agrees(label, claim.name, rest)
        return (
            claim if holds and not self._is_denied(rest) else replace(claim, label=None)
        )

    def _spelled_at(self, text: str, at: int, claim: Claim) -> Claim | None:
        """Read a text that begins as a label does, such as ``C#``."""
        for start in (at, claim.start):
            spelled = self.full_text(text, start)
            if spelled and spelled.label and len(self.texts[spelled.label]) > 1:
                return spelled
        return None

    def number(self, text: str, at: int) -> Claim | None:
        """Read a number at *at* that is an option's text and no option's label."""
        token = self.token.match(text, at)
        if token is None or not token["name"].isdigit() or self.named(token["name"]):
            return None
        rest = self.line(text, token.end())
        if _in_brackets(token) and not re.search(r"\w|\?", rest):
            label = only(self.with_text(token["name"]))
            return Claim(start=token.start("name"), label=label, end=token.end())
        said = plain(BESIDE.sub("", rest))
        if any(_opens(said, own) for own in self.heads.values()):
            return None
        return self.full_text(text, at)

    def full_text(self, text: str, at: int) -> Claim | None:
        """Read an option's full text at *at*, up to the end of a sentence."""
        start = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        line = self.line(text, start)
        found: set[str] = set()
        end = 0
        # A stop beyond the longest text ends none of them.
        for stop in _TEXT_ENDS.finditer(line[: self._reach]):
            said = line[: stop.start()]
            labels = self.with_text(said) or self.with_text(said.strip("()[] "))
            if labels:
                found, end = labels, stop.start()
        after = line[end:]
        if not found or _ASKED.match(after):
            return None
        label = only(found)
        if JOINED.match(after) or self._goes_on(after, label) or self._is_denied(after):
            label = None
        return Claim(start=start, label=label, rest=after, end=start + end)

    def opens_own_text(self, label: str, rest: str) -> bool:
        """Return whether *rest* is the text of *label*, or its beginning."""
        said = plain(BESIDE.sub("", rest))
        return _opens(said, self.heads[label]) or self._is_cut_off(label, said)

    def is_count_elsewhere(self, claim: Claim) -> bool:
        """Return whether a bare number may be meant as another option's count."""
        if not claim.name.isdecimal() or claim.bracketed or claim.label is None:
            return False
        number = int(claim.name) if len(claim.name) < 3 else -1
        words = {claim.name, *_NUMBERS[number : number + 1 or None][:1]}
        others = (t for k, t in self.texts.items() if k != claim.label)
        return any(_opens(text, word) for text in others for word in words)

    def _after_own_text(self, label: str | None, rest: str) -> str | None:
        """Return what follows the text of *label* that stands in *rest*, if it does."""
        if label is None:
            return None
        said = plain(BESIDE.sub("", rest))
        own = self.heads[label]
        longer = [t for t in self.heads.values() if _opens(said, t) and t != own]
        if not own or not _opens(said, own) or any(len(t) > len(own) for t in longer):
            return None
        return said[len(own) :]

    def _is_denied(self, after: str) -> bool:
        found = DENIED.match(after)
        if found is None or not found["not"]:
            return found is not None
        # "B, not C" denies C.
        following = after[found.end() :]
        token = self.token.match(following)
        named = token is not None and self.named(token["name"])
        return not named and not self.text.match(plain(following))

    def _goes_on(self, after: str, label: str | None) -> bool:
        """Return whether another option stands beside this one, as in a list."""
        gap = re.match(
            r"[\s,.;:/&|)\]+'\"*`-]*(?:(?:and|or|also|maybe|then)\b\s*)*[\s,]*", after
        )
        token = self.token.match(after, gap.end() if gap else 0)
        if token is None:
            return False
        others = self.named(token["name"]) - {label}
        rest = after[token.end() :]
        if not others:
            return False
        if not re.search(r"\w", rest):
            return True
        said = plain(BESIDE.sub("", rest))
        return any(_opens(said, self.heads[k]) for k in others if self.heads[k])

    def _is_cut_off(self, label: str, said: str) -> bool:
        """Return whether *said* is a text's beginning, ended by a token limit."""
        is_label = self.named(without_noun(bare(said))) - {label}
        return self.heads[label].startswith(said) and not is_label

    def _is_several(self, text: str, end: int) -> bool:
        """Return whether another label follows at *end*, as in ``A, B``."""
        if JOINED.match(text, end):
            return True
        gap = LISTED.match(text, end)
        if gap is None or "\n" in gap[0] or re.search(r"(?i)\bnot\b", gap[0]):
            return False
        following = self.token.match(text, gap.end())
        return following is not None and self.is_mention(text, following)

    def _ends_there(self, rest: str, *, bracketed: bool) -> bool:
        """Return whether what follows a label lets it be one."""
        if _NO_STOP.match(rest):
            return False
        if not re.search(r"\w", rest):
            return "?" not in rest
        said = plain(BESIDE.sub("", rest))
        if any(_opens(said, own) for own in self.heads.values()):
            return True
        if _ABBREVIATION.match(rest):
            return False
        if bracketed and not _VERB.match(rest):
            return True
        return bool(_STOP.match(rest) or BECAUSE.match(rest))

    def _agrees(self, label: str, name: str, rest: str) -> bool:
        """Return whether neither *name* nor what follows is another option's text."""
        if self.with_text(name) - {label}:
            return False
        said = plain(BESIDE.sub("", rest))
        same = self.with_text(said)
        if not said or same:
            return not same or label in same
        if self._is_cut_off(label, said):
            return True
        if self.named(without_noun(bare(said))) - {label}:
            return False
        begun = {k: len(t) for k, t in self.heads.items() if _opens(said, t)}
        return not begun or begun.get(label) == max(begun.values())


def only(labels: set[str]) -> str | None:
    """Return the one label there is, or None."""
    return next(iter(labels)) if len(labels) == 1 else None


def _in_brackets(token: re.Match[str]) -> bool:
    return bool((token["open"] or token["inner"]) and token["close"])


def _opens(said: str, text: str) -> bool:
    """Return whether *said* begins with all of *text*, which must be something."""
    return (
        text != "" and said.startswith(text) and not re.match(r"\w", said[len(text) :])
    )


def _is_number(text: str, token: re.Match[str]) -> bool:
    """Return whether a digit is part of a number such as -2 or 2.5."""
    if not token["name"].isdigit():
        return False
    start = token.start("name")
    before = text[max(0, start - 2) : start]
    return bool(_NUMBER_BEFORE.search(before) or _NUMBER_AFTER.match(text, token.end()))
