"""The ladder: no rung costs more than the margin, shown for each step."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import ClaimFailed, assert_ladder_monotone
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import NO_CAPS, make_run, outcome

RUNGS = ("black", "single_frame", "shuffled", "original")


def climbing(*right: int, of: int = 200) -> dict[str, str]:
    """Return the cells of four rungs with so many right, nested."""
    return {
        rung: "C" * number + "W" * (of - number)
        for rung, number in zip(RUNGS, right, strict=True)
    }


def test_a_ladder_that_climbs_passes_with_its_lowest_step() -> None:
    """The step that is worth least is the one shown; all are listed."""
    finding = assert_ladder_monotone(make_run(climbing(60, 100, 150, 160)))
    assert finding.verdict is Verdict.PASS
    assert finding.summary.startswith("ok temporal delta +5.0pp [")
    text = " ".join(finding.message.split())
    assert "steps spatial delta +20.0pp" in text
    assert "diversity delta +25.0pp" in text


def test_a_step_worth_nothing_is_no_fault() -> None:
    """Most models gain nothing from order; that is not a broken ladder."""
    assert assert_ladder_monotone(make_run(climbing(60, 100, 150, 150)))


def test_a_step_that_costs_is_named() -> None:
    """One picture worse than black frames is a finding about that step."""
    with pytest.raises(ClaimFailed) as caught:
        assert_ladder_monotone(make_run(climbing(120, 60, 150, 160)))
    finding = caught.value.finding
    assert finding.verdict is Verdict.BELOW_FLOOR
    assert finding.summary.startswith("BELOW FLOOR spatial delta -30.0pp [")
    assert finding.accuracies == (("black", 0.6), ("single_frame", 0.3))
    assert "(bounds shared among 3 parts)" in " ".join(str(caught.value).split())


def test_few_questions_decide_nothing() -> None:
    """Twelve answers that stay exclude a cost of z²/(12 + z²) = 18 points only."""
    run = make_run(climbing(6, 6, 6, 6, of=12))
    assert outcome(lambda: assert_ladder_monotone(run)).verdict is Verdict.INCONCLUSIVE


def test_all_steps_are_over_the_same_questions() -> None:
    """A question lost under one rung leaves every step."""
    cells = climbing(60, 100, 150, 160)
    cells["shuffled"] = "F" + cells["shuffled"][1:]
    finding = assert_ladder_monotone(make_run(cells, caps=NO_CAPS))
    assert finding.n == 199


def test_rungs_can_be_chosen() -> None:
    """Two rungs make one step, held at the confidence itself."""
    run = make_run(climbing(60, 100, 150, 160))
    finding = assert_ladder_monotone(run, 0, rungs=("black", "original"))
    assert finding.measure == "original - black"


@pytest.mark.parametrize("rungs", ["black", (), ("black",), ("black", "black")])
def test_one_rung_is_no_ladder(rungs: object) -> None:
    """What has no step is refused with the usual ladder."""
    run = make_run(climbing(1, 2, 3, 4))
    with pytest.raises(ValueError, match="two or more different conditions"):
        assert_ladder_monotone(run, rungs=rungs)  # type: ignore[arg-type]


def test_a_missing_rung_cannot_be_judged() -> None:
    """A ladder with a hole is not a shorter ladder."""
    run = make_run({"original": "CC", "black": "CW", "shuffled": "CC"})
    with pytest.raises(CouldNotBeJudged, match="'single_frame' was not run"):
        assert_ladder_monotone(run)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 60), min_size=4, max_size=4), st.floats(0, 0.5))
def test_a_wider_margin_never_hurts(right: list[int], margin: float) -> None:
    """Who passes with a margin passes with a larger one."""
    run = make_run(climbing(*right, of=60))
    narrow = outcome(lambda: assert_ladder_monotone(run, margin)).verdict
    wide = outcome(lambda: assert_ladder_monotone(run, min(1, margin + 0.1))).verdict
    if narrow is Verdict.PASS:
        assert wide is Verdict.PASS
    if wide is Verdict.BELOW_FLOOR:
        assert narrow is Verdict.BELOW_FLOOR
