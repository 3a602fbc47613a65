"""Wrong arguments are refused before anything is computed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from pytest_vdg.assertions import (
    assert_accuracy_above,
    assert_no_dissociation_regression,
    assert_temporal_delta,
    assert_vdg_above,
    check,
)
from tests.assertions.build import arms, make_run

RUN = make_run(arms(both=20, treated_only=20, control_only=2, neither=8))


@pytest.mark.parametrize("floor", [math.nan, math.inf, 1.5, -1.5, 10])
def test_a_floor_is_a_finite_fraction(floor: float) -> None:
    """A NaN floor would fail, and a floor in percent pass or fail, everything."""
    with pytest.raises(ValueError, match="floor must"):
        assert_vdg_above(RUN, floor)


def test_a_floor_in_percent_is_recognised() -> None:
    """The commonest slip gets the number to type."""
    with pytest.raises(ValueError, match=r"Fractions, not percent: floor=0\.1"):
        assert_vdg_above(RUN, 10)


@pytest.mark.parametrize("floor", [True, "0.1", None])
def test_a_floor_is_a_number(floor: object) -> None:
    """Text and truth values are not fractions."""
    with pytest.raises(TypeError, match="floor must be a number"):
        assert_vdg_above(RUN, floor)  # type: ignore[arg-type]


def test_numpy_numbers_are_numbers() -> None:
    """A floor computed with numpy is as good as a typed one."""
    assert check.fraction("floor", np.float32(0.5), low=0, high=1) == 0.5


@pytest.mark.parametrize("confidence", [0, 0.05, 0.5, 1, 95, math.nan])
def test_a_confidence_lies_between_one_half_and_one(confidence: float) -> None:
    """An error rate given for a confidence is caught, not computed with."""
    with pytest.raises(ValueError, match="confidence must"):
        assert_vdg_above(RUN, 0.1, confidence=confidence)


def test_an_unknown_kind_of_evidence_names_the_known_ones() -> None:
    """A misspelled choice does not silently become the default."""
    with pytest.raises(ValueError, match="bound, estimate"):
        assert_vdg_above(RUN, 0.1, evidence="bonud")  # type: ignore[arg-type]


def test_an_accuracy_floor_is_no_negative_number() -> None:
    """No accuracy is below zero, so such a floor is a slip."""
    with pytest.raises(ValueError, match=r"floor must lie in \[0, 1\]"):
        assert_accuracy_above(RUN, -0.1)


@pytest.mark.parametrize("value", [-0.01, 1.01, 5, math.nan])
@pytest.mark.parametrize("name", ["accuracy_margin", "vdg_margin"])
def test_margins_are_fractions(name: str, value: float) -> None:
    """A negative one would demand an improvement, one in percent allow any loss."""
    margins: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=name):
        assert_no_dissociation_regression(RUN, RUN, **margins)


def test_a_baseline_name_is_not_a_baseline() -> None:
    """Assertions take runs; the error says where runs come from."""
    baseline: Any = "sight"
    with pytest.raises(TypeError, match="vdg_baseline"):
        assert_no_dissociation_regression(RUN, baseline)


def test_an_unknown_task_is_named_with_a_suggestion() -> None:
    """A misspelled task is an error, never an empty slice that passes."""
    with pytest.raises(ValueError, match="Did you mean 'all'"):
        assert_vdg_above(RUN, 0.1, task="allx")


def test_temporal_takes_a_floor_or_a_baseline() -> None:
    """Neither claims nothing, both claim two things."""
    with pytest.raises(ValueError, match="either a floor or a baseline"):
        assert_temporal_delta(RUN)
    with pytest.raises(ValueError, match="either a floor or a baseline"):
        assert_temporal_delta(RUN, 0.1, baseline=RUN)


@pytest.mark.parametrize(
    "against", ["black", "original", "text_only", "single_frame:middle", "mismatched"]
)
def test_temporal_is_held_against_a_change_of_order_only(against: str) -> None:
    """A difference to black frames is VDG, whatever the assertion is called."""
    with pytest.raises(ValueError, match="not the use of order"):
        assert_temporal_delta(RUN, 0.1, against=against)


@pytest.mark.parametrize("value", [True, 2.0, "3", None])
def test_a_number_of_questions_is_whole(value: object) -> None:
    """A share of a question is a slip, and so is a truth value."""
    with pytest.raises(TypeError, match="questions must be a whole number"):
        check.a_number_of("questions", value)


def test_a_number_of_questions_is_at_least_one() -> None:
    """Nothing asked for is met by nothing."""
    with pytest.raises(ValueError, match="questions must be at least 1, got 0"):
        check.a_number_of("questions", 0)
    assert check.a_number_of("questions", np.int64(3)) == 3


def test_a_condition_keeps_its_argument() -> None:
    """A variant of a condition is that condition; another is refused with why."""
    assert check.a_condition("against", "single_frame:middle", ("single_frame",), "x")
    with pytest.raises(
        ValueError, match=r"against='black': no \(known: single_frame\)"
    ):
        check.a_condition("against", "black", ("single_frame",), "no")


def test_a_policy_is_known() -> None:
    """Where no pair is made the policy is checked all the same."""
    assert check.policy("wrong") == "wrong"
    with pytest.raises(ValueError, match="missing must be one of drop, wrong"):
        check.policy("worng")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "error"), [("original", ValueError), (None, TypeError)]
)
def test_the_original_is_compared_with_something_else(
    value: object, error: type[Exception]
) -> None:
    """A condition against itself is stable and says nothing."""
    with pytest.raises(error, match="against"):
        check.not_original("against", value)  # type: ignore[arg-type]
