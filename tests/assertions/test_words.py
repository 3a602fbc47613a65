"""How numbers and names are spelled in messages."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import (
    ClaimFailed,
    _words,
    assert_blind_gap_below,
    assert_vdg_above,
)
from tests.assertions.build import make_run


@settings(deadline=None)
@given(st.floats(-2, 2))
def test_points_show_the_side_of_zero(value: float) -> None:
    """Rounding never moves the end of an interval to the other side of zero."""
    assert (_words.points(value)[0] == "-") == (value < 0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    """A NaN is stopped before it can be printed as evidence."""
    with pytest.raises(ValueError, match="finite"):
        _words.points(value)


@settings(deadline=None)
@given(st.floats(-1, 1), st.floats(-1, 1))
def test_different_numbers_look_different(value: float, bound: float) -> None:
    """Nobody reads that +10.0 is not above +10.0 when the numbers differ."""
    shown, held = _words.apart(value, bound)
    if abs(value - bound) > 1e-7:
        assert shown != held


@settings(deadline=None)
@given(st.text(max_size=300))
def test_names_of_others_stay_on_one_ascii_line(text: str) -> None:
    """Ids and reasons may hold anything; a message stays plain and bounded."""
    line = _words.plain(text)
    assert line.isascii()
    assert line.isprintable()
    assert len(line) <= 80


def test_long_lists_are_cut_and_counted() -> None:
    """A thousand flipped questions do not bury the verdict."""
    items = [str(i) for i in range(1000)]
    assert _words.listed(items, most=3) == "0, 1, 2, and 997 more"
    assert _words.listed(items[:3], most=3) == "0, 1, 2"


def test_of_long_lists_only_what_is_shown_is_written() -> None:
    """Ten thousand flipped questions cost no more than eight."""
    written: list[str] = []

    def write(item: str) -> str:
        written.append(item)
        return f"<{item}>"

    assert _words.listed_as(write, [*"abcd"], most=2) == "<a>, <b>, and 2 more"
    assert written == ["a", "b"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.2718, "=0.27"), (0.0123, "=0.012"), (1e-12, "<0.001"), (1.0, "=1.00")],
)
def test_p_values_are_rounded_but_never_to_zero(value: float, text: str) -> None:
    """No p-value is exactly zero, so none is printed as zero."""
    assert _words.pvalue(value) == text


def test_long_text_is_wrapped_under_its_label() -> None:
    """Lines stay within a terminal and in the column of their text."""
    lines = _words.labelled("next", "word " * 60)
    assert all(len(line) <= 100 for line in lines)
    assert all(line.startswith(" " * 12) for line in lines[1:])


def test_a_slice_that_could_show_no_drop_says_so_in_words() -> None:
    """Two videos rule out no drop of 100 points: a larger one is no size of any."""
    run = make_run({"original": "CCC", "black": "WCW", "text_only": "CWW"}, per_video=2)
    with pytest.raises(ClaimFailed) as caught:
        assert_vdg_above(run, 0.1)
    finding = caught.value.finding
    assert finding.smallest_detectable > 1
    told = "no drop could have been shown, not even one of 100pp (80% power) | design"
    assert told in finding.message
    with pytest.raises(ClaimFailed) as caught:
        assert_blind_gap_below(run, 0.1)
    assert "no rise could have been shown" in caught.value.finding.message


def test_a_slice_that_could_show_a_drop_says_which() -> None:
    """20 of 30 questions more than black frames: the usual line, with its number."""
    run = make_run({"original": "C" * 30, "black": "C" * 10 + "W" * 20})
    finding = assert_vdg_above(run, 0.1)
    assert finding.smallest_detectable <= 1
    shown = f"{100 * finding.smallest_detectable:.1f}pp"
    assert f"smallest detectable drop {shown} (80% power)" in finding.message
