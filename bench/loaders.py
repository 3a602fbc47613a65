"""Seconds and peak memory of loading 62,535 records in the form of SUTD-TrafficQA.

The largest set that is loaded. Its records are made up: as many as the real one
has, on as many videos, with padding in each place. Apart from the tests because
a machine's speed is no claim about the code.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.sutd_trafficqa import COLUMNS

RECORDS, VIDEOS = 62_535, 10_080
QUESTIONS = (
    "What type of accident happened in the video?",
    "Could the accident be prevented if the roadway is marked clearly (No. {})?",
    "Which area of the involved vehicle {} got damaged in this accident?",
)
OPTIONS = (
    ("Head-on collision", "No accident happened.", "It hit the infrastructure.", ""),
    ("Yes, the road is not marked.", "", "No, that is not the main reason.", ""),
    ("", "The front of the car.", "The rear of the car.", "The left side of it."),
    ("The pedestrian.", "The cyclist.", "The driver of the truck.", "Others"),
)


def write(file: Path) -> None:
    """Write the made-up records to *file*."""
    with file.open("w", encoding="utf-8") as lines:
        lines.write(json.dumps(COLUMNS) + "\n")
        for i in range(RECORDS):
            options = OPTIONS[i % len(OPTIONS)]
            filled = [place for place, text in enumerate(options) if text]
            clip = i % VIDEOS
            record = [
                *(i, clip, f"b_1ZV411k{clip:05}_clip_{clip % 100:03}.mp4", 1 + i % 2),
                *(QUESTIONS[i % len(QUESTIONS)].format(i), "UAFRCI"[i % 6]),
                *options,
                filled[i % len(filled)],
            ]
            lines.write(json.dumps(record) + "\n")


def peak_mib() -> float:
    """Return the most memory this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Load on one core and write one JSON object."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "R2_all.jsonl")
        before = peak_mib()
        began, began_cpu = time.perf_counter(), time.process_time()
        loaded = load_benchmark("sutd-trafficqa", folder, variant="all")
        seconds = time.perf_counter() - began
        seconds_cpu = time.process_time() - began_cpu
    began = time.perf_counter()
    digest = loaded.digest
    measured = {
        "questions": len(loaded),
        "seconds": round(seconds, 2),
        "seconds_of_cpu": round(seconds_cpu, 2),
        "peak_mib_before": round(before),
        "peak_mib": round(peak_mib()),
        "seconds_for_digest": round(time.perf_counter() - began, 2),
        "digest": digest,
    }
    sys.stdout.write(json.dumps(measured, indent=2) + "\n")


if __name__ == "__main__":
    main()
