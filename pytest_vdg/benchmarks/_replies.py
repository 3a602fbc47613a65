"""From a raw reply to the text that can hold an answer, and texts compared.

Apart from ``answers.py`` so that its grammar need not know of thinking blocks,
Markdown and LaTeX.
"""

from __future__ import annotations

import re
import unicodedata

_THOUGHT = re.compile(
    r"<(think|thinking)\s*>.*?</\1\s*>|◁think▷.*?◁/think▷", re.DOTALL | re.IGNORECASE
)
_CLOSE = re.compile(r"</(?:think|thinking)\s*>|◁/think▷", re.IGNORECASE)
_OPEN = re.compile(r"<(?:think|thinking)\s*>|◁think▷", re.IGNORECASE)
_FENCE = re.compile(r"^```[\w-]*\s*\n(.*?)\n?\s*```$", re.DOTALL)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}")
_TAGGED = re.compile(r"<answer\s*>(.*?)</answer\s*>", re.DOTALL | re.IGNORECASE)
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_SPECIAL = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|<eos>|<end_of_turn>")
_STRAIGHT = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u3002": "."}
_QUOTES = str.maketrans(_STRAIGHT)


def spoken(reply: str) -> str | None:
    """Return *reply* without its thoughts, or None if it never stopped thinking.

    Thoughts mention options that the answer does not choose. Where the prompt
    itself opened the block, the reply holds its end only.
    """
    if len(_OPEN.findall(reply)) > len(_CLOSE.findall(reply)):
        return None
    text = _THOUGHT.sub("", reply)
    closes = list(_CLOSE.finditer(text))
    if closes:
        text = text[closes[-1].end() :]
    if _OPEN.search(text):
        return None
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    text = _SPECIAL.sub("", text).strip()
    fenced = _FENCE.match(text)
    return fenced[1].strip() if fenced else text


def unmarked(text: str) -> str:
    r"""Return *text* with markup spelled out in words and brackets.

    ``\boxed{B}`` and ``<answer>B</answer>`` become ``ANSWER: (B)``, a
    letter printed bold ``(B)``; other stars, backticks and dollars go.
    """
    text = _TEX_TEXT.sub(r"\1", text)
    text = _BOXED.sub(lambda m: f" ANSWER: {_bracketed(m[1])} ", text)
    text = _TAGGED.sub(lambda m: f" ANSWER: {_bracketed(m[1])} ", text)
    text = _BOLD.sub(lambda m: _bracketed(m[2]), text)
    text = text.replace(r"\(", " ").replace(r"\)", " ")
    text = re.sub(r"[^\S\n]+", " ", re.sub(r"[*`$]", "", text))
    return re.sub(r"(?: ?\n ?)+", "\n", text)


def _bracketed(inner: str) -> str:
    inner = inner.strip()
    return f"({inner})" if re.fullmatch(r"\w", inner) else inner


def plain(text: str) -> str:
    """Return *text* as it is compared: case, space, quotes, final stop aside."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    text = " ".join(text.split()).strip("\"'`* ")
    return text[:-1].rstrip("\"'`* ") if text.endswith(".") else text


def bare(text: str) -> str:
    """Return a label without brackets, quotes and the marks around it."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES).strip()
    text = re.sub(r"^[-+•>#*]+\s+", "", text)
    stripped = text.lstrip(" \t\n*_`\"'([{<:").rstrip(" \t\n*_`\"')]}>.:;,!")
    return stripped or text
