"""What is the same wherever a run is judged: by a fixture, or by a claim.

Apart from both so that a claim of ``vdg run`` comes to what its test comes to.
Nothing heavy is imported before it is needed.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_vdg.errors import CouldNotBeJudged, VdgError
from pytest_vdg.runs import Run
from pytest_vdg.spelling import one_line

if TYPE_CHECKING:
    from pytest_vdg.sessions.session import VdgSession


def meaningful(run: Run, conditions: Sequence[str]) -> Sequence[str]:
    """Return *conditions* without those that mean nothing for any clip.

    A claim about such a condition will say so; the others can be judged.
    """
    some = [c for c in conditions if run.counts(c).not_applicable < len(run.questions)]
    return some or conditions


def described(run: Run) -> dict[str, str]:
    """Return what a report should know of *run*; without what is not known."""
    from pytest_vdg.outcomes.extent import unknown_videos, wanted

    fingerprint = run.fingerprint
    found = {
        "checkpoint": run.checkpoint,
        "weights": fingerprint.subject.get("weights"),
        "slice": run.slice_name,
        "questions": str(len(run.questions)),
        "planned": None if run.planned is None else str(wanted(run)),
        "videos": unknown_videos(run),
        "backend": fingerprint.comparable.get("backend"),
        "device": fingerprint.comparable.get("device"),
    }
    return {name: value for name, value in found.items() if value}


def told(error: BaseException) -> str:
    """Return what *error* says; of one that is none of ours also where it broke."""
    if isinstance(error, VdgError):
        return str(error)
    # One line: what a model said may be in it, and a log may be read for commands.
    said = one_line("".join(traceback.format_exception_only(error)), 400, "...")
    place = traceback.extract_tb(error.__traceback__)[-1:]
    return "\n".join([said, *(f"  where     {f.filename}:{f.lineno}" for f in place)])


def not_judged(error: BaseException) -> str:
    """Return the message of a test that came to no verdict because of *error*."""
    from pytest_vdg.assertions.judge import FIRST_WORDS

    text = told(error)
    return text if text.startswith(FIRST_WORDS) else FIRST_WORDS + text


@contextmanager
def broken_told() -> Iterator[None]:
    """Let what a model's own code raises inside end in words, as for a claim.

    Raises `CouldNotBeJudged` in place of an exception that is none of ours, and
    where that code would end the program.
    """
    try:
        yield
    except VdgError:
        raise
    except (Exception, SystemExit) as error:
        raise CouldNotBeJudged(told(error)) from error


def lost_lines(session: VdgSession) -> list[str]:
    """Return what the runs of *session* have no answer to, or could not show."""
    from pytest_vdg.reports.terminal import (
        short_lines,
        unanswered_lines,
        unknown_lines,
    )

    return [
        line
        for run in session.runs
        for line in (*unanswered_lines(run), *short_lines(run), *unknown_lines(run))
    ]
