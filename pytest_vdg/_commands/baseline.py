"""``vdg baseline``: look at baselines and candidates, compare, promote.

Apart from the sessions that leave candidates because a person decides here. No
model is asked and no video is opened.
"""

from __future__ import annotations

import json as json_
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import App

from pytest_vdg._commands._arguments import Baselines, Flag, settings_of
from pytest_vdg._commands._outcome import Failed
from pytest_vdg.errors import ConfigError, StoreError, near_path

if TYPE_CHECKING:
    from pytest_vdg.config.settings import Settings
    from pytest_vdg.reports.baseline_diff import BaselineDiff
    from pytest_vdg.sessions.baseline_list import Entry
    from pytest_vdg.sessions.baseline_promote import Promotion
    from pytest_vdg.store._parse import Recorded

_HELP = """\
List, show, compare or promote baselines.

A session in which a test takes vdg_baseline leaves its run as a candidate. Look
at what it changes, promote it, and commit the file.

Example:
  vdg baseline diff sight
  vdg baseline promote sight --reason "new vision encoder"
"""

app = App(name="baseline", help=_HELP)


@app.command(name="list")
def listed(
    *, candidates: str | None = None, where: Baselines | None = None
) -> Sequence[str]:
    """Show all baselines and candidates, of every environment.

    Those of slices that vdg.yaml does not know are listed as unused, and never
    deleted. Leaves with 1 where a file cannot be read.

    Parameters
    ----------
    candidates
        Folder of candidates, e.g. from an artifact (default: of the last session).

    Raises
    ------
    ConfigError
        When the configuration is wrong.
    """
    from pytest_vdg.reports.baselines import list_lines
    from pytest_vdg.sessions.baseline_list import entries, unread
    from pytest_vdg.sessions.gap import gap_text

    settings = settings_of(where)
    found = entries(settings, _folder(candidates))
    if not found:
        return [f"no baselines in {settings.baseline_dir}, and no candidates"]
    rows = [
        {
            "environment": each.environment or "-",
            "slice": each.slice_name,
            "candidate": each.candidate_is,
            "unused": each.unused,
            "gap": None if each.recorded is None else gap_text(each.recorded.run),
        }
        for each in found
    ]
    shown = [each.recorded for each in found]
    lines = [f"in {settings.baseline_dir}", *list_lines(rows, shown)]
    problems = unread(found)
    return Failed([*lines, *problems]) if problems else lines


@app.command(name="show")
def shown(
    slice: str,  # noqa: A002 - what it is called everywhere
    /,
    *,
    where: Baselines | None = None,
) -> Sequence[str]:
    """Show one baseline: header, counts with intervals, criteria.

    Parameters
    ----------
    slice
        Its slice, or the path of any stored run.

    Raises
    ------
    ConfigError
        When there is none.
    StoreError
        When the file cannot be read.
    """
    from pytest_vdg.reports.baselines import recorded_lines
    from pytest_vdg.sessions.gap import gap_text

    path, recorded = _read(slice, settings_of(where))
    return [str(path), *recorded_lines(recorded, gap_text(recorded.run))]


@app.command(name="diff")
def differing(
    *named: str,
    candidates: str | None = None,
    json: Flag = False,
    markdown: Flag = False,
    where: Baselines | None = None,
) -> Sequence[str]:
    """Show what a candidate changes: numbers, header, flipped questions.

    The change is paired, question by question, with its interval.

    Parameters
    ----------
    named
        Slices, by default all with a candidate; or two files, old and new.
    candidates
        Folder of candidates, e.g. from an artifact (default: of the last session).
    json
        Write JSON: an object for one slice, else a list. A slice without a
        baseline, or without a candidate, has "lacking" in place of a diff.
    markdown
        Write Markdown, for a comment on a pull request.

    Raises
    ------
    ConfigError
        When there is nothing to compare.
    StoreError
        When a file cannot be read.
    CouldNotBeJudged
        When two runs share no question.
    """
    from pytest_vdg.reports.baseline_diff import to_json
    from pytest_vdg.reports.baseline_text import diff_lines, diff_markdown

    if json and markdown:
        raise ConfigError("--json or --markdown? Give one of the two")
    settings = settings_of(where)
    found, missing = _diffs(named, settings, _folder(candidates))
    if json:
        values = [*map(to_json, found), *missing]
        return [json_.dumps(values[0] if len(values) == 1 else values, indent=2)]
    write = diff_markdown if markdown else diff_lines
    lines: list[str] = []
    for each in found:
        lines += ["", *write(each)] if lines else write(each)
    return [*lines, *(f"{each['slice']}: {each['lacking']}" for each in missing)]


@app.command(name="promote")
def promoted(
    *slices: str,
    reason: str = "",
    candidates: str | None = None,
    force: Flag = False,
    where: Baselines | None = None,
) -> Sequence[str]:
    """Make candidates the baselines of their slices, and show what changes.

    Refused where something speaks against one of them, and then none is written.

    Parameters
    ----------
    slices
        Which ones.
    reason
        Why, for whoever reviews the file.
    candidates
        Folder of candidates, e.g. from an artifact (default: of the last session).
    force
        Whatever speaks against it, and in a CI, too.

    Raises
    ------
    ConfigError
        In a CI, and where there is no candidate.
    StoreError
        When a candidate cannot be read, or the file cannot be written.
    """
    from pytest_vdg.sessions.baseline_list import require_entry
    from pytest_vdg.sessions.baseline_promote import (
        promote,
        propose,
        require_may_record,
    )

    if not slices:
        raise ConfigError("which slice? `vdg baseline list` shows those there are")
    require_may_record(force=force)
    settings, folder = settings_of(where), _folder(candidates)
    proposed = [
        propose(settings, require_entry(settings, name, folder), reason=reason)
        for name in dict.fromkeys(slices)
    ]
    refused = [line for each in proposed for line in _refusal(each)]
    if refused and not force:
        return Failed([*refused, "nothing was written. If you mean it: --force"])
    return [*refused, *(line for each in proposed for line in promote(each))]


def _refusal(promotion: Promotion) -> list[str]:
    name = promotion.entry.slice_name
    return [f"{name} should not be promoted: {why}" for why in promotion.objections]


def _folder(given: str | None) -> Path | None:
    if given is None:
        return None
    path = Path(given).expanduser()
    if not path.is_dir():
        raise ConfigError(f"--candidates: {path} is no folder.{near_path(path)}")
    return path


def _read(named: str, settings: Settings) -> tuple[Path, Recorded]:
    """Return the stored run that *named* is the path of, or whose slice it names."""
    from pytest_vdg.sessions.baseline_list import require_entry
    from pytest_vdg.store.runfile import load_recorded

    path = Path(named)
    if not (path.suffix == ".jsonl" and path.is_file()):
        found = require_entry(settings, named)
        path = found.path if found.path.is_file() else found.candidate_path
    return path, load_recorded(path)


def _diffs(
    named: Sequence[str], settings: Settings, candidates: Path | None
) -> tuple[list[BaselineDiff], list[dict[str, str]]]:
    """Return the diffs that are wanted, and of what there is none."""
    from pytest_vdg.reports.baseline_diff import diff_recorded
    from pytest_vdg.sessions.baseline_list import entries, require_entry

    files = [Path(name) for name in named]
    if len(files) == 2 and all(p.suffix == ".jsonl" and p.is_file() for p in files):
        old, new = (_read(name, settings)[1] for name in named)
        return [diff_recorded(old, new, names=(named[0], named[1]))], []
    if named:
        found = [require_entry(settings, name, candidates) for name in named]
    else:
        found = [
            each
            for each in entries(settings, candidates)
            if each.candidate_path.is_file()
            and each.environment == settings.environment
        ]
    if not found:
        raise ConfigError(
            "there is no candidate to compare: tests that take vdg_baseline leave one"
        )
    pairs = [(each, _both(each)) for each in found]
    diffs = [
        diff_recorded(
            both[0], both[1], names=(str(each.path), str(each.candidate_path))
        )
        for each, both in pairs
        if both is not None
    ]
    return diffs, [_lacking(each) for each, both in pairs if both is None]


def _both(entry: Entry) -> tuple[Recorded, Recorded] | None:
    for problem in (entry.problem, entry.candidate_problem):
        if problem is not None:
            raise StoreError(problem)
    if entry.recorded is None or entry.candidate is None:
        return None
    return entry.recorded, entry.candidate


def _lacking(entry: Entry) -> dict[str, str]:
    lacking = f"there is no candidate, no file {entry.candidate_path}"
    if entry.recorded is None:
        lacking = f"there is no baseline yet, no file {entry.path}"
    return {"slice": entry.slice_name, "lacking": lacking}
