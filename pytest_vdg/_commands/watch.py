"""``vdg watch``: judge each checkpoint that a training saves, as it appears.

Apart from ``run``, which judges one and ends, because this waits, tells as it
goes, and ends when it is told to.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from pytest_vdg._commands._arguments import (
    STDOUT,
    Flag,
    Folder,
    N,
    Outputs,
    Time,
    Variadic,
    Where,
    settings_of,
    typed_command,
)
from pytest_vdg._commands._outcome import Failed
from pytest_vdg._commands._output import write
from pytest_vdg._commands._progress import progress_line
from pytest_vdg._commands.run import chosen_claims, reported
from pytest_vdg.config import durations
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError, near_path
from pytest_vdg.sessions.session import VdgSession

_OFTEN = Time("30s")


def watch(
    folder: Folder,
    /,
    *,
    claims: Annotated[list[str] | None, Variadic] = None,
    claim: Annotated[list[str] | None, Variadic] = None,
    once: Flag = False,
    every: Time = _OFTEN,
    settle: Time = _OFTEN,
    stop_after: N | None = None,
    processor: Folder | None = None,
    outputs: Outputs | None = None,
    where: Where | None = None,
) -> Sequence[str]:
    """Judge each new checkpoint in a folder once, and keep a history.

    Takes checkpoint-500, checkpoint-1000, ... in this order, each as soon as it
    is complete and was left alone for a while, and prints a line. A checkpoint
    whose weights were judged by the same claims before is not judged again,
    whatever it is called now. Reports, where they are asked for, are those of
    the newest checkpoint, with the trend. Ends with --once, --stop-after, Ctrl-C
    or SIGTERM.

    Leaves with 0 when it was told to end, by Ctrl-C or SIGTERM. With --once and
    --stop-after, only if there was a checkpoint and all claims hold about each
    that is there, also if that was found out before; else with 1.

    example:
      vdg watch out/run-7 --device cuda
      vdg watch out/run-7 --once --claim "vdg_above slice=sight floor=0.25"

    Parameters
    ----------
    folder
        Where the checkpoints are saved, each in a folder of its own.
    claims
        Only these claims of vdg.yaml (default: all of them).
    claim
        A claim in one word of the shell, as for vdg run.
    once
        Judge what is there, wait for nothing new.
    every
        How often to look, e.g. 30s.
    settle
        How long a checkpoint must be unchanged, e.g. 30s, 0s.
    stop_after
        End after so many checkpoints.
    processor
        Folder of a processor for checkpoints saved without one (default: FOLDER).

    Raises
    ------
    ConfigError
        Where there is no such folder, and for claims that can never be judged.
    """
    from pytest_vdg.sessions.claims import NOTHING
    from pytest_vdg.sessions.watch import Watch

    most = None if stop_after is None else _most(stop_after)
    if outputs is not None and outputs.json == STDOUT:
        raise ConfigError("--json -: lines are told as they come; name a file")
    settings = settings_of(where, outputs=outputs)
    if settings.replay is not None:
        raise ConfigError("vdg watch asks models: leave the replay out")
    chosen = chosen_claims(settings, claims, claim)
    if not chosen:
        raise ConfigError(NOTHING)
    watched = Watch(
        folder=_folder(folder, "FOLDER"),
        settings=settings,
        claims=chosen,
        tell=_tell,
        report=lambda results: reported(settings, results)[0],
        processor=None if processor is None else _folder(processor, "--processor"),
        settle_s=_seconds(settle, "--settle", zero=True),
        command=typed_command(),
        make_session=lambda found: VdgSession(found, progress=progress_line()),
    )
    fine = True
    try:
        with _terminated():
            every_s = _seconds(every, "--every")
            fine = watched.run(once=once, every_s=every_s, most=most)
    except KeyboardInterrupt:
        _tell("ended; what was answered is kept")
    from pytest_vdg.reports.trend import trend_lines

    lines = _trend(settings) if settings.keeps_history else trend_lines(watched.past)
    if not watched.outcomes:
        lines = [f"no checkpoint was judged in {folder}"]
    return lines if fine else Failed(lines)


def _folder(text: str, named: str) -> Path:
    path = Path(text).expanduser().absolute()
    if not path.is_dir():
        raise ConfigError(f"{named}: there is no folder {path}.{near_path(path)}")
    return path


def _most(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise ConfigError(f"--stop-after must be at least 1, got {text!r}")
    return int(text)


def _seconds(text: str, named: str, *, zero: bool = False) -> float:
    found = 0 if zero and text in ("0", "0s") else durations.seconds(text)
    if found is None:
        raise ConfigError(f"{named} must be a time {durations.EXAMPLES}, got {text!r}")
    return float(found)


def _tell(line: str) -> None:
    """Write *line* at once: whoever watches does not wait for the end."""
    write(f"{line}\n")


def _trend(settings: Settings) -> list[str]:
    from pytest_vdg.reports.trend import trend_lines
    from pytest_vdg.store.history import past_runs

    asked = [run for run in past_runs(settings.cache_dir) if run.asked]
    return ["", *trend_lines(asked)] if asked else []


@contextmanager
def _terminated() -> Iterator[None]:
    """Let SIGTERM end what is inside as Ctrl-C does."""

    def end(number: int, frame: object) -> None:  # noqa: ARG001 - as signals call it
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
