"""Numbers that read as they are, and tables that fit without losing any."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_vdg.reports._format import (
    MISSING,
    columns,
    fitted,
    points,
    points_within,
    pvalue,
    share,
    share_span,
    share_within,
    wrapped,
)

words = st.text("abc-.[]%+0", min_size=1, max_size=12)
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """Return a heading and rows of two to eight cells of up to 77 signs."""
    width = draw(st.integers(2, 8))
    row = st.lists(texts, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=5))


@given(tables(), st.integers(40, 120))
def test_a_fitted_table_fits(table: list[list[str]], width: int) -> None:
    """Whatever it holds, as all cells can be broken."""
    lines = fitted(table, align="l" * len(table[0]), width=width)
    assert max(map(len, lines)) <= width


@given(tables())
def test_all_but_names_stay_whole(table: list[list[str]]) -> None:
    """Each word of each cell is shown, but for those that name a row."""
    shown = "".join("".join(fitted(table, align="l" * len(table[0]))).split())
    for row in table:
        for cell in row[1:]:
            for word in cell.split():
                assert word in shown


@given(tables())
def test_what_fits_is_left_as_it_is(table: list[list[str]]) -> None:
    """Parts are for tables that have no room."""
    align = "l" * len(table[0])
    whole = columns(table, align=align)
    assert fitted(table, align=align, width=max(map(len, whole))) == whole


def test_parts_repeat_the_names_of_their_rows() -> None:
    """Else a number would stand without what it is of."""
    table = [["task", "model", *"abcdef"], *([t, "m", *["1" * 15] * 6] for t in "xy")]
    lines = fitted(table, align="llrrrrrr", keys=2, width=60)
    assert [line.split()[:2] for line in lines if line] == [
        ["task", "model"],
        ["x", "m"],
        ["y", "m"],
    ] * 3


def test_a_heading_keeps_its_brackets_together() -> None:
    """An interval's level is read as one thing."""
    table = [["task", "visual gain, pp [95% CI]"], ["all", "+36.5 [+30.3, +42.8]"]]
    lines = fitted(table, align="ll", width=28)
    assert [line.strip() for line in lines[:2]] == [
        "task  visual gain, pp",
        "[95% CI]",
    ]


@given(texts, st.integers(20, 100))
def test_wrapped_text_has_all_its_words(text: str, width: int) -> None:
    """Lines are broken between words only."""
    lines = wrapped(text, first="note: ", width=width)
    assert "".join("".join(lines).split()) == "note:" + "".join(text.split())
    assert max(map(len, lines)) <= width


@given(st.floats(0, 1), st.floats(0, 1))
@example(0.0, 1.0)
@example(0.9996, 0.996)
def test_an_accuracy_reads_as_it_is(value: float, high: float) -> None:
    """To half of its last digit, and as wide as any other in its column."""
    assert float(share(value)) == pytest.approx(value, abs=0.000501)
    assert len(share(value)) == len(".523")
    low_end, high_end = share_span(value, high).strip("[]").split(", ")
    assert float(low_end) == pytest.approx(value, abs=0.00501)
    assert float(high_end) == pytest.approx(high, abs=0.00501)
    assert len(low_end) == len(high_end) == len(".52")
    assert share_within(value, value, high) == f"{share(value)} [{low_end}, {high_end}]"


@given(st.floats(-1, 1))
@example(-0.0001)
@example(0.0001)
def test_a_difference_reads_as_it_is(value: float) -> None:
    """In points to half of the last digit; on which side of zero it lies is kept."""
    text = points(value)
    assert float(text) == pytest.approx(100 * value, abs=0.0501)
    assert text[0] == ("-" if value < 0 else "+")
    assert text[-2] == "."
    assert points_within(value, value, 1) == f"{text} [{text}, +100.0]"


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_shown_as_missing(value: float | None) -> None:
    """Neither a zero nor a NaN stands in a table."""
    assert share(value) == points(value) == MISSING


def test_an_end_that_is_no_number_is_not_read_as_one() -> None:
    """Least of all as 1.0."""
    assert share_span(math.nan, 0.5) == "[nan, .50]"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.001, ".001"), (0.000999, "<.001"), (0.05, ".050"), (1.0, "1.000")],
)
def test_a_small_p_value_is_no_zero(value: float, text: str) -> None:
    """Below a thousandth that is said; a thousandth is written."""
    assert pvalue(value) == text
