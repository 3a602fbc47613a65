"""Benchmarks by name: ours, and those that other packages bring.

Apart from the loaders so that naming one imports no other, and so that an
unknown name is an error here, in one place.

Another package adds a benchmark with an entry point that names a `Published`,
or a callable that is given a `Source` and returns a `Benchmark`::

    [project.entry-points."pytest_vdg.benchmarks"]
    my-traffic = "my_package.vdg:load"
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.source import OnBad, Published, Source
from pytest_vdg.errors import (
    BenchmarkError,
    ConfigError,
    VdgError,
    did_you_mean,
)

GROUP = "pytest_vdg.benchmarks"
"""Entry-point group of benchmarks that other packages bring."""

Loader = Callable[[Source], Benchmark]
"""Reads a benchmark from where it lies; a `Published` is one."""

BENCHMARKS: dict[str, str] = {
    "accident-bench": "accident_bench:ACCIDENT_BENCH",
    "egoschema": "egoschema:EGOSCHEMA",
    "longvideobench": "longvideobench:LONGVIDEOBENCH",
    "mlvu": "mlvu:MLVU",
    "mm-au": "mm_au:MM_AU",
    "mvbench": "mvbench:MVBENCH",
    "nextqa": "nextqa:NEXTQA",
    "perception-test": "perception_test:PERCEPTION_TEST",
    "plain": "plain:PLAIN",
    "sight": "sight:SIGHT",
    "sight-leaky": "sight:SIGHT_LEAKY",
    "sutd-trafficqa": "sutd_trafficqa:SUTD_TRAFFICQA",
    "tempcompass": "tempcompass:TEMPCOMPASS",
    "tvbench": "tvbench:TVBENCH",
    "video-mme": "video_mme:VIDEO_MME",
    "video-mme-v2": "video_mme_v2:VIDEO_MME_V2",
    "vru-accident": "vru_accident:VRU_ACCIDENT",
}
"""Name to module and constant, a `Published`, in this package."""


def load_benchmark(
    name: str,
    path: str | os.PathLike[str] | None = None,
    *,
    videos: str | os.PathLike[str] | None = None,
    variant: str | None = None,
    on_bad_records: OnBad = "strict",
) -> Benchmark:
    """Return the benchmark called *name*, read from *path* where it needs one.

    Parameters
    ----------
    name
        What ``vdg benchmarks`` lists.
    path
        Its folder or its annotation file; None for built-in ones.
    videos
        Folder of its videos, where they lie elsewhere.
    variant
        Which of its forms; by default the first that ``vdg benchmarks`` lists.
    on_bad_records
        ``strict`` raises for records that cannot be used, ``skip`` leaves them
        out; `Benchmark.problems` lists them.

    Raises
    ------
    ConfigError
        For an unknown name or variant, a path too many or missing.
    BenchmarkError
        When its questions cannot be used, with file, record and reason of each.
    """
    source = Source(
        path=None if path is None else Path(path),
        videos=None if videos is None else Path(videos),
        variant=variant,
        on_bad=on_bad_records,
    )
    return find_loader(name)(source)


def benchmark_names() -> list[str]:
    """Return the names of all benchmarks, ours and others', without importing any."""
    return sorted({*BENCHMARKS, *(point.name for point in entry_points(group=GROUP))})


def find_loader(name: str) -> Loader:
    """Return what loads the benchmark called *name*; `ConfigError` if nothing does."""
    if name in BENCHMARKS:
        module, _, constant = BENCHMARKS[name].partition(":")
        found = getattr(import_module(f"pytest_vdg.benchmarks.{module}"), constant)
        assert isinstance(found, Published)
        return found
    return _installed(name)


def _installed(name: str) -> Loader:
    """Return the loader that another package brings under *name*."""
    points = entry_points(group=GROUP)
    found = [point for point in points if point.name == name]
    if not found:
        known = benchmark_names()
        hint = did_you_mean(name, known)
        listed = f"Known: {', '.join(known)}."
        listed = "" if listed in hint else f" {listed}"
        raise ConfigError(f"unknown benchmark {name!r}.{hint}{listed}")
    if len({point.value for point in found}) > 1:
        raise ConfigError(
            f"benchmark {name!r} is brought by more than one package: "
            + ", ".join(sorted(point.value for point in found))
        )
    return _checked(found[0])


def _checked(point: EntryPoint) -> Loader:
    where = f"benchmark {point.name!r} (entry point {point.value!r})"

    def loader(source: Source) -> Benchmark:
        try:
            made = point.load()(source)
        except VdgError:
            raise
        # Foreign code: whatever it raises goes to the user with its origin.
        except Exception as error:
            raise BenchmarkError(
                f"{where} failed: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(made, Benchmark):
            raise BenchmarkError(f"{where} returned {made!r:.60}, not a Benchmark")
        return made

    return loader
