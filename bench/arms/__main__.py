"""Cost of 1, 2, 4 and 6 conditions, with 1, 3 and 10 questions a video.

    python -m bench.arms CHECKPOINT [--videos 32] [--device cpu] [--repeats 3]

Medians of several repeats, the machine named; nothing is asserted. Apart from
the tests because a machine's speed is no claim about the code; the counts are
tested in ``tests/engine/test_arms.py``.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from bench.arms.least import least
from bench.arms.plain import Loop, plain_loop
from bench.arms.questions import asked_slice
from pytest_vdg.backends._hf_inputs import build_inputs
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.backends.work import Work
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.identity import prompt_for
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.conditions import Condition, apply
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.sampling import Sampling

ARMS = (
    ("original",),
    ("original", "black"),
    ("original", "black", "single_frame", "shuffled"),
    ("original", "black", "single_frame", "shuffled", "reversed", "text_only"),
)
SETTINGS = RunSettings(sampling=Sampling(frames=8))


@dataclass(frozen=True, kw_only=True)
class Ours:
    """One evaluation by the engine, without a store."""

    seconds: float
    work: Work
    choices: dict[tuple[str, str], str | None]


def evaluated(
    backend: TransformersBackend, slice_: Slice, arms: tuple[str, ...]
) -> Ours:
    """Return what *arms* of *slice_* cost, the model loaded and nothing held."""
    backend.forget()
    before = backend.work.minus(Work())
    began = time.perf_counter()
    run = evaluate(slice_, backend, arms, SETTINGS)
    return Ours(
        seconds=time.perf_counter() - began,
        work=backend.work.minus(before),
        choices={key: cell.choice for key, cell in run.cells.items()},
    )


def rows(backend: TransformersBackend, videos: int, repeats: int) -> Iterator[str]:
    """Yield the lines of the table, each as soon as it is measured."""
    yield (
        f"{'questions':>9} {'arms':>4} {'plain':>8} {'ours':>8} {'faster':>7} "
        f"{'of 1 arm':>8} {'LM':>8} {'least':>8} {'vision':>7} {'least':>7}"
    )
    backend.load()
    assert backend._asking is not None  # noqa: SLF001
    loaded = backend._asking.loaded  # noqa: SLF001
    for each in (1, 3, 10):
        slice_ = asked_slice(videos=videos, each=each)
        one: Loop | None = None
        for arms in ARMS:
            loops = [plain_loop(loaded, slice_, arms, SETTINGS) for _ in range(repeats)]
            ours = [evaluated(backend, slice_, arms) for _ in range(repeats)]
            assert ours[0].choices == loops[0].choices, "an answer changed"
            plain = statistics.median(loop.seconds for loop in loops)
            mine = statistics.median(each.seconds for each in ours)
            one = one or loops[0]
            base = statistics.median([one.seconds]) if len(arms) > 1 else plain
            floor = least(loaded, inputs(loaded, slice_, arms))
            work = ours[0].work
            yield (
                f"{each:>9} {len(arms):>4} {plain:>7.2f}s {mine:>7.2f}s "
                f"{plain / mine:>6.1f}x {mine / base:>7.2f}x {work.lm_tokens:>8} "
                f"{floor.lm_tokens:>8} {work.vision_tokens:>7} {floor.vision_tokens:>7}"
            )


def inputs(loaded, slice_, arms):  # noqa: ANN001, ANN201
    """Yield the model input of every cell."""
    for question in slice_.questions:
        prompt = prompt_for(question, SETTINGS.instruction)
        clip = read_clip(slice_.benchmark.video_path(question), SETTINGS.sampling)
        for name in arms:
            shown = None
            if name != "text_only":
                condition = Condition.parse(name)
                shown = apply(condition, clip, question_id=question.id, seed=0)
            yield build_inputs(loaded, prompt.text, shown)


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("--videos", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    backend = TransformersBackend(
        TransformersSettings(
            checkpoint=given.checkpoint, device=given.device, threads=given.threads
        )
    )
    sys.stdout.write(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"{given.threads} threads, {given.device}; {given.videos} videos of `sight`, "
        f"8 frames; medians of {given.repeats}\n"
    )
    for line in rows(backend, given.videos, given.repeats):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
