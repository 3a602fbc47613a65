"""What is the same wherever a run is judged: by a fixture, or by a claim.

Apart from both so that a claim of ``vdg run`` comes to what its test comes to.
Nothing heavy is imported before it is needed.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_vdg.errors import INTERRUPTS, CouldNotBeJudged, VdgError
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
    return "\n".join([said, *(f"  where     {place}" for place in _places(error)[-1:])])


def _places(error: BaseException) -> list[str]:
    """Return where *error* came through, without what hides itself from tracebacks.

    As the function does that was called to raise it, e.g. ``pytest.skip``.
    """
    frames = traceback.walk_tb(error.__traceback__)
    return [
        f"{frame.f_code.co_filename}:{line}"
        for frame, line in frames
        if not frame.f_locals.get("__tracebackhide__")
    ]


def not_freed(error: BaseException) -> str:
    """Return a note that what asked could not be freed because of *error*."""
    said, *where = told(error).splitlines()
    place = "".join(f" ({line.split(maxsplit=1)[-1]})" for line in where)
    return f"freeing the model raised {said}{place}; no verdict depends on it"


@contextmanager
def freeing(tell: Callable[[str], object]) -> Iterator[None]:
    """Have *tell* hear what freeing a model raises inside; it is nobody's verdict."""
    try:
        yield
    except INTERRUPTS:
        raise
    except BaseException as error:  # noqa: BLE001 - of a backend's own code
        tell(not_freed(error))


def not_judged(error: BaseException) -> str:
    """Return the message of a test that came to no verdict because of *error*."""
    from pytest_vdg.assertions.judge import FIRST_WORDS

    text = told(error)
    return text if text.startswith(FIRST_WORDS) else FIRST_WORDS + text


@contextmanager
def broken_told() -> Iterator[None]:
    """Let what a model's own code raises inside end in words, as for a claim.

    Raises `CouldNotBeJudged` in place of an exception that is none of ours, and
    where that code would end the program, or the test that asks.
    """
    try:
        yield
    except (VdgError, *INTERRUPTS):
        raise
    except BaseException as error:
        raise CouldNotBeJudged(told(error)) from error


@contextmanager
def endings_told() -> Iterator[None]:
    """Let no code inside end the test that asks, or the program, but by an error.

    A model's own code may leave the program; where it is made for tests it may skip
    one, or let it fail as expected, and what is not there would look fine. Raises
    `CouldNotBeJudged` in place of that; exceptions stay what they are.
    """
    try:
        yield
    except BaseException as error:
        if not is_ending(error):
            raise
        raise CouldNotBeJudged(told(error)) from error


def is_ending(error: BaseException) -> bool:
    """Return whether *error* ends a test otherwise than by an error, or the program.

    An interrupt is none: it is nobody's fault.
    """
    if isinstance(error, Exception):
        unittest = sys.modules.get("unittest.case")
        return unittest is not None and isinstance(error, unittest.SkipTest)
    return not isinstance(error, INTERRUPTS)


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
