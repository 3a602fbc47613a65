"""Visual gain, and accuracy above what is measured without sight."""

from __future__ import annotations

import pytest

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_accuracy_above_blind,
    assert_vdg_above,
    assert_visual_gain_above,
)
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import arms, make_run, outcome

SEEING = {
    "original": "C" * 160 + "W" * 40,
    "text_only": "C" * 60 + "W" * 140,
    "black": "C" * 80 + "W" * 120,
}


def test_the_visual_gain_is_vdg_against_another_control() -> None:
    """The same counts give the same numbers under another name."""
    counts = {"both": 180, "treated_only": 212, "control_only": 29, "neither": 179}
    gain = assert_visual_gain_above(make_run(arms(**counts, control="text_only")), 0.1)
    vdg = assert_vdg_above(make_run(arms(**counts)), 0.1)
    assert gain.summary == vdg.summary.replace("VDG", "visual gain")
    assert (gain.low, gain.high) == (vdg.low, vdg.high)


def test_a_gain_can_be_missed_or_undecided() -> None:
    """Both other verdicts, from the one-sided bounds."""
    none = make_run(arms(both=50, neither=10, control="text_only"))
    few = make_run(arms(both=3, treated_only=4, neither=2, control="text_only"))
    assert outcome(lambda: assert_visual_gain_above(none, 0.1)).verdict is (
        Verdict.BELOW_FLOOR
    )
    assert outcome(lambda: assert_visual_gain_above(few, 0.4)).verdict is (
        Verdict.INCONCLUSIVE
    )


def test_an_estimate_alone_says_so() -> None:
    """As for VDG, a comparison without its interval is labelled."""
    run = make_run(arms(both=3, treated_only=4, neither=2, control="text_only"))
    finding = assert_visual_gain_above(run, 0.4, evidence="estimate")
    assert "by estimate only" in finding.summary


def test_the_better_blind_accuracy_is_the_floor() -> None:
    """Black frames do better than no video here, so they are what counts."""
    finding = assert_accuracy_above_blind(make_run(SEEING), 0.2)
    assert finding.measure == "lead over black"
    assert finding.estimate == pytest.approx(0.4)
    text = " ".join(finding.message.split())
    assert "leads lead over text_only +50.0pp" in text


def test_a_blind_model_is_caught_by_either_control() -> None:
    """No lead over text alone is evidence, whatever black frames do."""
    cells = {"original": "CW" * 60, "text_only": "CW" * 60, "black": "W" * 120}
    with pytest.raises(ClaimFailed) as caught:
        assert_accuracy_above_blind(make_run(cells), 0.1)
    assert caught.value.finding.verdict is Verdict.BELOW_FLOOR
    assert caught.value.finding.measure == "lead over text_only"


def test_against_both_controls_evidence_is_shared_out() -> None:
    """Two chances of a false alarm are held to half the error each.

    55 of 60 right under both arms and 5 under neither: upper bounds, for which
    n d - ½ = z sqrt(n d (1 - d)), are 5.8 points at 95 % and 7.5 at 97.5 %, with
    the floor between them.
    """
    same = "C" * 55 + "W" * 5
    cells = {"original": same, "text_only": same, "black": "W" * 60}
    one = outcome(
        lambda: assert_accuracy_above_blind(make_run(cells), 0.07, against="text_only")
    )
    both = outcome(lambda: assert_accuracy_above_blind(make_run(cells), 0.07))
    assert one.verdict is Verdict.BELOW_FLOOR
    assert both.verdict is Verdict.INCONCLUSIVE


def test_without_a_blind_condition_there_is_no_floor() -> None:
    """A floor that was not measured is not assumed to be chance."""
    run = make_run({"original": "CCW", "shuffled": "CWW"})
    with pytest.raises(CouldNotBeJudged, match="holds no blind condition") as caught:
        assert_accuracy_above_blind(run)
    assert str(caught.value).startswith("COULD NOT BE JUDGED: ")


@pytest.mark.parametrize("against", [(), "original", ["black", "original"]])
def test_the_real_video_is_no_blind_condition(against: object) -> None:
    """Nothing is compared with itself, or with nothing."""
    with pytest.raises(ValueError, match="against must name blind conditions"):
        assert_accuracy_above_blind(make_run(SEEING), against=against)  # type: ignore[arg-type]
