"""What filters find, and what the page is told of each question."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import pair_runs
from pytest_vdg.reports.album import Pictures, Shown
from pytest_vdg.reports.browser import (
    FILTERS,
    LONGEST,
    TEXT_ROOM,
    flags,
    longest_that_fits,
    run_data,
    telling,
)
from pytest_vdg.reports.results import RunResult
from pytest_vdg.reports.script_data import for_script
from tests.assertions.build import make_run
from tests.reports.made import results

LETTERS = st.text("CWUFN", min_size=8, max_size=8)
ARMS = st.fixed_dictionaries({"original": LETTERS, "black": LETTERS})


def data(result: RunResult, **changes: object) -> dict[str, object]:
    """Return what the page is told of *result*."""
    return run_data(result, **({"keys": {}, "longest": 100} | changes))  # type: ignore[arg-type]


@given(ARMS, ARMS)
def test_lost_and_gained_are_what_a_change_of_vdg_is_made_of(
    now: dict[str, str], then: dict[str, str]
) -> None:
    """Over the questions judged in both runs, gained minus lost is the change."""
    run, baseline = make_run(now), make_run(then)
    found = flags(run, baseline)
    lost = {q for q, marks in found.items() if "lost" in marks}
    gained = {q for q, marks in found.items() if "gained" in marks}
    try:
        pairs = pair_runs(run, baseline, control="black")
    except CouldNotBeJudged:  # where nothing is paired, nothing changed
        assert not lost | gained
        return
    changes = dict(zip(pairs.now.question_ids, pairs.changes, strict=True))
    assert lost == {q for q, change in changes.items() if change < 0}
    assert gained == {q for q, change in changes.items() if change > 0}


def test_each_filter_finds_its_own() -> None:
    """One question for each of them, and one for none."""
    run = make_run({"original": "CWCCU", "black": "WWCCW", "text_only": "WWWCF"})
    found = list(flags(run, None).values())
    assert found == [[], ["wrong"], ["blind"], ["blind"], ["wrong", "silent"]]
    assert {mark for marks in found for mark in marks} <= set(FILTERS)


def test_without_a_baseline_nothing_is_lost_and_the_page_says_why() -> None:
    """No filter of nought questions that looks like good news."""
    told = data(RunResult(run=make_run({"original": "C", "black": "W"})))
    assert told["baseline"] is None
    assert "no claim compared" in str(told["without"])


def test_a_baseline_of_other_settings_is_none() -> None:
    """Its answers stand beside no question, and the difference is named."""
    run, other = (make_run({"original": "C"}, comparable={"seed": s}) for s in "01")
    told = data(RunResult(run=run, baseline=other))
    assert told["baseline"] is None
    assert "seed" in str(told["without"])


def test_what_the_baseline_answered_stands_beside_each_cell() -> None:
    """Outcome and label, also where there was none."""
    run, then = make_run({"original": "CW"}), make_run({"original": "WF"})
    told = data(RunResult(run=run, baseline=then))
    cells = [question["cells"][0] for question in told["questions"]]  # type: ignore[attr-defined]
    assert [cell["then"] for cell in cells] == [["wrong", "B"], ["failed", None]]


def test_what_is_missing_is_left_out_and_never_nought() -> None:
    """A failed cell has a reason, and neither a choice nor probabilities."""
    told = data(RunResult(run=make_run({"original": "F"})))
    (cell,) = told["questions"][0]["cells"]  # type: ignore[index]
    assert cell == {"outcome": "failed", "why": "out of memory"}


def test_texts_that_are_not_at_hand_are_none() -> None:
    """Labels are known from the run; what they say is not made up."""
    question = data(RunResult(run=make_run({"original": "C"})))["questions"][0]  # type: ignore[index]
    assert question["text"] is None
    assert question["options"] == [[label, None] for label in "ABCD"]


def test_frames_are_shown_whole_or_not_at_all() -> None:
    """A strip with a picture that the page does not hold is no strip."""
    shown = Shown(frames=("a", "b"), times_s=(0.0, 1.0), total=2)
    pictures = Pictures(cells={("q0000", "original"): shown})
    result = RunResult(run=make_run({"original": "C"}), pictures=pictures)
    for keys, expected in (
        ({"a": 7, "b": 3}, {"frames": 2, "shown": [7, 3], "times": [0.0, 1.0]}),
        ({"a": 7}, {"frames": 2}),
    ):
        (cell,) = data(result, keys=keys)["questions"][0]["cells"]  # type: ignore[index]
        assert {
            k: cell[k] for k in ("frames", "shown", "times") if k in cell
        } == expected


def test_questions_that_are_wrong_or_changed_keep_their_frames_longest() -> None:
    """These are what a reader looks at."""
    run = make_run({"original": "CWC", "black": "WWC"})
    then = make_run({"original": "CCC", "black": "WWW"})
    assert telling(RunResult(run=run)) == {"q0001"}
    assert telling(RunResult(run=run, baseline=then)) == {"q0001", "q0002"}


def test_long_replies_are_cut_and_say_so() -> None:
    """Thinking models say much; all of it is in the run file."""
    run = make_run({"original": "U"})
    cell = replace(run.cells["q0000", "original"], reply="x" * 500)
    run = replace(run, cells={("q0000", "original"): cell})
    (told,) = data(RunResult(run=run))["questions"][0]["cells"]  # type: ignore[index]
    assert told["reply"] == "x" * 100 + " [... 500 characters in all]"
    whole = replace(run, cells={("q0000", "original"): replace(cell, reply="x" * 100)})
    (told,) = data(RunResult(run=whole))["questions"][0]["cells"]  # type: ignore[index]
    assert told["reply"] == "x" * 100


def test_replies_are_cut_no_shorter_than_they_must() -> None:
    """What fits stays whole; of too much, each keeps the first so many characters."""
    few, many = make_run({"original": "U"}), make_run({"original": "U" * 2000})
    said = [
        replace(
            run,
            cells={k: replace(c, reply="x" * 9000) for k, c in run.cells.items()},
        )
        for run in (few, many)
    ]
    chosen = [longest_that_fits([RunResult(run=run)]) for run in said]
    assert chosen[0] == LONGEST[0]
    assert chosen[1] == next(n for n in LONGEST if 2000 * n < TEXT_ROOM)


@given(st.text() | st.lists(st.text()) | st.dictionaries(st.text(), st.floats(-1, 1)))
def test_no_text_can_end_the_script_that_holds_it(values: object) -> None:
    """Whatever a reply says, it comes back as it was, and opens and closes nothing."""
    text = str(for_script(values))
    assert text.isascii()
    assert not {"<", ">", "&"} & set(text)
    assert json.loads(text) == values


def test_the_data_of_a_run_is_plain() -> None:
    """It crosses into the page as JSON without a NaN."""
    told = data(results().runs[0])
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    with pytest.raises(ValueError, match="Out of range"):
        for_script([float("nan")])
