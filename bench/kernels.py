"""How much of an evaluation is the model's own arithmetic, and how much is ours.

    python -m bench.kernels FOLDER [--shape 7b] [--device cuda] [--questions 60]

The checkpoint is that of ``bench.sizes`` (random weights of a published shape), asked
the questions of `sight` under four conditions. On a GPU the arithmetic is the time
in which kernels ran, as torch's profiler saw it; on a CPU, that spent inside the
model's forward passes.

Apart from the tests because a machine's speed is no claim about the code.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.sizes import SHAPES, make
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.benchmarks.sight import load_sight
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import Outcome

CONDITIONS = ("original", "black", "single_frame", "shuffled")
SETTINGS = RunSettings(sampling=Sampling(frames=8))


@contextmanager
def on_cuda(_: object) -> Iterator[Callable[[], float]]:
    """Give what tells, afterwards, for how many seconds kernels ran."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        yield lambda: 1e-6 * sum(e.self_device_time_total for e in seen.key_averages())


@contextmanager
def on_cpu(model: Any) -> Iterator[Callable[[], float]]:  # noqa: ANN401 - transformers'
    """Give what tells how many seconds were spent in forward passes of *model*."""
    began: list[float] = []
    spent: list[float] = []

    def begin(*_: object) -> None:
        began.append(time.perf_counter())

    def end(*_: object) -> None:
        spent.append(time.perf_counter() - began.pop())

    hooks = [
        model.register_forward_pre_hook(begin),
        model.register_forward_hook(end, always_call=True),
    ]
    try:
        yield lambda: sum(spent)
    finally:
        for hook in hooks:
            hook.remove()


def measured(folder: Path, device: str, questions: int, threads: int | None) -> str:
    """Ask the checkpoint in *folder* twice, and return what the second time took.

    The first one pays for what is made once a process: kernels, the trial.
    """
    settings = TransformersSettings(checkpoint=folder, device=device, threads=threads)
    backend = TransformersBackend(settings)
    asked = take(load_sight(), questions=questions, name="sight")
    first = take(load_sight(), questions=8, name="first")
    evaluate(first, backend, CONDITIONS, SETTINGS)
    backend.forget()
    asking = backend._asking  # noqa: SLF001 - no other way to the model
    assert asking is not None
    watched = on_cuda if device.startswith("cuda") else on_cpu
    before = backend.work.minus(type(backend.work)())
    began = time.perf_counter()
    with watched(asking.loaded.model) as arithmetic:
        run = evaluate(asked, backend, CONDITIONS, SETTINGS)
    seconds = time.perf_counter() - began
    work, inside = backend.work.minus(before), arithmetic()
    failed = sum(cell.outcome is Outcome.FAILED for cell in run.cells.values())
    return (
        f"{len(run.cells)} cells ({failed} failed) in {seconds:.2f} s: "
        f"{inside:.2f} s ({inside / seconds:.0%}) in the model, "
        f"{1000 * (seconds - inside) / len(run.cells):.1f} ms a cell beside it; "
        f"{work.lm_tokens:,} LM tokens in {work.passes} passes, "
        f"{work.vision_tokens:,} visual ones; {backend.sharing}"
    )


def main() -> None:
    """Make the checkpoint if it is not there, and write one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the checkpoint is, or is made")
    parser.add_argument("--shape", choices=SHAPES, default="7b")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--side", type=int, default=448, help="pixels of a frame")
    parser.add_argument("--threads", type=int, help="of a CPU")
    given = parser.parse_args()
    if not given.folder.exists():
        make(given.folder, given.shape, given.side)
    told = measured(given.folder, given.device, given.questions, given.threads)
    sys.stdout.write(f"{platform.processor() or platform.machine()}, {told}\n")


if __name__ == "__main__":
    main()
