"""``vdg``: a look at a checkpoint, a plan or the configuration, without a test.

Apart from the plugin because no claim is made here: it prints what was
measured. Exit code 0 when it could be measured, 1 when it could not be
judged, 4 when the command line or the configuration is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pytest_vdg._commands.ladder import CONDITIONS, ladder_output
from pytest_vdg._commands.plan import CLAIMS, FLOOR, MARGINS, PlanOptions, plan_output
from pytest_vdg.config.effective import describe
from pytest_vdg.config.settings import Settings, file_voice, find_config, resolve
from pytest_vdg.config.switches import COMMAND_LINE, SWITCHES, Switch, Voice, env_voice
from pytest_vdg.errors import ConfigError, VdgError

OK, NOT_JUDGED, USAGE = 0, 1, 4


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
        return _write(_output(options))
    except ConfigError as error:
        return _complain(str(error), USAGE)
    except VdgError as error:
        return _complain(_not_judged(error), NOT_JUDGED)


def _output(options: argparse.Namespace) -> Sequence[str]:
    if options.command == "plan":
        given = {k: v for k, v in vars(options).items() if k != "command"}
        return plan_output(PlanOptions(**{**given, "tasks": _names(options.tasks)}))
    settings = _settings(options)
    if options.command == "config":
        return describe(settings)
    return ladder_output(
        settings,
        slice_name=options.slice,
        conditions=_names(options.conditions),
        tasks=_names(options.tasks),
        as_json=options.json,
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="vdg", description="Measure what a video is worth to a model."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    ladder = commands.add_parser(
        "ladder", help="accuracy under each condition, and what each step is worth"
    )
    _add_ladder(ladder)
    _add_plan(
        commands.add_parser("plan", help="how many questions a claim needs, from a run")
    )
    config = commands.add_parser(
        "config", help="print the effective configuration and where it comes from"
    )
    config.add_argument("--checkpoint", help="folder or hub id")
    for command in (ladder, config):
        for switch in SWITCHES:
            if switch.name not in _unused(command is ladder):
                _add(command, switch)
    return parser


def _add_ladder(ladder: argparse.ArgumentParser) -> None:
    ladder.add_argument("checkpoint", help="folder or hub id")
    ladder.add_argument("--slice", help="slice of vdg.yaml, or a benchmark")
    ladder.add_argument(
        "--conditions",
        nargs="+",
        metavar="CONDITION",
        help=f"default: {_words(CONDITIONS)}",
    )
    ladder.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="only these tasks, taken together"
    )
    ladder.add_argument("--json", action="store_true", help="write JSON, not a table")


def _add_plan(plan: argparse.ArgumentParser) -> None:
    margins = ", ".join(f"{margin:g} for {claim}" for claim, margin in MARGINS.items())
    plan.add_argument("run", help="a baseline, or a file of save_run")
    plan.add_argument(
        "earlier",
        nargs="?",
        help="run of another checkpoint on the same questions: measure what changes",
    )
    plan.add_argument("--claim", choices=CLAIMS, default="vdg", help="default: vdg")
    for name, text in (
        ("floor", f"what a gap must be shown to exceed; default: {FLOOR:g} for vdg"),
        ("margin", f"the loss that is acceptable; default: {margins}"),
        ("power", "how often a true claim is to pass; default: 0.8"),
        ("confidence", "of the bounds; default: 0.95"),
        ("change-rate", "share of answers that change though nothing is lost"),
    ):
        kept = {"power": 0.8, "confidence": 0.95}.get(name)
        plan.add_argument(f"--{name}", type=float, default=kept, help=text)
    plan.add_argument(
        "--different-checkpoints",
        action="store_true",
        help="plan for two models, not for two states of one",
    )
    plan.add_argument(
        "--same-videos",
        action="store_true",
        help="more questions on the same videos, not on more videos",
    )
    plan.add_argument(
        "--against",
        default="shuffled",
        metavar="CONDITION",
        help="control of a temporal claim; default: shuffled",
    )
    plan.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="only these tasks, taken together"
    )
    plan.add_argument("--picture", metavar="PATH", help="write the curve: .png, .svg")


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
