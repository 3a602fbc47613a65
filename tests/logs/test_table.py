"""Your own table of results: columns documented, everything else refused."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import NotComparable, StoreError, VdgError
from pytest_vdg.logs.join import join
from pytest_vdg.logs.registry import read_log
from tests.logs.made import (
    inspect_log,
    joined,
    lines,
    lmms,
    outcomes,
    sample,
    vlm,
)

WHOLE = """\
id,task,video,question,options,answer,condition,reply,failure
q1,colour,a.mp4,"Which, exactly?","[""red"",""blue""]",A,original,A,
q2,colour,b.mp4,Which?,"A. red, B. blue",blue,original,The answer is B.,
q1,colour,a.mp4,"Which, exactly?","[""red"",""blue""]",A,black,,
q2,colour,b.mp4,Which?,"A. red, B. blue",blue,black,,out of memory
"""


def test_a_table_may_hold_several_conditions(tmp_path: Path) -> None:
    """Its rows name them; empty replies are unparsed, reasons are failures."""
    path = tmp_path / "results.csv"
    path.write_text(WHOLE, encoding="utf-8")
    run = join({"": [read_log(path)]}, checkpoint="c", slice_name="s").run
    assert run.conditions == ("original", "black")
    cells = [run.cells[q, c] for c in run.conditions for q in ("q1", "q2")]
    assert [str(cell.outcome) for cell in cells] == [
        "correct",
        "correct",
        "unparsed",
        "failed",
    ]
    assert run.cells["q2", "black"].reason == "out of memory"
    assert [q.video for q in run.questions] == ["a.mp4", "b.mp4"]
    assert run.chance() == 0.5


def test_a_condition_may_stand_before_the_file(tmp_path: Path) -> None:
    """Of a table of several, only the rows of that condition are taken."""
    path = tmp_path / "results.csv"
    path.write_text(WHOLE, encoding="utf-8")
    assert joined(path, path).run.conditions == ("original", "black")
    bare = lines(tmp_path / "b.jsonl", [{"id": "q", "reply": "A", "answer": "A"}])
    with pytest.raises(NotComparable, match=r"original=FILE"):
        join({"": [read_log(bare)]}, checkpoint="c", slice_name="s")


@pytest.mark.parametrize(
    "options",
    [
        {"options": ["red", "blue"]},
        {"options": {"A": "red", "B": "blue"}},
        {"options": "A. red B. blue"},
        {"options": ["A. red", "B. blue"]},
        {"option_A": "red", "option_B": "blue", "option_C": ""},
        {"A": "red", "B": "blue", "C": ""},
        {"option_1": "red", "option_2": "blue", "option_3": ""},
    ],
)
def test_options_have_many_forms(tmp_path: Path, options: dict[str, Any]) -> None:
    """A list, an object, a text or a column each: the same question."""
    record = {"id": 7, "reply": "blue", "answer": "B", **options}
    result = joined(lines(tmp_path / "a.jsonl", [record]))
    assert result.run.questions[0].labels == ("A", "B")
    assert outcomes(result) == {"7": "correct"}


def test_numbered_options_are_called_as_the_key_calls_them(tmp_path: Path) -> None:
    """A key 2 says that the model was shown 1 and 2, and answers so."""
    row = {"id": "q", "reply": "2", "option_1": "red", "option_2": "blue"}
    result = joined(lines(tmp_path / "a.jsonl", [row | {"answer": "2"}]))
    assert result.run.questions[0].labels == ("1", "2")
    assert outcomes(result) == {"q": "correct"}
    # As a text it is the first option, as a number the second.
    unclear = row | {"answer": "2", "option_1": "2"}
    with pytest.raises(NotComparable, match="key '2' is more than one"):
        joined(lines(tmp_path / "b.jsonl", [unclear]))


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"A": "x", "option_2": "y"}, "more than one kind of columns: A and option_2"),
        ({"option_A": "x", "option_C": "y"}, "missing before the last one: option_B"),
        ({"option_0": "x", "option_1": "y"}, "no column 'option_0'. Options are A,"),
    ],
)
def test_unclear_columns_of_options_are_refused(
    tmp_path: Path, columns: dict[str, str], told: str
) -> None:
    """One option too few would be another question."""
    row = {"id": "q", "reply": "A", "answer": "x", **columns}
    with pytest.raises(StoreError, match=re.escape(told)):
        read_log(lines(tmp_path / "a.jsonl", [row]))


def test_letters_alone_need_their_labels(tmp_path: Path) -> None:
    """Chance depends on how many there were, which nobody may guess."""
    path = lines(tmp_path / "a.jsonl", [{"id": "q", "reply": "E", "answer": "A"}])
    with pytest.raises(NotComparable, match=r"line 1: .*--labels ABCD"):
        joined(path)
    assert outcomes(joined(path, labels="ABCD")) == {"q": "unparsed"}
    assert outcomes(joined(path, labels="ABCDE")) == {"q": "wrong"}


def test_an_unknown_column_is_refused(tmp_path: Path) -> None:
    """A misspelt column would be a missing one."""
    path = lines(tmp_path / "a.jsonl", [{"id": "q", "reply": "A", "answr": "A"}])
    with pytest.raises(StoreError, match=r"no column 'answr'. Did you mean 'answer'"):
        read_log(path)
    path = lines(tmp_path / "b.jsonl", [{"reply": "A", "answer": "A"}])
    with pytest.raises(StoreError, match="line 1: has no id"):
        read_log(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
PAPER_ROW = {
    "question_id": "q",
    "videoID": "v",
    "task_type": "t",
    "condition": "original",
    "ground_truth": "A",
    "prediction": "A",
    "options": ["x", "y"],
    "error": None,
}
OUR_ROW = {"id": "q", "reply": "A", "answer": "A", "options": ["x", "y"], "task": "t"}
GOOD: list[tuple[str, dict[str, Any], Callable[[object], object]]] = [
    ("lmms-eval", lmms("0.3"), lambda row: {"args": {}, "logs": [row]}),
    ("lmms-eval", lmms("0.7"), lambda row: {"args": row, "logs": [row]}),
    ("vlmevalkit", vlm(), lambda row: [row]),
    ("inspect", sample(), inspect_log),
    ("inspect", inspect_log(sample()), lambda log: log),
    ("vdg-paper", PAPER_ROW, lambda row: [row]),
    ("table", OUR_ROW, lambda row: [row]),
]


@pytest.mark.parametrize(("name", "good", "wrapped"), GOOD)
@given(data=st.data())
def test_no_content_crashes_a_reader(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    good: dict[str, Any],
    wrapped: Callable[[object], object],
    data: st.DataObject,
) -> None:
    """A good record with any JSON in any of its places is read, or refused by name."""
    path = tmp_path_factory.getbasetemp() / "any.json"
    keys = st.sampled_from(sorted(good))
    changes = data.draw(st.dictionaries(keys, JSON, max_size=2))
    path.write_text(json.dumps(wrapped(good | changes)), encoding="utf-8")
    told: str | None = None
    try:
        log = read_log(path, name)
        join({"original": [log]}, checkpoint="c", slice_name="s", labels="AB")
    except VdgError as error:
        told = str(error)
    if not changes:
        assert told is None
    assert told is None or str(path) in told


@pytest.mark.parametrize("row", [{"reply": None}, {}])
def test_no_reply_is_a_failure(tmp_path: Path, row: dict[str, object]) -> None:
    """Null, or no such key, is no empty reply: nobody knows what was said."""
    whole = {"id": "q1", "options": ["a", "b"], "answer": "A", "reply": "A"}
    second = {k: v for k, v in whole.items() if k != "reply"} | {"id": "q2"} | row
    path = lines(tmp_path / "a.jsonl", [whole, second])
    answer = read_log(path).answers[1]
    assert (answer.reply, answer.failure) == (None, "no reply in the row")


def test_a_long_thought_is_read(tmp_path: Path) -> None:
    """Python's reader stops at 131,072 characters a cell, and is left as it was."""
    before = csv.field_size_limit()
    thought = "<think>" + "so " * 60_000 + "</think> B"
    path = tmp_path / "a.csv"
    path.write_text(f'id,reply,answer,options\nq1,{thought},A,"A. x, B. y"\n')
    assert read_log(path).answers[0].reply == thought
    assert csv.field_size_limit() == before
