"""Cells as JSON: nothing is lost, and what is no cell is not taken for one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.runs import CellResult, Outcome
from pytest_vdg.store.records import cell_from_record, cell_to_record, dumps, loads
from tests.store.examples import cell

FRACTIONS = st.floats(0, 1)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)
    ),
    max_leaves=5,
)
NAMES = [f.name for f in fields(CellResult)]


@st.composite
def cells(draw: st.DrawFn) -> CellResult:
    """Return any cell that was asked in this process."""
    texts = st.none() | st.text(max_size=5)
    return CellResult(
        question_id=draw(st.text(max_size=5)),
        condition=draw(st.text(max_size=5)),
        outcome=draw(st.sampled_from(Outcome)),
        choice=draw(texts),
        reply=draw(texts),
        probabilities=draw(st.none() | st.dictionaries(st.text(max_size=3), FRACTIONS)),
        label_mass=draw(st.none() | FRACTIONS),
        reason=draw(texts),
        frames_seen=draw(st.integers(0, 99)),
        visual_tokens=draw(st.integers(0, 9999)),
        times_s=tuple(draw(st.lists(st.floats(0, 1e5), max_size=4))),
        reader=draw(texts),
        input_digest=draw(texts),
        prompt_tokens=draw(st.integers(0, 9999)),
        seconds=draw(st.none() | st.integers(0, 10**9).map(lambda n: n / 1e6)),
    )


@given(made=cells())
def test_a_cell_comes_back_whole(made: CellResult) -> None:
    """Every field, costs included, floats to the last bit."""
    again = cell_from_record(loads(dumps(cell_to_record(made))))
    assert vars(again) == vars(made)


@given(name=st.sampled_from([*NAMES, "mood"]), value=JSON)
def test_what_is_read_can_be_written(name: str, value: Any) -> None:  # noqa: ANN401
    """Whatever stands in a field: it is refused, or comes back as it was read."""
    record = cell_to_record(cell(prompt_tokens=9, seconds=0.5)) | {name: value}
    try:
        found = cell_from_record(record)
    except (ValueError, TypeError):
        return
    again = cell_from_record(loads(dumps(cell_to_record(found))))
    assert again == found
    assert getattr(found, name) == (tuple(value) if name == "times_s" else value)


@pytest.mark.parametrize(
    "changes",
    [
        {"frames_seen": "2"},
        {"frames_seen": True},
        {"visual_tokens": 2.5},
        {"prompt_tokens": None},
        {"reply": 7},
        {"choice": ["A"]},
        {"outcome": 1},
        {"probabilities": [0.5]},
        {"probabilities": {"A": "0.5"}},
        {"probabilities": {"A": float("inf")}},
        {"label_mass": "most"},
        {"label_mass": True},
        {"seconds": float("nan")},
        {"times_s": "01"},
        {"times_s": ["0"]},
        {"times_s": [10**400, float("inf")]},
    ],
    ids=str,
)
def test_a_value_of_another_kind_is_refused(changes: dict[str, Any]) -> None:
    """The error names the field."""
    with pytest.raises(TypeError, match=next(iter(changes))):
        cell_from_record(cell_to_record(cell()) | changes)


@pytest.mark.parametrize("value", [None, 7, "A", [1, 2], []])
def test_what_is_no_object_is_no_cell(value: Any) -> None:  # noqa: ANN401
    """JSON that is sound may still be anything."""
    with pytest.raises(TypeError, match="must be an object"):
        cell_from_record(value)


@pytest.mark.parametrize("name", ["question_id", "condition", "outcome"])
def test_a_cell_of_nothing_is_refused(name: str) -> None:
    """Without its question, its condition or its outcome there is no cell."""
    record = cell_to_record(cell())
    del record[name]
    with pytest.raises((KeyError, TypeError), match=name):
        cell_from_record(record)
