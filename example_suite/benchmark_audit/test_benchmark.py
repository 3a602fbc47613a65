"""What a benchmark team copies: can these questions be answered without looking?

Apart from the tests of a model because here the questions are judged: the same
claims, by a model that is known to look.
"""

from __future__ import annotations

import pytest

from pytest_vdg import (
    Run,
    Slice,
    assert_balanced_key,
    assert_blind_gap_below,
    assert_needs_order,
    assert_visual_gain_above,
    text_shortcuts,
)

MARGIN = 0.15
"""By how much a label may be the answer more often than its share."""
ABOUT_ORDER = ("first", "growth")
"""Tasks that are meant to need the order of frames."""


@pytest.mark.vdg(slice="audited")
def test_key_is_balanced(vdg_slice: Slice) -> None:
    """No label is the answer much more often than its share; takes no model."""
    assert_balanced_key(vdg_slice, MARGIN)


@pytest.mark.vdg(slice="audited")
def test_text_gives_nothing_away(vdg_slice: Slice) -> None:
    """No rule of one line and no bag of words is right above chance."""
    found = text_shortcuts(vdg_slice.questions)
    told = [each.name for each in found.of() if each.shown]
    assert not told, f"{', '.join(told)}; {len(found.giveaways)} give themselves away"
    assert_balanced_key(vdg_slice, MARGIN)  # a verdict for the table


@pytest.mark.vdg(slice="audited", conditions=["text_only"])
def test_text_alone_is_worth_little(vdg_run: Run) -> None:
    """Without the video this model is less than 15 points above chance."""
    assert_blind_gap_below(vdg_run, 0.15)


@pytest.mark.vdg(slice="audited", conditions=["original", "text_only"])
def test_the_video_is_worth_much(vdg_run: Run) -> None:
    """With the video it is more than 25 points better than without."""
    assert_visual_gain_above(vdg_run, 0.25)


@pytest.mark.vdg(slice="audited", conditions=["original", "shuffled", "reversed"])
def test_order_is_needed(vdg_run: Run) -> None:
    """What is about order is at chance without it."""
    tasks = [task for task in ABOUT_ORDER if task in vdg_run.tasks]
    if not tasks:
        pytest.skip("no task of this benchmark is about order")
    assert_needs_order(vdg_run, 0.20, task=tasks)
