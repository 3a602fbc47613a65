"""What is wrong with a command line, in our words: what came, what to type.

Apart from ``cli`` so that the texts do not hang on the version of the library
that reads the command line.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from pytest_vdg._commands._help import value_of
from pytest_vdg.errors import did_you_mean

if TYPE_CHECKING:
    from cyclopts import Argument

_KINDS: dict[object, str] = {int: "a whole number", float: "a number"}
_PLUGIN = "--vdg-"
"""How options begin in pytest, where others have options, too."""


def told(error: CycloptsError) -> str:
    """Return the one message for *error*, with what to type where that is known."""
    if isinstance(error, UnknownCommandError):
        return _unknown_command(error)
    if isinstance(error, UnknownOptionError):
        return _unknown_option(error)
    if isinstance(error, UnusedCliTokensError):
        word = (error.unused_tokens or [""])[0]
        return f"{_command(error)} takes no further word, got {word!r}.{_see(error)}"
    if isinstance(error, RepeatArgumentError):
        return f"{error.token.keyword} is given twice"
    return _of_argument(error, error.argument)


def _of_argument(error: CycloptsError, argument: Argument | None) -> str:
    if argument is not None:
        if isinstance(error, MissingArgumentError):
            return _missing(error, argument)
        if isinstance(error, CoercionError):
            return _not_that_kind(error, argument)
        if isinstance(error, ValidationError):
            return f"{argument.name} {error.exception_message}"
    error.verbose = False  # one that is not known here, in the library's words
    return str(error)


def _command(error: CycloptsError) -> str:
    return " ".join(("vdg", *(error.command_chain or ())))


def _see(error: CycloptsError) -> str:
    return f" See: {_command(error)} --help"


def _unknown_command(error: UnknownCommandError) -> str:
    word = (error.unused_tokens or [""])[0]
    known = [name for name in error.app or () if not name.startswith("-")]
    what = "option" if word.startswith("-") else "command"
    return f"{_command(error)} has no {what} {word!r}.{did_you_mean(word, known)}"


def _unknown_option(error: UnknownOptionError) -> str:
    option = error.token.keyword or error.token.value
    known = [name for each in error.argument_collection for name in each.names]
    typed = option.partition("=")[0]
    if typed.startswith(_PLUGIN):  # as pytest is told
        typed = "--" + typed.removeprefix(_PLUGIN)
    near = difflib.get_close_matches(typed, known, n=1, cutoff=0.6)
    hint = f" Did you mean {near[0]!r}?" if near else _see(error)
    return f"{_command(error)} has no option {option!r}.{hint}"


def _missing(error: MissingArgumentError, argument: Argument) -> str:
    given = [token.partition("=")[0] for token in error.unused_tokens or ()]
    if any(name in given for name in argument.names):
        return f"{argument.name} needs a value: {_shown(argument)}"
    every = error.app.assemble_argument_collection() if error.app else ()
    needed = [
        _shown(each) for each in every if each.required and each.index is not None
    ]
    needed += [_shown(each) for each in every if each.required and each.index is None]
    wanted = " ".join((_command(error), *needed))
    return f"{argument.name} is missing. Type: {wanted}"


def _shown(argument: Argument) -> str:
    if argument.index is not None:
        return argument.name
    return f"{argument.name} {value_of(argument.field_info.annotation)}".strip()


def _not_that_kind(error: CoercionError, argument: Argument) -> str:
    token = error.token
    given = token.value if token is not None else ""
    choices: Sequence[str] = argument.get_choices() or ()
    if choices:
        wanted = f"one of {', '.join(choices)}"
    elif argument.hint is bool:
        return f"{argument.name} takes no value"
    else:
        wanted = _kind(argument.hint)
    near = difflib.get_close_matches(given, choices, n=1, cutoff=0.6)
    hint = f". Did you mean {near[0]!r}?" if near else ""
    return f"{argument.name} must be {wanted}, got {given!r}{hint}"


def _kind(hint: object) -> str:
    kinds = [_KINDS[each] for each in (hint, *get_args(hint)) if each in _KINDS]
    return kinds[0] if kinds else "a value of another kind"
