"""Cells a second and peak memory of one checkpoint on `sight`, without a store.

Apart from the tests because a machine's speed is no claim about the code.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time

from pytest_vdg.backends.registry import make_backend
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.sampling import Sampling

CONDITIONS = ("original", "black", "single_frame", "shuffled", "text_only")


def main() -> None:
    """Evaluate and write one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("--questions", type=int, default=84)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    settings = {"checkpoint": given.checkpoint, "threads": given.threads}
    backend = make_backend("transformers", {**settings, "device": "cpu"})
    began = time.perf_counter()
    slice_ = take(load_benchmark("sight"), questions=given.questions)
    run_settings = RunSettings(sampling=Sampling(frames=8))
    run = evaluate(slice_, backend, CONDITIONS, run_settings)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    measured = {
        "cells": len(run.cells),
        "seconds_with_load": round(seconds, 2),
        "cells_a_second": round(len(run.cells) / seconds, 1),
        "peak_mib": round(peak),
    }
    sys.stdout.write(json.dumps(measured, indent=2) + "\n")


if __name__ == "__main__":
    main()
