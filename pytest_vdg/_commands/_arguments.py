"""What several commands take on the command line, and the settings made of it.

Apart from the commands so that one option reads the same in all of them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Protocol

from pytest_vdg.config.found import find_config
from pytest_vdg.config.settings import Settings, file_voice, resolve
from pytest_vdg.config.switches import (
    COMMAND_LINE,
    FORCE,
    SWITCHES,
    Switch,
    Voice,
    env_voice,
)


class TakesArguments(Protocol):
    """A parser, or a group of its arguments."""

    def add_argument(self, *names: str, **how: Any) -> object:  # noqa: ANN401
        """Declare an argument."""


def add_switches(parser: TakesArguments, *, without: Collection[str] = ()) -> None:
    """Add the settings of *where to run*, but for those that have no use here."""
    for switch in SWITCHES:
        if switch.name not in without:
            _add(parser, switch)


def _add(parser: TakesArguments, switch: Switch) -> None:
    option = "--" + switch.name.replace("_", "-")
    if switch.kind in ("flag", FORCE):
        parser.add_argument(option, action="store_true", default=None, help=switch.help)
        if switch.kind == FORCE:  # two options, as pytest has, see `_add_update` there
            parser.add_argument(
                f"{option}={FORCE}",
                dest=switch.name,
                action="store_const",
                const=FORCE,
                help="The same, with more workers than GPUs too",
            )
    else:
        parser.add_argument(option, metavar=switch.kind.upper(), help=switch.help)


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings that *options*, environment and ``vdg.yaml`` make."""
    cwd = Path.cwd()
    given = {s.name: getattr(options, s.name, None) for s in SWITCHES}
    spoken = {name: value for name, value in given.items() if value is not None}
    voices = [
        Voice(source=COMMAND_LINE, base=cwd, values=spoken),
        env_voice(os.environ, cwd),
    ]
    config = find_config(voices, [cwd])
    voices.append(file_voice(config, cwd))
    return resolve(voices, base=cwd, config=config)


def names(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return names that were divided by spaces, by commas, or by both."""
    divided = (name for text in given or () for name in text.split(","))
    return tuple(name.strip() for name in divided if name.strip())
