"""Which baselines and candidates there are, of all environments.

Apart from reading one, which must be sound: here a broken file is one line of
a list, and the others are shown as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError, StoreError, did_you_mean
from pytest_vdg.sessions.baseline import environments, in_environment
from pytest_vdg.sessions.baseline_candidate import candidates_folder
from pytest_vdg.sessions.baseline_record import says_the_same
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.runfile import load_recorded

CandidateState = Literal["none", "same", "differs", "newer", "broken"]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What there is of one slice in one environment."""

    slice_name: str
    environment: str | None
    path: Path
    """Where the baseline lies, or would."""
    candidate_path: Path
    recorded: Recorded | None = None
    """None where there is no baseline, or it cannot be read."""
    candidate: Recorded | None = None
    problem: str | None = None
    """Why the baseline cannot be read."""
    candidate_problem: str | None = None
    unused: bool = False
    """Whether ``vdg.yaml`` knows no such slice."""

    @property
    def candidate_is(self) -> CandidateState:
        """How the candidate stands to the baseline; ``newer`` differs, too."""
        if self.candidate_problem is not None:
            return "broken"
        if self.candidate is None:
            return "none"
        if self.recorded is None:
            return "newer"
        if says_the_same(self.recorded, self.candidate):
            return "same"
        times = [_when(each.run.created) for each in (self.recorded, self.candidate)]
        then, now = times
        return (
            "newer" if now is not None and (then is None or now > then) else "differs"
        )


def _when(text: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    # A file from elsewhere may leave the zone out, and must stay comparable.
    return when if when.tzinfo is not None else when.replace(tzinfo=timezone.utc)


def entries(settings: Settings, candidates: Path | None = None) -> list[Entry]:
    """Return all baselines and candidates, by environment and slice.

    *candidates* is the folder to look for the latter, where it is not the usual.
    """
    folders = settings.baseline_dir, candidates or candidates_folder(settings)
    places = {
        (environment, path.stem)
        for folder in folders
        for environment in environments(folder)
        for path in (folder / (environment or "")).glob("*.jsonl")
    }
    ordered = sorted(places, key=lambda place: (place[0] or "", place[1]))
    return [
        entry(settings, name, environment, candidates) for environment, name in ordered
    ]


def entry(
    settings: Settings,
    name: str,
    environment: str | None,
    candidates: Path | None = None,
) -> Entry:
    """Return what there is of slice *name* in *environment*."""
    path = in_environment(settings.baseline_dir, environment, name)
    folder = candidates or candidates_folder(settings)
    beside = in_environment(folder, environment, name)
    recorded, problem = _read(path)
    candidate, trouble = _read(beside)
    return Entry(
        slice_name=name,
        environment=environment,
        path=path,
        candidate_path=beside,
        recorded=recorded,
        candidate=candidate,
        problem=problem,
        candidate_problem=trouble,
        unused=not _known(settings, name),
    )


def _read(path: Path) -> tuple[Recorded | None, str | None]:
    if not path.is_file():
        return None, None
    try:
        return load_recorded(path), None
    except StoreError as error:
        return None, str(error)


def _known(settings: Settings, name: str) -> bool:
    """Return whether *name* is a slice of ``vdg.yaml`` or a benchmark, or a part."""
    from pytest_vdg.benchmarks.registry import benchmark_names

    known = {*settings.config.slices, *benchmark_names()}
    return any(name == each or name.startswith(f"{each}-") for each in known)


def require_entry(
    settings: Settings, name: str, candidates: Path | None = None
) -> Entry:
    """Return what there is of slice *name*, or raise `ConfigError` where nothing is."""
    found = entry(settings, name, settings.environment, candidates)
    if found.path.is_file() or found.candidate_path.is_file():
        return found
    there = entries(settings, candidates)
    here = {e.slice_name for e in there if e.environment == settings.environment}
    other = {_named(e.environment) for e in there if e.slice_name == name}
    hint = ". A test that takes vdg_baseline leaves a candidate"
    if other:
        hint = f". There is one {', '.join(sorted(other))}: name it by --environment"
    elif here:
        hint = f".{did_you_mean(name, here)}"
    raise ConfigError(
        f"there is neither a baseline nor a candidate of slice {name!r}: no file "
        f"{found.path}, no file {found.candidate_path}{hint}"
    )


def _named(environment: str | None) -> str:
    return "without an environment" if environment is None else f"for {environment!r}"


def unread(found: Iterable[Entry]) -> list[str]:
    """Return the problems of files that cannot be read."""
    return [
        problem
        for each in found
        for problem in (each.problem, each.candidate_problem)
        if problem is not None
    ]
