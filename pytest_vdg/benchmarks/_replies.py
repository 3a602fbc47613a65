"""From a raw reply to the text that can hold an answer, and texts compared.

Apart from ``answers.py`` so that its grammar need not know of thinking blocks,
Markdown and LaTeX.
"""

from __future__ import annotations

import re
import unicodedata

_TAGS = "think|thinking|thoughts?|reason|reasoning|reflection|scratchpad|seed:think"
_THOUGHT = re.compile(
    rf"(?P<open><(?:{_TAGS})(?:\s[^<>\n]{{0,40}})?>|\[THINK\]|◁think▷"
    r"|<\|begin_of_thought\|>|<unused94>)"
    rf"|</(?:{_TAGS})\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<unused95>",
    re.IGNORECASE,
)
"""Where thoughts begin (the group ``open``) and end, as models mark them."""
_CHANNEL = "<|channel|>"
_FINAL = re.compile(r"<\|channel\|>\s*final\b[^<]{0,40}<\|message\|>")
_BARE_FINAL = "assistantfinal"
"""What is left of the marks of a channel where special tokens were skipped."""
_STRUCK = re.compile(r"~~(?=[^\s~])[^~\n]+~~|\w[\u0335-\u0338]+")
_FENCE = re.compile(r"^(?:```|~~~)[\w-]*\s*\n(.*?)\n?\s*(?:```|~~~)$", re.DOTALL)
_FENCE_LINE = re.compile(r"^~~~+[\w-]*$", re.MULTILINE)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEX_TEXT = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|bold|boldsymbol"
    r"|emph|underline|operatorname)\s*\{([^{}]*)\}"
)
_TAGGED = re.compile(
    r"<answer\s*>((?:(?!<answer\b).)*?)</answer\s*>", re.DOTALL | re.IGNORECASE
)
_BOLD = re.compile(r"(\*\*|__)(?=\S)((?:(?!\1).)+)(?<=\S)\1")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_HTML_LINE = re.compile(r"</?(?:div|li|ul|ol|h[1-6])>|</p>", re.IGNORECASE)
_HTML = re.compile(r"</?(?:b|i|u|p|em|strong|span|code|mark)>", re.IGNORECASE)
_SPECIAL = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|<eos>|<end_of_turn>")
_ROLE = re.compile(r"^(?:assistant|model)\s*:?\s*\n", re.IGNORECASE)
_UNSEEN = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
_STRAIGHT = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
        "\u00ab": '"', "\u00bb": '"', "\u3002": ".", "\u3010": "[", "\u3011": "]",
        "\u300c": "[", "\u300d": "]", "\u300e": "[", "\u300f": "]", "\u300a": "[",
        "\u300b": "]", "\u3008": "[", "\u3009": "]",
    }
)  # fmt: skip


def spoken(reply: str) -> str | None:
    """Return *reply* without its thoughts, or None if it never stopped thinking.

    Thoughts mention options that the answer does not choose. Where the prompt
    itself opened the block, the reply holds its end only.
    """
    kept = _last_channel(reply)
    text = None if kept is None else _without_thoughts(kept)
    if text is None:
        return None
    text = _ROLE.sub("", _SPECIAL.sub("", _straight(text)).strip()).strip()
    fenced = _FENCE.match(text)
    text = fenced[1].strip() if fenced else _FENCE_LINE.sub("", text).strip()
    # What was struck through is not said.
    return _STRUCK.sub("", text).strip()


def _without_thoughts(text: str) -> str | None:
    said: list[str] = []
    depth = at = 0
    for mark in _THOUGHT.finditer(text):
        if depth == 0:
            said.append(text[at : mark.start()])
        if mark["open"]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            said = []
        at = mark.end()
    return None if depth else "".join([*said, text[at:]])


def _last_channel(text: str) -> str | None:
    """Return what a model said that thinks in channels; others are left alone."""
    if _CHANNEL in text:
        finals = list(_FINAL.finditer(text))
        return text[finals[-1].end() :] if finals else None
    if re.match(r"analysis(?=[A-Z])", text):
        _, final, said = text.rpartition(_BARE_FINAL)
        return said if final else None
    return text


def unmarked(text: str, *, keep_signs: bool = False) -> str:
    r"""Return *text* with markup spelled out in words and brackets.

    ``\boxed{B}`` and ``<answer>B</answer>`` become ``ANSWER: (B)``, a
    letter printed bold ``(B)``; other stars, backticks and dollars go, unless
    *keep_signs*, for options that differ in nothing else.
    """
    for _ in range(3):  # commands stand in each other
        text = _TEX_TEXT.sub(r"\1", text)
    if "</" in text:  # <b> alone may be a label
        text = _HTML.sub("", _HTML_LINE.sub("\n", text))
    text = _BREAK.sub("\n", text)
    text = _BOXED.sub(lambda m: f" ANSWER: {_bracketed(m[1])} ", text)
    text = _TAGGED.sub(lambda m: f" ANSWER: {_bracketed(m[1])} ", text)
    text = text.replace(r"\(", " ").replace(r"\)", " ")
    if not keep_signs:
        text = _BOLD.sub(lambda m: _bracketed(m[2]), text)
        text = re.sub(r"[*`$]", "", text)
    text = re.sub(r"[^\S\n]+", " ", text)
    return re.sub(r"(?: ?\n ?)+", "\n", text)


def _bracketed(inner: str) -> str:
    inner = inner.strip()
    return f"({inner})" if re.fullmatch(r"\w", inner) else inner


def plain(text: str) -> str:
    """Return *text* as it is compared: case, space, quotes, final stop aside."""
    text = " ".join(_straight(text).casefold().split()).strip("\"'`* ")
    return text[:-1].rstrip("\"'`* ") if text.endswith(".") else text


def bare(text: str) -> str:
    """Return a label without brackets, quotes and the marks around it."""
    text = _straight(text).strip()
    text = re.sub(r"^[-+•>#*]+\s+", "", text)
    stripped = text.lstrip(" \t\n*_`\"'([{<:").rstrip(" \t\n*_`\"')]}>.:;,!")
    return stripped or text


def _straight(text: str) -> str:
    """Return *text* in one spelling: widths, quotes, brackets, unseen signs."""
    text = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return text.translate(_STRAIGHT)
