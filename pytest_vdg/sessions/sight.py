"""The sight check: does a checkpoint see at all, on sixty built-in questions.

Apart from the command so that a session of pytest, or a notebook, can begin
with it, too: what is asked and how it is judged is decided here once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_accuracy_above,
    assert_vdg_above,
)
from pytest_vdg.assertions.judge import FIRST_WORDS
from pytest_vdg.benchmarks.constant import Constant, best_constant
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import Run
from pytest_vdg.sessions.session import VdgSession
from pytest_vdg.spelling import count
from pytest_vdg.verdicts import Finding, Verdict

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.slices import Slice

BENCHMARK = "sight"
QUESTIONS = 60
CONDITIONS = ("original", "black")
CONFIDENCE = 0.95
WORTH = 0.20
"""What a checkpoint that sees earns by it at the least: these questions are about
nothing but what the clips show, and one that is blind to order earns 0.5."""
_SHARED = 1 - (1 - CONFIDENCE) / 2
"""Confidence of each of two claims, so that both together err as one would."""


class Sight(str, Enum):
    """What the check came to; the value is what people read."""

    SEES = "SEES"
    DOES_NOT_SEE = "DOES NOT SEE"
    INCONCLUSIVE = "INCONCLUSIVE"

    def __str__(self) -> str:
        """Return the words that people read."""
        return self.value


@dataclass(frozen=True, kw_only=True)
class SightCheck:
    """A run on the sight check's questions, and what it shows.

    ``SEES``: better than under black frames *and* better than the best constant
    answer, by one-sided lower bounds at 95 % with Holm's adjustment over the two.

    ``DOES NOT SEE``: the video is shown to be worth less than `WORTH`, or the
    accuracy not to be above the constant answer's, by upper bounds at 97.5 %.

    ``INCONCLUSIVE``: neither is shown.
    """

    run: Run
    constant: Constant
    """Of the questions that were asked."""
    verdict: Sight
    claims: tuple[Finding, ...]
    """The findings that decide: one of VDG, one of accuracy."""


def check_sight(session: VdgSession, *, checkpoint: str | None = None) -> SightCheck:
    """Ask *checkpoint* the questions, with its video and with a black one.

    Parameters
    ----------
    session : VdgSession
        Says how to ask, and by ``questions`` how many in place of sixty.
    checkpoint : str, optional
        Folder or hub id; that of the settings by default.

    Raises
    ------
    ConfigError
        Where there is no such checkpoint, or there are not so many questions.
    CouldNotBeJudged
        When the run allows no verdict, e.g. the video never reached the model.
    """
    asked = sight_slice(session.settings)
    run = session.evaluate(asked, conditions=CONDITIONS, checkpoint=checkpoint)
    return judge_sight(run, constant_of(asked, run))


def sight_slice(settings: Settings, *, at_most: bool = False) -> Slice:
    """Return the questions of the check: sixty, or as many as *settings* name.

    Raises `ConfigError` where there are not so many; with *at_most* these are all.
    """
    from pytest_vdg.benchmarks.sight import load_sight
    from pytest_vdg.benchmarks.slices import take

    benchmark = load_sight()
    number = settings.questions or QUESTIONS
    if at_most:
        number = min(number, len(benchmark.questions))
    return take(benchmark, questions=number, name=f"{BENCHMARK}-{number}")


def constant_of(asked: Slice, run: Run) -> Constant:
    """Return the best constant answer to what of *asked* is in *run*.

    A time budget may have ended it earlier.
    """
    held = {question.id for question in run.questions}
    return best_constant([q for q in asked.questions if q.id in held])


def judge_sight(run: Run, constant: Constant) -> SightCheck:
    """Return what *run* shows, of questions to which *constant* is the best answer.

    Raises `CouldNotBeJudged` as the assertions do, and where *constant* is right
    everywhere, so that nobody could be better. Nobody who collects findings hears
    of what is tried here: only `SightCheck.claims` decide.
    """
    if all(constant.right):
        asked = count(len(constant.right), "question")
        raise CouldNotBeJudged(
            f"{FIRST_WORDS}{constant.words} is the answer to all of {asked}: no one "
            "who looks could be better. Ask more questions"
        )
    return Context().run(_judged, run, constant)


def _judged(run: Run, constant: Constant) -> SightCheck:
    def gap(floor: float, confidence: float) -> Finding:
        return _found(lambda: assert_vdg_above(run, floor, confidence=confidence))

    def accuracy(confidence: float) -> Finding:
        return _found(
            lambda: assert_accuracy_above(
                run, constant.share, confidence=confidence, evidence="bound"
            )
        )

    claims = gap(0.0, CONFIDENCE), accuracy(CONFIDENCE)
    careful = gap(0.0, _SHARED), accuracy(_SHARED)
    # Holm's two steps: the clearer one at the shared level, then the other.
    if _all_hold(claims) and any(_holds(each) for each in careful):
        return SightCheck(run=run, constant=constant, verdict=Sight.SEES, claims=claims)
    blind = gap(WORTH, _SHARED), careful[1]
    if any(each.verdict is Verdict.BELOW_FLOOR for each in blind):
        return SightCheck(
            run=run, constant=constant, verdict=Sight.DOES_NOT_SEE, claims=blind
        )
    return SightCheck(
        run=run, constant=constant, verdict=Sight.INCONCLUSIVE, claims=careful
    )


def _found(claim: Callable[[], Finding]) -> Finding:
    try:
        return claim()
    except ClaimFailed as failed:
        return failed.finding


def _holds(finding: Finding) -> bool:
    return finding.verdict is Verdict.PASS


def _all_hold(findings: tuple[Finding, ...]) -> bool:
    return all(_holds(finding) for finding in findings)
