"""The sight check as the first step of a session: planned, made, and judged as a test.

Apart from the check itself, which is put to one checkpoint and knows no session:
here it is planned with all else that is asked, and comes to what a claim comes to.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg.assertions import ClaimFailed
from pytest_vdg.assertions.judge import require_judgeable
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import INTERRUPTS, BenchmarkError, ConfigError
from pytest_vdg.reports.results import TestOutcome, TestResult
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.judging import broken_told, not_judged
from pytest_vdg.sessions.session import VdgSession
from pytest_vdg.sessions.sight import (
    BENCHMARK,
    CONDITIONS,
    Sight,
    SightCheck,
    constant_of,
    judge_sight,
    sight_slice,
)
from pytest_vdg.spelling import count
from pytest_vdg.verdicts import Finding, Verdict, collect_findings, publish

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.slices import Slice
    from pytest_vdg.runs import Run

PREFIX = "vdg-sight"
"""First part of the name of each such test, where others have a file."""
_UNSAFE = re.compile(r"::|[^\w./@+=:-]")
"""What would end a test's name too early, somewhere between here and a report."""
_AGAINST = {
    Sight.DOES_NOT_SEE: Verdict.BELOW_FLOOR,
    Sight.INCONCLUSIVE: Verdict.INCONCLUSIVE,
}
"""What one of the claims came to at least, for the check to come to that."""
_NO_HINT = "their text gives nothing away"


@dataclass(frozen=True, kw_only=True)
class SightStep:
    """The check of one checkpoint in a session that asks more."""

    session: VdgSession
    checkpoint: str
    """As `VdgSession.checkpoint` returns it."""
    name: str
    """What tells it from the checks of other checkpoints, see `names_of`."""

    @property
    def test_name(self) -> str:
        """What reports call it, e.g. ``vdg-sight::step-2000``."""
        return f"{PREFIX}::{self.name}"

    @cached_property
    def _slice(self) -> Slice:
        return sight_slice(self.session.settings, at_most=True)

    def plan(self) -> None:
        """Note what the check needs; raises `ConfigError` where it cannot be made."""
        require_asking(self.session.settings)
        try:
            self.session.settings.run_settings().on(self._slice)
        except BenchmarkError as error:  # the clips are not installed
            raise ConfigError(str(error)) from error
        ask = Ask(slice=BENCHMARK, questions=len(self._slice))
        self.session.plan_slice(ask, self._slice, CONDITIONS, self.checkpoint)

    def run(self) -> Run:
        """Ask what is not known.

        Raises `CouldNotBeJudged` as a fixture would, and in place of an exception
        of a backend's own: there is no code of a test that it could point at.
        """
        with broken_told():
            run = self.session.run_slice(self._slice, CONDITIONS, self.checkpoint)
        require_judgeable(run, CONDITIONS)
        return run.only(CONDITIONS)

    def judge(self, run: Run) -> SightCheck:
        """Return what *run* shows."""
        return judge_sight(run, constant_of(self._slice, run))

    def test(self) -> TestResult:
        """Make the check; never raises for what becomes of it, but `ConfigError`."""
        began = time.monotonic()
        message = ""
        outcome: TestOutcome = "passed"
        with collect_findings() as found:
            try:
                claim(self.judge(self.run()))
            except ClaimFailed as error:
                message, outcome = str(error), "failed"
            except (ConfigError, *INTERRUPTS):
                raise
            except BaseException as error:  # noqa: BLE001 - claims go on
                message, outcome = not_judged(error), "error"
        return TestResult(
            name=self.test_name,
            outcome=outcome,
            message=message,
            seconds=time.monotonic() - began,
            findings=tuple(found),
        )


def steps_of(
    session: VdgSession, checkpoints: Collection[str]
) -> tuple[SightStep, ...]:
    """Return the check of each of *checkpoints*, planned."""
    ordered = tuple(dict.fromkeys(checkpoints))
    steps = tuple(
        SightStep(session=session, checkpoint=checkpoint, name=name)
        for checkpoint, name in zip(ordered, names_of(ordered), strict=True)
    )
    for step in steps:
        step.plan()
    return steps


def require_asking(settings: Settings) -> None:
    """Raise `ConfigError` where stored runs are judged, so that no model is asked."""
    if settings.replay is None:
        return
    named, replay = settings.where["sight"].named, settings.where["replay"].named
    raise ConfigError(
        f"{named} and {replay}: the check asks a model, and where stored runs are "
        "judged none is asked. Leave one of the two out; VDG_SIGHT=0 says no to a "
        "check that a file wants"
    )


def claim(found: SightCheck) -> None:
    """Tell the two findings that decided; raise `ClaimFailed` unless it sees."""
    told = [_told(found, finding) for finding in found.claims]
    for finding in told:
        publish(finding)
    if found.verdict is not Sight.SEES:
        wanted = _AGAINST[found.verdict]
        raise ClaimFailed(next(f for f in told if f.verdict is wanted))


def _told(found: SightCheck, finding: Finding) -> Finding:
    """Return *finding* with what the check came to below its first line."""
    first, *rest = finding.message.splitlines()
    asked = count(len(found.run.questions), "built-in question")
    said = f"  sight     {found.verdict}, by two claims about {asked}; {_NO_HINT}"
    return replace(finding, message="\n".join([first, said, *rest]))


def names_of(checkpoints: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each of *checkpoints*: short, and no other's.

    A folder by its own name, with those above it where another is called so;
    an id of a hub as it is. Where that does not tell them apart, by a number.

    >>> names_of(["/runs/a/step-9", "/runs/b/step-9", "/runs/b/last", "org/model"])
    ('a/step-9', 'b/step-9', 'last', 'org/model')
    >>> names_of(["/runs/step 9", "/runs/step_9"])
    ('runs/step_9', 'runs/step_9-2')
    """
    parts = [
        tuple(_UNSAFE.sub("_", part) for part in _parts(each)) for each in checkpoints
    ]
    lengths = [1] * len(parts)
    while True:
        names = ["/".join(p[-n:]) for p, n in zip(parts, lengths, strict=True)]
        short = [
            i
            for i, name in enumerate(names)
            if names.count(name) > 1 and lengths[i] < len(parts[i])
        ]
        if not short:
            return _numbered(names)
        for place in short:
            lengths[place] += 1


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return *names*, a number behind each that was there before."""
    found: list[str] = []
    for name in names:
        others = (f"{name}-{number}" for number in itertools.count(2))
        fresh = (each for each in others if each not in {*found, *names})
        found.append(next(fresh) if name in found else name)
    return tuple(found)


def _parts(checkpoint: str) -> tuple[str, ...]:
    path = Path(checkpoint)
    return path.parts[1:] if path.is_absolute() else (checkpoint,)
