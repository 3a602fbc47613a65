"""Ids made of what records ask."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks._content_ids import ContentIds

asked = st.tuples(st.text(max_size=3), st.lists(st.text(max_size=3), max_size=3))


def silent(_: str) -> None:
    """Take a remark."""


@given(records=st.lists(asked, max_size=6, unique_by=repr), data=st.data())
def test_order_of_records_makes_no_difference(
    records: list[tuple[str, list[str]]], data: st.DataObject
) -> None:
    """Each record keeps its id in any order, and no other has it."""
    turned = data.draw(st.permutations(records))
    named = []
    for order in (records, turned):
        ids = ContentIds()
        named.append({repr(r): ids.new(*r, "A", silent) for r in order})
    assert named[0] == named[1]
    assert len(set(named[0].values())) == len(records)


def test_repeated_record_gets_a_number_and_a_remark() -> None:
    """The first keeps its id."""
    ids, told = ContentIds(), list[str]()
    first, second, third = (ids.new("v", ["x"], "A", told.append) for _ in range(3))
    assert (second, third) == (f"{first}-2", f"{first}-3")
    assert told == [f"repeats question {first}, answer and all"] * 2


def test_other_answer_to_the_same_question_is_no_repetition() -> None:
    """Both get one id, by which a benchmark refuses them."""
    ids, told = ContentIds(), list[str]()
    assert ids.new("v", ["x"], "A", told.append) == ids.new("v", ["x"], 1, told.append)
    assert told == []
