"""What several commands take on the command line, and the settings made of it.

Apart from the commands so that one option reads the same in all of them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, NewType

from cyclopts import Group, Parameter

from pytest_vdg.config.found import find_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import (
    COMMAND_LINE,
    FORCE,
    SWITCHES,
    Voice,
    env_voice,
)


def _require_some(_: object, given: Sequence[str] | None) -> None:
    if given is not None and not names(given):
        raise ValueError("needs a name, or several")


TYPED: ContextVar[Sequence[str]] = ContextVar("vdg_typed", default=())
"""The words that this command line is made of."""

Variadic = Parameter(consume_multiple=True, negative=(), validator=_require_some)
"""Of a list: one option, then as many values as follow it."""
Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
"""Off unless it is given; there is no ``--no-`` twin."""
STDOUT = "-"
"""In place of a file: standard output."""
WHERE = Group("Where to run", sort_key=9)
"""The settings, at the end of every help text."""

# Texts, by what stands for them in help: `--to FILE`.
File = NewType("File", str)
Folder = NewType("Folder", str)
N = NewType("N", str)
Time = NewType("Time", str)
Condition = NewType("Condition", str)
Task = NewType("Task", str)


def _as_switch(name: str) -> Parameter:
    """Return an option that is told in the words of its switch."""
    return Parameter(help=next(s.help for s in SWITCHES if s.name == name))


ConfigFile = Annotated[File | None, _as_switch("config")]
CacheDir = Annotated[Folder | None, _as_switch("cache_dir")]
BaselineDir = Annotated[Folder | None, _as_switch("baseline_dir")]
Environment = Annotated[str | None, _as_switch("environment")]


@Parameter(name="*", group=WHERE)
@dataclass(frozen=True, kw_only=True)
class Where:
    """The settings of *where to run*, each an option by the name of its switch.

    All are texts as typed, so that what is wrong with one is said in the same
    words as for the option of pytest.
    """

    config: ConfigFile = None
    backend: str | None = None
    """How to ask the model: transformers (default), text-lm ..."""
    device: Annotated[str | None, _as_switch("device")] = None
    dtype: Annotated[str | None, _as_switch("dtype")] = None
    scoring: Annotated[str | None, _as_switch("scoring")] = None
    questions: Annotated[N | None, _as_switch("questions")] = None
    seed: Annotated[N | None, _as_switch("seed")] = None
    cache_dir: CacheDir = None
    no_cache: Flag | None = None
    """Ask every question anew and keep no answers"""
    baseline_dir: BaselineDir = None
    environment: Environment = None
    time_budget: Annotated[Time | None, _as_switch("time_budget")] = None
    replay: Annotated[Folder | None, _as_switch("replay")] = None
    compare_to: str | None = None
    """Checkpoint (or name of a stored run) that is the baseline, asked now"""
    spread: Flag | None = None
    """Let all workers ask the questions, one model each"""
    spread_force: Flag | None = None
    """The same with more workers than GPUs, too (also --spread=force)"""
    executor: Annotated[str | None, _as_switch("executor")] = None


@Parameter(name="*", group=WHERE)
@dataclass(frozen=True, kw_only=True)
class WhereFirst(Where):
    """The same, of a command that stands for a session of tests, or plans one."""

    sight: Annotated[Flag | None, _as_switch("sight")] = None


@Parameter(name="*", group=WHERE)
@dataclass(frozen=True, kw_only=True)
class Kept:
    """The settings of a command that only looks at what is kept."""

    config: ConfigFile = None
    cache_dir: CacheDir = None


@Parameter(name="*", group=WHERE)
@dataclass(frozen=True, kw_only=True)
class Baselines:
    """The settings of a command that only looks at baselines."""

    config: ConfigFile = None
    baseline_dir: BaselineDir = None
    environment: Environment = None
    cache_dir: Folder | None = None
    """Where candidates lie, below last-run (default: .vdg)"""


def require_file(_: object, given: str | None) -> None:
    """Refuse an option where a file is meant; ``-`` is standard output."""
    if given is not None and given.startswith("-") and given != STDOUT:
        raise ValueError(f"needs a file, got {given!r}")


@Parameter(name="*", group=Group("Reports", sort_key=8))
@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where reports go, each an option by the name of its switch."""

    json: Annotated[
        File | None, Parameter(allow_leading_hyphen=True, validator=require_file)
    ] = None
    """Write the results to this JSON file; - for standard output, and no text"""
    junit: File | None = None
    """Write a JUnit file with a case for each task and claim"""
    report: Folder | None = None
    """Write an HTML report and its pictures to this folder"""
    summary: File | None = None
    """Append a Markdown summary to this file; auto (default), off"""
    annotations: str | None = None
    """Annotate failing claims: auto (default), where GitHub runs them; off"""


def settings_of(
    where: Where | Kept | Baselines | None = None,
    *,
    checkpoint: str | None = None,
    outputs: Outputs | None = None,
) -> Settings:
    """Return the settings that the command line, environment and file make.

    Parameters
    ----------
    where
        Options as typed; None where none was given.
    checkpoint
        Of a command that takes one in its own way.
    outputs
        Of a command that writes reports.

    Raises
    ------
    ConfigError
        For a value that cannot be, and a file that cannot be read.
    """
    cwd = Path.cwd()
    given = {**_spoken(where, checkpoint), **spoken(outputs)}
    voices = [
        Voice(source=COMMAND_LINE, base=cwd, values=given),
        env_voice(os.environ, cwd),
    ]
    config = find_config(voices, [cwd])
    voices.append(file_voice(config, cwd))
    return resolve(voices, base=cwd, config=config)


def typed_command() -> str:
    """Return what was typed, for whoever wants the same again."""
    return shlex.join(["vdg", *TYPED.get()])


def spoken(where: object | None) -> dict[str, object]:
    """Return the settings that *where* gives, by the names of their switches."""
    if where is None:
        return {}
    given = {f.name: getattr(where, f.name) for f in fields(where)}  # type: ignore[arg-type]
    values = {name: value for name, value in given.items() if value is not None}
    for name in [each for each in values if each.endswith(f"_{FORCE}")]:
        del values[name]
        values[name.removesuffix(f"_{FORCE}")] = FORCE
    return values


def _spoken(
    where: Where | Kept | Baselines | None, checkpoint: str | None
) -> dict[str, object]:
    named = {} if checkpoint is None else {"checkpoint": checkpoint}
    return {**named, **spoken(where)}


def apart(tokens: Sequence[str]) -> list[str]:
    """Return *tokens* with ``--spread=force`` as an option of its own.

    The option is a flag, so that it takes no word that follows it; a flag has
    no other value. pytest's side has the same two forms.
    """
    forced = {
        f"--{s.name.replace('_', '-')}={FORCE}" for s in SWITCHES if s.kind == FORCE
    }
    return [t.replace("=", "-") if t in forced else t for t in tokens]


def names(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return names that were divided by spaces, by commas, or by both."""
    divided = (name for text in given or () for name in text.split(","))
    return tuple(name.strip() for name in divided if name.strip())
