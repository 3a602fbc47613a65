"""The same checkpoint, clips and conditions through lmms-eval and through us.

    python -m bench.against_lmms_eval CHECKPOINT --lmms-python PATH [--device cpu]

Medians of several repeats, all ways in turn, so that a machine that is busy is
busy for all; nothing is asserted. Apart from the tests because a machine's speed
is no claim about the code, and because lmms-eval needs an environment of its own.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.against_lmms_eval import environment
from bench.against_lmms_eval.clips import Rendered, render
from bench.against_lmms_eval.table import Way, lines
from bench.against_lmms_eval.tasks import link_checkpoint, write_tasks
from bench.against_lmms_eval.timed import Bench, Timed
from bench.against_lmms_eval.work import CONDITIONS, asked

Asked = list[tuple[Way, Callable[[], Timed], int]]
"""Each way, how to go it once, and how often."""


def main() -> None:
    """Measure and write the table."""
    given = arguments()
    python = environment.make(given.make_env) if given.make_env else given.lmms_python
    if python is None:
        raise SystemExit(environment.how())
    versions = environment.versions(python)
    with prepared(given, python) as (bench, rendered):
        say("\n".join(head(given, bench, versions, rendered)))
        ways = list(measured(bench, given.batches, given.repeats))
        say("\n".join(lines(ways, bench.slice_)))
        say(f"load average at the end {os.getloadavg()[0]:.1f}")


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.against_lmms_eval")
    parser.add_argument("checkpoint", type=Path, help="a Qwen2-VL, as a folder")
    parser.add_argument("--lmms-python", type=Path, help="Python that has lmms-eval")
    parser.add_argument("--make-env", type=Path, metavar="FOLDER", help="install it")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1, help="of each process")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--videos", type=int, default=32, help="two questions each")
    parser.add_argument("--batches", type=int, nargs="*", default=[8, 32])
    given = parser.parse_args()
    if given.repeats < 1 or min([1, *given.batches]) < 1:
        parser.error("--repeats and --batches must be at least 1")
    return given


@contextmanager
def prepared(
    given: argparse.Namespace, python: Path
) -> Iterator[tuple[Bench, Rendered]]:
    """Yield all that both sides need, in a folder that is removed afterwards."""
    from transformers import AutoProcessor

    slice_ = asked(given.videos)
    processor = AutoProcessor.from_pretrained(given.checkpoint, local_files_only=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rendered = render(slice_, processor, folder / "clips")
        write_tasks(slice_, rendered, folder / "tasks")
        link_checkpoint(given.checkpoint, processor.chat_template, folder / "view")
        bench = Bench(
            slice_=slice_,
            checkpoint=given.checkpoint,
            view=folder / "view",
            tasks=folder / "tasks",
            pixels=rendered.pixels,
            lmms_python=python.absolute(),
            device=given.device,
            threads=given.threads,
            folder=folder,
        )
        yield bench, rendered


def measured(bench: Bench, batches: list[int], repeats: int) -> list[Way]:
    """Go each way *repeats* times, in turn; the wrong ones once."""
    asked_for: Asked = [
        (Way(name="ours"), partial(bench.ours, "engine"), repeats),
        (Way(name="plain loop, one pass"), partial(bench.ours, "plain"), repeats),
        (
            Way(name="lmms-eval, batch 1"),
            partial(bench.theirs, 1, together=True),
            repeats,
        ),
    ]
    for batch in batches:
        apart = Way(name=f"lmms-eval, batch {batch}, a process each")
        mixed = Way(name=f"lmms-eval, batch {batch}, mixes conditions", correct=False)
        asked_for.append((apart, partial(bench.theirs, batch, together=False), repeats))
        asked_for.append((mixed, partial(bench.theirs, batch, together=True), 1))
    for repeat in range(repeats):
        for way, go, times in asked_for:
            if repeat < times:
                run = go()
                way.runs.append(run)
                sys.stderr.write(
                    f"{repeat + 1}/{repeats} {way.name}: {run.whole_s:.1f} s, "
                    f"{run.evaluating_s:.1f} s after loading\n"
                )
    return [way for way, _, _ in asked_for]


def head(
    given: argparse.Namespace,
    bench: Bench,
    versions: dict[str, str],
    rendered: Rendered,
) -> Iterator[str]:
    """Yield what was measured, where, and with what."""
    n = len(bench.slice_)
    yield (
        f"{processor_name()}, {os.cpu_count()} cores, {given.threads} threads, "
        f"{given.device}; load average at the start {os.getloadavg()[0]:.1f}"
    )
    for whose, found in (
        ("ours", environment.own_versions()),
        ("lmms-eval's", versions),
    ):
        told = ", ".join(f"{name} {version}" for name, version in found.items())
        yield f"{whose}: {told}"
    yield (
        f"{n} questions, {given.videos} clips, 8 frames, {len(CONDITIONS)} conditions; "
        f"medians of {given.repeats}"
    )
    took = ", ".join(f"{name} {s:.1f} s" for name, s in rendered.seconds.items())
    yield f"pre-rendering for lmms-eval, in no figure below: {took}"


def processor_name() -> str:
    """Return the name of the processor, as far as the machine tells."""
    told = Path("/proc/cpuinfo")
    if told.exists():
        for line in told.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def say(text: str) -> None:
    """Write *text* as it comes."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
