# ruff: noqa: E402 - the number of threads is read when numpy is imported
"""Seconds for all statistics of a large run, on one core.

10,000 questions on 2,500 videos under six conditions in 20 tasks, with 10,000
resamples. Apart from the tests because a machine's speed is no claim about the
code; not named after `statistics`, which would hide Python's own from the scripts
beside it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable

# One core means one thread of numpy's matrix library too.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

from pytest_vdg.stats.agreement import agreement
from pytest_vdg.stats.bootstrap import percentile_interval, video_bootstrap
from pytest_vdg.stats.categories import categories, destructive_ratio
from pytest_vdg.stats.clusters import cluster_mean
from pytest_vdg.stats.dissociation import joint_bootstrap_share
from pytest_vdg.stats.equivalence import tost_paired
from pytest_vdg.stats.flips import flips
from pytest_vdg.stats.ladder import ladder
from pytest_vdg.stats.positions import positions
from pytest_vdg.stats.spectrum import spectrum
from pytest_vdg.stats.stability import split_half
from pytest_vdg.stats.tvbench import above_random, order_sensitivity

ACCURACIES = {
    "black": 0.35,
    "single_frame": 0.44,
    "shuffled": 0.57,
    "original": 0.60,
    "reversed": 0.55,
    "text_only": 0.33,
}
QUESTIONS, VIDEOS, TASKS, RESAMPLES = 10_000, 2_500, 20, 10_000


def timed(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the best of *repeats* in seconds."""
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return round(best, 3)


def run(videos: int) -> dict[str, Callable[[], object]]:
    """Return each piece of work on one made-up run."""
    rng = np.random.default_rng(0)
    ease = rng.random(QUESTIONS)
    right = {
        name: 0.6 * ease + 0.4 * rng.random(QUESTIONS) < share
        for name, share in ACCURACIES.items()
    }
    clip = rng.integers(0, videos, QUESTIONS).tolist()
    task_codes = rng.integers(0, TASKS, QUESTIONS)
    task = [f"task {code:02}" for code in task_codes]
    original, black = right["original"], right["black"]
    gap = original.astype(int) - black.astype(int)
    key = rng.choice(list("ABCD"), QUESTIONS).tolist()
    given = np.where(original, key, rng.choice(list("ABCD"), QUESTIONS)).tolist()
    fours = np.full(QUESTIONS, 4)

    # Right answers of each condition in each task, and the questions of each.
    member = np.arange(TASKS) == task_codes[:, None]
    cells = np.hstack([member & right[c][:, None] for c in right] + [member])

    def bootstrap() -> object:
        drawn = video_bootstrap(
            cells,
            clip,
            seed=0,
            resamples=RESAMPLES,
            statistic=lambda sums, _: sums[:, :-TASKS] / np.tile(sums[:, -TASKS:], 6),
        )
        return [percentile_interval(column) for column in drawn.T]

    rungs = {c: right[c] for c in ("black", "single_frame", "shuffled", "original")}
    three = {c: right[c] for c in ("original", "shuffled", "reversed")}
    return {
        "bootstrap": bootstrap,
        "spectrum": lambda: spectrum(
            treated=original, control=black, groups=task, videos=clip
        ),
        "ladder": lambda: ladder(**rungs, clusters=clip),
        "cluster_mean": lambda: cluster_mean(gap, clip),
        "categories": lambda: categories(
            treated=original, control=black, clusters=clip
        ),
        "ratio and equivalence": lambda: (
            destructive_ratio(gained=4000, lost=400),
            tost_paired(treated_only=400, control_only=390, n=10_000, margin=0.05),
        ),
        "flips": lambda: flips(before=original, after=right["shuffled"], clusters=clip),
        "above random": lambda: above_random(
            correct=original, options=fours, groups=task, clusters=clip
        ),
        "order": lambda: order_sensitivity(**three, options=fours, clusters=clip),
        "positions": lambda: positions(
            answers=given, key=key, options=["ABCD"] * QUESTIONS, clusters=clip
        ),
        "agreement": lambda: agreement(first=gap, second=gap[::-1]),
        "split halves (1,000)": lambda: split_half(values=gap, groups=task, seed=0),
        "joint share (1,000)": lambda: joint_bootstrap_share(
            first_original=original,
            second_original=right["shuffled"],
            first_black=black,
            second_black=right["text_only"],
            videos=clip,
            seed=0,
        ),
    }


def main() -> None:
    """Measure runs with several questions and with one question a video."""
    for videos in (VIDEOS, QUESTIONS * 50):
        seconds = {name: timed(work) for name, work in run(videos).items()}
        found: dict[str, object] = {
            "questions a video": "four" if videos == VIDEOS else "one",
            **seconds,
            "all": round(sum(seconds.values()), 2),
            "peak_mib": round(
                resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            ),
        }
        sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
