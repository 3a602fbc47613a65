"""A model in memory, judged: the same road as a checkpoint, and no answer kept.

Apart from the trainer's callback because nothing of a training is needed here:
a model, a processor, a slice and claims.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vdg.config.claims import ClaimSpec, make_claim
from pytest_vdg.config.found import find_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.settings import Settings, Sourced
from pytest_vdg.config.switches import COMMAND_LINE, Voice, env_voice
from pytest_vdg.errors import ConfigError, CouldNotBeJudged, VdgError
from pytest_vdg.reports.past import lost_run, past_of
from pytest_vdg.reports.results import Results, TestResult
from pytest_vdg.sessions.asks import Ask, take_slice
from pytest_vdg.sessions.claims import check_claims, judge_claims
from pytest_vdg.sessions.judging import told
from pytest_vdg.sessions.results import run_results
from pytest_vdg.sessions.session import VdgSession
from pytest_vdg.spelling import moment
from pytest_vdg.store.history import PastRun, keep

if TYPE_CHECKING:
    from pytest_vdg.backends._hf_live import LiveBackend

_log = logging.getLogger("pytest_vdg.training")
_NOT_HERE = {
    "replay": None,
    "compare_to": None,
    "spread": False,
    "executor": "local",
}
"""Switches that are about another model than the one that is there."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Live:
    """A model in memory, and how its training computes."""

    model: Any
    processor: Any
    name: str
    """What people call it."""
    mixed: str | None = None
    """Dtype that weights of float32 are computed in; None for their own."""

    def backend(self, settings: Settings) -> LiveBackend:
        """Return what asks it, as *settings* say; raises `ConfigError`."""
        from pytest_vdg.backends._hf_live import LiveBackend
        from pytest_vdg.backends._hf_settings import TransformersSettings

        config = settings.config
        given = {
            "frames_as": config.frames_as,
            "scoring": settings.where["scoring"].value,
            "option_likelihood": config.option_likelihood,
            "max_new_tokens": config.max_new_tokens,
            "share_prefixes": config.share_prefixes,
            "batch_tokens": config.batch_tokens,
        }
        how: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
        return LiveBackend(
            self.model,
            self.processor,
            TransformersSettings(checkpoint=self.name, **how),
            autocast=self.mixed if "float32" in str(self.model.dtype) else None,
        )

    @contextmanager
    def asked(self, settings: Settings) -> Iterator[LiveBackend]:
        """Give what asks it; afterwards all of the model is as it was."""
        from pytest_vdg.backends._hf_aside import aside

        backend = self.backend(settings)
        with aside(self.model):
            try:
                yield backend
            finally:
                backend.close()


@dataclass(frozen=True, kw_only=True)
class Examination:
    """What a live model is asked, each time."""

    settings: Settings
    ask: Ask
    """What is measured, whatever is claimed."""
    claims: Mapping[str, ClaimSpec]

    def check(self) -> str:
        """Read the slices; return what the run of `ask` will call its own.

        Raises `ConfigError` for names that nothing is known by.
        """
        session = VdgSession(about(self.settings, "a live model"))
        try:
            session.require_known(self.ask)
            check_claims(session, self.claims)
            return session.slice_name(self.ask)
        finally:
            session.close()

    def judge(self, live: Live) -> Results:
        """Ask *live* and return what it came to; the model is left as it was.

        What could not be judged is a test that ended in an error, also where
        nothing was claimed.
        """
        settings = about(self.settings, live.name)
        with live.asked(settings) as backend:
            return self._judged(VdgSession(settings, make_backend=lambda *_: backend))

    def _judged(self, session: VdgSession) -> Results:
        try:
            session.plan(self.ask)
            tests = (*self._claimed(session), *_measured(session, self.ask))
            return Results(
                origin="training",
                created=moment(),
                tests=tests,
                runs=run_results(session, {}),
                notes=tuple(session.notes),
                asked=session.asked,
            )
        finally:
            session.close()

    def _claimed(self, session: VdgSession) -> tuple[TestResult, ...]:
        if not self.claims:
            return ()
        return judge_claims(session, self.claims).tests


def _measured(session: VdgSession, ask: Ask) -> tuple[TestResult, ...]:
    """Make the run of *ask*; return why it could not be, as a test."""
    try:
        session.run(ask)
    except CouldNotBeJudged as error:
        return (TestResult(name="measured", outcome="error", message=str(error)),)
    return ()


def examination(
    *,
    config: str | Path | None,
    claims: Mapping[str, Mapping[str, Any] | ClaimSpec] | None,
    ask: Ask,
) -> Examination:
    """Return what to ask, from ``vdg.yaml``, the environment and what is given.

    *claims* are written as in ``vdg.yaml``; None for those that stand there. A
    claim that names no slice is about that of *ask*, and its questions.
    """
    cwd = Path.cwd()
    given = {} if config is None else {"config": str(config)}
    voices = [
        Voice(source=COMMAND_LINE, base=cwd, values=given),
        env_voice(os.environ, cwd),
    ]
    found = find_config(voices, [cwd])
    voices.append(file_voice(found, cwd))
    settings = resolve(voices, base=cwd, config=found)
    if claims is None:
        specs = dict(found.claims)
    elif isinstance(claims, Mapping):
        specs = {str(name): _spec(str(name), each) for name, each in claims.items()}
    else:
        raise ConfigError(
            f"claims must be a mapping from name to claim, got {claims!r}"
        )
    return Examination(
        settings=settings,
        ask=_at_most(settings, ask),
        claims={name: _about(settings, spec, ask) for name, spec in specs.items()},
    )


def about(settings: Settings, name: str) -> Settings:
    """Return *settings* about the model in memory that is called *name*.

    Answers are not kept: nothing could find them again but by mistake. What
    else a session leaves lies apart from that of sessions about checkpoints.
    """
    base = settings.base
    said: dict[str, object] = {**_NOT_HERE, "checkpoint": name, "backend": "live"}
    said |= {"no_cache": True, "cache_dir": settings.cache_dir / "training"}
    where = {
        key: Sourced(value=value, source=COMMAND_LINE, named="a live model", base=base)
        for key, value in said.items()
    }
    return replace(settings, where={**settings.where, **where})


def _spec(name: str, given: Mapping[str, Any] | ClaimSpec) -> ClaimSpec:
    if isinstance(given, ClaimSpec):
        return given
    if not isinstance(given, Mapping):
        raise ConfigError(
            f"claim {name!r} must be a mapping, e.g. "
            f"{{'assert': 'vdg_above', 'floor': 0.1}}, got {given!r}"
        )
    values = {k: list(v) if isinstance(v, tuple) else v for k, v in given.items()}
    return make_claim(values, called=name)


def _about(settings: Settings, spec: ClaimSpec, ask: Ask) -> ClaimSpec:
    if spec.slice not in (None, ask.slice):
        return spec
    questions = spec.questions
    if questions is None:
        part = replace(ask, tasks=spec.tasks, seed=spec.seed)
        questions = _at_most(settings, part).questions
    return replace(spec, slice=ask.slice, questions=questions)


def _at_most(settings: Settings, ask: Ask) -> Ask:
    """Return *ask* for all questions, where there are no more than it wants.

    What is wrong with its slice is said when the training begins.
    """
    if type(ask.questions) is not int:
        return ask
    every = replace(ask, questions=None)
    try:
        there = len(take_slice(settings, every))
    except VdgError:
        return ask
    return every if there <= ask.questions else ask


def unjudged(error: BaseException) -> Results:
    """Return the results of an evaluation that broke by *error*."""
    test = TestResult(name="evaluation", outcome="error", message=told(error))
    return Results(origin="training", created=moment(), tests=(test,))


def kept(
    settings: Settings, results: Results, name: str, slice_name: str, step: int
) -> tuple[PastRun, ...]:
    """Return what *results* came to at *step*, after it was added to the history.

    Where answers are not kept, neither is this. *name* and *slice_name* are for an
    evaluation without a run.
    """
    environment = settings.environment
    past = past_of(results, environment=environment, step=step, all_runs=True)
    lost = tuple(
        lost_run(
            results,
            checkpoint=name,
            slice_name=slice_name,
            environment=environment,
            step=step,
        )
    )
    if settings.keeps_history:
        for note in keep(settings.cache_dir, (*past, *lost)):
            _log.warning("%s", note)
    return past


def numbers(past: Sequence[PastRun], own: str) -> dict[str, float]:
    """Return what a logger takes of *past*: names without spaces, finite numbers.

    Those of the slice *own* have bare names, others begin with that of theirs.
    """
    found: dict[str, float] = {}
    for run in past:
        start = "" if run.slice_name == own else f"{run.slice_name}/"
        found[f"{start}questions"] = float(run.questions)
        for level in run.effects:
            found[f"{start}{level.name}"] = level.estimate
            found[f"{start}{level.name}_low"] = level.low
            found[f"{start}{level.name}_high"] = level.high
        for level in run.accuracies:
            found[f"{start}accuracy/{level.name}"] = level.estimate
    return found
