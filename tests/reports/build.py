"""Findings made by hand, for tests of how they are shown.

Apart from the assertions' builders: reports are tested without judging.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_vdg.verdicts import Finding, Verdict

REGRESSION = Finding(
    claim="assert_no_dissociation_regression",
    verdict=Verdict.REGRESSION,
    measure="VDG change",
    estimate=-0.095,
    low=-0.142,
    high=-0.047,
    confidence=0.95,
    bound=-0.05,
    n=296,
    n_videos=120,
    smallest_detectable=0.06,
    slice_name="videomme",
    checkpoint="/models/qwen",
    baseline="videomme",
    accuracies=(("black", 0.39), ("original", 0.61)),
    message="REGRESSION VDG -9.5pp [-14.2, -4.7] vs baseline videomme\n  claim  x",
)
FLOOR = replace(
    REGRESSION,
    claim="assert_vdg_above",
    verdict=Verdict.PASS,
    measure="VDG",
    estimate=0.186,
    low=0.121,
    high=0.251,
    bound=0.1,
    n=300,
    slice_name="tvbench",
    task="Action Antonym",
    baseline=None,
    accuracies=(("black", 0.337), ("original", 0.523)),
)
CEILING = replace(
    FLOOR,
    claim="assert_blind_gap_below",
    verdict=Verdict.ABOVE_CEILING,
    measure="blind gap",
    estimate=0.1,
    low=0.048,
    high=0.156,
    bound=0.02,
    bound_is="ceiling",
    task=None,
    accuracies=(("text_only", 0.35),),
)
ACCURACY = replace(
    FLOOR,
    claim="assert_accuracy_above",
    measure="accuracy",
    estimate=0.523,
    low=0.467,
    high=0.579,
    bound=0.5,
    task=None,
    accuracies=(("original", 0.523),),
)
