"""A video that never reached the model, seen from the whole run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.plan import make_plan
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import (
    VideoNotConsumed,
)
from pytest_vdg.frames.excerpt import WHOLE
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import (
    LADDER,
    SETTINGS,
    Stub,
    footage_of,
    model,
    question,
    shrug,
    slice_of,
    write_clip,
)

ROOT = Path(__file__).parents[2]


def test_a_dropped_video_is_no_blind_model(light: Slice) -> None:
    """A backend that loses the video raises; there is no VDG of zero."""
    with pytest.raises(VideoNotConsumed, match=r"question 'q4', condition 'original'"):
        evaluate(light, model(consumes_video=False), ["original", "black"], SETTINGS)


def test_a_backend_that_lies_about_tokens_is_found_out(light: Slice) -> None:
    """Tokens are reported, but no number ever moves: nothing was seen."""
    with pytest.raises(VideoNotConsumed, match="bit-equal"):
        evaluate(light, model(answer=shrug), ["original", "black"], SETTINGS)


def test_a_lie_is_found_out_among_kept_answers_too(
    light: Slice, store: CellStore
) -> None:
    """The second run does not trust what the first one stored."""
    for _ in range(2):
        liar = model(answer=shrug)
        with pytest.raises(VideoNotConsumed):
            evaluate(light, liar, ["original", "black"], SETTINGS, store=store)
    assert liar.calls == 0


@pytest.mark.parametrize(
    ("reply", "match"),
    [
        ({"frames_seen": 2}, "4 frames"),
        ({"visual_tokens": 0}, "visual token"),
        ({"input_digest": "always the same"}, "the very same tensors"),
    ],
)
def test_signs_of_a_lost_video_stop_the_run_at_once(
    light: Slice, reply: dict[str, object], match: str
) -> None:
    """The first question that shows it ends the run, with what to check."""
    faulty = Stub(reply=reply)
    with pytest.raises(VideoNotConsumed, match=match):
        evaluate(light, faulty, ["original", "black"], SETTINGS)
    assert faulty.calls <= 2


def test_an_answer_without_the_video_is_not_kept(
    light: Slice, store: CellStore
) -> None:
    """What did not see the clip must not be found as if it had."""
    with pytest.raises(VideoNotConsumed):
        evaluate(light, Stub(reply={"visual_tokens": 0}), LADDER, SETTINGS, store=store)
    assert store.count() == 0


def test_answers_kept_apart_are_compared_when_they_meet(
    light: Slice, store: CellStore
) -> None:
    """Original and black of two runs with equal inputs are found out, by decoding."""
    for condition in ("original", "black"):
        same = Stub(reply={"input_digest": "always the same"})
        evaluate(light, same, [condition], SETTINGS, store=store)
    unasked = Stub()
    with pytest.raises(VideoNotConsumed, match="the very same tensors"):
        evaluate(light, unasked, ["original", "black"], SETTINGS, store=store)
    assert unasked.calls == 0


def test_a_black_video_is_no_lost_video(folder: Path) -> None:
    """A clip that is black itself reaches the model as black; that is no fault."""
    write_clip(folder / "dark.mp4", level=0)
    two = slice_of(folder, [question("q1", "dark.mp4"), question("q2", "a.mp4")])
    run = evaluate(two, model(), ["original", "black"], SETTINGS)
    assert run.cells["q1", "original"].choice == run.cells["q1", "black"].choice


def test_a_model_without_probabilities_may_be_blind(light: Slice) -> None:
    """Equal letters everywhere are the verdict of blindness, not an error."""
    blind = model(answer=lambda p, c: "A", scoring="generate")
    run = evaluate(light, blind, ["original", "black"], SETTINGS)
    assert run.counts("original") == run.counts("black")


def test_light_is_not_claimed_of_a_video_that_cannot_be_decoded(folder: Path) -> None:
    """Where pixels cannot be looked at, equal inputs prove nothing."""
    (folder / "a.mp4").write_bytes(b"")
    plan = make_plan(slice_of(folder, [question("q1", "a.mp4")]), ["black"], seed=0)
    assert not footage_of(plan).has_light(WHOLE)
