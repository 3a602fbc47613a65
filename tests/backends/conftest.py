"""Fixtures of the backend tests: a tiny checkpoint, clips, one prompt."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.frames.clip import Clip
from tests.backends.families import TINY

MakeBackend = Callable[..., TransformersBackend]


@pytest.fixture(scope="session")
def one_thread() -> None:
    """Keep torch on one thread; skips where torch is not installed."""
    pytest.importorskip("torch").set_num_threads(1)
    pytest.importorskip("transformers")


@pytest.fixture(scope="session")
def checkpoint(built: Callable[[str], Path]) -> Path:
    """Return a tiny random Qwen2-VL checkpoint; not to be changed."""
    return built("qwen2_vl")


@pytest.fixture
def own(checkpoint: Path, tmp_path: Path) -> Path:
    """Return a copy of the checkpoint that a test may break."""
    return Path(shutil.copytree(checkpoint, tmp_path / "own"))


@pytest.fixture(scope="session")
def built(
    tmp_path_factory: pytest.TempPathFactory, one_thread: None
) -> Callable[[str], Path]:
    """Return what gives the tiny checkpoint of a family; not to be changed."""

    @cache
    def of(kind: str) -> Path:
        return TINY[kind].build(tmp_path_factory.mktemp(kind))

    return of


@pytest.fixture(scope="session")
def family(request: pytest.FixtureRequest, built: Callable[[str], Path]) -> Path:
    """Return a tiny checkpoint of the family that the test names."""
    return built(request.param)


@pytest.fixture
def backend() -> Iterator[MakeBackend]:
    """Return a maker of backends, all of which are closed after the test."""
    made: list[TransformersBackend] = []

    def make(folder: Path, **settings: object) -> TransformersBackend:
        new = TransformersBackend(
            TransformersSettings(checkpoint=folder, device="cpu", **settings)  # type: ignore[arg-type]
        )
        made.append(new)
        return new

    yield make
    for one in made:
        one.close()


@pytest.fixture
def prompt() -> Prompt:
    """Return a question with three options."""
    return Prompt(
        text=(
            "what color is the shape ?\nA. red\nB. blue\nC. green\n"
            "Answer with the letter of the correct option."
        ),
        labels=("A", "B", "C"),
        option_texts=("red", "blue", "green"),
    )


def make_clip(
    frames: int = 8,
    *,
    seed: int = 0,
    black: bool = False,
    fps: float = 4.0,
    size: tuple[int, int] = (48, 48),
    timestamps_s: list[float] | None = None,
) -> Clip:
    """Return a clip of random (or black) frames, every one of a video's."""
    noise = np.random.default_rng(seed).integers(0, 256, (frames, *size, 3))
    times = np.arange(frames) / fps if timestamps_s is None else np.array(timestamps_s)
    return Clip(
        frames=(noise * (not black)).astype(np.uint8),
        timestamps_s=times,
        source_fps=fps,
        source_frames=frames,
        source_indices=tuple(range(frames)),
        reader="synthetic",
    )
