"""The sight check's verdict, from runs whose counts are given."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import assert_accuracy_above, assert_vdg_above
from pytest_vdg.benchmarks.constant import Constant
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.sessions.sight import WORTH, Sight, SightCheck, constant_of, judge_sight
from pytest_vdg.verdicts import Finding, Verdict
from tests.assertions.build import arms, make_run, outcome
from tests.engine.examples import question, slice_of

N = 60


def constant(right: int, of: int = N) -> Constant:
    """Return a constant answer that is right so often."""
    flags = (True,) * right + (False,) * (of - right)
    return Constant(kind="label", answer="A", right=flags)


def judged(both: int, gained: int, lost: int, *, floor: int) -> SightCheck:
    """Return the verdict on sixty questions with these counts."""
    neither = N - both - gained - lost
    counts = {"both": both, "treated_only": gained, "control_only": lost}
    return judge_sight(make_run(arms(**counts, neither=neither)), constant(floor))


@pytest.mark.parametrize(
    ("counts", "floor", "verdict"),
    [
        ((17, 43, 0), 19, Sight.SEES),  # all right
        ((17, 13, 0), 15, Sight.SEES),  # half right, and nothing lost
        ((19, 0, 1), 19, Sight.DOES_NOT_SEE),  # guesses
        ((60, 0, 0), 19, Sight.DOES_NOT_SEE),  # all right, without looking
        ((0, 8, 0), 40, Sight.DOES_NOT_SEE),  # sees something, and worse than 'A'
        ((10, 14, 8), 19, Sight.INCONCLUSIVE),  # answers move about
        ((20, 10, 0), 26, Sight.INCONCLUSIVE),  # better than black, not than 'A'
    ],
)
def test_the_verdict_follows_the_counts(
    counts: tuple[int, int, int], floor: int, verdict: Sight
) -> None:
    """Right under both, original only, black only; then the constant answer's."""
    assert judged(*counts, floor=floor).verdict is verdict


def test_two_claims_are_two_chances_to_err() -> None:
    """Each of both holds at 95 % alone and neither at 97.5 %: Holm stops there."""
    run = make_run(arms(both=16, treated_only=7, control_only=1, neither=36))
    assert assert_vdg_above(run, 0.0).verdict is Verdict.PASS
    above = assert_accuracy_above(run, 16 / N, evidence="bound")
    assert above.verdict is Verdict.PASS
    assert judge_sight(run, constant(16)).verdict is Sight.INCONCLUSIVE


def test_the_second_of_two_claims_needs_no_more_than_95_percent() -> None:
    """The gap is beyond doubt; the accuracy holds at 95 % and not at 97.5 %."""
    run = make_run(arms(treated_only=23, neither=37))
    above = partial(assert_accuracy_above, run, 16 / N, evidence="bound")
    verdicts = [outcome(partial(above, confidence=c)).verdict for c in (0.95, 0.975)]
    assert verdicts == [Verdict.PASS, Verdict.INCONCLUSIVE]
    assert judge_sight(run, constant(16)).verdict is Sight.SEES


@pytest.mark.parametrize(
    ("counts", "floor", "claim"),
    [
        ((10, 7, 2), 17, partial(assert_vdg_above, floor=WORTH)),
        ((0, 10, 0), 17, partial(assert_accuracy_above, floor=17 / N)),
    ],
    ids=["gap", "accuracy"],
)
def test_against_a_checkpoint_each_claim_needs_97_5_percent(
    counts: tuple[int, int, int], floor: int, claim: Callable[..., Finding]
) -> None:
    """Refuted at 95 % alone, and not as one of two chances to err."""
    both, gained, lost = counts
    cells = arms(
        both=both,
        treated_only=gained,
        control_only=lost,
        neither=N - both - gained - lost,
    )
    alone = partial(claim, make_run(cells), evidence="bound")
    verdicts = [outcome(partial(alone, confidence=c)).verdict for c in (0.95, 0.975)]
    assert verdicts == [Verdict.BELOW_FLOOR, Verdict.INCONCLUSIVE]
    assert judged(*counts, floor=floor).verdict is Sight.INCONCLUSIVE


@pytest.mark.parametrize(
    ("counts", "floor", "confidence"),
    [((17, 43, 0), 19, 0.95), ((19, 0, 1), 19, 0.975), ((20, 10, 0), 26, 0.975)],
    ids=["sees", "does not", "inconclusive"],
)
def test_the_findings_say_how_sure_each_had_to_be(
    counts: tuple[int, int, int], floor: int, confidence: float
) -> None:
    """As documented: 95 % for one that sees, 97.5 % for what speaks against one."""
    found = judged(*counts, floor=floor)
    sure = [claim.confidence for claim in found.claims]
    assert sure == pytest.approx([confidence] * 2)


def test_the_constant_answer_is_that_of_what_was_asked() -> None:
    """Where time ran out, what was left undone sets no bar."""
    keys = {"q1": "A", "q2": "A", "q3": "A", "q4": "B"}
    asked = [question(name, f"{name}.mp4", key) for name, key in keys.items()]
    done = SimpleNamespace(questions=asked[3:])
    best = constant_of(slice_of(Path("nowhere"), asked), done)  # type: ignore[arg-type]
    assert best.right == (True,)


@settings(max_examples=40, deadline=None)
@given(right=st.integers(0, N), floor=st.integers(12, 30))
def test_who_answers_alike_in_the_dark_never_sees(right: int, floor: int) -> None:
    """However accurate, and whatever a constant answer earns."""
    assert judged(right, 0, 0, floor=floor).verdict is Sight.DOES_NOT_SEE


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_who_sees_is_better_than_both(data: st.DataObject) -> None:
    """By the estimates, and by one-sided bounds; the worse of two is never hidden."""
    gained = data.draw(st.integers(0, N))
    lost = data.draw(st.integers(0, N - gained))
    both = data.draw(st.integers(0, N - gained - lost))
    floor = data.draw(st.integers(10, 30))
    found = judged(both, gained, lost, floor=floor)
    better = gained > lost and both + gained > floor
    assert better or found.verdict is not Sight.SEES
    held = [claim.verdict is Verdict.PASS for claim in found.claims]
    assert all(held) or found.verdict is not Sight.SEES
    if found.verdict is Sight.DOES_NOT_SEE:
        assert Verdict.BELOW_FLOOR in [claim.verdict for claim in found.claims]


def test_a_run_with_holes_is_not_judged() -> None:
    """Failed cells beyond the cap are an error, and neither verdict."""
    run = make_run({"original": "C" * 50 + "F" * 10, "black": "W" * N})
    with pytest.raises(CouldNotBeJudged):
        judge_sight(run, constant(19))


def test_one_answer_to_all_questions_judges_nobody() -> None:
    """All right is not above a constant answer that is, too: that is no blindness."""
    run = make_run(arms(both=0, treated_only=1))
    with pytest.raises(CouldNotBeJudged, match="label 'A' is the answer to all of 1 q"):
        judge_sight(run, constant(1, of=1))
