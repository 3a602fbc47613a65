"""Questions that need order: shuffled at chance, reversed not above it."""

from __future__ import annotations

import pytest

from pytest_vdg.assertions import ClaimFailed, assert_needs_order
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import Run
from pytest_vdg.stats.detectable import smallest_detectable_share
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import make_run, outcome

N = 300


def answers(
    original: int, shuffled: int, backwards: int, *, name: str = "shuffled"
) -> Run:
    """Return a run with so many of 300 right; chance is a fourth, 75."""
    right = {"original": original, name: shuffled, "reversed": backwards}
    return make_run({c: "C" * r + "W" * (N - r) for c, r in right.items()})


def test_chance_without_order_passes() -> None:
    """75 of 300 shuffled: Wilson as for a blind gap; 30 reversed are below chance."""
    finding = assert_needs_order(answers(270, 75, 30))
    assert finding.summary == (
        "ok shuffled - chance +0.0pp [-4.6, +5.2] vs margin +10.0pp "
        "(n=300 questions, 300 videos)"
    )
    assert dict(finding.accuracies) == {
        "original": 0.9,
        "shuffled": 0.25,
        "reversed": 0.1,
    }


def test_it_is_told_which_rise_would_have_been_seen() -> None:
    """Above a ceiling a share rises, so it is the 225 wrong answers that may drop."""
    finding = assert_needs_order(answers(270, 75, 30))
    known = smallest_detectable_share(successes=225, n=300)
    assert finding.smallest_detectable == pytest.approx(known)
    assert "smallest detectable rise" in finding.message


@pytest.mark.parametrize(
    ("shuffled", "backwards", "named"),
    [(200, 75, "shuffled"), (75, 200, "reversed")],
)
def test_what_is_right_without_order_is_named(
    shuffled: int, backwards: int, named: str
) -> None:
    """Either way of losing the order can show that it was not needed."""
    with pytest.raises(ClaimFailed) as caught:
        assert_needs_order(answers(270, shuffled, backwards))
    finding = caught.value.finding
    assert finding.verdict is Verdict.ABOVE_CEILING
    assert finding.measure == f"{named} - chance"
    assert finding.estimate == pytest.approx(200 / 300 - 0.25)


def test_a_model_that_guesses_shows_nothing() -> None:
    """At chance in order, too: the claim would hold of any questions."""
    with pytest.raises(CouldNotBeJudged) as caught:
        assert_needs_order(answers(80, 75, 75))
    text = str(caught.value)
    assert text.startswith("COULD NOT BE JUDGED: ")
    assert "the model is not above in order either" in text.splitlines()[0]
    assert "a model that can do them" in " ".join(text.split())


def test_evidence_against_stands_whatever_the_model_can() -> None:
    """Right without order but wrong with it: strange, and no need of order."""
    found = outcome(lambda: assert_needs_order(answers(75, 200, 200)))
    assert found.verdict is Verdict.ABOVE_CEILING


def test_little_above_chance_is_undecided() -> None:
    """Nine points above chance, margin ten: neither shown."""
    found = outcome(lambda: assert_needs_order(answers(270, 102, 75)))
    assert found.verdict is Verdict.INCONCLUSIVE


def test_other_ways_to_shuffle_can_be_meant() -> None:
    """Blocks of frames are an order, too; black frames are none."""
    run = answers(270, 75, 75, name="shuffled:blocks")
    finding = assert_needs_order(run, shuffled="shuffled:blocks")
    assert finding.measure == "shuffled:blocks - chance"
    with pytest.raises(ValueError, match="lost by shuffling"):
        assert_needs_order(run, shuffled="black")


def test_tasks_are_told_apart() -> None:
    """One task that does not need order is named, the other holds."""
    half = N // 2
    cells = {
        "original": "C" * N,
        "shuffled": "CW" * half,  # every question of the first task, none of the other
        "reversed": "CW" * half,
    }
    run = make_run(cells, tasks=("count", "order"))
    with pytest.raises(ClaimFailed) as caught:
        assert_needs_order(run, per_task=True)
    assert caught.value.finding.task == "count"
    assert assert_needs_order(run, task="order").verdict is Verdict.PASS
