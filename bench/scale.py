"""What the engine itself costs: 100 to 10,000 cells with a model that costs nothing.

    python -m bench.scale [--repeats 3] [--workers 1]

A scripted model that is asked many at a time, four conditions, clips of `sight`
copied under new names, answers kept on disk. Each size is evaluated in a process
of its own, so that its peak of memory is its own. *Engine* is wall time a cell
without the model's answers and without *waiting* for the process that reads
videos, whose start is in it; *CPU* is that of this process alone. *Known*: once
more, with all answers known. *Of it*: what the run added to the peak, its results
included. Medians of several repeats, the machine named; nothing is asserted.
Apart from the tests because a machine's speed is no claim about the code.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_vdg.backends.protocol import BackendIdentity, Prompt, Reply, Request
from pytest_vdg.backends.scripted import ScriptedBackend
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import BackendError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import VideoInfo
from pytest_vdg.frames.decoding import Decoders, Want
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.store.cells import CellStore

CONDITIONS = ("original", "black", "single_frame", "shuffled")
SIZES = (100, 1_000, 10_000)
"""Cells; four a question."""
EACH = (1, 10)
"""Questions about each video."""


class Model:
    """Answers at once, many at a time, and counts the time that it takes."""

    frames_per_token = 1
    name = "scripted"

    def __init__(self) -> None:
        """Take no time yet."""
        self._inner = ScriptedBackend(_look, scoring="choice")
        self.seconds = 0.0
        self.cpu = 0.0

    @property
    def identity(self) -> BackendIdentity:
        """That of the scripted model."""
        return self._inner.identity

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Answer one question."""
        return self._inner.ask(prompt, clip)

    def ask_many(self, requests: Sequence[Request]) -> list[Reply | BackendError]:
        """Answer all *requests*."""
        began, cpu = time.perf_counter(), time.process_time()
        answers: list[Reply | BackendError] = [
            self.ask(each.prompt, each.clip) for each in requests
        ]
        self.seconds += time.perf_counter() - began
        self.cpu += time.process_time() - cpu
        return answers

    def close(self) -> None:
        """Hold nothing."""


def _look(prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
    light = 0.0 if clip is None else float(clip.frames[0, 0].mean()) / 255
    share = (1 - light) / len(prompt.labels)
    return {
        label: share + (light if i == 0 else 0.0)
        for i, label in enumerate(prompt.labels)
    }


class Waiting(Decoders):
    """Decoders that count how long they are waited for."""

    seconds = 0.0

    def submit(self, want: Want) -> Callable[[], Clip]:
        """Have *want* read, and time the wait for it."""
        ready = super().submit(want)

        def waited() -> Clip:
            began = time.perf_counter()
            try:
                return ready()
            finally:
                self.seconds += time.perf_counter() - began

        return waited

    def look(self, path: Path, *, picture_rate: float | None = None) -> VideoInfo:
        """Look at a video, and time it; the first waits for the process, too."""
        began = time.perf_counter()
        try:
            return super().look(path, picture_rate=picture_rate)
        finally:
            self.seconds += time.perf_counter() - began


def slice_of(folder: Path, cells: int, each: int) -> Slice:
    """Return a slice of *cells* / 4 questions, *each* about a video of its own."""
    sight = load_benchmark("sight")
    questions = []
    for i in range(cells // len(CONDITIONS)):
        asked = sight.questions[i % len(sight.questions)]
        video = f"{i // each:05}.mp4"
        if not (folder / video).exists():
            shutil.copy(sight.video_path(asked), folder / video)
        questions.append(replace(asked, id=f"q{i:05}", video=video))
    made = replace(sight, name="scale", root=folder, questions=tuple(questions))
    return Slice(name="scale", benchmark=made, ids=tuple(q.id for q in questions))


def measured(cells: int, each: int, workers: int) -> dict[str, float]:
    """Return what one evaluation costs, and a second one that knows all answers."""
    settings = RunSettings(sampling=Sampling(frames=8), decode_workers=workers)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        slice_ = slice_of(folder, cells, each)
        model, store = Model(), CellStore(folder / "answers")
        before = _peak(resource.RUSAGE_SELF)
        began, cpu = time.perf_counter(), time.process_time()
        with Waiting(sampling=settings.sampling, workers=workers) as decoders:
            evaluate(
                slice_, model, CONDITIONS, settings, store=store, decoders=decoders
            )
        whole, cpu = time.perf_counter() - began, time.process_time() - cpu
        peak = _peak(resource.RUSAGE_SELF)
        began = time.perf_counter()
        evaluate(slice_, model, CONDITIONS, settings, store=store)
        known = time.perf_counter() - began
        store.close()
    own = whole - model.seconds - decoders.seconds
    return {
        "decodes": decoders.decodes,
        "whole_s": whole,
        "own_ms": 1000 * own / cells,
        "cpu_ms": 1000 * (cpu - model.cpu) / cells,
        "wait_ms": 1000 * decoders.seconds / cells,
        "known_ms": 1000 * known / cells,
        "before_mb": before,
        "peak_mb": peak,
        "decoder_mb": _peak(resource.RUSAGE_CHILDREN),
    }


def _peak(who: int) -> float:
    return resource.getrusage(who).ru_maxrss / 1024


def rows(repeats: int, workers: int) -> Iterator[str]:
    """Yield the lines of the table, each as soon as it is measured."""
    yield (
        f"{'cells':>6} {'a video':>7} {'decodes':>7} {'whole':>8} {'engine':>9} "
        f"{'CPU':>9} {'waiting':>9} {'known':>9} {'peak':>7} "
        f"{'of it':>7} {'decoder':>7}"
    )
    for each in EACH:
        for cells in SIZES:
            found = [_in_a_process(cells, each, workers) for _ in range(repeats)]
            m = {key: statistics.median(f[key] for f in found) for key in found[0]}
            yield (
                f"{cells:>6} {each:>7} {m['decodes']:>7.0f} {m['whole_s']:>7.2f}s "
                f"{m['own_ms']:>7.3f}ms {m['cpu_ms']:>7.3f}ms {m['wait_ms']:>7.3f}ms "
                f"{m['known_ms']:>7.3f}ms {m['peak_mb']:>5.0f}MB "
                f"{m['peak_mb'] - m['before_mb']:>5.0f}MB {m['decoder_mb']:>5.0f}MB"
            )


def _in_a_process(cells: int, each: int, workers: int) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.scale", "--one", str(cells), str(each)]
    said = subprocess.run(  # noqa: S603 - this file
        [*command, "--workers", str(workers)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found: dict[str, float] = json.loads(said)
    return found


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--one", type=int, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        sys.stdout.write(json.dumps(measured(*given.one, given.workers)))
        return
    sys.stdout.write(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"{given.workers} decoding processes; clips of `sight`, 8 frames; medians of "
        f"{given.repeats}\n"
    )
    for line in rows(given.repeats, given.workers):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
