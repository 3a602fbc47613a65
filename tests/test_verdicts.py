"""Tests of findings and of how they are collected."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from pytest_vdg.verdicts import Finding, Verdict, collect_findings, publish

FOUND = Finding(
    claim="assert_vdg_above",
    verdict=Verdict.PASS,
    measure="VDG",
    estimate=0.22,
    low=0.155,
    high=0.285,
    confidence=0.95,
    bound=0.1,
    n=296,
    n_videos=200,
    smallest_detectable=0.06,
    slice_name="slice-1",
    checkpoint="made-up",
    message="ok VDG +22.0pp\n  evidence",
)


def test_a_verdict_reads_as_people_read_it() -> None:
    """The words of a verdict are the same in every kind of text."""
    assert f"{Verdict.BELOW_FLOOR}" == str(Verdict.BELOW_FLOOR) == "BELOW FLOOR"
    assert "%s" % Verdict.PASS == "ok"  # noqa: UP031


@pytest.mark.parametrize(
    "name", ["estimate", "low", "high", "bound", "smallest_detectable"]
)
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_no_evidence(name: str, value: float) -> None:
    """NaN compares false with every bound, so it must not get that far."""
    with pytest.raises(ValueError, match=f"{name} must be finite"):
        replace(FOUND, **{name: value})


def test_a_bound_is_a_floor_or_a_ceiling() -> None:
    """Nobody can tell on which side of anything else a claim holds."""
    assert replace(FOUND, bound_is="ceiling").bound_is == "ceiling"
    with pytest.raises(ValueError, match="floor or a ceiling, got 'wall'"):
        replace(FOUND, bound_is="wall")  # type: ignore[arg-type]


def test_a_finding_needs_a_question() -> None:
    """A claim about no question was not judged."""
    with pytest.raises(ValueError, match="at least one question, got n=0"):
        replace(FOUND, n=0)


def test_one_question_is_a_finding() -> None:
    """Little is learnt from one, but it was judged."""
    assert replace(FOUND, n=1, n_videos=1).n == 1


def test_more_was_planned_or_nothing_is_said_of_it() -> None:
    """A finding of all 296 that were planned is no finding of a part."""
    assert replace(FOUND, n_planned=297).n_planned == 297
    for planned in (296, 295):
        with pytest.raises(ValueError, match=f"296 of {planned} questions"):
            replace(FOUND, n_planned=planned)


def test_a_finding_needs_words() -> None:
    """A verdict without a message would be an empty line in a CI summary."""
    with pytest.raises(ValueError, match="needs a message"):
        replace(FOUND, message=" \n")


def test_the_summary_is_the_first_line() -> None:
    """All that a CI summary shows is the first line of the message."""
    assert FOUND.summary == "ok VDG +22.0pp"


def test_findings_are_collected_in_order() -> None:
    """A block hears of everything published inside it, and of nothing after."""
    second = replace(FOUND, verdict=Verdict.REGRESSION)
    with collect_findings() as found:
        publish(FOUND)
        publish(second)
    publish(FOUND)
    assert found == [FOUND, second]


def test_blocks_nest() -> None:
    """An inner block takes nothing away from an outer one."""
    with collect_findings() as outer:
        publish(FOUND)
        with collect_findings() as inner:
            publish(FOUND)
        publish(FOUND)
    assert (len(outer), len(inner)) == (3, 1)


def publish_and_fail(collected: list[list[Finding]]) -> None:
    """Publish inside a block that an assertion leaves early."""
    with collect_findings() as found:
        collected.append(found)
        publish(FOUND)
        raise AssertionError


def test_a_failing_claim_is_collected_too() -> None:
    """What was published before an assertion failed is kept; the block is closed."""
    inner: list[list[Finding]] = []
    with collect_findings() as outer:
        with pytest.raises(AssertionError):
            publish_and_fail(inner)
        publish(FOUND)
    assert (len(outer), len(inner[0])) == (2, 1)


def test_nobody_listening_is_no_error() -> None:
    """Assertions work where nothing collects, as in a notebook."""
    publish(FOUND)
