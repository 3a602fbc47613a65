"""Replies made to choose an option, or to choose none, with what they choose.

Apart from the tests because a bench makes a hundred thousand of them. A reply
is a core, whose reading is known, between sentences that do not change it, in
a wrapping that does not either.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.benchmarks.reply_options import option_sets
from tests.benchmarks.reply_phrases import (
    AFTER,
    BEFORE,
    CHOOSING,
    LABELLING,
    NOT_CHOOSING,
    RECORDS,
    REFUSING,
    SPELLINGS,
    TAKING_BACK,
    THOUGHTS,
    WRAPS,
)

Options = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class MadeReply:
    """A reply and how a careful person reads it."""

    reply: str
    options: Options
    chosen: frozenset[str]
    """What a person accepts as chosen: one label, none, or rarely two."""
    kind: str
    """By what it was made, for counting."""


def made_replies(seed: int) -> Iterator[MadeReply]:
    """Yield replies without end, the same ones for the same *seed*."""
    rng = random.Random(seed)
    sets = option_sets()
    while True:
        name, options = rng.choice(sets)(rng)
        maker = rng.choices(_MAKERS, weights=_WEIGHTS)[0]
        made = maker(rng, options)
        if made is not None:
            kind, reply, chosen = made
            yield MadeReply(
                reply=reply,
                options=options,
                chosen=frozenset(chosen),
                kind=f"{kind}, {name}",
            )


_Made = tuple[str, str, set[str]]


def _announced(rng: random.Random, options: Options) -> _Made:
    """Return a declaration of a label, a text or both, between other sentences."""
    label = rng.choice(list(options))
    form = rng.choice(CHOOSING)
    name, readings = _naming(
        rng, options, label, alone="({0})" in form or "[{0}]" in form
    )
    reply = _between(rng, options, label, form.format(name))
    return "announced", _wrapped(rng, options, reply), readings


def _labelled(rng: random.Random, options: Options) -> _Made:
    label, other = rng.sample(list(options), 2)
    form = rng.choice(LABELLING)
    core = form.format(_short(label), _short(other))
    if form.startswith(
        ("{0}", "(", "[", "*", "`", ">", "<b", "\u3010", "Option {0}", "~")
    ):
        core = rng.choice(
            ["{0}", "{0}\n\nThe man walks in.", "I looked twice.\n\n{0}"]
        ).format(core)
    elif not form.startswith(("I choose", "I pick", "I'd", "It ", "By", "So")):
        core = _between(rng, options, label, core)
    return "labelled", _wrapped(rng, options, core), _by_name(options, label)


def _line(rng: random.Random, options: Options) -> _Made:
    """Return a line of label and text, as most models answer."""
    label = rng.choice(list(options))
    form = rng.choice(
        [
            "{0}. {1}",
            "({0}) {1}",
            "{0}) {1}",
            "{0}: {1}",
            "{0} - {1}",
            "**{0}. {1}**",
            "**{0}.** {1}",
            "- {0}. {1}",
            "Option {0}: {1}",
        ]
    )
    name = label if form.startswith("{0}") else _short(label)
    core = form.format(name, options[label])
    ends = rng.choice(
        ["{0}", "{0}.", "{0}\n\nThe man walks in.", "I looked twice.\n\n{0}"]
    )
    return "line", _wrapped(rng, options, ends.format(core)), {label}


def _record(rng: random.Random, options: Options) -> _Made:
    label, other = rng.sample(list(options), 2)
    text = json.dumps(rng.choice(RECORDS), indent=rng.choice([None, 1]))
    text = text.replace("{0}", _short(label)).replace("{1}", _short(other))
    form = rng.choice(
        [
            "{0}",
            "```json\n{0}\n```",
            "Here it is:\n```json\n{0}\n```",
            "Here: {0}",
            "{0}\n\nI hope this helps!",
        ]
    )
    return "record", form.format(text.replace("\\", "\\\\")), _by_name(options, label)


def _text(rng: random.Random, options: Options) -> _Made:
    label = rng.choice(list(options))
    said = rng.choice([str, str.upper, str.lower, str.title])(options[label])
    form = rng.choice(
        [
            "{0}",
            "{0}.",
            '"{0}"',
            "**{0}**",
            "{0}.\n\nI looked twice.",
            "It is {0}.",
            "{0}. The man walks in.",
            "This is {0}.",
        ]
    )
    return "text", _wrapped(rng, options, form.format(said)), _by_text(options, said)


def _nothing(rng: random.Random, options: Options) -> _Made | None:
    one, two = (_short(label) for label in rng.sample(list(options), 2))
    core = rng.choice(NOT_CHOOSING).format(one, two)
    if _is_own_text(options, core):
        return None
    return "nothing", core, set()


def _refusal(rng: random.Random, options: Options) -> _Made | None:
    core = rng.choice(REFUSING)
    return None if _is_own_text(options, core) else ("refusal", core, set())


def _foreign(rng: random.Random, options: Options) -> _Made | None:
    """Return a choice of a label that no option has."""
    names = {_short(label).casefold() for label in options}
    texts = {text.casefold() for text in options.values()}
    label = rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ123456789")
    if label.casefold() in names | texts or label in "AI":
        return None
    return "foreign", rng.choice(CHOOSING + LABELLING[:2]).format(label, "A"), set()


def _mismatched(rng: random.Random, options: Options) -> _Made | None:
    """Return the label of one option with the text of another."""
    one, two = rng.sample(list(options), 2)
    text = options[two]
    if any(
        t.casefold().startswith(text.casefold()) for k, t in options.items() if k != two
    ):
        return None
    form = rng.choice(
        ["{0}. {1}", "({0}) {1}", "Answer: {0}. {1}", "The answer is {0}: {1}."]
    )
    return "mismatched", form.format(_short(one), text), set()


def _echo(rng: random.Random, options: Options) -> _Made:
    """Return the question again, with or without an answer after it."""
    form = rng.choice(["{0}. {1}", "({0}) {1}", "{0}) {1}", "- {0}. {1}"])
    rows = [form.format(_short(label), text) for label, text in options.items()]
    heading = rng.choice(
        [
            "",
            "Options:\n",
            "Question: Which one?\n",
            "Let me analyze each option:\n",
            "The options are:\n",
            "Answer choices:\n",
            "Answer:\n",
        ]
    )
    asked = heading + "\n".join(rows)
    if rng.random() < 0.4:
        kept = (
            rng.randint(2, len(rows))
            if heading in {"", "Answer:\n"}
            else rng.randint(1, len(rows))
        )
        return "echo", heading + rng.choice(["\n", " "]).join(rows[:kept]), set()
    label = rng.choice(list(options))
    answer = rng.choice(["The answer is {0}.", "Answer: {0}", "\n{0}"]).format(
        _short(label)
    )
    return "answered echo", f"{asked}\n{answer}", _by_name(options, label)


def _taken_back(rng: random.Random, options: Options) -> _Made:
    label, other = rng.sample(list(options), 2)
    core = rng.choice(TAKING_BACK).format(_short(label), _short(other))
    return "taken back", _wrapped(rng, options, core), _by_name(options, label)


def _continued(rng: random.Random, options: Options) -> _Made:
    """Return an answer after which the model asks and answers on."""
    label, other = rng.sample(list(options), 2)
    core = rng.choice(["{0}", "Answer: {0}", "The answer is {0}.", "({0})"]).format(
        _short(label)
    )
    asks = rng.choice(
        ["Question: And then?", "User: What is next?", "Question 2: Why?"]
    )
    answer = rng.choice(["Answer: {0}", "The answer is {0}."]).format(_short(other))
    return "continued", f"{core}\n\n{asks}\n{answer}", _by_name(options, label)


_MAKERS = (
    _announced,
    _labelled,
    _line,
    _record,
    _text,
    _nothing,
    _refusal,
    _foreign,
    _mismatched,
    _echo,
    _continued,
    _taken_back,
)
_WEIGHTS = (22, 22, 10, 6, 6, 15, 2, 4, 3, 5, 2, 3)


def _naming(
    rng: random.Random, options: Options, label: str, *, alone: bool
) -> tuple[str, set[str]]:
    """Return a way to name *label*, and what a person may take it for."""
    short, text = _short(label), options[label]
    if alone or rng.random() < 0.4:
        lower = rng.random() < 0.2 and len({k.casefold() for k in options}) == len(
            options
        )
        return (short.lower() if lower else short), _by_name(options, label)
    if rng.random() < 0.3:
        return text, _by_text(options, text)
    both = rng.choice(
        ["{0}. {1}", "({0}) {1}", "{0}: {1}", "{0}, {1}", "option {0}: {1}"]
    )
    return both.format(short, text), {label}


def _between(rng: random.Random, options: Options, label: str, core: str) -> str:
    others = [_short(k) for k in options if k != label]
    one, two = rng.sample(others, 2) if len(others) > 1 else others * 2
    before = rng.choices(BEFORE, k=rng.choice([0, 0, 1, 2]))
    after = rng.choices(AFTER, k=rng.choice([0, 0, 1, 2]))
    gap = rng.choice([" ", "\n", "\n\n"])
    said = (
        [s.format("", one, two) for s in before],
        [s.format("", one, two) for s in after],
    )
    return gap.join(said[0] + [core]) + "".join(f"\n{s}" for s in said[1])


def _wrapped(rng: random.Random, options: Options, core: str) -> str:
    if rng.random() < 0.12:
        core = rng.choice(SPELLINGS)(core)
    if rng.random() < 0.15:
        other = _short(rng.choice(list(options)))
        thought = rng.choice(
            [f"The answer is {other}.", f"{other} or not?", "A man walks."]
        )
        core = rng.choice(THOUGHTS).format(thought) + core
    return rng.choice(WRAPS)(core)


def _short(label: str) -> str:
    """Return a label as it is named in running text: ``A`` for ``Caption A``."""
    return label.rsplit(maxsplit=1)[-1]


def _is_own_text(options: Options, said: str) -> bool:
    plain = said.casefold().strip(" .")
    named = any(_short(label).casefold() == plain for label in options)
    return named or any(
        t.casefold().strip("'\"\u201c\u201d*$") in plain for t in options.values()
    )


def _by_name(options: Options, label: str) -> set[str]:
    """Return *label* and the options whose text is what it is called."""
    said = _short(label).casefold()
    return {label} | {k for k, text in options.items() if text.casefold() == said}


def _by_text(options: Options, said: str) -> set[str]:
    """Return the options whose text, or label, is *said*."""
    said = said.casefold().strip()
    return {
        k
        for k, text in options.items()
        if said in {text.casefold(), _short(k).casefold()}
    }


def wrongly_read(replies: Sequence[tuple[MadeReply, str | None]]) -> list[str]:
    """Return the replies that were read as an option they do not choose."""
    return [
        f"{made.reply!r} of {made.options} as {label}, not {sorted(made.chosen)}"
        for made, label in replies
        if label is not None and label not in made.chosen
    ]
