"""Cells that are asked elsewhere: the run, the store and the errors are the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.hands import DEATHS, Handed, Lots
from pytest_vdg.engine.pace import Pace
from pytest_vdg.engine.plan import Plan, VideoPlan, make_plan, parse_conditions
from pytest_vdg.engine.progress import Progress
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import BackendError, CouldNotBeJudged, VideoNotConsumed
from pytest_vdg.frames.clip import Clip
from pytest_vdg.runs import Caps, Outcome, Run
from pytest_vdg.store.cells import CellStore
from tests.engine.elsewhere import Elsewhere, Named
from tests.engine.examples import (
    CLIPS,
    LADDER,
    SETTINGS,
    Many,
    Stub,
    look,
    model,
    question,
    slice_of,
)

BOTH = ("original", "black")
ALL = (*LADDER, "mismatched", "text_only", "sampled:2", "compressed:40")


@pytest.fixture
def nine(clips: Path) -> Slice:
    """Return nine questions, three about each video."""
    return slice_of(clips, [question(f"{v}-{i}", v) for v in CLIPS for i in range(3)])


def elsewhere(
    slice_: Slice,
    hands: Elsewhere,
    conditions: tuple[str, ...] = BOTH,
    settings: object = SETTINGS,
    store: CellStore | None = None,
    **more: object,
) -> Run:
    """Return the run that *hands* make of *slice_*."""
    named = Named(model())
    return evaluate(
        slice_, named, conditions, settings, store=store, hands=hands, **more
    )


# -- the run ---------------------------------------------------


@pytest.mark.parametrize("window", [1, 7, 64])
@pytest.mark.parametrize("many", [False, True])
def test_the_run_is_the_one_of_this_process(
    nine: Slice, window: int, many: bool
) -> None:
    """Under every kind of condition, partners and other rates included."""
    settings = replace(SETTINGS, window_cells=window)
    backend = Many(model()) if many else model()
    run = elsewhere(nine, Elsewhere(backend), ALL, settings)
    own = evaluate(nine, model(), ALL, SETTINGS)
    assert run == own
    assert run.cached_cells == 0
    assert run.fingerprint == own.fingerprint


def test_answers_are_kept_and_not_asked_again(nine: Slice, store: CellStore) -> None:
    """What is known is not sent out; what is new is found under this run's keys."""
    evaluate(nine, model(), ["black"], SETTINGS, store=store)
    hands = Elsewhere(model())
    run = elsewhere(nine, hands, BOTH, store=store)
    asked = [set(lot.kept) for lot in hands.lots]
    assert {condition for lot in asked for _, condition in lot} == {"black"}
    assert run.cached_cells == 9
    assert store.count() == 18
    again = Elsewhere(model())
    assert elsewhere(nine, again, BOTH, store=store).cached_cells == 18
    assert again.lots == []
    assert evaluate(nine, Named(model()), BOTH, SETTINGS, store=store) == run


def test_what_came_back_is_kept_before_the_rest_is_waited_for(
    nine: Slice, store: CellStore
) -> None:
    """An error later costs nothing that was answered before."""
    hands = Elsewhere(model(), among=1)
    counts = []

    def counting(progress: Progress) -> None:
        counts.append((progress.done, store.count(), progress.to_ask))

    settings = replace(SETTINGS, window_cells=6)
    elsewhere(nine, hands, BOTH, settings, store, progress=counting)
    assert counts == [(6, 6, 12), (12, 12, 6), (18, 18, 0)]


# -- what is refused -------------------------------------------


def test_a_video_that_is_lost_on_the_way_ends_the_run(nine: Slice) -> None:
    """The check of whoever asks is the check of the run."""
    dropped = model(consumes_video=False)
    with pytest.raises(VideoNotConsumed, match="did not reach the model"):
        elsewhere(nine, Elsewhere(dropped))


def test_nobody_elsewhere_is_believed_without_a_check(
    nine: Slice, store: CellStore
) -> None:
    """A cell that says that its video was lost is not kept, whoever asked it."""

    def unseen(handed: Handed) -> Handed:
        cells = tuple(replace(cell, frames_seen=1) for cell in handed.cells)
        return replace(handed, cells=cells)

    hands = Elsewhere(model())
    hands.change = unseen
    with pytest.raises(VideoNotConsumed, match="4 frames reach the model, got 1"):
        elsewhere(nine, hands, store=store)
    assert store.count() == 0


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"digests": {"a.mp4": "f" * 64}}, r"'a.mp4' is content f{12} on node"),
        ({"digests": {"a.mp4": ""}}, r"'a.mp4' is no file that can be read on node"),
        ({"keys": {}}, r"asks it otherwise than it was planned"),
    ],
)
def test_another_video_under_the_same_path_is_refused(
    nine: Slice, store: CellStore, changed: dict[str, object], told: str
) -> None:
    """So is whatever else makes another key; nothing of it is kept."""
    hands = Elsewhere(model())
    hands.change = lambda handed: replace(handed, **changed)
    with pytest.raises(CouldNotBeJudged, match=told):
        elsewhere(nine, hands, store=store)
    assert store.count() == 0


def test_hands_that_forget_a_video_make_no_smaller_run(nine: Slice) -> None:
    """Silence is not what a time limit leaves out."""

    class Forgetful(Elsewhere):
        def answers(self, lots: Lots, /) -> object:
            lots.take(1)
            return iter(())

    with pytest.raises(CouldNotBeJudged, match="no answer came back"):
        elsewhere(nine, Forgetful(model()))


# -- failures --------------------------------------------------


def test_a_backend_that_answers_nothing_is_given_up(nine: Slice) -> None:
    """After as many cells as in this process, and in the same words."""
    settings = replace(SETTINGS, give_up_after=7)
    with pytest.raises(CouldNotBeJudged) as here:
        evaluate(nine, Stub(fails=99), BOTH, settings)
    with pytest.raises(CouldNotBeJudged) as there:
        elsewhere(nine, Elsewhere(Stub(fails=99), among=1), BOTH, settings)
    assert str(here.value) == str(there.value)


def test_a_single_failure_is_a_failed_cell(nine: Slice, store: CellStore) -> None:
    """It is not kept, and is asked again by the next run."""

    def answer(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        if "a.mp4-1" in prompt.text and clip is not None and clip.frames.any():
            raise BackendError("out of memory")
        return look(prompt, clip)

    run = elsewhere(nine, Elsewhere(model(answer=answer)), store=store)
    failed = [c for c in run.cells.values() if c.outcome is Outcome.FAILED]
    assert [(c.question_id, c.condition) for c in failed] == [("a.mp4-1", "original")]
    assert store.count() == 17
    again = Elsewhere(model())
    assert elsewhere(nine, again, store=store).cached_cells == 17
    assert len(again.lots) == 1


def test_a_video_that_kills_whoever_asks_is_given_up_alone(
    nine: Slice, store: CellStore
) -> None:
    """Its cells fail with the reason; others of its lot are asked again."""
    hands = Elsewhere(model(), among=1)
    hands.lose = {"b.mp4"}
    run = elsewhere(nine, hands, store=store)
    failed = [c for c in run.cells.values() if c.outcome is Outcome.FAILED]
    assert {run_of(run, c.question_id) for c in failed} == {"b.mp4"}
    assert len(failed) == 6
    assert all("out of memory" in str(cell.reason) for cell in failed)
    assert store.count() == 12
    lots = Counter(v.video for lot in hands.lots for v in lot.plan.videos)
    assert lots["b.mp4"] == DEATHS


def run_of(run: Run, question_id: str) -> str:
    """Return the video that a question of *run* is about."""
    return next(q.video for q in run.questions if q.id == question_id)


def test_videos_that_all_kill_end_the_run(nine: Slice) -> None:
    """They are failures of the backend, and patience with it ends."""
    hands = Elsewhere(model())
    hands.lose = set(CLIPS)
    with pytest.raises(CouldNotBeJudged, match="failed on each of the first 7 cells"):
        elsewhere(nine, hands, BOTH, replace(SETTINGS, give_up_after=7))


def test_a_bad_video_is_a_failed_cell_and_no_fault_of_the_backend(
    folder: Path,
) -> None:
    """Where bad videos are skipped, they try nobody's patience."""
    (folder / "a.mp4").write_bytes(b"no video")
    asked = slice_of(folder, [question(f"{v}-{i}", v) for v in CLIPS for i in range(3)])
    settings = replace(SETTINGS, on_bad_media="skip", give_up_after=2, caps=Caps())
    run = elsewhere(asked, Elsewhere(model()), ("original",), settings)
    assert run == evaluate(asked, model(), ("original",), settings)


# -- time ------------------------------------------------------


def test_no_lot_is_begun_after_the_time_is_used_up(
    nine: Slice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was begun is finished, and the run says how much was planned."""
    clock = SimpleNamespace(now=0.0)

    def answer(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        clock.now += 1.0
        return look(prompt, clip)

    clock.monotonic = lambda: clock.now
    monkeypatch.setattr("pytest_vdg.engine.job.time", clock)
    hands = Elsewhere(model(answer=answer), among=1)
    settings = replace(SETTINGS, window_cells=6)
    run = elsewhere(nine, hands, BOTH, settings, until=7.0)
    assert len(run.questions) == 6
    assert run.planned == Counter({"light": 9})


# -- lots ------------------------------------------------------


def plan_of(cells: list[int]) -> Plan:
    """Return a plan of one video for each of *cells*, with so many questions."""
    videos = tuple(
        VideoPlan(
            video=f"{v}.mp4",
            path=Path(f"{v}.mp4"),
            questions=tuple(question(f"{v}-{i}", f"{v}.mp4") for i in range(n)),
            partner=None,
        )
        for v, n in enumerate(cells)
    )
    conditions = parse_conditions(["original"])
    return Plan(conditions=conditions, videos=videos, no_partner=None)


@given(
    cells=st.lists(st.integers(1, 5), min_size=1, max_size=9),
    among=st.integers(1, 4),
    most=st.integers(1, 8),
    data=st.data(),
)
def test_every_video_comes_back_once_whoever_dies(
    cells: list[int], among: int, most: int, data: st.DataObject
) -> None:
    """Answered once, or given up after so many deaths; no lot is too large."""
    plan = plan_of(cells)
    settings = replace(SETTINGS, window_cells=most)
    lots = Lots(plan, {}, settings, pace=Pace(), until=None)
    under_way, back, deaths = [], Counter[str](), Counter[str]()
    while True:
        lot = lots.take(among) if len(under_way) < among else None
        if lot is not None:
            sizes = [len(video.questions) for video in lot.plan.videos]
            assert sum(sizes[:-1]) < most
            under_way.append(lot)
            continue
        if not under_way:
            break
        lot = under_way.pop(data.draw(st.integers(0, len(under_way) - 1)))
        videos = [video.video for video in lot.plan.videos]
        if data.draw(st.booleans()):
            deaths.update(videos)
            for handed in lots.lost(lot, "killed"):
                back.update(handed.videos)
                assert all(deaths[video] == DEATHS for video in handed.videos)
        else:
            back.update(videos)
    assert back == Counter(video.video for video in plan.videos)
    assert max(deaths.values(), default=0) <= DEATHS


@pytest.mark.parametrize("among", [1, 2, 5])
def test_while_much_is_left_a_lot_fills_a_window(among: int) -> None:
    """However many ask, each is given as many cells as are asked together."""
    settings = replace(SETTINGS, window_cells=8)
    lots = Lots(plan_of([2] * 200), {}, settings, pace=Pace(), until=None)
    given = [lots.take(among) for _ in range(among)]
    assert [lot and lot.plan.total for lot in given] == [8] * among


def test_a_part_of_a_plan_knows_where_its_partners_lie(nine: Slice) -> None:
    """A lot is asked with no other part of the plan."""
    plan = make_plan(nine, ["mismatched"], seed=0)
    part = plan.part(plan.videos[:1])
    partner = plan.videos[0].partner
    assert partner is not None
    assert part.paths == {
        name: plan.paths[name] for name in (plan.videos[0].video, partner)
    }
