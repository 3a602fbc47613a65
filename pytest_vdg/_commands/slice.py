"""``vdg slice``: draw a part of a benchmark, show what it holds, and pin it.

Apart from ``ladder`` because no model is asked and no ``vdg.yaml`` is needed:
a slice is chosen before there is anything to configure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Group, Parameter

from pytest_vdg._commands._arguments import File, Flag, Folder, Task, Variadic, names
from pytest_vdg._commands._outcome import Failed
from pytest_vdg.errors import ConfigError, near_path

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.pinned import PinnedSlice
    from pytest_vdg.benchmarks.schema import Benchmark
    from pytest_vdg.benchmarks.slices import Slice


@Parameter(name="*", group=Group("Where it lies", sort_key=2))
@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the questions and their videos are."""

    path: Folder | None = None
    """Its folder, or the file with its questions"""
    videos: Folder | None = None
    """Where its videos lie"""
    variant: str | None = None
    """Which of its forms (default: the first)"""
    on_bad_records: Literal["strict", "skip"] = "strict"
    """What records do that cannot be used"""


@Parameter(name="*", group=Group("What is drawn", sort_key=3))
@dataclass(frozen=True, kw_only=True)
class Draw:
    """Which questions are taken; None where nothing was said."""

    questions: int | None = None
    """How many (default: all)"""
    tasks: Annotated[list[Task] | None, Variadic] = None
    """Only these tasks"""
    seed: int | None = None
    """Another one draws others (default: 0)"""
    at_least: int | None = None
    """So many of each task"""
    per_video: Literal["all", "one"] | None = None
    """At most one question about each video, or all of them (default: all)"""
    name: str | None = None
    """Of the slice (default: made of the above)"""
    to: File | None = None
    """Write the slice to this file, to be committed"""


def show_slice(
    benchmark: str | None = None,
    /,
    *,
    source: Source | None = None,
    draw: Draw | None = None,
    show: File | None = None,
    all: Flag = False,  # noqa: A002 - the name of the option
) -> Sequence[str]:
    r"""Draw a part of a benchmark, show what it holds, and pin it in a file.

    Questions are drawn stratified by task and the same everywhere, and it is
    shown what they hold: counts, chance, balance of the key, what a constant
    answer earns, duplicates, odd records, missing videos. A smaller slice is
    the beginning of a larger one. Leaves with 1 for a slice that a filter left
    and that was edited since.

    example:
      vdg slice mvbench --path data/MVBench --questions 300 --at-least 10 \
                --to vdg_slices/mvbench-300.jsonl
    and in vdg.yaml:
      slices:
        mvbench-300: {benchmark: mvbench, path: data/MVBench,
                      pinned: vdg_slices/mvbench-300.jsonl}

    Parameters
    ----------
    benchmark
        As `vdg benchmarks` lists it.
    show
        Show a slice that was written to this file.
    all
        List every odd record.

    Raises
    ------
    ConfigError
        When options contradict each other, or name what there is not.
    VdgError
        When the benchmark or the file cannot be used.
    """
    from pytest_vdg.benchmarks.pinned import load_slice, read_pinned, save_slice
    from pytest_vdg.reports.slice import pinned_lines, slice_lines

    source, draw = source or Source(), draw or Draw()
    _require_consistent(benchmark, source, draw, show)
    if benchmark is None:
        assert show is not None
        pinned = read_pinned(show)
        lines, edited = _contradictions(pinned)
        lines = [*pinned_lines(pinned), *lines]
        return Failed(lines) if edited else lines
    whole = benchmark_at(benchmark, source)
    taken = _drawn(whole, draw) if show is None else load_slice(whole, show)
    lines, edited = slice_lines(taken, every_problem=all), False
    if show is not None:
        lines.append(f"checked: all {len(taken)} questions are as {show} says")
        more, edited = _contradictions(read_pinned(show))
        lines += more
    if draw.to is not None:
        save_slice(taken, draw.to)
        lines.append(f"wrote {draw.to}")
    return Failed(lines) if edited else lines


def _contradictions(pinned: PinnedSlice) -> tuple[list[str], bool]:
    """Return where a slice that a filter of S left is not what its scores say.

    And whether it is not.
    """
    from pytest_vdg.audits.origin import faults
    from pytest_vdg.benchmarks.pinned import MOST_LISTED
    from pytest_vdg.reports._format import plain

    if pinned.drawn.get("by") != "shortcut":
        return [], False
    try:
        found = faults(pinned)
    except ValueError:
        says = "edited: it says that a filter of S left it, and no scores or no tau"
        return [says], True
    if not found:
        return ["checked: it holds the questions that its scores and tau leave"], False
    more = len(found) - MOST_LISTED
    lines = [
        "edited: it does not hold the questions that its scores and tau leave:",
        *(f"  {plain(fault, 200)}" for fault in found[:MOST_LISTED]),
        *([f"  and {more} more"] if more > 0 else []),
    ]
    return lines, True


def _require_consistent(
    benchmark: str | None, source: Source, draw: Draw, show: str | None
) -> None:
    if benchmark is None and show is None:
        raise ConfigError(
            "which benchmark? `vdg benchmarks` lists them; "
            "or show a slice that was written: --show FILE"
        )
    if show is None:
        return
    if not Path(show).is_file():
        raise ConfigError(f"slice {show!r} is not there.{near_path(Path(show))}")
    given = [name for name, value in vars(draw).items() if value is not None]
    if given:
        raise ConfigError(
            "--show shows a slice as it was written: leave out --"
            + " and --".join(name.replace("_", "-") for name in given)
        )
    if benchmark is None:
        for name in ("path", "videos", "variant"):
            if getattr(source, name) is not None:
                raise ConfigError(f"--{name} is of a benchmark: name it, too")


def benchmark_at(name: str, source: Source) -> Benchmark:
    """Return the benchmark called *name*, read where *source* says it lies."""
    from pytest_vdg.benchmarks.registry import load_benchmark

    return load_benchmark(
        name,
        source.path,
        videos=source.videos,
        variant=source.variant,
        on_bad_records=source.on_bad_records,
    )


def _drawn(benchmark: Benchmark, draw: Draw) -> Slice:
    from pytest_vdg.benchmarks.slices import take

    return take(
        benchmark,
        name=draw.name,
        questions=draw.questions,
        tasks=names(draw.tasks) or None,
        seed=draw.seed or 0,
        at_least=1 if draw.at_least is None else draw.at_least,
        per_video=draw.per_video or "all",
    )
