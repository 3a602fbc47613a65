"""Claims about runs: each returns its finding, or raises with the evidence.

They take runs, never models, so that a threshold can be argued in a notebook
without a GPU, and a test that fails does so in a millisecond.
"""

from __future__ import annotations

from pytest_vdg.assertions._explain import ClaimFailed
from pytest_vdg.assertions.accuracy import assert_accuracy_above
from pytest_vdg.assertions.dissociation import assert_no_dissociation_regression
from pytest_vdg.assertions.temporal import assert_temporal_delta
from pytest_vdg.assertions.vdg import assert_vdg_above

__all__ = [
    "ClaimFailed",
    "assert_accuracy_above",
    "assert_no_dissociation_regression",
    "assert_temporal_delta",
    "assert_vdg_above",
]
