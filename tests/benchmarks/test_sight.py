"""The built-in benchmarks load, whole, from wherever the package lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.benchmarks import sight
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.errors import BenchmarkError

both = pytest.mark.parametrize("name", ["sight", "sight-leaky"])


@both
def test_built_in_benchmark_is_complete(name: str) -> None:
    """Every question's clip is in the package."""
    made = load_benchmark(name)
    assert made.name == name
    assert made.questions
    assert [q.id for q in made.questions if not made.video_path(q).is_file()] == []


def test_the_short_way_to_sight_is_the_same() -> None:
    """Name and function give the same questions."""
    assert load_benchmark("sight").digest == sight.load_sight().digest


@both
def test_broken_installation_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """Without its data the package asks to be installed anew."""
    monkeypatch.setattr(sight, "DATA", tmp_path)
    with pytest.raises(BenchmarkError, match="pip install --force-reinstall"):
        load_benchmark(name)
