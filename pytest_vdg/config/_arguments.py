"""What an assertion may be told, read from its signature, as kinds of values.

Apart from claims so that types are translated in one place; nothing here knows
any assertion by name.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any

from pytest_vdg import assertions
from pytest_vdg.config.kinds import Kind
from pytest_vdg.verdicts import Finding

_PREFIX = "assert_"
_RUNS = ("run", "baseline")
"""Parameters that are never written: a claim is about the run of its slice."""


def known_assertions() -> list[str]:
    """Return the names by which a claim may name its assertion."""
    names = (n for n in assertions.__all__ if n.startswith(_PREFIX))
    return sorted(name.removeprefix(_PREFIX) for name in names)


def assertion_of(name: str) -> Callable[..., Finding]:
    """Return the assertion that a claim calls *name*."""
    found: Callable[..., Finding] = getattr(assertions, _PREFIX + name)
    return found


@cache
def _signature(name: str) -> inspect.Signature:
    return inspect.signature(assertion_of(name))


def parameters_of(name: str) -> Mapping[str, inspect.Parameter]:
    """Return all parameters of the assertion *name*."""
    return _signature(name).parameters


def required_of(name: str) -> list[str]:
    """Return the arguments that a claim must write."""
    found = parameters_of(name).items()
    return [n for n, p in found if p.default is p.empty and n not in _RUNS]


@cache
def kinds_of(name: str) -> Mapping[str, Kind]:
    """Return the arguments that a claim may write, and what each must be."""
    hints = typing.get_type_hints(assertion_of(name))
    return {n: _kind(hints[n]) for n in parameters_of(name) if n not in _RUNS}


def _kind(wanted: Any) -> Kind:  # noqa: ANN401 - types have no type of their own
    """Return what a value of the type *wanted* is, in words and as a check."""
    parts = [part for part in _parts(wanted) if part is not type(None)]
    words = " or ".join(dict.fromkeys(map(_words, parts)))
    return Kind(
        words=words,
        accepts=lambda value: any(_fits(value, part) for part in parts),
        make=lambda value: tuple(value) if isinstance(value, list) else value,
    )


def _parts(wanted: Any) -> Sequence[Any]:  # noqa: ANN401
    union = typing.get_origin(wanted) in (typing.Union, types.UnionType)
    return typing.get_args(wanted) if union else [wanted]


def _words(part: Any) -> str:  # noqa: ANN401
    if typing.get_origin(part) is typing.Literal:
        return " or ".join(repr(each) for each in typing.get_args(part))
    if _is_list(part):
        return "a list of texts"
    known = {float: "a number", int: "a whole number", bool: "true or false"}
    return known.get(part, "a text")


def _fits(value: object, part: Any) -> bool:  # noqa: ANN401
    if typing.get_origin(part) is typing.Literal:
        return value in typing.get_args(part)
    if _is_list(part):
        texts = isinstance(value, list) and bool(value)
        return texts and all(isinstance(each, str) and each for each in value)  # type: ignore[attr-defined]
    if part is bool or isinstance(value, bool):
        return part is bool and isinstance(value, bool)
    if part is float:
        return isinstance(value, int | float)
    return isinstance(value, part) and value != ""


def _is_list(part: Any) -> bool:  # noqa: ANN401
    origin = typing.get_origin(part)
    return isinstance(origin, type) and issubclass(origin, Collection)
