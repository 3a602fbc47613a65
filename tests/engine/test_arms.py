"""What several conditions cost on `sight`, in counts: the least possible.

The least is counted by ``bench/arms/least.py``, which holds every beginning of
every prompt in a set; it shares no code with the engine's tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.arms.__main__ import ARMS, SETTINGS, inputs
from bench.arms.least import least
from bench.arms.plain import plain_loop
from bench.arms.questions import asked_slice
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.backends.work import Work
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.frames.decoding import Decoders

pytest.importorskip("torch")

GROUNDED = Path(__file__).parents[2] / "example_suite" / "checkpoints" / "grounded"
FOUR = ARMS[2]


@pytest.fixture(scope="module")
def grounded() -> Iterator[TransformersBackend]:
    """Return the checkpoint that sees, its trial behind it."""
    backend = TransformersBackend(
        TransformersSettings(checkpoint=GROUNDED, device="cpu", threads=1)
    )
    evaluate(asked_slice(videos=2, each=1), backend, FOUR, SETTINGS)
    yield backend
    backend.close()


@pytest.mark.parametrize("each", [1, 10])
def test_four_conditions_cost_the_prefix_tree(
    grounded: TransformersBackend, each: int
) -> None:
    """At most 1.05 times its tokens are read, and each video is decoded once.

    Not fewer than it has, either: with nothing held, less would mean that
    something was not read. Answers are those of a loop that shares nothing.
    """
    slice_ = asked_slice(videos=8, each=each)
    grounded.forget()
    before = grounded.work.minus(Work())
    with Decoders(sampling=SETTINGS.sampling, workers=0) as decoders:
        run = evaluate(slice_, grounded, FOUR, SETTINGS, decoders=decoders)
        assert decoders.decodes == 8
    work = grounded.work.minus(before)
    assert grounded._asking is not None
    loaded = grounded._asking.loaded
    floor = least(loaded, inputs(loaded, slice_, FOUR))
    assert floor.lm_tokens <= work.lm_tokens <= 1.05 * floor.lm_tokens
    assert work.vision_tokens == floor.vision_tokens
    plain = plain_loop(loaded, slice_, FOUR, SETTINGS)
    assert {key: cell.choice for key, cell in run.cells.items()} == plain.choices
    assert plain.decodes == 4 * len(slice_)
