"""`ClaimSpec`: a claim as ``vdg.yaml`` or the command line writes it, checked.

Apart from the rest of the file because what a claim may say is not listed
here: it is read from the assertion's own signature, so that an argument that is
new to an assertion can be written at once.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vdg.config._arguments import (
    assertion_of,
    kinds_of,
    known_assertions,
    parameters_of,
    required_of,
)
from pytest_vdg.config.kinds import CLAIM, Kind, hint, named, plain_value
from pytest_vdg.errors import ConfigError, did_you_mean
from pytest_vdg.verdicts import Finding

if TYPE_CHECKING:
    from pytest_vdg.config.strict_yaml import Document

_COMPARED: Mapping[str, tuple[str, ...]] = {
    "accuracy_above_blind": ("original",),
    "balanced_key": ("original",),
    "destructive_ratio_below": ("original",),
    "needs_order": ("original", "reversed"),
    "no_dissociation_regression": ("original", "black"),
    "stable_under": ("original",),
    "temporal_delta": ("original",),
    "vdg_above": ("original", "black"),
    "visual_gain_above": ("original", "text_only"),
}
"""Conditions that an assertion compares whatever its arguments say."""
_KNOWN = ", ".join(known_assertions())
_NAMING = ("treated", "condition", "against", "rungs", "shuffled")
"""Parameters of assertions whose values are conditions."""
BLIND = ("text_only", "black")
"""What ``accuracy_above_blind`` compares with where it names nothing: what it has."""


@dataclass(frozen=True, kw_only=True)
class ClaimSpec:
    """One claim: an assertion, what it is told, and the run that it is about.

    What is None is left to the configuration, as by a marker.
    """

    assertion: str
    """Name of the assertion without ``assert_``, e.g. ``vdg_above``."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The assertion's own arguments, all but the runs."""
    slice: str | None = None
    conditions: tuple[str, ...] | None = None
    """None for those that the assertion compares."""
    questions: int | None = None
    tasks: tuple[str, ...] | None = None
    seed: int | None = None
    loosened: str | None = None
    """Why a margin is larger than the one that is recorded."""
    path: Path | None = None
    """The file that it stands in; None where it was typed."""
    line: int | None = None

    @property
    def where(self) -> str:
        """Return where it stands, for the beginning of an error."""
        return "" if self.path is None else f"{self.path}:{self.line}: "

    @property
    def text(self) -> str:
        """Return the claim as one would type it, see `typed_claim`."""
        marked = {key: getattr(self, key) for key in CLAIM if key != "assert"}
        given = {k: v for k, v in {**marked, **self.arguments}.items() if v is not None}
        pairs = (f"{key}={shlex.quote(_written(v))}" for key, v in given.items())
        return " ".join([self.assertion, *pairs])

    @property
    def function(self) -> Callable[..., Finding]:
        """The assertion."""
        return assertion_of(self.assertion)

    @property
    def compares(self) -> bool:
        """Whether it is about a run and its baseline.

        What can be claimed both ways is held against a floor where it has one.
        """
        parameter = parameters_of(self.assertion).get("baseline")
        if parameter is None:
            return False
        return parameter.default is parameter.empty or "floor" not in self.arguments

    @property
    def needed(self) -> tuple[str, ...]:
        """Conditions that the run must hold; none where all of it is judged."""
        found = list(_COMPARED.get(self.assertion, ()))
        for name, parameter in parameters_of(self.assertion).items():
            value = self.arguments.get(name, parameter.default)
            if name not in _NAMING or value is None or value is parameter.empty:
                continue
            found += [value] if isinstance(value, str) else value
        return tuple(dict.fromkeys(found))

    @property
    def one_of(self) -> tuple[str, ...]:
        """Conditions of which the run must hold one at least, besides `needed`."""
        named_ = self.arguments.get("against")
        blind = self.assertion == "accuracy_above_blind" and named_ is None
        return BLIND if blind else ()


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def read_claims(document: Document) -> dict[str, ClaimSpec]:
    """Return the claims that *document* names, or raise `ConfigError` with the line."""
    entries = document.values["claims"]
    if not isinstance(entries, dict):
        raise _wrong(document.where("claims"), "claims", entries, _A_MAPPING)
    return {name: _read(document, name, entries[name]) for name in entries}


def _read(document: Document, name: str, values: object) -> ClaimSpec:
    if not isinstance(values, dict):
        place = document.where("claims", name)
        raise _wrong(place, f"claims.{name}", values, _A_CLAIM)
    return make_claim(
        values,
        called=f"claims.{name}",
        where=lambda *key: f"{document.where('claims', name, *key)}: ",
        path=document.path,
        line=document.lines.get(("claims", name)),
    )


_A_MAPPING = Kind(words="a mapping from name to claim", accepts=lambda _: False)
_A_CLAIM = Kind(
    words="a mapping, e.g. {assert: vdg_above, floor: 0.1}", accepts=lambda _: False
)


def make_claim(
    values: Mapping[str, object],
    *,
    called: str = "claim",
    where: Callable[..., str] = lambda *_: "",
    path: Path | None = None,
    line: int | None = None,
) -> ClaimSpec:
    """Return the claim that *values* say, in the keys of ``vdg.yaml``.

    Parameters
    ----------
    values : mapping
        ``assert`` and, as in a marker, ``slice``, ``conditions``, ``questions``,
        ``tasks``, ``seed``, ``loosened``; all else are arguments of the assertion.
    called : str
        What the claim is called in errors.
    where : callable, optional
        Returns the beginning of an error about a key.
    path, line : optional
        Where the claim stands.

    Raises
    ------
    ConfigError
        For an assertion or argument that is not known, a value of another type,
        and an argument that is lacking.
    """
    if "assert" not in values:
        raise ConfigError(
            f"{where()}{called!r} does not say what is claimed. "
            f"Write for example: assert: vdg_above. Known: {_KNOWN}"
        )
    kinds = dict(CLAIM)
    name = str(_checked("assert", values["assert"], kinds, called, where))
    if name not in known_assertions():
        raise ConfigError(
            f"{where('assert')}{called}: there is no assertion {name!r}."
            + did_you_mean(name, known_assertions())
        )
    # What both know is the marker's: it decides which questions there are.
    kinds = {**kinds_of(name), **kinds}
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key not in kinds:
            raise ConfigError(
                f"{where(key)}{called}: assert_{name} has no argument {key!r}, and a "
                f"claim no such key.{_aside(name, key) or did_you_mean(key, kinds)}"
            )
        found[key] = _checked(key, value, kinds, called, where)
    del found["assert"]
    own = {key: found.pop(key) for key in list(found) if key not in CLAIM}
    lacking = [key for key in required_of(name) if key not in own]
    if lacking:
        raise ConfigError(f"{where()}{called}: assert_{name} needs {lacking[0]!r}")
    return ClaimSpec(assertion=name, arguments=own, path=path, line=line, **found)


def _aside(name: str, key: str) -> str:
    if key != "baseline" or key not in parameters_of(name):
        return ""
    return (
        " A baseline is not named here: it is the committed one, or the checkpoint "
        "of --compare-to, wherever no 'floor' is given"
    )


def _checked(
    key: str,
    value: object,
    kinds: Mapping[str, Kind],
    called: str,
    where: Callable[..., str],
) -> object:
    kind = kinds[key]
    if not kind.accepts(value):
        raise _wrong(where(key).removesuffix(": "), f"{called}.{key}", value, kind)
    return kind.make(value)


def _wrong(where: str, name: str, value: object, kind: Kind) -> ConfigError:
    start = f"{where}: " if where else ""
    advice = hint(name.rpartition(".")[2], value, kind)
    return ConfigError(
        f"{start}{name!r} must be {kind.words}, got {named(value)}.{advice}"
    )


def typed_claim(text: str) -> ClaimSpec:
    """Return the claim that *text* says, e.g. ``vdg_above slice=sight floor=0.25``.

    Values are texts by nature here, so that digits are read as a number; names
    in a list are divided by commas.
    """
    try:
        first, *pairs = shlex.split(text) or [""]
    except ValueError as error:
        raise ConfigError(f"--claim {text!r}: {error}") from error
    where = f"--claim {text!r}: "
    if "=" in first or not first:
        raise ConfigError(
            f"{where}it must begin with an assertion. Write for example: "
            f'--claim "vdg_above slice=sight floor=0.1". Known: {_KNOWN}'
        )
    kinds: dict[str, Kind] = dict(CLAIM)
    if first in known_assertions():
        kinds = {**kinds_of(first), **kinds}
    values: dict[str, object] = {"assert": first}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key in values:
            what = "is given twice" if equals else "is no NAME=VALUE"
            raise ConfigError(f"{where}{key!r} {what}")
        values[key] = _of_text(value, kinds.get(key))
    return make_claim(values, where=lambda *_: where)


def _of_text(text: str, kind: Kind | None) -> object:
    if kind is None:
        return text
    several = [part.strip() for part in text.split(",")]
    wanted = [plain_value(text), several if len(several) > 1 else text, text, several]
    return next((each for each in wanted if kind.accepts(each)), text)
