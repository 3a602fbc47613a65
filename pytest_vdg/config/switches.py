"""The settings of *where to run*, and who may give each of them.

Apart from ``settings`` because options, ini keys and environment variables
are all named after this one table, before anything is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_vdg.config import durations
from pytest_vdg.errors import ConfigError

COMMAND_LINE = "command line"
ENVIRONMENT = "environment"
FILE = "file"
INI = "ini"
DEFAULT = "default"
FORCE = "force"
"""Value of a switch whose refusal is overruled."""
LOCAL_BACKENDS = frozenset({"transformers", "text-lm"})
"""Backends that read a checkpoint here, in the Hugging Face layout."""
SERVER_BACKEND = "openai"
"""The backend whose checkpoint is a name that a server knows."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What a folder or a file may be named after."""


@dataclass(frozen=True, kw_only=True)
class Switch:
    """One setting that option, environment variable and ini key may give."""

    name: str
    kind: str
    """``text``, ``count`` (above 0), ``whole``, ``flag``, ``force`` (a flag that may
    be meant in earnest), ``time``, ``name`` (of a folder), ``path``, ``auto`` (or
    ``off``) or ``output`` (a path, or one of these two)."""
    help: str

    @property
    def option(self) -> str:
        """Name on the command line."""
        return "--vdg-" + self.name.replace("_", "-")

    @property
    def ini(self) -> str:
        """Name in pytest's ini file."""
        return "vdg_" + self.name

    @property
    def env(self) -> str:
        """Name in the environment."""
        return "VDG_" + self.name.upper()


def _switch(name: str, kind: str, help: str) -> Switch:  # noqa: A002
    return Switch(name=name, kind=kind, help=help)


SWITCHES = (
    _switch("checkpoint", "text", "Checkpoint to test: a folder or a hub id"),
    _switch("config", "path", "Configuration file (default: the nearest vdg.yaml)"),
    _switch(
        "backend",
        "text",
        "How to ask the model: transformers (default), text-lm or openai",
    ),
    _switch("device", "text", "Where the model runs, e.g. cpu, cuda, cuda:1"),
    _switch("dtype", "text", "Type of the weights, e.g. float32, bfloat16"),
    _switch(
        "scoring",
        "text",
        "How a reply becomes an answer: choice, generate or option_text",
    ),
    _switch(
        "questions", "count", "At most so many questions a slice, for a quick look"
    ),
    _switch("seed", "whole", "Seed of everything drawn at random (default: 0)"),
    _switch("cache_dir", "path", "Where answers are kept (default: .vdg)"),
    _switch("no_cache", "flag", "Ask every question anew and keep no answers"),
    _switch("baseline_dir", "path", "Where baselines lie (default: vdg_baselines)"),
    _switch(
        "environment",
        "name",
        "Name of the machine or set-up that baselines are kept apart for, e.g. h100",
    ),
    _switch(
        "time_budget",
        "time",
        "Ask for so long at most, e.g. 30m, and judge what is there by then",
    ),
    _switch("replay", "path", "Judge the stored runs of this folder; ask no model"),
    _switch(
        "compare_to",
        "text",
        "Checkpoint (or name of a stored run) that is the baseline, asked in this "
        "session",
    ),
    _switch(
        "spread",
        "force",
        "With xdist, let all workers ask the questions, one model each",
    ),
    _switch(
        "executor",
        "text",
        "Who asks: local (default), this process; or ray, actors on a Ray cluster",
    ),
    _switch(
        "sight",
        "flag",
        "Begin with sixty built-in questions: does the checkpoint see at all",
    ),
)
"""All settings of *where to run*, in the order of ``--help``."""

AUTO, OFF = "auto", "off"
OUTPUTS = (
    _switch("json", "path", "Write the results to this JSON file"),
    _switch("junit", "path", "Write a JUnit file with a case for each task and claim"),
    _switch("report", "path", "Write an HTML report and its pictures to this folder"),
    _switch(
        "summary",
        "output",
        "Append a Markdown summary to this file; auto (default): the step summary "
        "where GitHub runs the tests; off: none",
    ),
    _switch(
        "annotations",
        "auto",
        "Annotate failing tests: auto (default), where GitHub runs them; off: never",
    ),
)
"""Where reports go: they change no answer and no verdict."""


@dataclass(frozen=True, kw_only=True)
class Voice:
    """What one place says: values by the name of their switch."""

    source: str
    base: Path
    """Folder that relative paths start at."""
    values: Mapping[str, object]
    """Values as given: texts, or ``True`` for a flag; never None."""

    def named(self, switch: Switch) -> str:
        """Return how this place spells *switch*."""
        return {
            COMMAND_LINE: switch.option,
            ENVIRONMENT: switch.env,
            INI: f"ini {switch.ini}",
            FILE: f"vdg.yaml: {switch.name}",
        }[self.source]


def typed(switch: Switch, value: object, named: str) -> object:
    """Return *value* as the type of *switch*, or say what was wanted.

    Options, variables and ini keys are texts by nature, so digits are read as
    a number here; in ``vdg.yaml`` they must be written as one.
    """
    if switch.kind == "auto" and value not in (AUTO, OFF):
        raise ConfigError(f"{named} must be {AUTO} or {OFF}, got {value!r}")
    if switch.kind in ("text", "path", "output", "auto"):
        if not str(value):
            raise ConfigError(f"{named} is empty. Give a value or leave it out")
        return value
    if switch.kind == "name":
        return _name(value, named)
    if switch.kind == "flag":
        return _flag(value, named)
    if switch.kind == "force":
        return value if value == FORCE else _flag(value, named, f" or {FORCE}")
    if switch.kind == "time":
        return _time(value, named)
    try:
        number = int(str(value))
    except ValueError:
        number = -1 if switch.kind == "count" else None  # type: ignore[assignment]
    if number is None or (switch.kind == "count" and number < 1):
        wanted = "a whole number" + (" above 0" if switch.kind == "count" else "")
        raise ConfigError(f"{named} must be {wanted}, got {value!r}")
    return number


def _name(value: object, named: str) -> str:
    if not NAME.fullmatch(str(value)):
        raise ConfigError(
            f"{named} must be made of letters, digits, '.', '_' and '-', and begin "
            f"with a letter or digit, as a folder is named after it; got {value!r}"
        )
    return str(value)


def _time(value: object, named: str) -> str:
    text = str(value).strip()
    if durations.seconds(text) is None:
        raise ConfigError(f"{named} must be a time {durations.EXAMPLES}, got {value!r}")
    return text


def _flag(value: object, named: str, also: str = "") -> bool:
    words = {"1": True, "true": True, "yes": True, "0": False, "false": False}
    if isinstance(value, bool):
        return value
    found = words.get(str(value).strip().lower())
    if found is None:
        raise ConfigError(f"{named} must be true or false{also}, got {value!r}")
    return found


def env_voice(environment: Mapping[str, str], cwd: Path) -> Voice:
    """Return what the environment says; an empty variable says nothing."""
    return Voice(
        source=ENVIRONMENT,
        base=cwd,
        values={
            s.name: environment[s.env]
            for s in (*SWITCHES, *OUTPUTS)
            if environment.get(s.env)
        },
    )
