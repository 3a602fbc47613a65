"""Prompt templates: filled in, and refused when they could ask another question.

Apart from ``prompts.py`` because it alone knows Jinja, and because what a
template may do is decided here: texts of questions and options are data that
are put in, never templates themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_vdg.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from jinja2 import Environment, Template

    from pytest_vdg.benchmarks.schema import Option

VARIABLES = ("instruction", "labels", "options", "question")
"""What a template may name."""

_LOOP = "{% for option in options %}{{ option.label }}. {{ option.text }}\n{% endfor %}"
_TRIALS = (2, 4, 26)
"""Numbers of options that a template is tried with: least, usual, most."""
_NO_TEXT = re.compile(r"<[^<>]* at 0x[0-9a-fA-F]+>|Option\(label=")
"""How Python writes objects, some of them otherwise in each process."""


@lru_cache(maxsize=4096)
def fill(
    template: str, *, question: str, options: tuple[Option, ...], instruction: str
) -> str:
    """Return *template* with the four variables put in.

    Looked up where it was filled in before: each condition asks it again.

    A line end at the very end is left out, unless *instruction* brings it.
    """
    try:
        text = _compiled(template).render(
            question=question,
            options=options,
            labels=tuple(option.label for option in options),
            instruction=instruction,
        )
    # A template is foreign code: whatever goes wrong in it is its writer's.
    except Exception as error:
        raise ConfigError(f"the template cannot be filled in: {error}") from error
    ends = text.endswith("\n") and not instruction.endswith("\n")
    return text[:-1] if ends else text


def uses(template: str, name: str) -> bool:
    """Return whether *template* names the variable *name*."""
    return name in _named(template)


@lru_cache(maxsize=64)
def require_usable(template: str) -> None:
    """Raise `ConfigError` unless *template* asks the whole question, as it is.

    It is tried with marked texts: the question, and each option's label and
    text, must be there unchanged, each label beside its own text.
    """
    for name in sorted(_named(template)):
        if name not in VARIABLES:
            hint = did_you_mean(name, VARIABLES)
            raise ConfigError(f"the template names {name!r}, which is unknown.{hint}")
    for count in _TRIALS:
        _require_complete(template, count)


def _require_complete(template: str, count: int) -> None:
    from pytest_vdg.benchmarks.schema import Option

    # Out of alphabetical order, so that sorting texts apart from labels shows.
    options = tuple(
        Option(label=f"Lab{n:02d}el", text=f"Option{(11 * n + 5) % 26:02d}Text")
        for n in range(count)
    )
    asked = "The Question Text"
    said = fill(template, question=asked, options=options, instruction="Instruction")
    if _NO_TEXT.search(said):
        raise ConfigError(
            f"the template writes an object, {_NO_TEXT.findall(said)[0]}..., and no "
            f"text. Write for example:\n{_LOOP}"
        )
    if asked not in said:
        raise ConfigError(
            "the template leaves the question out, or changes it. "
            "Write {{ question }} in it"
        )
    for what in ("text", "label"):
        gone = [n for n, o in enumerate(options, 1) if getattr(o, what) not in said]
        if gone:
            raise ConfigError(
                f"the template leaves out, or changes, the {what} of option {gone[0]} "
                f"of {count}. Write for example:\n{_LOOP}"
            )
    if not _paired(said, options):
        raise ConfigError(
            "the template puts labels beside texts of other options. "
            f"Write for example:\n{_LOOP}"
        )


def _paired(said: str, options: Sequence[Option]) -> bool:
    """Return whether all labels stand before their texts, or all after them."""
    marks = re.findall(r"Lab\d\del|Option\d\dText", said)
    neighbours = set(pairwise(marks))
    return all((o.label, o.text) in neighbours for o in options) or all(
        (o.text, o.label) in neighbours for o in options
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    made = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,  # prompts are no HTML
        # A tag on a line of its own leaves no empty line, as in chat templates.
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # A question is asked in the same words each time.
    del made.filters["random"], made.globals["lipsum"]
    return made


@lru_cache(maxsize=64)
def _compiled(template: str) -> Template:
    from jinja2 import TemplateSyntaxError

    try:
        return _environment().from_string(template)
    except TemplateSyntaxError as error:
        raise ConfigError(
            f"the template cannot be read: line {error.lineno}: {error.message}"
        ) from error


@lru_cache(maxsize=64)
def _named(template: str) -> frozenset[str]:
    from jinja2 import meta

    _compiled(template)  # says what is wrong with its form
    tree = _environment().parse(template)
    named = meta.find_undeclared_variables(tree)
    return frozenset(named - _environment().globals.keys())
