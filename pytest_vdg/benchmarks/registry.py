"""Benchmarks by name: ours, and those that other packages bring.

Apart from the loaders so that naming one imports no other, and so that an
unknown name is an error here, in one place.

Another package adds a benchmark with an entry point that names a callable; it
is given the path from the configuration, or None, and returns a `Benchmark`::

    [project.entry-points."pytest_vdg.benchmarks"]
    my-traffic = "my_package.vdg:load"
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from pytest_vdg.benchmarks.plain import load_plain
from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.sight import load_sight, load_sight_leaky
from pytest_vdg.errors import (
    BenchmarkError,
    ConfigError,
    VdgError,
    did_you_mean,
)

GROUP = "pytest_vdg.benchmarks"
"""Entry-point group of benchmarks that other packages bring."""

Loader = Callable[[Path | None], Benchmark]
"""Takes the configured path, or None, and returns the benchmark."""


def _from_file(name: str, load: Callable[[Path], Benchmark]) -> Loader:
    def loader(path: Path | None) -> Benchmark:
        if path is None:
            raise ConfigError(f"benchmark {name!r} needs the path of its file")
        return load(path)

    return loader


def _built_in(name: str, load: Callable[[], Benchmark]) -> Loader:
    def loader(path: Path | None) -> Benchmark:
        if path is not None:
            raise ConfigError(
                f"benchmark {name!r} is built in and takes no path, got {str(path)!r}. "
                "For a file of yours use benchmark 'plain'"
            )
        return load()

    return loader


BENCHMARKS: dict[str, Loader] = {
    "plain": _from_file("plain", load_plain),
    "sight": _built_in("sight", load_sight),
    "sight-leaky": _built_in("sight-leaky", load_sight_leaky),
}


def load_benchmark(name: str, path: str | os.PathLike[str] | None = None) -> Benchmark:
    """Return the benchmark called *name*, read from *path* where it needs one.

    Raises `ConfigError` for an unknown name or a path too many or missing, and
    `BenchmarkError` when its questions cannot be used.
    """
    loader = BENCHMARKS.get(name) or _installed(name)
    return loader(None if path is None else Path(path))


def _installed(name: str) -> Loader:
    """Return the loader that another package brings under *name*."""
    points = entry_points(group=GROUP)
    found = [point for point in points if point.name == name]
    if not found:
        known = sorted({*BENCHMARKS, *(point.name for point in points)})
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

    def loader(path: Path | None) -> Benchmark:
        try:
            made = point.load()(path)
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
