"""`Said`: what an answer of a server says, read strictly.

Apart from the requests because a server's answer is taken for one only where it
is: an empty choice, a filtered or missing text is a failure, never a reply.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._server_key import without_key
from pytest_vdg.errors import BackendError

_WORD_STARTS = " \t\n\r\u0120\u2581"
"""What stands before a word in the tokens of some tokenizers."""
_MOST_MISSED = 0.01
"""Share of the labels' probability that labels which are not listed may hold."""
_ROUNDING = 1e-3
_NEVER = -9999.0
"""As a logarithm, what servers write for probability 0; none is less."""
_MOST_TOKENS = 1 << 53
"""Tokens that no prompt has; a count beyond is none, and fits no float."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """One answer of a server."""

    text: str
    """The reply verbatim; empty where the model said nothing."""
    first: Mapping[str, float] | None
    """Token to probability at the reply's first place; None where not told."""
    prompt_tokens: int | None
    """As the server counts them; None where it does not."""
    model: str
    """What the server calls the model; empty where it does not say."""
    system: str
    """The server's own fingerprint of itself; empty where it has none."""
    cut: bool
    """Whether the reply ended at the most tokens it was allowed."""


@dataclass(frozen=True, kw_only=True)
class Labels:
    """How probable the labels are as the first token of a reply."""

    probabilities: Mapping[str, float] | None
    """Renormalised; None where too little is told of some label."""
    label_mass: float | None
    best: str | None
    """The most probable label; None where none is listed."""


def read_answer(answer: Mapping[str, Any]) -> Said:
    """Return what *answer* says, or raise `BackendError` saying why it is none."""
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise BackendError("the server answered without a choice")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping):
        raise BackendError("the server answered with a choice that holds no message")
    ended = choice.get("finish_reason")
    if ended == "content_filter":
        raise BackendError("the server's content filter took the reply away")
    if ended == "error":
        raise BackendError("the server says that it failed amid the reply")
    return Said(
        text=without_key(_text(message, ended)),
        first=_first(choice.get("logprobs")),
        prompt_tokens=token_count(answer.get("usage"), "prompt_tokens"),
        model=_name(answer.get("model")),
        system=_name(answer.get("system_fingerprint")),
        cut=ended == "length",
    )


def label_probabilities(first: Mapping[str, float], labels: Sequence[str]) -> Labels:
    """Return what *first*, the likeliest tokens, tells of *labels*.

    A label's tokens are those that are it, with or without a space before. A
    label that is not listed is at most as probable as the least that is; where
    those that are missing could hold more than a hundredth of what the others
    do, their shares are not known and none are given.
    """
    found = dict.fromkeys(labels, 0.0)
    for token, probability in first.items():
        label = token.strip(_WORD_STARTS)
        if label in found:
            found[label] += probability
    listed = {label: p for label, p in found.items() if p > 0}
    if not listed:
        return Labels(probabilities=None, label_mass=None, best=None)
    best = max(listed, key=lambda label: listed[label])
    total = sum(listed.values())
    missed = (len(found) - len(listed)) * min(first.values())
    if missed > _MOST_MISSED * total:
        return Labels(probabilities=None, label_mass=None, best=best)
    return Labels(
        probabilities={label: p / total for label, p in found.items()},
        label_mass=min(1.0, total),
        best=best,
    )


def token_count(usage: object, name: str) -> int | None:
    """Return how many tokens *usage* tells under *name*; None where that is none."""
    told = usage.get(name) if isinstance(usage, Mapping) else None
    return told if type(told) is int and 0 < told <= _MOST_TOKENS else None


def _text(message: Mapping[str, Any], ended: object) -> str:
    content = message.get("content")
    if isinstance(content, list):  # in parts, as some servers give it
        texts = [p.get("text") for p in content if isinstance(p, Mapping)]
        content = "".join(t for t in texts if isinstance(t, str))
    if isinstance(content, str):
        return content
    refusal = message.get("refusal")
    if isinstance(refusal, str):  # the model's words, which choose no option
        return refusal
    thinking = message.get("reasoning_content") or message.get("reasoning")
    if content is None and thinking and ended == "length":
        return ""  # it thought until its tokens were used up
    what = "a call of a tool" if message.get("tool_calls") else "no text"
    raise BackendError(f"the server answered with {what}")


def _first(logprobs: object) -> dict[str, float] | None:
    """Return the likeliest first tokens, or None where they are not sound."""
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    place = content[0] if isinstance(content, list) and content else None
    top = place.get("top_logprobs") if isinstance(place, Mapping) else None
    if not isinstance(top, list) or not top:
        return None
    found: dict[str, float] = {}
    for entry in top:
        token = entry.get("token") if isinstance(entry, Mapping) else None
        value = entry.get("logprob") if isinstance(entry, Mapping) else None
        if not isinstance(token, str) or not isinstance(value, int | float):
            return None
        if not value <= _ROUNDING:  # nor is it NaN
            return None
        likely = math.exp(max(_NEVER, min(0.0, value)))
        # Two tokens may be spelt alike once they are text.
        found[token] = found.get(token, 0.0) + likely
    return found if sum(found.values()) <= 1 + _ROUNDING else None


def _name(value: object) -> str:
    return without_key(value)[:200] if isinstance(value, str) else ""
