"""Candidates: what a session would record, left where people and CI find it.

Apart from recording because a candidate is no baseline: it is written in every
session, decides nothing, and may be thrown away.
"""

from __future__ import annotations

from pathlib import Path

from pytest_vdg.assertions.judge import require_judgeable
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import VdgError
from pytest_vdg.runs import Run
from pytest_vdg.sessions.baseline import baseline_path, in_environment, readable
from pytest_vdg.sessions.budget import require_whole
from pytest_vdg.store._folder import make_folder
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.runfile import save_recorded

REASON = "candidate of a session"
FOLDER = Path("last-run", "candidates")
"""Below the folder of kept answers."""


def candidates_folder(settings: Settings) -> Path:
    """Return where all candidates lie."""
    return settings.cache_dir / FOLDER


def candidate_path(settings: Settings, slice_name: str) -> Path:
    """Return where the candidate of *slice_name* lies, or would."""
    folder = candidates_folder(settings)
    return in_environment(folder, settings.environment, slice_name)


def leave_candidate(settings: Settings, run: Run) -> Path:
    """Write *run* as the candidate of its slice, and return where.

    It is held to what its baseline was held to. Raises `CouldNotBeJudged` for a
    run that is no baseline, and `StoreError` where nothing can be written: neither
    says anything of a claim, see `no_candidate`.
    """
    if settings.replay is None:  # of logs there is no more to be had
        require_whole(run)
    require_judgeable(run, run.conditions)
    before = readable(baseline_path(settings, run.slice_name))
    made = Recorded(
        run=run,
        reason=REASON,
        environment=settings.environment,
        criteria=() if before is None else before.criteria,
    )
    path = candidate_path(settings, run.slice_name)
    make_folder(settings.cache_dir)
    save_recorded(made, path)
    return path


def no_candidate(why: VdgError) -> str:
    """Return the note that a session left no candidate, and why not."""
    first = str(why).splitlines()[0].removeprefix("COULD NOT BE JUDGED: ")
    return f"no candidate was left: {first}"
