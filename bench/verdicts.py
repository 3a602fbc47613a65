# ruff: noqa: E402 - the number of threads is read when numpy is imported
"""Seconds that each assertion takes on 10,000 questions, 20 tasks, 6 conditions.

Sixteen claims over two runs, each with its whole message; runs are made and
packages imported before. Seconds are those of one core, whatever else the machine
does. On a cloud machine of 2 cores: 0.8 s together, of which the longest takes 0.2 s
(4.1 s before the cells were counted as bytes, see `Run.column`).
Apart from the tests because a machine's speed is no claim about the code.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

# One core means one thread of numpy's matrix library too.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np

from pytest_vdg import assertions as vdg
from pytest_vdg.runs import AskedQuestion, CellResult, Fingerprint, Outcome, Run

N, TASKS, A_VIDEO = 10_000, 20, 4
LABELS = tuple("ABCD")
ACCURACIES = {
    "original": 0.7,
    "shuffled": 0.6,
    "reversed": 0.6,
    "single_frame": 0.5,
    "black": 0.4,
    "text_only": 0.4,
}


def made(seed: int) -> Run:
    """Return a run whose answers are right as often as `ACCURACIES` says."""
    rng = np.random.default_rng(seed)
    questions = tuple(
        AskedQuestion(
            id=f"q{i:05}",
            video=f"v{i // A_VIDEO}",
            task=f"t{i % TASKS}",
            labels=LABELS,
            answer=LABELS[i % 4],
            digest=str(i),
        )
        for i in range(N)
    )
    cells = {}
    for condition, accuracy in ACCURACIES.items():
        for i, right in enumerate(rng.random(N) < accuracy):
            id_ = questions[i].id
            cells[id_, condition] = CellResult(
                question_id=id_,
                condition=condition,
                outcome=Outcome.CORRECT if right else Outcome.WRONG,
                choice=LABELS[(i + 1 - int(right)) % 4],
            )
    return Run(
        checkpoint=f"made-{seed}",
        slice_name="made",
        questions=questions,
        conditions=tuple(ACCURACIES),
        cells=cells,
        fingerprint=Fingerprint(comparable={}, subject={}, informative={}),
    )


def claims(run: Run, then: Run) -> dict[str, Callable[[], object]]:
    """Return every assertion by name, with arguments that let it decide."""
    return {
        "vdg above": lambda: vdg.assert_vdg_above(run, 0.1),
        "vdg above, per task": lambda: vdg.assert_vdg_above(run, 0.1, per_task=True),
        "temporal delta": lambda: vdg.assert_temporal_delta(run, 0.05),
        "no regression": lambda: vdg.assert_no_dissociation_regression(run, then),
        "accuracy above": lambda: vdg.assert_accuracy_above(run, 0.5),
        "spatial delta": lambda: vdg.assert_spatial_delta(run, 0.05),
        "diversity delta": lambda: vdg.assert_diversity_delta(run, 0.05),
        "visual gain": lambda: vdg.assert_visual_gain_above(run, 0.1),
        "above blind": lambda: vdg.assert_accuracy_above_blind(run),
        "blind gap": lambda: vdg.assert_blind_gap_below(run, 0.5),
        "monotone ladder": lambda: vdg.assert_ladder_monotone(run),
        "destructive ratio": lambda: vdg.assert_destructive_ratio_below(
            run, 2, against="shuffled"
        ),
        "stable": lambda: vdg.assert_stable_under(run, "reversed", 0.3, margin=0.2),
        "position bias": lambda: vdg.assert_no_position_bias(run),
        "equivalent": lambda: vdg.assert_equivalent(run, then),
        "coverage": lambda: vdg.assert_coverage(run),
    }


def main() -> None:
    """Time each claim once and write a table."""
    total = 0.0
    for name, claim in claims(made(0), made(1)).items():
        began = time.process_time()
        verdict = "ok"
        try:
            claim()
        except AssertionError:
            verdict = "not ok"
        took = time.process_time() - began
        total += took
        sys.stdout.write(f"{name:24}{verdict:8}{took:6.2f} s\n")
    sys.stdout.write(f"{'all':32}{total:6.2f} s\n")


if __name__ == "__main__":
    main()
