"""What of a finding becomes a criterion."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vdg.sessions.baseline_criteria import criteria_of
from pytest_vdg.verdicts import Verdict
from tests.reports.build import FLOOR, REGRESSION


def test_margin_and_confidence_are_what_a_claim_is_held_to() -> None:
    """A claim against a floor has no baseline to be held to."""
    (kept,) = criteria_of([FLOOR, replace(REGRESSION, confidence=0.9)], "why")
    assert (kept.margin, kept.confidence, kept.reason) == (0.05, 0.9, "why")


@pytest.mark.parametrize("sure", [0.95, 0.975])
def test_what_could_not_be_judged_records_no_confidence(sure: float) -> None:
    """Within tasks its bounds are at what Holm leaves, which no test asked for."""
    lost = replace(REGRESSION, verdict=Verdict.COULD_NOT_BE_JUDGED, confidence=sure)
    assert [kept.confidence for kept in criteria_of([lost])] == [None]
