"""Steps that are drawn add up, and are the ladder's where all rungs were run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.reports.measured import View
from pytest_vdg.reports.steps import RUNGS, staircase
from tests.assertions.build import make_run

LETTERS = st.text("CWUFN", min_size=12, max_size=12)


@given(st.fixed_dictionaries(dict.fromkeys(RUNGS, LETTERS)))
def test_of_four_rungs_the_steps_are_those_of_the_ladder(cells: dict[str, str]) -> None:
    """A picture and the table on a terminal show the same three numbers."""
    view = View(run=make_run(cells, per_video=2))
    stairs = staircase(view)
    if view.ladder is None or stairs is None:
        return
    assert tuple(step.value for step in stairs.steps) == view.ladder.steps
    assert [step.name for step in stairs.steps] == ["spatial", "diversity", "temporal"]


@given(
    st.dictionaries(st.sampled_from(RUNGS), LETTERS, min_size=2),
)
def test_steps_lead_from_the_first_accuracy_to_the_last(cells: dict[str, str]) -> None:
    """Whichever rungs were run, nothing is lost between them."""
    stairs = staircase(View(run=make_run(cells)))
    if stairs is None:
        return
    first, last = stairs.rungs[0][1].estimate, stairs.rungs[-1][1].estimate
    total = sum(step.value.estimate for step in stairs.steps)
    assert first + total == pytest.approx(last)
    assert len(stairs.steps) == len(stairs.rungs) - 1
    assert {*stairs.missing} == {*RUNGS} - {name for name, _ in stairs.rungs}


def test_a_rung_that_was_not_run_joins_its_steps() -> None:
    """Without a single frame, what it adds and what more frames add is one step."""
    cells = {"black": "WWWC", "shuffled": "CWCC", "original": "CCCC"}
    stairs = staircase(View(run=make_run(cells)))
    assert stairs is not None
    assert [s.name for s in stairs.steps] == ["spatial + diversity", "temporal"]
    assert [s.value.estimate for s in stairs.steps] == [0.5, 0.25]
    assert stairs.missing == ("single_frame",)


@pytest.mark.parametrize(
    "cells", [{"original": "CC"}, {"original": "CF", "black": "FC"}, {"reversed": "CW"}]
)
def test_there_are_no_steps_where_nothing_is_on_two_rungs(
    cells: dict[str, str],
) -> None:
    """One rung, or no question judged on both, is no staircase."""
    assert staircase(View(run=make_run(cells))) is None
