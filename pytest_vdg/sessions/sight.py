"""The sight check: does a checkpoint see at all, on sixty built-in questions.

Apart from the command so that a session of pytest, or a notebook, can begin
with it, too: what is asked and how it is judged is decided here once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_accuracy_above,
    assert_vdg_above,
)
from pytest_vdg.benchmarks.constant import Constant, best_constant
from pytest_vdg.runs import Run
from pytest_vdg.sessions.session import VdgSession
from pytest_vdg.verdicts import Finding, Verdict

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
    from pytest_vdg.benchmarks.sight import load_sight
    from pytest_vdg.benchmarks.slices import take

    number = session.settings.questions or QUESTIONS
    asked = take(load_sight(), questions=number, name=f"sight-{number}")
    run = session.evaluate(asked, conditions=CONDITIONS, checkpoint=checkpoint)
    return judge_sight(run, best_constant(asked.questions))


def judge_sight(run: Run, constant: Constant) -> SightCheck:
    """Return what *run* shows, of questions to which *constant* is the best answer.

    Raises `CouldNotBeJudged` as the assertions do.
    """

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
