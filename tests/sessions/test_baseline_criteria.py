"""What of a finding becomes a criterion, and which of several is recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.sessions.baseline_criteria import (
    conflicts,
    criteria_of,
    loosened,
    merged,
    tightest,
)
from pytest_vdg.store.criteria import Criterion
from pytest_vdg.verdicts import Verdict
from tests.reports.build import FLOOR, REGRESSION

claims = st.builds(
    Criterion,
    claim=st.sampled_from(["assert_equivalent", "assert_no_dissociation_regression"]),
    measure=st.just("VDG change"),
    task=st.sampled_from([None, "counting"]),
    margin=st.sampled_from([0.02, 0.05, 0.08]),
    confidence=st.sampled_from([0.9, 0.95, 0.99]),
)
"""Claims whose margin and confidence nobody explains."""


def test_margin_and_confidence_are_what_a_claim_is_held_to() -> None:
    """A claim against a floor has no baseline to be held to."""
    (kept,) = criteria_of([FLOOR, replace(REGRESSION, confidence=0.9)], "why")
    assert (kept.margin, kept.confidence, kept.reason) == (0.05, 0.9, "why")


@pytest.mark.parametrize("sure", [0.95, 0.975])
def test_what_could_not_be_judged_records_no_confidence(sure: float) -> None:
    """Within tasks its bounds are at what Holm leaves, which no test asked for."""
    lost = replace(REGRESSION, verdict=Verdict.COULD_NOT_BE_JUDGED, confidence=sure)
    assert [kept.confidence for kept in criteria_of([lost])] == [None]


LOOSER = {
    "margin": (replace(REGRESSION, bound=-0.08), "5.0pp", "8.0pp"),
    "confidence": (replace(REGRESSION, confidence=0.9), "95%", "90%"),
}
"""By what is looser: a claim, the assertion's default, and what was claimed."""


@pytest.mark.parametrize("what", list(LOOSER))
@pytest.mark.parametrize(
    ("recorded", "why", "told"),
    [
        # Never recorded: shown against the assertion's default.
        (None, "", "default {0} -> {1} (no reason given)"),
        (None, "few clips", "default {0} -> {1} (few clips)"),
        # Recorded so: looked at then, and shown for as long as there is a reason.
        ("so", "", ""),
        ("so, for noise", "", "default {0} -> {1} (noise)"),
        ("so", "few clips", "default {0} -> {1} (few clips)"),
        # Recorded stricter: shown with what it was.
        ("at the default", "few clips", "{0} -> {1} (few clips)"),
    ],
)
def test_what_is_looser_is_shown_with_what_it_was(
    what: str, recorded: str | None, why: str, told: str
) -> None:
    """Against the file where it says something stricter, else against the default."""
    finding, default, claimed = LOOSER[what]
    held = []
    if recorded is not None:
        seen = REGRESSION if recorded == "at the default" else finding
        held = criteria_of([seen], recorded.partition("for ")[2])
    found = loosened([finding], held, why)
    place = "assert_no_dissociation_regression on videomme"
    told = told.format(default, claimed)
    assert found.lines == ((f"{what} of {place}: {told}",) if told else ())
    assert found.unexplained is None


@pytest.mark.parametrize("what", list(LOOSER))
def test_what_is_looser_than_recorded_needs_a_reason(what: str) -> None:
    """Without one the test cannot be judged; what is stricter needs none."""
    finding, default, claimed = LOOSER[what]
    told = loosened([finding], criteria_of([REGRESSION])).unexplained
    assert told is not None
    assert told.startswith(f"{what} loosened from {default} to {claimed}: ")
    assert loosened([REGRESSION], criteria_of([finding])).unexplained is None


@given(st.lists(claims))
def test_of_several_claims_the_one_that_allows_least_is_kept(
    claimed: list[Criterion],
) -> None:
    """The smallest margin, and of equal ones the highest confidence."""
    for key, kept in tightest(claimed).items():
        same = [c for c in claimed if c.key == key]
        assert kept in same
        assert kept == min(same, key=lambda c: (c.margin, -c.confidence))


@given(st.lists(claims), st.lists(claims))
def test_without_a_reason_nothing_recorded_gets_looser(
    first: list[Criterion], then: list[Criterion]
) -> None:
    """In whatever order claims come; what none was made of stays as it was."""
    before = {c.key: c for c in merged((), first)}
    after = {c.key: c for c in merged(before.values(), then)}
    assert after.keys() == {c.key for c in (*first, *then)}
    for key, kept in before.items():
        assert not after[key].looser_than(kept)
        if all(c.key != key for c in then):
            assert after[key] == kept


@given(st.lists(claims))
def test_who_says_why_contradicts_nobody(claimed: list[Criterion]) -> None:
    """Looser than another claim of the same is told only where no reason is given."""
    least = tightest(claimed)
    assert conflicts(claimed) == [c for c in claimed if c.looser_than(least[c.key])]
    assert conflicts([replace(c, reason="noisy clips") for c in claimed]) == []
