"""Tables that fit: nothing is lost where a line would be too long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.reports._format import columns, fitted, wrapped

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
