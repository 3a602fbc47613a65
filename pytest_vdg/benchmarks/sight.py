"""The built-in benchmarks `sight` and `sight-leaky`, shipped with the package.

Apart from ``plain.py``, whose format they use, because they need no path and
nothing but a broken installation can make them fail.
"""

from __future__ import annotations

from pathlib import Path

from pytest_vdg.benchmarks.plain import load_plain
from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.errors import BenchmarkError

DATA = Path(__file__).resolve().parent / "data"


def load_sight() -> Benchmark:
    """Return the questions that any sighted model answers."""
    return _load("sight")


def _load(name: str) -> Benchmark:
    path = DATA / name / "questions.jsonl"
    if not path.is_file():
        raise BenchmarkError(
            f"the built-in benchmark {name!r} is not in this installation "
            f"({path} is missing).\n"
            "Install the package anew: pip install --force-reinstall pytest-vdg"
        )
    return load_plain(path, name=name)


def _built_in(name: str, title: str) -> Published:
    def load(_: Source) -> Benchmark:
        return _load(name)

    return Published(
        name=name,
        title=title,
        load=load,
        expects="nothing: it comes with this package",
        published="this package",
        built_in=True,
    )


SIGHT = _built_in("sight", "Coloured shapes: any sighted model answers")
SIGHT_LEAKY = _built_in("sight-leaky", "Coloured shapes, with flaws of real benchmarks")
