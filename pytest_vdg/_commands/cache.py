"""``vdg cache``: what answers are kept; check them, throw some away, export them.

Apart from ``config`` because it is about what runs left, not about what they
are made with. No model is asked and no video is opened.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg._commands._arguments import add_switches, settings_of
from pytest_vdg.config.switches import SWITCHES
from pytest_vdg.errors import ConfigError, StoreError, did_you_mean

if TYPE_CHECKING:
    from pytest_vdg.store.cells import CellStore

HELP = "the kept answers: list, verify, prune, export"
_DESCRIPTION = """\
Answers are kept by what they depend on, and found again by it: there is no need
to empty the cache when weights, prompt or videos change. It only grows.

example:
  vdg cache list
  vdg cache prune --older-than 90d --dry-run
"""
_ACTIONS = {
    "list": "what is kept of each checkpoint",
    "verify": "read every answer and check the file; exit code 1 if anything is wrong",
    "prune": "throw answers away; refused while another process uses the file",
    "export": "write all answers as JSON lines",
}
_AGE = re.compile(r"(\d{1,6})([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_MOST_PROBLEMS = 20
_NOT_TOLD = "(not told)"
"""In place of a checkpoint's name, in answers from before names were noted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _DESCRIPTION
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, text in _ACTIONS.items():
        action = actions.add_parser(name, help=text, description=text.capitalize())
        if name == "prune":
            _add_prune(action)
        if name == "export":
            action.add_argument(
                "--to", required=True, metavar="FILE", help="file to write"
            )
        others = {s.name for s in SWITCHES} - {"cache_dir", "config"}
        add_switches(action, without=others)


def _add_prune(action: argparse.ArgumentParser) -> None:
    action.add_argument(
        "--checkpoint",
        metavar="NAME",
        help="only answers of this one, as list shows it",
    )
    action.add_argument(
        "--older-than",
        metavar="AGE",
        help="only answers kept before, e.g. 12h, 30d, 8w",
    )
    action.add_argument("--dry-run", action="store_true", help="only say how many")


def output(options: argparse.Namespace) -> Sequence[str]:
    """Return the lines to print, after what was asked for was done.

    Raises
    ------
    ConfigError
        When there is nothing that the options could mean.
    StoreError
        When the file cannot be used, is in use, or was found to be damaged.
    """
    from pytest_vdg.store.cells import CellStore

    # Its --checkpoint is a name in the store, and no model to be looked for.
    chosen = {**vars(options), "checkpoint": None}
    settings = settings_of(argparse.Namespace(**chosen))
    store = CellStore(settings.cache_dir)
    try:
        if options.action == "export":
            return _exported(store, options.to)
        if not store.path.exists():
            return [f"no answers are kept in {store.path}"]
        if options.action == "prune":
            return _pruned(store, options)
        return _verified(store) if options.action == "verify" else _listed(store)
    finally:
        store.close()


def _listed(store: CellStore) -> list[str]:
    from pytest_vdg.reports._format import columns, plain
    from pytest_vdg.store.contents import held

    found = held(store)
    size = _bytes(store.path.stat().st_size)
    lines = [f"{_answers(sum(h.cells for h in found))} in {store.path}, {size}"]
    if not found:
        return lines
    heads = "checkpoint", "weights", "cells", "questions", "first", "last", "size"
    rows = [(*heads, "conditions")]
    rows += [
        (
            plain(h.checkpoint or _NOT_TOLD, 40),
            plain(h.weights.rpartition(":")[2][:8] or "-", 8),
            str(h.cells),
            str(h.questions),
            h.first[:10],
            h.last[:10],
            _bytes(h.size),
            plain(",".join(h.conditions), 60),
        )
        for h in found
    ]
    return [*lines, "", *columns(rows, align="llrrllrl")]


def _verified(store: CellStore) -> list[str]:
    from pytest_vdg.store.contents import problems

    found = list(problems(store))
    if not found:
        return [f"{_answers(store.count())} in {store.path}: all are sound"]
    listed = [f"  {problem}" for problem in found[:_MOST_PROBLEMS]]
    if len(found) > _MOST_PROBLEMS:
        listed.append(f"  and {len(found) - _MOST_PROBLEMS} more")
    raise StoreError(
        f"{len(found)} problem{'s' * (len(found) != 1)} in {store.path}:\n"
        + "\n".join(listed)
        + f"\nMove it and {store.path.name}-* beside it away; its questions are then "
        "asked again"
    )


def _pruned(store: CellStore, options: argparse.Namespace) -> list[str]:
    from pytest_vdg.store.contents import held, prune

    if options.checkpoint is None and options.older_than is None:
        raise ConfigError(
            "which answers? Give --checkpoint NAME, --older-than AGE, or both; "
            "all of them go by deleting " + str(store.path.parent)
        )
    before = None if options.older_than is None else _moment(options.older_than)
    checkpoint = options.checkpoint
    if checkpoint is not None:
        known = {h.checkpoint or _NOT_TOLD for h in held(store)}
        if checkpoint not in known:
            raise ConfigError(
                f"no answers of checkpoint {checkpoint!r} are kept in {store.path}."
                + (did_you_mean(checkpoint, known) if known else "")
            )
        checkpoint = "" if checkpoint == _NOT_TOLD else checkpoint
    total = store.count()
    gone = prune(store, checkpoint=checkpoint, before=before, dry_run=options.dry_run)
    verb = "would be thrown away" if options.dry_run else "thrown away"
    return [f"{gone} of {_answers(total)} in {store.path} {verb}"]


def _moment(age: str) -> str:
    """Return the moment *age* ago, as the store writes moments."""
    found = _AGE.fullmatch(age)
    if found is None:
        raise ConfigError(
            f"--older-than must be a number and a unit, h, d or w, got {age!r}. "
            "Thirty days: --older-than 30d"
        )
    now = datetime.now(timezone.utc)
    try:
        moment = now - timedelta(**{_UNITS[found[2]]: int(found[1])})
    except OverflowError:
        raise ConfigError(f"--older-than {age} is before all time") from None
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _exported(store: CellStore, to: str) -> list[str]:
    from pytest_vdg.atomic import write_atomically
    from pytest_vdg.store.contents import exported
    from pytest_vdg.store.records import dumps

    if not store.count():
        raise ConfigError(f"no answers are kept in {store.path}: nothing to export")
    lines = (dumps(values).encode() + b"\n" for values in exported(store))
    write_atomically(Path(to), lines)
    return [f"wrote {to}"]


def _answers(number: int) -> str:
    return f"{number} answer{'s' * (number != 1)}"


def _bytes(number: int) -> str:
    """Return a size in three digits, e.g. ``1.25 MB``."""
    size, unit = float(number), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{size:.0f} B" if unit == "B" else f"{size:.3g} {unit}"
