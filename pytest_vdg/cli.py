"""``vdg``: a look at a checkpoint, a plan or the configuration, without a test.

Apart from the plugin because it is no test session: it prints what was
measured. Exit code 0 when it could be measured, 1 when it could not be
judged or something is wrong, 4 when the command line or the configuration is
wrong.

A command is a function in a module of ``_commands`` and one line in
`COMMANDS`; its docstring is its help. Nothing is imported before it is named.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vdg.errors import ConfigError, StoreError, VdgError

if TYPE_CHECKING:
    from cyclopts import App

OK, NOT_JUDGED, USAGE = 0, 1, 4
INTERRUPTED = 130
"""What a shell makes of Ctrl-C."""

_HERE = "pytest_vdg._commands."
COMMANDS = {
    "doctor": f"{_HERE}doctor:doctor",
    "sight": f"{_HERE}sight:sight",
    "run": f"{_HERE}run:run",
    "watch": f"{_HERE}watch:watch",
    "ladder": f"{_HERE}ladder:ladder",
    "ablate": f"{_HERE}ablate:ablate",
    "compare": f"{_HERE}compare:compare",
    "report": f"{_HERE}report:report",
    "plan": f"{_HERE}plan:plan",
    "benchmarks": f"{_HERE}benchmarks:benchmarks",
    "slice": f"{_HERE}slice:show_slice",
    "audit": f"{_HERE}audit:audit",
    "filter": f"{_HERE}filter:filter_slice",
    "import": f"{_HERE}import_logs:import_logs",
    "baseline": f"{_HERE}baseline:app",
    "cache": f"{_HERE}cache:app",
    "parse-check": f"{_HERE}parse_check:parse_check",
    "config": f"{_HERE}config:config",
}
"""Name of a command to where its function is, in the order of ``vdg --help``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that *arguments* name; return the exit code."""
    try:
        return _main(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except (Exception, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - of a model's own code
        # Such as `SystemExit`, whose 0 would be our verdict.
        return _complain(f"what was run ended the program ({error})", NOT_JUDGED)


def _main(arguments: Sequence[str]) -> int:
    from cyclopts import CycloptsError

    from pytest_vdg._commands._arguments import TYPED, apart
    from pytest_vdg._commands._mistakes import told

    app = application()
    given = apart(arguments)
    TYPED.set(arguments)
    try:
        if not given or given[0].startswith("-"):
            _load(app)
        lines = app(
            given,
            exit_on_error=False,
            print_error=False,
            result_action="return_value",
        )
        return _write(() if lines is None else lines)
    except CycloptsError as error:
        return _complain(told(error), USAGE)
    except ConfigError as error:
        return _complain(str(error), USAGE)
    except StoreError as error:  # a file is at fault, no run
        return _complain(str(error), NOT_JUDGED)
    except VdgError as error:
        return _complain(_not_judged(error), NOT_JUDGED)


def application() -> App:
    """Return the tool with its commands, of which none is loaded yet."""
    from cyclopts import App, Group, Parameter

    from pytest_vdg._commands._help import Help

    app = App(
        name="vdg",
        help="Measure what a video is worth to a model.",
        help_format="plaintext",
        help_formatter=Help(tuple(COMMANDS)),
        group_parameters=Group("Options", sort_key=1),
        default_parameter=Parameter(negative=()),
        version=_version,
        suppress_keyboard_interrupt=False,
    )
    for name, function in COMMANDS.items():
        app.command(function, name=name)
    return app


def _load(app: App) -> None:
    """Import all commands, whose help says in one line what they do."""
    for name in COMMANDS:
        app[name]


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"pytest-vdg {version('pytest-vdg')}"
    except PackageNotFoundError:  # run from its folder
        return "pytest-vdg (not installed)"


def _write(lines: Sequence[str]) -> int:
    from pytest_vdg._commands._outcome import Failed
    from pytest_vdg._commands._output import write

    write("".join(f"{line}\n" for line in lines))
    return NOT_JUDGED if isinstance(lines, Failed) else OK


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"vdg: {message}\n")
    return code


def _not_judged(error: VdgError) -> str:
    text, words = str(error), "COULD NOT BE JUDGED: "
    return text if text.startswith(words) else words + text
