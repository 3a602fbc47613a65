"""The built-in benchmarks load, whole, from wherever the package lies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vdg.benchmarks import sight
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.sight import load_sight, load_sight_leaky
from pytest_vdg.errors import BenchmarkError

LOADERS = {"sight": load_sight, "sight-leaky": load_sight_leaky}


@pytest.mark.parametrize(("name", "load"), LOADERS.items())
def test_built_in_benchmark_is_complete(
    name: str, load: Callable[[], Benchmark]
) -> None:
    """Every question's clip is in the package."""
    made = load()
    assert made.name == name
    assert made.questions
    assert [q.id for q in made.questions if not made.video_path(q).is_file()] == []


@pytest.mark.parametrize(("name", "load"), LOADERS.items())
def test_built_in_benchmark_is_known_by_name(
    name: str, load: Callable[[], Benchmark]
) -> None:
    """Name and function give the same questions."""
    assert load_benchmark(name).digest == load().digest


@pytest.mark.parametrize("load", LOADERS.values())
def test_broken_installation_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, load: Callable[[], Benchmark]
) -> None:
    """Without its data the package asks to be installed anew."""
    monkeypatch.setattr(sight, "DATA", tmp_path)
    with pytest.raises(BenchmarkError, match="pip install --force-reinstall"):
        load()
