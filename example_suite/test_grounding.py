"""What a model team copies: does this checkpoint still look at the video?

Apart from the ordinary accuracy test only to show that accuracy cannot tell:
run the suite on `checkpoints/collapsed` and watch which tests turn red.
"""

from __future__ import annotations

import pytest

from pytest_vdg import (
    Run,
    assert_accuracy_above,
    assert_no_dissociation_regression,
    assert_temporal_delta,
    assert_vdg_above,
)

NEED_ORDER = ("direction", "first", "growth")


@pytest.mark.vdg(slice="sight-leaky", conditions=["original", "black"])
def test_accuracy(vdg_run: Run) -> None:
    """The usual gate: it stays green on a checkpoint that stopped looking."""
    assert_accuracy_above(vdg_run, 0.85)


@pytest.mark.vdg(slice="sight", conditions=["original", "black", "text_only"])
def test_sees_the_video(vdg_run: Run) -> None:
    """Answers are worth 25 points more with the video than with a black one."""
    assert_vdg_above(vdg_run, 0.25)


@pytest.mark.vdg(slice="sight", conditions=["original", "shuffled"])
def test_uses_the_order_of_frames(vdg_run: Run) -> None:
    """Tasks about order lose at least 10 points when the frames are shuffled."""
    assert_temporal_delta(vdg_run, 0.10, task=NEED_ORDER)


@pytest.mark.vdg(
    slice="sight-leaky",
    conditions=["original", "black"],
    loosened="80 videos cannot rule out a smaller loss",
)
def test_did_not_regress(vdg_run: Run, vdg_baseline: Run) -> None:
    """It grounds its answers no worse than the checkpoint that was released."""
    assert_no_dissociation_regression(
        vdg_run, vdg_baseline, accuracy_margin=0.05, vdg_margin=0.10
    )
