"""``vdg config``: the effective configuration, and where each value comes from.

Apart from the commands that act on it, so that a doubt is settled before a run.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pytest_vdg._commands._arguments import add_switches, settings_of
from pytest_vdg.config.effective import describe

HELP = "print the effective configuration and where it comes from"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--checkpoint", help="folder or hub id")
    add_switches(parser, without=("checkpoint",))


def output(options: argparse.Namespace) -> Sequence[str]:
    """Return the lines to print."""
    return describe(settings_of(options))
