"""What a run says of itself: each number over the right questions, or a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.reports.measured import STEPS, Measured, View, measures
from pytest_vdg.runs import Run
from pytest_vdg.stats.paired import paired_difference
from tests.assertions.build import in_orders, make_run

RUNGS = ("black", "single_frame", "shuffled", "original")
LETTERS = st.text("CWUFN", min_size=9, max_size=9)


def whole(run: Run, **changes: float) -> dict[tuple[str, str], Measured]:
    """Return what is said of all tasks, by measure and treated condition."""
    found = measures(run, **changes)
    return {(m.measure, m.treated): m for m in found if m.task is None}


def test_each_number_is_of_the_questions_judged_for_it() -> None:
    """Accuracies over their own judged cells, VDG over those judged in both."""
    run = make_run({"original": "CCCWF", "black": "CWFUC", "text_only": "CWWWW"})
    found = whole(run)
    assert {
        name: (found["accuracy", name].estimate, found["accuracy", name].n)
        for name in run.conditions
    } == {"original": (0.75, 4), "black": (0.5, 4), "text_only": (0.2, 5)}
    vdg = found["VDG", "original"]
    # Of q0, q1 and q3 one is right under original only, and none under black only.
    expected = paired_difference(treated_only=1, control_only=0, n=3)
    assert (vdg.estimate, vdg.low, vdg.high, vdg.n) == (
        expected.estimate,
        expected.low,
        expected.high,
        3,
    )
    assert found["visual gain", "original"].estimate == 0.5
    # A question has four options: chance is a quarter, of the ends as well.
    blind, seen = found["blind gap", "text_only"], found["accuracy", "text_only"]
    assert (seen.low, seen.estimate, seen.high) == pytest.approx(
        tuple(0.25 + (end or 0) for end in (blind.low, blind.estimate, blind.high))
    )
    assert (blind.estimate, blind.control) == (pytest.approx(0.2 - 0.25), "chance")


def test_a_number_that_is_not_there_has_a_reason() -> None:
    """What was not run is named; what failed everywhere is not called zero."""
    found = whole(make_run({"original": "CCW", "black": "FFF"}))
    assert found["accuracy", "black"].estimate is None
    assert found["accuracy", "black"].reason == "no question was judged"
    assert found["VDG", "original"].reason == "no question was judged"
    assert found["spatial", "single_frame"].reason == "not run: single_frame"
    assert found["diversity", "shuffled"].reason == "not run: shuffled, single_frame"
    assert found["blind gap", "text_only"].reason == "not run: text_only"
    for each in found.values():
        assert (each.estimate is None) == (each.reason is not None) == (each.n == 0)


def test_nothing_is_said_of_no_questions() -> None:
    """A run that was cut off before the first has no accuracy of zero."""
    run = make_run({"original": "", "black": ""})
    assert list(measures(run)) == []


def test_tasks_follow_the_whole_where_there_are_more_than_one() -> None:
    """One task is the whole already."""
    cells = {"original": "CWCW", "black": "WWCC"}
    of_two = list(measures(make_run(cells, tasks=("a", "b"))))
    assert list(dict.fromkeys(m.task for m in of_two)) == [None, "a", "b"]
    vdg = {m.task: m.estimate for m in of_two if m.measure == "VDG"}
    assert vdg == {None: 0.0, "a": 0.5, "b": -0.5}
    assert {m.task for m in measures(make_run(cells))} == {None}


def test_a_condition_with_an_argument_stands_for_its_kind() -> None:
    """But not where the plain one was run, too."""
    blocks = {"original": "CCCC", "shuffled:blocks": "CCWW"}
    only = whole(make_run(blocks))["temporal", "original"]
    assert (only.control, only.estimate) == ("shuffled:blocks", 0.5)
    both = whole(make_run({**blocks, "shuffled": "WWWW"}))["temporal", "original"]
    assert (both.control, both.estimate) == ("shuffled", 1.0)


@given(st.fixed_dictionaries(dict.fromkeys(RUNGS, LETTERS)))
def test_steps_of_a_whole_ladder_are_over_the_same_questions(
    cells: dict[str, str],
) -> None:
    """They sum to the gap there, whatever failed elsewhere."""
    run = make_run(cells)
    judged = [
        i for i in range(9) if all(letters[i] in "CWU" for letters in cells.values())
    ]
    steps = [whole(run)[name, treated] for name, treated, _ in STEPS]
    if len(judged) < 2:
        assert View(run=run).ladder is None
        return
    right = {name: sum(cells[name][i] == "C" for i in judged) for name in RUNGS}
    for step, (_, treated, control) in zip(steps, STEPS, strict=True):
        expected = (right[treated] - right[control]) / len(judged)
        assert step.estimate == pytest.approx(expected)
        assert step.n == len(judged)
        assert (step.low, step.high) != (step.estimate, step.estimate)


def test_one_video_makes_no_ladder() -> None:
    """Its questions are no sample of videos; two are the fewest."""
    cells = dict.fromkeys(RUNGS, "CWCW")
    assert View(run=make_run(cells, per_video=4)).ladder is None
    assert View(run=make_run(cells, per_video=2)).ladder is not None


def test_orders_of_a_question_count_once() -> None:
    """Asked four times alike, it is one question with the same interval."""
    run = make_run({"original": "CCCWWC", "black": "CWWWCW", "text_only": "WWCWWC"})
    once, often = whole(run), whole(in_orders(run, 4))
    for name, one in once.items():
        found = often[name]
        assert found.n == one.n
        if one.estimate is not None:
            assert (found.estimate, found.low, found.high) == pytest.approx(
                (one.estimate, one.low, one.high)
            )


def test_a_higher_level_is_a_wider_interval() -> None:
    """And is kept beside the number."""
    run = make_run({"original": "CCCWWC" * 3, "black": "CWWWCW" * 3})
    narrow, wide = (whole(run, confidence=level) for level in (0.8, 0.99))
    for name in (("VDG", "original"), ("accuracy", "black")):
        low, high = narrow[name].low, narrow[name].high
        outer_low, outer_high = wide[name].low, wide[name].high
        assert low is not None
        assert high is not None
        assert outer_low is not None
        assert outer_high is not None
        assert outer_low < low < high < outer_high
        assert (narrow[name].confidence, wide[name].confidence) == (0.8, 0.99)
