"""A failed claim tells finding, evidence and next step, and hides its frames."""

from __future__ import annotations

import pickle
import re
import traceback
from collections.abc import Callable

import pytest

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_accuracy_above,
    assert_equivalent,
    assert_no_dissociation_regression,
    assert_temporal_delta,
    assert_vdg_above,
)
from pytest_vdg.errors import VdgError
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Finding, Verdict, collect_findings
from tests.assertions.build import arms, make_run, outcome

BLIND = make_run(
    {**arms(both=100, neither=20), "shuffled": "C" * 100 + "W" * 20}, per_video=3
)
SIGHTED = make_run(
    {**arms(both=30, treated_only=70, neither=20), "shuffled": "C" * 30 + "W" * 90},
    per_video=3,
    slice_name="sight-leaky",
)
FAILING: list[Callable[[], Finding]] = [
    lambda: assert_vdg_above(BLIND, 0.1),
    lambda: assert_accuracy_above(BLIND, 0.9),
    lambda: assert_temporal_delta(BLIND, 0.1),
    lambda: assert_temporal_delta(BLIND, baseline=SIGHTED),
    lambda: assert_no_dissociation_regression(BLIND, SIGHTED),
]
PASSING: list[Callable[[], Finding]] = [
    lambda: assert_vdg_above(SIGHTED, 0.1),
    lambda: assert_accuracy_above(BLIND, 0.5),
    lambda: assert_temporal_delta(SIGHTED, 0.1),
    lambda: assert_temporal_delta(SIGHTED, baseline=SIGHTED, margin=0.05),
    lambda: assert_no_dissociation_regression(SIGHTED, SIGHTED),
]


@pytest.mark.parametrize("claim", PASSING)
def test_a_claim_that_holds_returns_and_publishes_its_finding(
    claim: Callable[[], Finding],
) -> None:
    """Numbers of green tests are reported as well."""
    with collect_findings() as found:
        finding = claim()
    assert finding.verdict is Verdict.PASS
    assert found == [finding]
    assert finding.summary.startswith("ok ")


@pytest.mark.parametrize("claim", FAILING)
def test_a_claim_that_fails_publishes_and_carries_its_finding(
    claim: Callable[[], Finding],
) -> None:
    """What the error says is what the reports get."""
    with collect_findings() as found, pytest.raises(ClaimFailed) as caught:
        claim()
    assert found == [caught.value.finding]
    assert str(caught.value) == caught.value.finding.message
    assert not isinstance(caught.value, VdgError)


@pytest.mark.parametrize("claim", FAILING)
def test_a_message_goes_from_finding_to_next_step(
    claim: Callable[[], Finding],
) -> None:
    """Readers find the same parts in the same order everywhere."""
    with pytest.raises(ClaimFailed) as caught:
        claim()
    lines = str(caught.value).splitlines()
    labels = [line[2:12].strip() for line in lines[1:] if line[2:12].strip()]
    assert labels[:2] == ["claim", "decided"]
    assert labels.index("power") < labels.index("next")
    assert "excluded" not in labels
    assert all(len(line) <= 100 for line in lines[1:])


@pytest.mark.parametrize("lost", "FUN")
def test_what_has_no_answer_is_told_before_the_next_step(lost: str) -> None:
    """One lost cell brings the line back, which zeros leave out."""
    run = make_run({"original": lost + "W" * 99, "black": "W" * 100})
    text = outcome(lambda: assert_vdg_above(run, 0.1)).message
    assert text.index("\n  power") < text.index("\n  excluded") < text.index("\n  next")


@pytest.mark.parametrize(
    ("now", "then", "told"),
    [("W", "W", None), ("F", "W", "baseline none"), ("W", "F", "now none")],
)
def test_what_two_runs_lost_is_told_of_both(
    now: str, then: str, told: str | None
) -> None:
    """Where only one lost a cell, the other is said to have lost none."""
    run = make_run({"original": now + "W" * 99})
    baseline = make_run({"original": then + "W" * 99})
    text = outcome(lambda: assert_equivalent(run, baseline)).message
    assert ("\n  excluded" in text) == (told is not None)
    assert told is None or told in text


@pytest.mark.parametrize("claim", FAILING + PASSING)
def test_messages_are_plain_ascii_without_nan(claim: Callable[[], Finding]) -> None:
    """Any terminal and any log can show them, and no number is missing."""
    finding = outcome(claim)
    assert finding.message.isascii()
    assert not re.search(r"\b(nan|inf)\b", finding.message, re.IGNORECASE)


@pytest.mark.parametrize("claim", FAILING)
def test_our_own_frames_are_hidden(claim: Callable[[], Finding]) -> None:
    """A failure shows the line of the test, not ours."""
    with pytest.raises(ClaimFailed) as caught:
        claim()
    frames = [f for f, _ in traceback.walk_tb(caught.value.__traceback__)]
    ours = [f for f in frames if "pytest_vdg" in f.f_globals["__name__"]]
    assert ours
    assert all(f.f_locals.get("__tracebackhide__") is True for f in ours)


def test_a_failed_claim_survives_pickling() -> None:
    """Errors cross process borders in training loops."""
    with pytest.raises(ClaimFailed) as caught:
        assert_vdg_above(BLIND, 0.1)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.finding == caught.value.finding
    assert str(again) == str(caught.value)


def test_names_from_files_cannot_break_the_first_line() -> None:
    """A slice name with a line break does not push the numbers off the summary."""
    run = make_run(
        arms(both=30, treated_only=70),
        slice_name="d\u00e9j\u00e0\nvu",
        checkpoint="\x1b[31mred",
        tasks=("line\nbreak",),
    )
    finding = assert_vdg_above(run, 0.1, task="line\nbreak")
    assert "task line break, n=100 questions" in finding.summary
    assert finding.message.isascii()
    assert "\x1b" not in finding.message


def test_findings_hold_plain_numbers() -> None:
    """Numpy scalars would not survive as JSON or as repr."""
    finding = assert_vdg_above(SIGHTED, 0.1)
    for name in ("estimate", "low", "high", "bound", "smallest_detectable"):
        assert type(getattr(finding, name)) is float
    assert type(finding.n) is int
    assert all(type(value) is float for _, value in finding.accuracies)


def permuted(run: Run) -> Run:
    """Return *run* with its questions in the opposite order."""
    return Run(
        checkpoint=run.checkpoint,
        slice_name=run.slice_name,
        questions=run.questions[::-1],
        conditions=run.conditions,
        cells=run.cells,
        fingerprint=run.fingerprint,
        caps=run.caps,
    )


def test_the_order_of_questions_changes_nothing() -> None:
    """Pairing is by id: not a letter of the message depends on position."""
    pairs = (
        (assert_vdg_above(SIGHTED, 0.1), assert_vdg_above(permuted(SIGHTED), 0.1)),
        (
            assert_no_dissociation_regression(SIGHTED, SIGHTED),
            assert_no_dissociation_regression(permuted(SIGHTED), SIGHTED),
        ),
    )
    for first, second in pairs:
        assert first == second
