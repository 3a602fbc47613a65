"""Coverage: enough questions, replies that parse, frames as planned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vdg.assertions import ClaimFailed, assert_coverage
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import make_run, outcome


def shown(run: Run, frames: dict[str, int], **others: int) -> Run:
    """Return *run* with numbers of frames by condition, and by question."""
    cells = {
        (q, c): replace(cell, frames_seen=others.get(f"{q}_{c}", frames[c]))
        for (q, c), cell in run.cells.items()
    }
    return replace(run, cells=cells)


def test_a_whole_run_passes() -> None:
    """Everything asked was answered, and counted by condition."""
    finding = assert_coverage(make_run({"original": "CW" * 50, "black": "W" * 100}))
    assert finding.verdict is Verdict.PASS
    assert finding.summary == (
        "ok coverage of original 100.0% [96.3, 100.0] vs floor 98.0% by estimate only "
        "(n=100 questions, 100 videos)"
    )
    assert "black: 100 covered, 0 unparsed, 0 failed, 0 not applicable" in (
        finding.message
    )


def test_what_the_caps_refuse_is_told_with_its_reasons() -> None:
    """Failed and unparsed cells both lower coverage; the caps do not apply."""
    run = make_run({"original": "C" * 100, "black": "W" * 90 + "F" * 6 + "U" * 4})
    with pytest.raises(ClaimFailed) as caught:
        assert_coverage(run)
    finding = caught.value.finding
    assert finding.verdict is Verdict.BELOW_FLOOR
    assert finding.summary.startswith("BELOW FLOOR coverage of black 90.0% [")
    text = " ".join(str(caught.value).split())
    assert "6 black failed: out of memory (first: q0090)" in text


def test_replies_in_logs_are_not_to_be_asked_again() -> None:
    """What is missing in logs is made good where they are made, or read anew."""
    cells = {"original": "C" * 90 + "U" * 10}
    with pytest.raises(ClaimFailed, match="answered cells are not asked"):
        assert_coverage(make_run(cells))
    logs = make_run(cells, comparable={"source": "imported logs"})
    with pytest.raises(ClaimFailed, match="vdg parse-check LOG") as caught:
        assert_coverage(logs)
    assert "run again" not in str(caught.value)


@pytest.mark.parametrize(("lost", "ok"), [(2, True), (3, False)])
def test_the_floor_itself_is_enough(lost: int, ok: bool) -> None:
    """98 of 100 cells are 98 %; 97 are not."""
    run = make_run({"original": "C" * (100 - lost) + "F" * lost})
    verdict = outcome(lambda: assert_coverage(run, 0.98)).verdict
    assert verdict is (Verdict.PASS if ok else Verdict.BELOW_FLOOR)


def test_as_a_sample_a_whole_run_can_be_undecided() -> None:
    """A hundred parsed replies do not show that 99 % of the next will parse."""
    run = make_run({"original": "C" * 100})
    finding = outcome(lambda: assert_coverage(run, 0.99, evidence="bound"))
    assert finding.verdict is Verdict.INCONCLUSIVE


def test_questions_are_counted_over_all_conditions() -> None:
    """A question that failed under one condition is not judged in all."""
    run = make_run({"original": "C" * 100, "black": "F" + "C" * 99})
    assert assert_coverage(run, questions=99)
    with pytest.raises(ClaimFailed, match="99 questions judged in all conditions, 100"):
        assert_coverage(run, questions=100)


def test_a_condition_without_meaning_is_not_missed() -> None:
    """But its questions are not there for a claim that needs them."""
    run = make_run({"original": "C" * 20, "shuffled": "C" * 15 + "N" * 5})
    assert assert_coverage(run)
    with pytest.raises(ClaimFailed, match="15 questions judged in all conditions"):
        assert_coverage(run, questions=20)


def test_frames_are_equal_under_all_conditions() -> None:
    """A condition that showed other frames measured something else."""
    run = make_run({"original": "CCC", "black": "WWW", "text_only": "WWW"})
    frames = {"original": 8, "black": 8, "text_only": 0}
    assert assert_coverage(shown(run, frames), frames=8)
    with pytest.raises(ClaimFailed, match="1 question saw other frames") as caught:
        assert_coverage(shown(run, frames, q0001_black=4))
    assert "q0001" in str(caught.value)


def test_fewer_frames_than_planned_are_told() -> None:
    """Equal is not enough where more were asked for."""
    run = shown(
        make_run({"original": "CC", "fps:2": "CC"}), {"original": 8, "fps:2": 2}
    )
    assert assert_coverage(run)
    with pytest.raises(ClaimFailed, match="2 questions saw other frames"):
        assert_coverage(run, frames=16)


def test_frames_that_were_not_recorded_cannot_be_judged() -> None:
    """A log of letters says nothing of frames."""
    run = make_run({"original": "CC"})
    assert assert_coverage(run)
    with pytest.raises(CouldNotBeJudged, match="no number of frames was recorded"):
        assert_coverage(run, frames=8)


def test_conditions_can_be_chosen() -> None:
    """What a claim does not need may be missing."""
    run = make_run({"original": "C" * 9, "black": "F" * 9})
    assert assert_coverage(run, conditions="original")
    with pytest.raises(ValueError, match="no condition covers nothing"):
        assert_coverage(run, conditions=())
    with pytest.raises(CouldNotBeJudged, match="'shuffled' was not run"):
        assert_coverage(run, conditions=["shuffled"])


@pytest.mark.parametrize("name", ["questions", "frames"])
@pytest.mark.parametrize("value", [0, -1, 2.5, True])
def test_numbers_are_whole_and_positive(name: str, value: object) -> None:
    """Zero questions are covered by nothing."""
    run = make_run({"original": "CC"})
    with pytest.raises((TypeError, ValueError), match=name):
        assert_coverage(run, **{name: value})  # type: ignore[arg-type]
