"""Benchmarks by name: ours, other packages', and names nobody knows."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import nullcontext
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from pytest_vdg.benchmarks import registry
from pytest_vdg.benchmarks.registry import (
    BENCHMARKS,
    GROUP,
    find_loader,
    load_benchmark,
)
from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.errors import BenchmarkError, ConfigError
from tests.benchmarks.made import benchmark, record, write

Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that pretends other packages bring these benchmarks."""

    def pretend(**values: str) -> None:
        points = EntryPoints(
            EntryPoint(name=name.partition("__")[0], value=value, group=GROUP)
            for name, value in values.items()
        )
        monkeypatch.setattr(registry, "entry_points", lambda group: points)

    return pretend


def load_foreign(source: Source) -> Benchmark:
    """Stand for another package's loader."""
    return benchmark({"a": 2}, source.path or Path("nowhere"))


def load_nothing(source: Source) -> None:
    """Stand for a loader that forgot to return."""


def load_badly(source: Source) -> Benchmark:
    """Stand for a loader with a fault of its own."""
    raise KeyError("video")


def load_refused(source: Source) -> Benchmark:
    """Stand for a loader that refuses its file."""
    raise BenchmarkError("line 3 is wrong")


def test_plain_file_is_loaded_by_name(tmp_path: Path) -> None:
    """The name ``plain`` and a path are all a file of one's own needs."""
    path = write(tmp_path, [record()])
    assert load_benchmark("plain", path).questions[0].id == "q1"
    assert load_benchmark("plain", str(path)).name == "mine"


def test_plain_needs_a_path() -> None:
    """Leaving the path out is a configuration error, not a crash."""
    with pytest.raises(ConfigError, match=r"'plain' needs a path\. It expects:\n"):
        load_benchmark("plain")


@pytest.mark.parametrize("name", ["sight", "sight-leaky"])
def test_built_in_takes_no_path(name: str) -> None:
    """A path given to a built-in benchmark is not ignored."""
    with pytest.raises(ConfigError, match="takes no path"):
        load_benchmark(name, "mine.jsonl")


def test_unknown_name_lists_the_known(install: Install) -> None:
    """A mistyped name is answered with the nearest, and with all."""
    install(traffic="anywhere:load")
    with pytest.raises(ConfigError) as caught:
        load_benchmark("sihgt")
    message = str(caught.value)
    assert "Did you mean 'sight'?" in message
    listed = message.partition("Known: ")[2].rstrip(".").split(", ")
    assert listed == sorted([*BENCHMARKS, "traffic"])


def test_known_names_are_listed_once() -> None:
    """Without a near name the list is not said twice."""
    with pytest.raises(ConfigError) as caught:
        load_benchmark("zzz")
    assert str(caught.value).count("Known:") == 1


def test_known_name_asks_no_other_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Installed packages are looked through for unknown names only."""

    def never(group: str) -> EntryPoints:
        raise AssertionError(group)

    monkeypatch.setattr(registry, "entry_points", never)
    assert len(load_benchmark("plain", write(tmp_path, [record()]))) == 1


def test_other_package_brings_a_benchmark(install: Install) -> None:
    """An entry point is loaded by its name and given the path."""
    install(foreign=f"{__name__}:load_foreign")
    assert load_benchmark("foreign", "videos").root == Path("videos")
    assert load_benchmark("foreign").root == Path("nowhere")


def test_fault_of_another_package_names_it(install: Install) -> None:
    """Whose fault it is stands in the message."""
    install(foreign=f"{__name__}:load_badly")
    with pytest.raises(BenchmarkError, match=r"load_badly.* failed: KeyError: 'video'"):
        load_benchmark("foreign")


def test_package_that_cannot_be_imported_is_named(install: Install) -> None:
    """An entry point to nowhere is an error that names it."""
    install(foreign="no_such_package_at_all:load")
    with pytest.raises(BenchmarkError, match="no_such_package_at_all"):
        load_benchmark("foreign")


def test_refusal_of_another_package_is_passed_on(install: Install) -> None:
    """Our own errors need no second wrapping."""
    install(foreign=f"{__name__}:load_refused")
    with pytest.raises(BenchmarkError, match=r"^line 3 is wrong$"):
        load_benchmark("foreign")


def test_loader_must_return_a_benchmark(install: Install) -> None:
    """A loader that returns nothing is told so, not trusted."""
    install(foreign=f"{__name__}:load_nothing")
    with pytest.raises(BenchmarkError, match="returned None, not a Benchmark"):
        load_benchmark("foreign")


def test_two_packages_of_one_name_are_refused(install: Install) -> None:
    """Which of two benchmarks is meant is not left to the order of a folder."""
    install(foreign="one:load", foreign__2="two:load")
    with pytest.raises(ConfigError, match="more than one package: one:load, two:load"):
        load_benchmark("foreign")


@pytest.mark.parametrize("name", sorted(BENCHMARKS))
def test_registered_name_is_that_of_its_benchmark(name: str) -> None:
    """A line of the registry leads to a benchmark that goes by the same name."""
    found = find_loader(name)
    assert isinstance(found, Published)
    assert found.name == name


@pytest.mark.parametrize("name", sorted(BENCHMARKS))
def test_wrong_variant_is_answered_with_the_name(name: str, tmp_path: Path) -> None:
    """No benchmark takes a form it does not have."""
    found = find_loader(name)
    assert isinstance(found, Published)
    path = None if found.built_in else tmp_path
    with pytest.raises(ConfigError, match=f"'{name}' has no variant 'no such form'"):
        load_benchmark(name, path, variant="no such form")


@pytest.mark.parametrize("name", sorted(set(BENCHMARKS) - {"sight", "sight-leaky"}))
def test_a_folder_that_is_not_there_is_said_to_be_so(name: str, tmp_path: Path) -> None:
    """Each loader names the one that was meant, before it looks for any list."""
    (tmp_path / "benchmark").mkdir()
    with pytest.raises(BenchmarkError) as caught:
        load_benchmark(name, tmp_path / "bnechmark")
    said = str(caught.value)
    assert "there is no such file or folder. Did you mean" in said
    assert repr(str(tmp_path / "benchmark")) in said


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("good", [True, False])
def test_loading_leaves_the_collector_as_it_was(
    tmp_path: Path, *, running: bool, good: bool
) -> None:
    """It pauses while records are made, and is nobody else's to find switched."""
    path = write(tmp_path, [record()]) if good else tmp_path / "gone.jsonl"
    before = gc.isenabled()
    (gc.enable if running else gc.disable)()
    try:
        with nullcontext() if good else pytest.raises(BenchmarkError):
            load_benchmark("plain", path)
        assert gc.isenabled() is running
    finally:
        (gc.enable if before else gc.disable)()
