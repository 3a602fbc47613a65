"""``vdg cache``: what answers are kept; check them, throw some away, export them.

Apart from ``config`` because it is about what runs left, not about what they
are made with. No model is asked and no video is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import App

from pytest_vdg._commands._arguments import File, Flag, Kept, Time, settings_of
from pytest_vdg.errors import ConfigError, StoreError, did_you_mean
from pytest_vdg.spelling import count, size

if TYPE_CHECKING:
    from pytest_vdg.store.cells import CellStore

_HELP = """\
List, verify, prune or export the kept answers.

Answers are kept by what they depend on, and found again by it: there is no
need to empty the cache when weights, prompt or videos change. It only grows.

example:
  vdg cache list
  vdg cache prune --older-than 90d --dry-run
"""
_AGE = re.compile(r"(\d{1,6})([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_MOST_PROBLEMS = 20
_NOT_TOLD = "(not told)"
"""In place of a checkpoint's name, in answers from before names were noted."""

app = App(name="cache", help=_HELP)


@app.command(name="list")
def listed(*, kept: Kept | None = None) -> Sequence[str]:
    """Show what is kept of each checkpoint."""
    with _opened(kept) as store:
        return _listed(store) if store.path.exists() else _none(store)


@app.command
def verify(*, kept: Kept | None = None) -> Sequence[str]:
    """Read every answer and check the file.

    Leaves with 1 if anything is wrong.

    Raises
    ------
    StoreError
        When the file cannot be used, or was found to be damaged.
    """
    with _opened(kept) as store:
        return _verified(store) if store.path.exists() else _none(store)


@app.command(name="prune")
def pruned(
    *,
    checkpoint: str | None = None,
    older_than: Time | None = None,
    dry_run: Flag = False,
    kept: Kept | None = None,
) -> Sequence[str]:
    """Throw answers away; refused while another process uses the file.

    Parameters
    ----------
    checkpoint
        Only answers of this one, as list shows it.
    older_than
        Only answers kept before, e.g. 12h, 30d, 8w.
    dry_run
        Only say how many.

    Raises
    ------
    ConfigError
        When there is nothing that the options could mean.
    StoreError
        When the file cannot be used, or is in use.
    """
    with _opened(kept) as store:
        if not store.path.exists():
            return _none(store)
        return _pruned(store, checkpoint, older_than, dry_run=dry_run)


@app.command(name="export")
def exported(*, to: File, kept: Kept | None = None) -> Sequence[str]:
    """Write all answers as JSON lines.

    Parameters
    ----------
    to
        File to write.

    Raises
    ------
    ConfigError
        When there is no answer to write.
    """
    with _opened(kept) as store:
        return _exported(store, to)


@contextmanager
def _opened(kept: Kept | None) -> Iterator[CellStore]:
    from pytest_vdg.store.cells import CellStore

    store = CellStore(settings_of(kept).cache_dir)
    try:
        yield store
    finally:
        store.close()


def _none(store: CellStore) -> list[str]:
    return [f"no answers are kept in {store.path}"]


def _listed(store: CellStore) -> list[str]:
    from pytest_vdg.reports._format import columns, plain
    from pytest_vdg.store.contents import held

    found = held(store)
    total = size(store.path.stat().st_size)
    lines = [f"{_answers(sum(h.cells for h in found))} in {store.path}, {total}"]
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
            size(h.size),
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
        f"{count(len(found), 'problem')} in {store.path}:\n"
        + "\n".join(listed)
        + f"\nMove it and {store.path.name}-* beside it away; its questions are then "
        "asked again"
    )


def _pruned(
    store: CellStore, checkpoint: str | None, older_than: str | None, *, dry_run: bool
) -> list[str]:
    from pytest_vdg.store.contents import held, prune

    if checkpoint is None and older_than is None:
        raise ConfigError(
            "which answers? Give --checkpoint NAME, --older-than AGE, or both; "
            "all of them go by deleting " + str(store.path.parent)
        )
    before = None if older_than is None else _moment(older_than)
    if checkpoint is not None:
        known = {h.checkpoint or _NOT_TOLD for h in held(store)}
        if checkpoint not in known:
            raise ConfigError(
                f"no answers of checkpoint {checkpoint!r} are kept in {store.path}."
                + (did_you_mean(checkpoint, known) if known else "")
            )
        checkpoint = "" if checkpoint == _NOT_TOLD else checkpoint
    total = store.count()
    gone = prune(store, checkpoint=checkpoint, before=before, dry_run=dry_run)
    verb = "would be thrown away" if dry_run else "thrown away"
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
    return count(number, "answer")
