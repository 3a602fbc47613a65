"""`judge_claims`: named claims about a checkpoint, judged without pytest.

Apart from the plugin so that a command, a watcher and a training loop judge by
the very rules of the fixtures: what is needed is planned first and asked once,
a run that cannot be judged is an error, and a doubt is no pass.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_vdg.assertions import ClaimFailed
from pytest_vdg.assertions.judge import FIRST_WORDS, require_judgeable
from pytest_vdg.config.claims import ClaimSpec
from pytest_vdg.errors import (
    INTERRUPTS,
    BenchmarkError,
    ConfigError,
    CouldNotBeJudged,
    StoreError,
    VdgError,
)
from pytest_vdg.reports.results import Origin, Results, TestResult
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.baseline import read_recorded, version_note
from pytest_vdg.sessions.baseline_candidate import leave_candidate, no_candidate
from pytest_vdg.sessions.baseline_criteria import criteria_of, keep_criteria, loosened
from pytest_vdg.sessions.compared import compared_with, name_of, require_other
from pytest_vdg.sessions.judging import lost_lines, meaningful, not_judged
from pytest_vdg.sessions.rehearsal import fault_of
from pytest_vdg.sessions.results import run_results
from pytest_vdg.sessions.session import VdgSession
from pytest_vdg.sessions.sight_step import SightStep
from pytest_vdg.spelling import count, moment
from pytest_vdg.store.criteria import Criterion
from pytest_vdg.verdicts import Finding, collect_findings

NOTHING = (
    "nothing was claimed, so nothing was judged. Name claims in vdg.yaml, e.g. "
    "claims: {sees: {assert: vdg_above, floor: 0.1}}, or give one: "
    '--claim "vdg_above floor=0.1"'
)


def judge_claims(
    session: VdgSession,
    claims: Mapping[str, ClaimSpec],
    *,
    first: Sequence[SightStep] = (),
    origin: Origin = "vdg run",
    command: str = "",
) -> Results:
    """Judge each of *claims* about the checkpoint of *session*.

    Parameters
    ----------
    session : VdgSession
        Says which checkpoint, and how to ask it.
    claims : mapping of str to ClaimSpec
        By name; from ``vdg.yaml`` they are ``session.settings.config.claims``.
    first : sequence of SightStep, optional
        Sight checks that come before all claims, as tests of their own.
    origin, command : str, optional
        Who judges, and what was typed, for reports.

    Returns
    -------
    Results
        One test a check and a claim, in order: ``passed``, ``failed`` (also where it is
        ``INCONCLUSIVE``), or ``error`` where it could not be judged. Green only
        where all passed and there was one.

    Raises
    ------
    ConfigError
        Before a weight is loaded, for a claim that can never be judged: a slice,
        condition, task or checkpoint that is not known, an argument that its
        assertion refuses.
    """
    judge = _Judge(session=session)
    ready = [judge.prepared(name, spec) for name, spec in claims.items()]
    checked = tuple(step.test() for step in first)
    tests = (*checked, *(judge.test(each) for each in ready))
    session.tell(*keep_criteria(judge.claimed))
    return Results(
        origin=origin,
        created=moment(),
        command=command,
        root=str(session.settings.base),
        tests=tests,
        runs=run_results(session, judge.compared),
        notes=(*lost_lines(session), *session.notes),
        faults=() if tests else (NOTHING,),
        asked=session.asked,
        cached=session.cached,
    )


def check_claims(session: VdgSession, claims: Mapping[str, ClaimSpec]) -> None:
    """Raise the `ConfigError` that `judge_claims` would, and judge nothing."""
    judge = _Judge(session=session)
    for name, spec in claims.items():
        judge.prepared(name, spec)


@dataclass(frozen=True, kw_only=True)
class _Ready:
    """A claim that was checked and planned."""

    name: str
    spec: ClaimSpec
    ask: Ask


@dataclass(kw_only=True)
class _Judge:
    """Judges claims, and keeps what they share."""

    session: VdgSession
    compared: dict[tuple[str, str], Run] = field(default_factory=dict)
    """Checkpoint and slice of a run, to the run that claims hold it against."""
    claimed: dict[str, list[Criterion]] = field(default_factory=dict)
    """Candidate to what claims against its baseline were held to."""
    candidates: dict[str, Path | None] = field(default_factory=dict)
    """Slice to the candidate that was left of it; None where it is none."""

    def prepared(self, name: str, spec: ClaimSpec) -> _Ready:
        """Check and plan what claim *name* needs."""
        try:
            return self._prepared(name, spec)
        except ConfigError as error:
            if spec.path is None or str(error).startswith(spec.where):
                raise
            raise ConfigError(f"{spec.where}claim {name!r}: {error}") from error

    def _prepared(self, name: str, spec: ClaimSpec) -> _Ready:
        session, settings = self.session, self.session.settings
        ask = ask_of(spec)
        session.checkpoint(ask)
        if settings.compare_to is not None:
            require_other(settings)
        session.require_known(ask)
        settings.run_settings()
        conditions = session.conditions(ask)
        self._require_conditions(spec, conditions)
        try:
            session.plan(ask)
            if spec.compares and settings.compare_to is not None:
                session.plan_other(ask)
            fault = fault_of(session, spec, ask, conditions)
        except BenchmarkError as error:
            raise ConfigError(str(error)) from error
        except VdgError as error:
            if isinstance(error, ConfigError):
                raise
            fault = None  # only the claims on this slice are concerned, and say it
        if fault is not None:
            raise ConfigError(f"assert_{spec.assertion}: {fault}")
        return _Ready(name=name, spec=spec, ask=ask)

    def _require_conditions(self, spec: ClaimSpec, held: tuple[str, ...]) -> None:
        """Raise `ConfigError` for *held* conditions that are too few for the claim."""
        needed = self.session.conditions(Ask(conditions=spec.needed or held))
        lacking = [c for c in needed if c not in held]
        if not lacking and (not spec.one_of or set(spec.one_of) & set(held)):
            return
        wanted = ", ".join(lacking) or " or ".join(spec.one_of)
        raise ConfigError(
            f"assert_{spec.assertion} needs condition {wanted}, and 'conditions' "
            f"names {', '.join(held)}. Add it, or leave 'conditions' out"
        )

    def test(self, ready: _Ready) -> TestResult:
        """Judge a claim; never raises for what becomes of it."""
        began = time.monotonic()
        held: list[Criterion] = []
        message, outcome = "", "passed"
        with collect_findings() as found:
            try:
                self._claim(ready, held)
            except ClaimFailed as error:
                message, outcome = str(error), "failed"
            except (ConfigError, *INTERRUPTS):
                raise
            except BaseException as error:  # noqa: BLE001 - the others go on
                message, outcome = not_judged(error), "error"
        against = [f for f in found if f.baseline is not None]
        reason = ready.spec.loosened or ""
        said = loosened(against, held, reason)
        self._keep(against, reason)
        if outcome == "passed" and said.unexplained is not None:
            message, outcome = FIRST_WORDS + said.unexplained, "error"
        return TestResult(
            name=ready.name,
            outcome=outcome,  # type: ignore[arg-type]
            message=message,
            file=_relative(ready.spec.path, self.session.settings.base),
            line=ready.spec.line,
            seconds=time.monotonic() - began,
            findings=tuple(found),
            loosened=said.lines,
        )

    def _claim(self, ready: _Ready, held: list[Criterion]) -> None:
        """Evaluate and judge, as the fixtures and a test do in turn."""
        session, spec, ask = self.session, ready.spec, ready.ask
        conditions = session.conditions(ask)
        try:
            run = session.run(ask)
            require_judgeable(run, meaningful(run, conditions))
        except CouldNotBeJudged as error:
            if spec.compares and session.settings.compare_to is None:
                session.tell(no_candidate(error))
            raise
        run = run.only(conditions)
        if not spec.compares:
            spec.function(run, **spec.arguments)
            return
        baseline = self._baseline(ask, run, held)
        known = self.compared.get((run.checkpoint, run.slice_name))
        if known is None or len(known.conditions) < len(baseline.conditions):
            self.compared[run.checkpoint, run.slice_name] = baseline
        spec.function(run, baseline=baseline, **spec.arguments)

    def _baseline(self, ask: Ask, run: Run, held: list[Criterion]) -> Run:
        session, settings = self.session, self.session.settings
        if settings.compare_to is not None:
            other = compared_with(run, session.run_other(ask))
            require_judgeable(other, meaningful(other, other.conditions))
            session.tell(f"baseline: checkpoint {name_of(other)}")
            return other
        candidate = self._candidate(session.run(ask))
        found = read_recorded(settings, run, run.conditions, candidate=candidate)
        held += found.criteria
        note = version_note(run, found.run)
        if note is not None:
            session.tell(note)
        return found.run

    def _candidate(self, whole: Run) -> Path | None:
        """Return the file that *whole* was left in; None where it is no candidate."""
        name = whole.slice_name
        if name not in self.candidates:
            self.candidates[name] = None
            try:
                left = leave_candidate(self.session.settings, whole)
                self.candidates[name] = left
            except (CouldNotBeJudged, StoreError) as error:  # no claim fails for it
                self.session.tell(no_candidate(error))
        return self.candidates[name]

    def _keep(self, against: list[Finding], reason: str) -> None:
        """Note what claims were held to, for the candidate of their slice."""
        for finding in against:
            left = self.candidates.get(finding.slice_name)
            if left is not None:
                kept = self.claimed.setdefault(str(left), [])
                kept.extend(criteria_of([finding], reason))


def ask_of(spec: ClaimSpec) -> Ask:
    """Return what *spec* asks for; without conditions, those that it compares."""
    needed = tuple(dict.fromkeys((*spec.needed, *spec.one_of)))
    return Ask(
        slice=spec.slice,
        conditions=spec.conditions or needed or None,
        questions=spec.questions,
        tasks=spec.tasks,
        seed=spec.seed,
    )


def _relative(path: Path | None, base: Path) -> str | None:
    return None if path is None else os.path.relpath(path, base)


def count_of(results: Results) -> str:
    """Return how many claims came to what, e.g. ``2 claims hold, 1 failed``."""
    outcomes = [test.outcome for test in results.tests]
    hold = outcomes.count("passed")
    parts = [f"{count(hold, 'claim')} hold{'s' if hold == 1 else ''}"]
    for outcome, words in (("failed", "failed"), ("error", "could not be judged")):
        if outcome in outcomes:
            parts.append(f"{outcomes.count(outcome)} {words}")
    return ", ".join(parts)
