"""Tests that go red when a video LLM checkpoint stops using the video.

Apart from the modules that hold them, the public names stand here in one
list. Each is imported when it is first used: a pytest run beside us imports
this package, and must not pay for NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_vdg.assertions import ClaimFailed as ClaimFailed
    from pytest_vdg.assertions import assert_accuracy_above as assert_accuracy_above
    from pytest_vdg.assertions import (
        assert_accuracy_above_blind as assert_accuracy_above_blind,
    )
    from pytest_vdg.assertions import assert_balanced_key as assert_balanced_key
    from pytest_vdg.assertions import assert_blind_gap_below as assert_blind_gap_below
    from pytest_vdg.assertions import assert_coverage as assert_coverage
    from pytest_vdg.assertions import (
        assert_destructive_ratio_below as assert_destructive_ratio_below,
    )
    from pytest_vdg.assertions import assert_diversity_delta as assert_diversity_delta
    from pytest_vdg.assertions import assert_equivalent as assert_equivalent
    from pytest_vdg.assertions import assert_ladder_monotone as assert_ladder_monotone
    from pytest_vdg.assertions import assert_needs_order as assert_needs_order
    from pytest_vdg.assertions import (
        assert_no_dissociation_regression as assert_no_dissociation_regression,
    )
    from pytest_vdg.assertions import assert_no_position_bias as assert_no_position_bias
    from pytest_vdg.assertions import assert_spatial_delta as assert_spatial_delta
    from pytest_vdg.assertions import assert_stable_under as assert_stable_under
    from pytest_vdg.assertions import assert_temporal_delta as assert_temporal_delta
    from pytest_vdg.assertions import assert_vdg_above as assert_vdg_above
    from pytest_vdg.assertions import (
        assert_visual_gain_above as assert_visual_gain_above,
    )
    from pytest_vdg.audits.text import text_shortcuts as text_shortcuts
    from pytest_vdg.backends import Backend as Backend
    from pytest_vdg.backends import BackendIdentity as BackendIdentity
    from pytest_vdg.backends import Prompt as Prompt
    from pytest_vdg.backends import Reply as Reply
    from pytest_vdg.backends import ScriptedBackend as ScriptedBackend
    from pytest_vdg.benchmarks.registry import load_benchmark as load_benchmark
    from pytest_vdg.benchmarks.schema import Benchmark as Benchmark
    from pytest_vdg.benchmarks.schema import Question as Question
    from pytest_vdg.benchmarks.slices import Slice as Slice
    from pytest_vdg.benchmarks.slices import take as take
    from pytest_vdg.engine.runner import evaluate as evaluate
    from pytest_vdg.engine.settings import RunSettings as RunSettings
    from pytest_vdg.errors import BackendError as BackendError
    from pytest_vdg.errors import BackendUnavailable as BackendUnavailable
    from pytest_vdg.errors import BenchmarkError as BenchmarkError
    from pytest_vdg.errors import ConditionNotApplicable as ConditionNotApplicable
    from pytest_vdg.errors import ConfigError as ConfigError
    from pytest_vdg.errors import CouldNotBeJudged as CouldNotBeJudged
    from pytest_vdg.errors import MediaError as MediaError
    from pytest_vdg.errors import NotComparable as NotComparable
    from pytest_vdg.errors import StoreError as StoreError
    from pytest_vdg.errors import VdgError as VdgError
    from pytest_vdg.errors import VideoNotConsumed as VideoNotConsumed
    from pytest_vdg.frames.clip import Clip as Clip
    from pytest_vdg.frames.conditions import Condition as Condition
    from pytest_vdg.frames.sampling import Sampling as Sampling
    from pytest_vdg.reports.compare import compare_runs as compare_runs
    from pytest_vdg.reports.comparison import Comparison as Comparison
    from pytest_vdg.runs import Run as Run
    from pytest_vdg.store.runfile import load_run as load_run
    from pytest_vdg.store.runfile import save_run as save_run
    from pytest_vdg.training import VdgCallback as VdgCallback
    from pytest_vdg.verdicts import Finding as Finding
    from pytest_vdg.verdicts import Verdict as Verdict

_HOME = {
    "Backend": "backends",
    "BackendError": "errors",
    "BackendIdentity": "backends",
    "BackendUnavailable": "errors",
    "Benchmark": "benchmarks.schema",
    "BenchmarkError": "errors",
    "ClaimFailed": "assertions",
    "Clip": "frames.clip",
    "Comparison": "reports.comparison",
    "Condition": "frames.conditions",
    "ConditionNotApplicable": "errors",
    "ConfigError": "errors",
    "CouldNotBeJudged": "errors",
    "Finding": "verdicts",
    "MediaError": "errors",
    "NotComparable": "errors",
    "Prompt": "backends",
    "Question": "benchmarks.schema",
    "Reply": "backends",
    "Run": "runs",
    "RunSettings": "engine.settings",
    "Sampling": "frames.sampling",
    "ScriptedBackend": "backends",
    "Slice": "benchmarks.slices",
    "StoreError": "errors",
    "VdgCallback": "training",
    "VdgError": "errors",
    "Verdict": "verdicts",
    "VideoNotConsumed": "errors",
    "assert_accuracy_above": "assertions",
    "assert_accuracy_above_blind": "assertions",
    "assert_balanced_key": "assertions",
    "assert_blind_gap_below": "assertions",
    "assert_coverage": "assertions",
    "assert_destructive_ratio_below": "assertions",
    "assert_diversity_delta": "assertions",
    "assert_equivalent": "assertions",
    "assert_ladder_monotone": "assertions",
    "assert_needs_order": "assertions",
    "assert_no_dissociation_regression": "assertions",
    "assert_no_position_bias": "assertions",
    "assert_spatial_delta": "assertions",
    "assert_stable_under": "assertions",
    "assert_temporal_delta": "assertions",
    "assert_vdg_above": "assertions",
    "assert_visual_gain_above": "assertions",
    "compare_runs": "reports.compare",
    "evaluate": "engine.runner",
    "load_benchmark": "benchmarks.registry",
    "load_run": "store.runfile",
    "save_run": "store.runfile",
    "take": "benchmarks.slices",
    "text_shortcuts": "audits.text",
}

__all__ = sorted(_HOME)  # noqa: PLE0605 - a test compares it with the lines above


def __getattr__(name: str) -> object:
    """Import the home of *name* at its first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """List the public names without importing them."""
    return sorted({*globals(), *_HOME})
