"""``vdg``: a look at a checkpoint, a plan or the configuration, without a test.

Apart from the plugin because no claim is made here: it prints what was
measured. Exit code 0 when it could be measured, 1 when it could not be
judged or a file is damaged, 4 when the command line or the configuration is
wrong.

A command is a module of ``_commands`` and one line in `COMMANDS`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from pytest_vdg._commands import (
    benchmarks,
    cache,
    config,
    import_logs,
    ladder,
    parse_check,
    plan,
)
from pytest_vdg._commands import slice as slice_
from pytest_vdg._commands._outcome import Failed
from pytest_vdg.errors import ConfigError, StoreError, VdgError

OK, NOT_JUDGED, USAGE = 0, 1, 4

COMMANDS: dict[str, ModuleType] = {
    "ladder": ladder,
    "plan": plan,
    "benchmarks": benchmarks,
    "slice": slice_,
    "import": import_logs,
    "cache": cache,
    "parse-check": parse_check,
    "config": config,
}
"""Name to module, which holds ``HELP``, ``add_arguments`` and ``output``."""


class _Parser(argparse.ArgumentParser):
    """Leaves with pytest's code for a usage error instead of 2."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that *arguments* name; return the exit code."""
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as leaving:  # argparse has said why
        return int(leaving.code or 0)
    try:
        return _write(COMMANDS[options.command].output(options))
    except ConfigError as error:
        return _complain(str(error), USAGE)
    except StoreError as error:  # a file is at fault, no run
        return _complain(str(error), NOT_JUDGED)
    except VdgError as error:
        return _complain(_not_judged(error), NOT_JUDGED)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="vdg", description="Measure what a video is worth to a model."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        module.add_arguments(commands.add_parser(name, help=module.HELP))
    return parser


def _write(lines: Sequence[str]) -> int:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return NOT_JUDGED if isinstance(lines, Failed) else OK


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"vdg: {message}\n")
    return code


def _not_judged(error: VdgError) -> str:
    text, words = str(error), "COULD NOT BE JUDGED: "
    return text if text.startswith(words) else words + text
