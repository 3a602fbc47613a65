"""Fixtures of the engine's tests: clips written once, slices of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import CLIPS, question, slice_of, write_clip


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with three clips of rising brightness, not to be changed."""
    folder = tmp_path_factory.mktemp("clips")
    for name, level in CLIPS.items():
        write_clip(folder / name, level=level)
    return folder


@pytest.fixture
def folder(clips: Path, tmp_path: Path) -> Path:
    """Return a copy of the clips that a test may damage."""
    return Path(shutil.copytree(clips, tmp_path / "clips"))


@pytest.fixture
def questions() -> list[Question]:
    """Return five questions on three videos; neither sorted by id nor video."""
    return [
        question("q5", "c.mp4"),
        question("q1", "b.mp4", answer="B"),
        question("q4", "a.mp4"),
        question("q2", "b.mp4"),
        question("q3", "c.mp4"),
    ]


@pytest.fixture
def light(clips: Path, questions: list[Question]) -> Slice:
    """Return the slice of the five questions."""
    return slice_of(clips, questions)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CellStore]:
    """Return an empty store."""
    made = CellStore(tmp_path / "answers")
    yield made
    made.close()
