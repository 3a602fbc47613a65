"""``vdg slice``: draw a part of a benchmark, show what it holds, and pin it.

Apart from ``ladder`` because no model is asked and no ``vdg.yaml`` is needed:
a slice is chosen before there is anything to configure.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg._commands._arguments import names
from pytest_vdg.errors import ConfigError, near_path

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.schema import Benchmark
    from pytest_vdg.benchmarks.slices import Slice

HELP = "draw a part of a benchmark, show what it holds, and pin it in a file"
_DESCRIPTION = """\
Draw questions of a benchmark, stratified by task and the same everywhere, and
show what they hold: counts, chance, balance of the key, what a constant answer
earns, duplicates, odd records, missing videos. A smaller slice is the beginning
of a larger one.

example:
  vdg slice mvbench --path data/MVBench --questions 300 --at-least 10 \\
            --to vdg_slices/mvbench-300.jsonl
and in vdg.yaml:
  slices:
    mvbench-300: {benchmark: mvbench, path: data/MVBench,
                  pinned: vdg_slices/mvbench-300.jsonl}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _DESCRIPTION
    parser.add_argument("benchmark", nargs="?", help="as `vdg benchmarks` lists it")
    parser.add_argument("--path", help="its folder, or the file with its questions")
    parser.add_argument("--videos", metavar="FOLDER", help="where its videos lie")
    parser.add_argument("--variant", help="which of its forms; default: the first")
    parser.add_argument(
        "--on-bad-records",
        metavar="strict|skip",
        default="strict",
        help="what records do that cannot be used; default: strict",
    )
    parser.add_argument("--questions", type=int, metavar="N", help="default: all")
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help="only these tasks")
    parser.add_argument("--seed", type=int, help="another one draws others; default: 0")
    parser.add_argument("--at-least", type=int, metavar="K", help="of each task")
    parser.add_argument(
        "--per-video",
        metavar="all|one",
        help="one: at most one question about each video; default: all",
    )
    parser.add_argument("--name", help="of the slice; default: made of the above")
    parser.add_argument("--to", metavar="FILE", help="write the slice, to be committed")
    parser.add_argument("--show", metavar="FILE", help="show a slice that was written")
    parser.add_argument("--all", action="store_true", help="list every odd record")


def output(options: argparse.Namespace) -> Sequence[str]:
    """Return the lines to print, after the slice was written if asked for.

    Raises
    ------
    ConfigError
        When options contradict each other, or name what there is not.
    VdgError
        When the benchmark or the file cannot be used.
    """
    from pytest_vdg.benchmarks.pinned import load_slice, read_pinned, save_slice
    from pytest_vdg.reports.slice import pinned_lines, slice_lines

    _require_consistent(options)
    if options.benchmark is None:
        return pinned_lines(read_pinned(options.show))
    benchmark = _benchmark(options)
    if options.show is not None:
        slice_ = load_slice(benchmark, options.show)
    else:
        slice_ = _drawn(benchmark, options)
    lines = slice_lines(slice_, every_problem=options.all)
    if options.show is not None:
        lines.append(f"checked: all {len(slice_)} questions are as {options.show} says")
    if options.to is not None:
        save_slice(slice_, options.to)
        lines.append(f"wrote {options.to}")
    return lines


def _require_consistent(options: argparse.Namespace) -> None:
    if options.benchmark is None and options.show is None:
        raise ConfigError(
            "which benchmark? `vdg benchmarks` lists them; "
            "or show a slice that was written: --show FILE"
        )
    if options.show is None:
        return
    if not Path(options.show).is_file():
        raise ConfigError(
            f"slice {options.show!r} is not there.{near_path(Path(options.show))}"
        )
    draws = ("questions", "tasks", "seed", "at_least", "per_video", "name", "to")
    given = [name for name in draws if getattr(options, name) is not None]
    if given:
        raise ConfigError(
            "--show shows a slice as it was written: leave out --"
            + " and --".join(name.replace("_", "-") for name in given)
        )
    if options.benchmark is None and options.path is not None:
        raise ConfigError("--path is of a benchmark: name it, too")


def _benchmark(options: argparse.Namespace) -> Benchmark:
    from pytest_vdg.benchmarks.registry import load_benchmark

    return load_benchmark(
        options.benchmark,
        options.path,
        videos=options.videos,
        variant=options.variant,
        on_bad_records=options.on_bad_records,
    )


def _drawn(benchmark: Benchmark, options: argparse.Namespace) -> Slice:
    from pytest_vdg.benchmarks.slices import take

    return take(
        benchmark,
        name=options.name,
        questions=options.questions,
        tasks=names(options.tasks) or None,
        seed=options.seed or 0,
        at_least=1 if options.at_least is None else options.at_least,
        per_video=options.per_video or "all",
    )
