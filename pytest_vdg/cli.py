"""``vdg``: a look at a checkpoint, or at the configuration, without a test.

Apart from the plugin because no claim is made here: it prints what was
measured. Exit code 0 when it could be measured, 1 when it could not be
judged, 4 when the command line or the configuration is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pytest_vdg.config.effective import describe
from pytest_vdg.config.settings import Settings, file_voice, find_config, resolve
from pytest_vdg.config.switches import COMMAND_LINE, SWITCHES, Switch, Voice, env_voice
from pytest_vdg.errors import ConfigError, VdgError
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.session import VdgSession

OK, NOT_JUDGED, USAGE = 0, 1, 4
LADDER = ("original", "black", "single_frame", "shuffled", "reversed", "text_only")
"""What the ladder asks by default: its four rungs, the video backwards, no video."""


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
        settings = _settings(options)
        if options.command == "config":
            return _write(describe(settings))
        return _ladder(settings, options)
    except ConfigError as error:
        return _complain(str(error), USAGE)
    except VdgError as error:
        return _complain(_not_judged(error), NOT_JUDGED)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="vdg", description="Measure what a video is worth to a model."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    ladder = commands.add_parser(
        "ladder", help="accuracy under each condition, and what each step is worth"
    )
    ladder.add_argument("checkpoint", help="folder or hub id")
    ladder.add_argument("--slice", help="slice of vdg.yaml, or a benchmark")
    ladder.add_argument(
        "--conditions",
        nargs="+",
        metavar="CONDITION",
        help=f"default: {_words(LADDER)}",
    )
    ladder.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="only these tasks, taken together"
    )
    ladder.add_argument("--json", action="store_true", help="write JSON, not a table")
    config = commands.add_parser(
        "config", help="print the effective configuration and where it comes from"
    )
    config.add_argument("--checkpoint", help="folder or hub id")
    for command in (ladder, config):
        for switch in SWITCHES:
            if switch.name not in _unused(command is ladder):
                _add(command, switch)
    return parser


def _unused(ladder: bool) -> tuple[str, ...]:
    """Return the settings that a command has otherwise, or no use for."""
    return ("checkpoint", "baseline_dir") if ladder else ("checkpoint",)


def _add(parser: argparse.ArgumentParser, switch: Switch) -> None:
    option = "--" + switch.name.replace("_", "-")
    if switch.kind == "flag":
        parser.add_argument(option, action="store_true", default=None, help=switch.help)
    else:
        parser.add_argument(option, metavar=switch.kind.upper(), help=switch.help)


def _settings(options: argparse.Namespace) -> Settings:
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


def _ladder(settings: Settings, options: argparse.Namespace) -> int:
    session = VdgSession(settings)
    ask = Ask(
        slice=options.slice,
        conditions=_names(options.conditions) or LADDER,
        tasks=_names(options.tasks) or None,
    )
    try:
        session.checkpoint(ask)
        session.require_known(ask)
        run = session.run(ask)
        return _write([_json(run)] if options.json else _table(run, session))
    finally:
        session.close()


def _table(run: Run, session: VdgSession) -> list[str]:
    from pytest_vdg.reports.ladder import ladder_lines
    from pytest_vdg.reports.terminal import unanswered_lines

    lines = [*ladder_lines(run), *unanswered_lines(run)]
    if session.cached:
        lines.append(f"{session.cached} of {len(run.cells)} cells from cache")
    return lines


def _json(run: Run) -> str:
    """Return counts for each task and condition, and what the run was made of."""
    tasks = {task: _counts(run, task) for task in run.tasks}
    values = {
        "checkpoint": run.checkpoint,
        "slice": run.slice_name,
        "questions": len(run.questions),
        "chance": run.chance(),
        "conditions": _counts(run, None),
        "tasks": tasks,
        "fingerprint": {
            kind: dict(sorted(getattr(run.fingerprint, kind).items()))
            for kind in ("subject", "comparable", "informative")
        },
    }
    return json.dumps(values, indent=2, allow_nan=False)


def _counts(run: Run, task: str | None) -> dict[str, dict[str, float | None]]:
    counted = {name: run.counts(name, task) for name in run.conditions}
    return {n: {**vars(c), "accuracy": c.accuracy} for n, c in counted.items()}


def _write(lines: Sequence[str]) -> int:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return OK


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"vdg: {message}\n")
    return code


def _not_judged(error: VdgError) -> str:
    text, words = str(error), "COULD NOT BE JUDGED: "
    return text if text.startswith(words) else words + text


def _names(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return names that were divided by spaces, by commas, or by both."""
    divided = (name for text in given or () for name in text.split(","))
    return tuple(name.strip() for name in divided if name.strip())


def _words(names: Sequence[str]) -> str:
    return " ".join(names)
