"""Claims about runs: each returns its finding, or raises with the evidence.

They take runs, never models (one about the key takes questions), so that a
threshold can be argued in a notebook without a GPU, and a test that fails does so
in a millisecond.
"""

from __future__ import annotations

from pytest_vdg.assertions._explain import ClaimFailed
from pytest_vdg.assertions.accuracy import assert_accuracy_above
from pytest_vdg.assertions.blind import assert_blind_gap_below
from pytest_vdg.assertions.coverage import assert_coverage
from pytest_vdg.assertions.dissociation import assert_no_dissociation_regression
from pytest_vdg.assertions.equivalence import assert_equivalent
from pytest_vdg.assertions.gain import (
    assert_accuracy_above_blind,
    assert_visual_gain_above,
)
from pytest_vdg.assertions.key import assert_balanced_key
from pytest_vdg.assertions.monotone import assert_ladder_monotone
from pytest_vdg.assertions.order import assert_needs_order
from pytest_vdg.assertions.position import assert_no_position_bias
from pytest_vdg.assertions.ratio import assert_destructive_ratio_below
from pytest_vdg.assertions.stable import assert_stable_under
from pytest_vdg.assertions.steps import assert_diversity_delta, assert_spatial_delta
from pytest_vdg.assertions.temporal import assert_temporal_delta
from pytest_vdg.assertions.vdg import assert_vdg_above

__all__ = [
    "ClaimFailed",
    "assert_accuracy_above",
    "assert_accuracy_above_blind",
    "assert_balanced_key",
    "assert_blind_gap_below",
    "assert_coverage",
    "assert_destructive_ratio_below",
    "assert_diversity_delta",
    "assert_equivalent",
    "assert_ladder_monotone",
    "assert_needs_order",
    "assert_no_dissociation_regression",
    "assert_no_position_bias",
    "assert_spatial_delta",
    "assert_stable_under",
    "assert_temporal_delta",
    "assert_vdg_above",
    "assert_visual_gain_above",
]
