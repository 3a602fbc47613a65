"""Each video is decoded once a run, ahead of the model, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.engine.footage import Footage
from pytest_vdg.engine.plan import Plan, make_plan
from pytest_vdg.engine.reel import MOST_AHEAD, Reel, Use, uses_of
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import MediaError
from pytest_vdg.frames import decoding
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decoding import Decoders, Want
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
from pytest_vdg.runs import Outcome
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import (
    LADDER,
    SETTINGS,
    Many,
    model,
    question,
    reading,
    slice_of,
    write_clip,
)
from tests.frames import faulty_reader

ALL = (*LADDER, "mismatched", "text_only", "reversed")


# -- counted in whole runs ---------------------------------------


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("each", [1, 10])
def test_a_video_is_decoded_once(clips: Path, each: int, workers: int) -> None:
    """With 1 and with 10 questions a video, though each stands in for another."""
    asked = [question(f"{v}-{i}", f"{v}.mp4") for v in "abc" for i in range(each)]
    how = replace(SETTINGS, decode_workers=workers)
    slice_ = slice_of(clips, asked)
    with reading(how) as decoders:
        run = evaluate(slice_, Many(model()), ALL, how, decoders=decoders)
        assert decoders.decodes == 3
    assert run == evaluate(slice_, model(), ALL, SETTINGS)


def test_a_known_answer_needs_no_video(
    clips: Path, questions: list[Question], store: CellStore
) -> None:
    """Of a run that is taken up again only the rest is decoded."""
    part = [q for q in questions if q.video != "b.mp4"]
    evaluate(slice_of(clips, part), model(), LADDER, SETTINGS, store=store)
    with reading() as decoders:
        slice_ = slice_of(clips, questions)
        evaluate(slice_, model(), LADDER, SETTINGS, store=store, decoders=decoders)
        assert decoders.decodes == 1


def test_videos_of_unequal_sizes_are_decoded_twice_at_most(
    folder: Path, questions: list[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its own size, and at that of the video that it stands in for."""
    write_clip(folder / "b.mp4", level=120, side=48)
    seen: Counter[str] = Counter()
    inner = decoding.read_clip

    def note(path: Path, *args: object, **options: object) -> Clip:
        seen[path.name] += 1
        return inner(path, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(decoding, "read_clip", note)
    evaluate(slice_of(folder, questions), model(), ALL, SETTINGS)
    assert seen.keys() == {"a.mp4", "b.mp4", "c.mp4"}
    assert max(seen.values()) == 2
    seen.clear()
    how = replace(SETTINGS, size=(32, 32))
    evaluate(slice_of(folder, questions), model(), ALL, how)
    assert seen == {"a.mp4": 1, "b.mp4": 1, "c.mp4": 1}


# -- who stands in for whom, and how much is held ----------------

FRAMES = 4


class Cinema:
    """Plays the decoders: clips of given sizes, counted, and how many wait."""

    def __init__(self, sizes: dict[str, tuple[int, int]], workers: int) -> None:
        """Show videos at *sizes*."""
        self.workers = workers
        self.sizes = sizes
        self.read: Counter[tuple[str, str]] = Counter()
        self.waiting = 0
        self.most = 0

    def submit(self, want: Want) -> Callable[[], Clip]:
        """Return what gives a clip, once."""
        self.read[want.path.name, want.excerpt.spec] += 1
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        return lambda: self._clip(want)

    def _clip(self, want: Want) -> Clip:
        self.waiting -= 1
        height, width = want.size or self.sizes[want.path.name]
        return Clip(
            frames=np.zeros((FRAMES, height, width, 3), dtype=np.uint8),
            timestamps_s=np.arange(FRAMES, dtype=np.float64),
            source_fps=1.0,
            source_frames=FRAMES,
            source_indices=tuple(range(FRAMES)),
            reader="synthetic",
        )


def watch(plan: Plan, cinema: Cinema, room: int, size: tuple[int, int] | None) -> None:
    """Look at all clips of *plan* as a run does."""
    reel = Reel(uses_of(plan, frozenset(), size), cinema, room=room)  # type: ignore[arg-type]
    how = replace(SETTINGS, size=size)
    for video in plan.videos:
        footage = Footage(video, plan.paths, how, reel)
        for asked in video.questions:
            shown = size or cinema.sizes[video.path.name]
            assert footage.clip(asked.excerpt).size == shown
            if video.partner is not None:
                assert footage.partner(asked.excerpt).size == shown


PARTS = (WHOLE, Excerpt(end_s=1.0), Excerpt(start_s=1.0))


@st.composite
def programmes(draw: st.DrawFn) -> tuple[Plan, dict[str, tuple[int, int]]]:
    """Return a plan over several videos in any order, and their sizes."""
    sizes = draw(st.lists(st.sampled_from([(4, 4), (4, 8)]), min_size=1, max_size=8))
    names = [f"{i}.mp4" for i in range(len(sizes))]
    asked = [
        replace(question(f"{name}-{i}", name), excerpt=part)
        for name in names
        for i, part in enumerate(
            draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4))
        )
    ]
    plan = make_plan(slice_of(Path("x"), asked), ["original", "mismatched"], seed=0)
    if draw(st.booleans()):
        plan = plan.in_order(draw(st.permutations(names)))
    return plan, dict(zip(names, sizes, strict=True))


ONE = FRAMES * 4 * 8 * 3
"""Bytes of the largest clip."""


@given(
    programme=programmes(),
    workers=st.integers(0, 3),
    room=st.integers(0, 8),
    size=st.sampled_from([None, (4, 4)]),
)
def test_no_part_of_a_video_is_decoded_more_than_twice(
    programme: tuple[Plan, dict[str, tuple[int, int]]],
    workers: int,
    room: int,
    size: tuple[int, int] | None,
) -> None:
    """In any order, with any room, whatever the sizes; and little is ever held."""
    plan, sizes = programme
    cinema = Cinema(sizes, workers)
    watch(plan, cinema, room * ONE, size)
    assert max(cinema.read.values()) <= 2
    # The smaller clips take half the room; one more may be wanted at once.
    assert cinema.most <= max(workers + 2, 2 * room + 1)


@given(programme=programmes(), workers=st.integers(0, 3))
def test_with_room_each_part_is_decoded_once(
    programme: tuple[Plan, dict[str, tuple[int, int]]], workers: int
) -> None:
    """Where all videos are shown at one size, in any order."""
    plan, sizes = programme
    cinema = Cinema(dict.fromkeys(sizes, (4, 4)), workers)
    watch(plan, cinema, 1 << 30, (4, 4))
    assert set(cinema.read.values()) == {1}


def test_partners_are_near(light_many: Sequence[Question]) -> None:
    """In the plan's order one clip is kept besides the next: the first one."""
    plan = make_plan(
        slice_of(Path("x"), light_many), ["original", "mismatched"], seed=0
    )
    sizes = {q.video: (4, 8) for q in light_many}
    cinema = Cinema(sizes, workers=0)
    watch(plan, cinema, 2 * ONE, None)
    assert set(cinema.read.values()) == {1}


@pytest.fixture
def light_many() -> list[Question]:
    """Return questions about forty videos."""
    return [question(f"q{i}", f"{i}.mp4") for i in range(40)]


def test_decoding_ahead_has_a_bound(light_many: Sequence[Question]) -> None:
    """However small clips are; however many videos there are."""
    asked = [
        replace(q, id=f"{q.id}-{i}", video=f"{i}{q.video}")
        for q in light_many
        for i in range(5)
    ]
    plan = make_plan(slice_of(Path("x"), asked), ["original"], seed=0)
    cinema = Cinema({v.video: (4, 4) for v in plan.videos}, workers=1)
    watch(plan, cinema, 1 << 30, None)
    assert cinema.most == MOST_AHEAD
    assert sum(cinema.read.values()) == 200


def test_a_use_that_did_not_come_is_passed_over() -> None:
    """Of a video that cannot be read the partner is not waited for."""
    wants = [Want(path=Path(f"{i}.mp4"), excerpt=WHOLE, size=None) for i in range(4)]
    cinema = Cinema({w.path.name: (4, 4) for w in wants}, workers=1)
    reel = Reel([Use(want=w) for w in wants], cinema)  # type: ignore[arg-type]
    reel.take(wants[0])
    reel.take(wants[3])
    assert not reel.offers(wants[1])
    assert not reel.offers(wants[2])


# -- readers that misbehave, from the run's side -----------------


@pytest.mark.parametrize(
    ("name", "reason"),
    [("hangs.mp4", "took longer than 0.2 s"), ("crashes.mp4", "signal 11")],
)
def test_a_reader_that_misbehaves_costs_its_questions(
    folder: Path, name: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clip is undecodable, the other questions go on, and the run ends."""
    faulty_reader.install(monkeypatch)
    (folder / "b.mp4").rename(folder / name)
    asked = [question(f"q{i}", v) for i, v in enumerate(["a.mp4", name, "c.mp4"])]
    how = replace(SETTINGS, decode_workers=1, decode_timeout_s=0.2)
    conditions = ["original", "black", "text_only"]
    run = evaluate(slice_of(folder, asked), Many(model()), conditions, how)
    lost = {key for key, cell in run.cells.items() if cell.outcome is Outcome.FAILED}
    assert lost == {("q1", "original"), ("q1", "black")}
    for key in lost:
        assert reason in (run.cells[key].reason or "")
        assert name in (run.cells[key].reason or "")


def test_an_error_in_the_run_ends_the_processes(clips: Path) -> None:
    """Nothing decodes on for a run that is over."""
    how = replace(SETTINGS, decode_workers=2)
    decoders: list[Decoders] = []

    def tire(prompt: object, clip: object) -> str:
        raise KeyboardInterrupt

    inner = decoding.Decoders.submit

    class Seen(Decoders):
        """Decoders that can be asked afterwards."""

        def submit(self, want: Want) -> Callable[[], Clip]:
            """Note who was asked."""
            decoders.append(self)
            return inner(self, want)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pytest_vdg.engine.runner.Decoders", Seen)
        slice_ = slice_of(clips, [question(f"q{v}", f"{v}.mp4") for v in "abc"])
        with pytest.raises(KeyboardInterrupt):
            evaluate(slice_, model(answer=tire), ["original"], how)
    assert decoders
    with pytest.raises(MediaError, match="the run has ended"):
        decoders[0]._all[0]._started()
