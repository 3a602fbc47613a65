"""Tests of how ids are compared; other spellings are tested where they are read."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.spelling import plain_id, spelt_twice

FORMS = ("NFC", "NFD", "NFKC", "NFKD")


@given(st.text(max_size=8), st.sampled_from(FORMS))
def test_a_unicode_form_makes_no_other_id(name: str, form: str) -> None:
    """One file holds composed letters, the next one the same letters in parts."""
    again = unicodedata.normalize(form, name)  # type: ignore[arg-type]
    assert plain_id(again) == plain_id(name)


@given(st.text("abcXYZ019-_. ", max_size=8))
def test_case_and_space_around_make_no_other_id(name: str) -> None:
    """What a spreadsheet does to a column of ids."""
    assert plain_id(f" {name.upper()}\t") == plain_id(name)


@given(st.lists(st.text("ab9_", min_size=1, max_size=3)))
def test_ids_that_are_given_again_as_they_were_are_no_fault(names: list[str]) -> None:
    """The rows of several conditions repeat every id."""
    placed = [(f"row {i}", name) for i, name in enumerate(names)]
    assert spelt_twice([*placed, *placed]) is None


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("q1", "Q1 ", "'Q1 ' is 'q1'"),
        ("q\u00e4", "qa\u0308", r"'qa\u0308' is 'q\xe4'"),
        ("q1", "\uff511", r"'\uff511' is 'q1'"),
    ],
)
def test_both_spellings_are_told_apart(first: str, second: str, shown: str) -> None:
    """Also two that look the same, each with its place."""
    told = spelt_twice([("a: 1", "other"), ("a: 2", first), ("b: 1", second)])
    assert told is not None
    assert f"b: 1: id {shown} in a: 2, but for" in told
