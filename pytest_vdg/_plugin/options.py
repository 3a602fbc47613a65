"""Command line options, their ini twins, and what they say.

Apart from the switches themselves because only this side knows argparse.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from pytest_vdg.config.ci import in_ci
from pytest_vdg.config.found import find_config, nearest_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import (
    COMMAND_LINE,
    FORCE,
    INI,
    OUTPUTS,
    SWITCHES,
    Switch,
    Voice,
    env_voice,
)

UPDATE_DEST = "vdg_update_baseline"
DRY_RUN_DEST = "vdg_dry_run"
POLICIES = ("fail", "warn", "skip")


def add_options(parser: pytest.Parser) -> None:
    """Add the options and ini keys, all of them with our prefix."""
    group = parser.getgroup("vdg", "visual dependency of video models")
    for switch in (*SWITCHES, *OUTPUTS):
        parser.addini(switch.ini, switch.help, default=None)
        if switch.kind in ("flag", FORCE):
            group.addoption(
                switch.option,
                dest=switch.ini,
                action="store_true",
                default=None,
                help=switch.help,
            )
        else:
            group.addoption(
                switch.option,
                dest=switch.ini,
                default=None,
                metavar=switch.kind.upper(),
                help=switch.help,
            )
    _add_forced(group)
    _add_update(group)
    # No ini twin: a suite that never runs tests nothing.
    group.addoption(
        "--vdg-dry-run",
        dest=DRY_RUN_DEST,
        action="store_true",
        default=False,
        help="Show what the selected vdg tests need (cells, cached cells, videos, "
        "tokens, time) and run no test",
    )
    parser.addini(
        "vdg_required",
        "Fail the session when a vdg test is skipped or not judged",
        type="bool",
        default=False,
    )
    parser.addini(
        "vdg_inconclusive",
        "What an INCONCLUSIVE claim does to its test: fail, warn or skip",
        default="fail",
    )


def _add_forced(group: pytest.OptionGroup) -> None:
    """Add ``--vdg-...=force`` beside each switch that knows it, see `_add_update`."""
    for switch in SWITCHES:
        if switch.kind == FORCE:
            group.addoption(
                f"{switch.option}={FORCE}",
                dest=switch.ini,
                action="store_const",
                const=FORCE,
                help="The same, with more workers than GPUs too",
            )


def _add_update(group: pytest.OptionGroup) -> None:
    """Add the one option without ini twin: always updating tests nothing.

    Two options and not one with an optional value, because argparse would
    take the path that follows for the value.
    """
    group.addoption(
        "--vdg-update-baseline",
        dest=UPDATE_DEST,
        action="store_const",
        const="yes",
        default=None,
        help="Record this run as the baseline of each vdg_baseline that is asked "
        "for. Refused where CI is set",
    )
    group.addoption(
        "--vdg-update-baseline=force",
        dest=UPDATE_DEST,
        action="store_const",
        const="force",
        help="The same, in CI and for a smaller slice too",
    )


def updates_baseline(config: pytest.Config) -> bool:
    """Return whether baselines are to be recorded, or raise ``UsageError``."""
    wish: str | None = config.getoption(UPDATE_DEST)
    if wish != "yes":
        return wish == "force"
    force = "--vdg-update-baseline=force"
    ci = in_ci()
    if ci is not None:
        raise pytest.UsageError(
            f"--vdg-update-baseline is refused because CI={ci}: a "
            f"baseline is looked at before it counts. If you mean it: {force}"
        )
    if any("questions" in v.values for v in _voices(config)):
        raise pytest.UsageError(
            "--vdg-update-baseline is refused together with --vdg-questions: it "
            f"would put a smaller slice in place. If you mean it: {force}"
        )
    return True


def inconclusive_policy(config: pytest.Config) -> str:
    """Return what an ``INCONCLUSIVE`` claim does, or raise ``UsageError``."""
    policy = str(config.getini("vdg_inconclusive"))
    if policy not in POLICIES:
        raise pytest.UsageError(
            f"ini vdg_inconclusive must be one of {', '.join(POLICIES)}, got {policy!r}"
        )
    return policy


def load_settings(config: pytest.Config) -> Settings:
    """Return where to run; reads ``vdg.yaml``. Raises `ConfigError`."""
    voices = _voices(config)
    base = _ini_folder(config)
    file = find_config(voices, test_folders(config))
    ordered = [v for v in voices if v.source != INI]
    ordered += [file_voice(file, base), *(v for v in voices if v.source == INI)]
    return resolve(ordered, base=base, config=file)


def maybe_configured(config: pytest.Config) -> bool:
    """Return whether a checkpoint or a replay may be configured; reads no file."""
    telling = {"checkpoint", "config", "replay"}
    named = any(telling & set(v.values) for v in _voices(config))
    return named or nearest_config(test_folders(config)) is not None


def unread_configs(config: pytest.Config, tests: Iterable[Path]) -> list[Path]:
    """Return each ``vdg.yaml`` that lies nearer to one of *tests* than what is read.

    None where a file is named: then nobody expects another.
    """
    if any("config" in v.values for v in _voices(config)):
        return []
    read, root = nearest_config(test_folders(config)), config.rootpath
    nearest = (
        nearest_config([f for f in test.parents if f.is_relative_to(root)])
        for test in dict.fromkeys(tests)
    )
    return [p for p in dict.fromkeys(nearest) if p is not None and p != read]


def asks_for_reports(config: pytest.Config) -> bool:
    """Return whether someone names a report, so that an old one must not stay."""
    return any({s.name for s in OUTPUTS} & set(v.values) for v in _voices(config))


def one_checkpoint_for_all(config: pytest.Config) -> bool:
    """Return whether a checkpoint was given that wins over markers."""
    return any("checkpoint" in v.values for v in _voices(config) if v.source != INI)


def _voices(config: pytest.Config) -> list[Voice]:
    cwd = config.invocation_params.dir
    return [
        Voice(
            source=COMMAND_LINE,
            base=cwd,
            values=_given(lambda switch: config.getoption(switch.ini)),
        ),
        env_voice(os.environ, cwd),
        Voice(
            source=INI,
            base=_ini_folder(config),
            values=_given(lambda switch: config.getini(switch.ini)),
        ),
    ]


def _given(ask: Callable[[Switch], object]) -> dict[str, object]:
    found = {switch: ask(switch) for switch in (*SWITCHES, *OUTPUTS)}
    return {s.name: value for s, value in found.items() if value is not None}


def _ini_folder(config: pytest.Config) -> Path:
    return config.inipath.parent if config.inipath else _root(config, _start(config))


def test_folders(config: pytest.Config) -> list[Path]:
    """Return the folders to look for ``vdg.yaml`` in, the nearest first.

    From the common folder of what is tested up to the root of the project.
    """
    start = _start(config)
    root = _root(config, start)
    above = [start, *start.parents]
    return above[: above.index(root) + 1] if root in above else [start, root]


def _start(config: pytest.Config) -> Path:
    """Return the common folder of what is tested."""
    cwd = config.invocation_params.dir
    paths = [cwd / str(arg).split("::", 1)[0] for arg in config.args]
    found = [p if p.is_dir() else p.parent for p in paths if p.exists()]
    return Path(os.path.commonpath(found)) if found else cwd


def _root(config: pytest.Config, start: Path) -> Path:
    """Return the root of the project.

    pytest's, but where it found no ini file, it counted the values of our
    options among the tests: with ``--vdg-checkpoint /models/x`` it is ``/``.
    """
    root, cwd = config.rootpath, config.invocation_params.dir
    chosen = config.inipath or config.getoption("rootdir", default=None)
    if chosen or (root / "setup.py").is_file():
        return root
    common = Path(os.path.commonpath([cwd, start]))
    return common if root in common.parents else root
