"""Cells asked many at a time: whatever the number, the same run comes of it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.backends.protocol import Backend, Prompt, Reply, Request
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.progress import Progress
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import (
    BackendError,
    BackendUnavailable,
    CouldNotBeJudged,
    VdgError,
    VideoNotConsumed,
)
from pytest_vdg.frames.clip import Clip
from pytest_vdg.runs import CellResult, Outcome, Run
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import (
    LADDER,
    SETTINGS,
    Many,
    Stub,
    look,
    model,
    question,
    slice_of,
    write_clip,
)

ALL = (*LADDER, "text_only", "mismatched", "reversed")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Slice:
    """Return ten questions on five videos: unequal sizes, one frame, one unreadable."""
    folder = tmp_path_factory.mktemp("mixed")
    write_clip(folder / "a.mp4", level=60)
    write_clip(folder / "b.mp4", level=120, side=48)
    write_clip(folder / "c.mp4", level=180)
    write_clip(folder / "one.mp4", level=90, frames=1)
    (folder / "bad.mp4").write_bytes(b"")
    videos = ("a.mp4", "b.mp4", "c.mp4", "one.mp4", "bad.mp4")
    return slice_of(
        folder, [question(f"q{i}", videos[i * 7 % 5], "AB"[i % 2]) for i in range(10)]
    )


def fails(share: int, seed: int) -> Backend:
    """Return a model that fails on one in *share* inputs, always on the same."""

    def answer(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        seen = b"" if clip is None else clip.digest().encode()
        if share and crc32(prompt.text.encode() + seen, seed) % share == 0:
            raise BackendError(f"not this one: {prompt.text.splitlines()[0]}")
        return look(prompt, clip)

    return model(answer=answer)


Result = tuple[Run | tuple[type[VdgError], str], dict[str, CellResult]]


def result(
    slice_: Slice, backend: Backend, conditions: Sequence[str], **changes: object
) -> Result:
    """Return the run or the error, and what is kept; half of it was there before."""
    how = replace(SETTINGS, on_bad_media="skip", **changes)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        store = CellStore(folder)
        part = slice_of(slice_.benchmark.root, slice_.questions[:4])
        evaluate(part, model(), conditions[1:3], how, store=store)
        found: Run | tuple[type[VdgError], str]
        try:
            found = evaluate(slice_, backend, conditions, how, store=store)
        except VdgError as error:
            found = type(error), str(error)
        rows = store.database.opened().execute("SELECT key FROM cells").fetchall()
        kept = store.get_many(key for (key,) in rows)
        store.close()
        return found, kept


KNOWN: dict[tuple[int, int, int], Result] = {}


def one_by_one(slice_: Slice, share: int, seed: int, patience: int) -> Result:
    """Return what asking one after the other gives, worked out once."""
    key = share, seed, patience
    if key not in KNOWN:
        KNOWN[key] = result(slice_, fails(share, seed), ALL, give_up_after=patience)
    return KNOWN[key]


@settings(max_examples=30, deadline=None)
@given(
    window=st.tuples(
        st.integers(1, 80), st.sampled_from([1, 20_000, 100_000, 1 << 30])
    ),
    share=st.sampled_from([0, 1, 2, 5]),
    seed=st.integers(0, 3),
    patience=st.sampled_from([1, 3, 20]),
)
def test_the_size_of_windows_changes_nothing(
    mixed: Slice, window: tuple[int, int], share: int, seed: int, patience: int
) -> None:
    """Cells, errors, and what is kept are those of asking one after the other.

    With videos and models that fail, with kept answers, in any condition.
    """
    one = one_by_one(mixed, share, seed, patience)
    many = result(
        mixed,
        Many(fails(share, seed)),
        ALL,
        give_up_after=patience,
        window_cells=window[0],
        window_bytes=window[1],
    )
    assert many == one


@pytest.mark.parametrize(
    "reply",
    [
        {"frames_seen": 2},
        {"visual_tokens": 0},
        {"input_digest": "always the same"},
    ],
)
def test_a_lost_video_is_found_out_in_a_window(
    mixed: Slice, reply: dict[str, object]
) -> None:
    """The first question that shows it is named, though others were asked too."""
    one = result(mixed, Stub(reply=reply), ("original", "black", "shuffled"))
    many = result(mixed, Many(Stub(reply=reply)), ("original", "black", "shuffled"))
    assert isinstance(one[0], tuple)
    assert one[0][0] is VideoNotConsumed
    assert many == one


# -- how many, and which together --------------------------------


def test_windows_hold_whole_videos(light: Slice) -> None:
    """Videos of 4, 8 and 8 cells, twelve at most together: 12 and 8."""
    asked = Many(model())
    evaluate(light, asked, LADDER, replace(SETTINGS, window_cells=12))
    assert [len(window) for window in asked.windows] == [12, 8]


def test_a_video_with_more_cells_is_asked_in_parts(light: Slice) -> None:
    """No window is larger than it may be, however many questions a video has."""
    asked = Many(model())
    evaluate(light, asked, LADDER, replace(SETTINGS, window_cells=3))
    assert max(len(window) for window in asked.windows) == 3
    assert sum(len(window) for window in asked.windows) == 20


def test_frames_bound_a_window(light: Slice) -> None:
    """A clip of 4 frames of 32 x 32 is 12 288 bytes; the same one counts once."""
    two_clips = 2 * 4 * 32 * 32 * 3
    asked = Many(model())
    how = replace(SETTINGS, window_bytes=two_clips)
    evaluate(light, asked, ["original", "black"], how)
    assert max(len(window) for window in asked.windows) == 2
    asked = Many(model())
    evaluate(light, asked, ["original", "text_only"], how)
    # a.mp4 has one question and its clip; that of b.mp4 is the second.
    assert len(asked.windows[0]) == 3


def test_equal_clips_stand_together(light: Slice) -> None:
    """Whoever reads equal beginnings once finds them beside each other."""
    asked = Many(model())
    evaluate(light, asked, ["original", "black", "reversed", "text_only"], SETTINGS)
    (window,) = asked.windows
    looks = [None if r.clip is None else r.clip.digest() for r in window]
    changes = sum(a != b for a, b in pairwise(looks))
    # No video, black, and three videos forwards and backwards: eight looks.
    assert len(set(looks)) == changes + 1 == 8


def test_known_answers_are_not_asked(light: Slice, store: CellStore) -> None:
    """A window holds what the model has to be asked and nothing else."""
    evaluate(light, model(), ["black"], SETTINGS, store=store)
    asked = Many(model())
    run = evaluate(light, asked, ["original", "black"], SETTINGS, store=store)
    assert [len(window) for window in asked.windows] == [5]
    assert run.cached_cells == 5
    again = Many(model())
    evaluate(light, again, ["original", "black"], SETTINGS, store=store)
    assert again.windows == []


# -- when something goes wrong -----------------------------------


class Broken(Many):
    """A backend whose `ask_many` does as told."""

    def __init__(self, does: object) -> None:
        """Raise *does*, or return as many answers fewer."""
        super().__init__(model())
        self.does = does

    def ask_many(self, requests: Sequence[Request]) -> list[Reply | BackendError]:
        """Do it."""
        answers = super().ask_many(requests)
        if isinstance(self.does, BaseException):
            raise self.does
        assert isinstance(self.does, int)
        return answers[: -self.does]


def test_a_model_that_does_not_load_is_given_up(light: Slice) -> None:
    """As when asked one by one: each cell failed, so there is no run."""
    broken = Broken(BackendError("weights are missing"))
    with pytest.raises(CouldNotBeJudged, match=r"first 20 cells.*\n?.*are missing"):
        evaluate(light, broken, LADDER, SETTINGS)


def test_missing_packages_end_the_run(light: Slice) -> None:
    """Raised, or in the place of an answer: no other cell would fare better."""
    with pytest.raises(BackendUnavailable):
        evaluate(light, Broken(BackendUnavailable("x", "torch")), LADDER, SETTINGS)

    def missing(prompt: Prompt, clip: Clip | None) -> str:
        raise BackendUnavailable("x", "torch")

    with pytest.raises(BackendUnavailable):
        evaluate(light, Many(model(answer=missing)), LADDER, SETTINGS)


def test_answers_that_are_missing_are_no_ones(light: Slice) -> None:
    """Which of them is missing is not guessed: all cells of the window failed."""
    run = evaluate(light, Broken(1), ["original"], SETTINGS)
    assert {c.outcome for c in run.cells.values()} == {Outcome.FAILED}
    assert "5 questions together and gave 4" in (
        run.cells["q1", "original"].reason or ""
    )


def test_an_interrupt_loses_the_window_in_flight(
    light: Slice, store: CellStore
) -> None:
    """What was asked before is kept, all of it; of the window nothing is."""
    heard = 0

    def tire(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        nonlocal heard
        heard += 1
        if heard > 10:
            raise KeyboardInterrupt
        return look(prompt, clip)

    how = replace(SETTINGS, window_cells=4)
    with pytest.raises(KeyboardInterrupt):
        evaluate(light, Many(model(answer=tire)), LADDER, how, store=store)
    assert store.count() == 8
    rest = Many(model())
    run = evaluate(light, rest, LADDER, how, store=store)
    assert sum(map(len, rest.windows)) == 12
    assert run == evaluate(light, model(), LADDER, SETTINGS)


# -- progress ----------------------------------------------------


def test_progress_is_told_after_each_window(light: Slice, store: CellStore) -> None:
    """What is left to ask is told apart from what the store will answer."""
    evaluate(light, model(), ["black"], SETTINGS, store=store)
    told: list[Progress] = []
    evaluate(
        light,
        Many(model()),
        ["original", "black"],
        replace(SETTINGS, window_cells=2),
        store=store,
        progress=told.append,
    )
    assert [(p.done, p.cached, p.to_ask) for p in told if p.done in (2, 6, 10)] == [
        (2, 1, 4),
        (6, 3, 2),
        (10, 5, 0),
    ]
    assert told[-1].rate is not None
    assert told[-1].left_s == 0
