"""A run that ends before all is asked: whole videos, a fair sample, its real n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.comparable import at_questions_of, require_comparable, slice_digest
from pytest_vdg.engine import job
from pytest_vdg.engine.pace import Pace
from pytest_vdg.engine.plan import fair_order
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.frames.clip import Clip
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import (
    CLIPS,
    SETTINGS,
    Many,
    look,
    model,
    question,
    slice_of,
)

BOTH = ("original", "black")


class Clock:
    """A clock that goes on by a second with each answer."""

    def __init__(self) -> None:
        """Start at nought."""
        self.now = 0.0

    def monotonic(self) -> float:
        """Return the time."""
        return self.now

    def answer(self, prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
        """Look for a second."""
        self.now += 1.0
        return look(prompt, clip)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock that runs go by."""
    made = Clock()
    monkeypatch.setattr(job, "time", made)
    return made


@pytest.fixture
def nine(clips: Path) -> Slice:
    """Return nine questions, three about each video."""
    return slice_of(clips, [question(f"{v}-{i}", v) for v in CLIPS for i in range(3)])


def test_the_run_ends_between_videos(nine: Slice, clock: Clock) -> None:
    """Six cells a video: after seven seconds two videos are done, and all of them."""
    run = evaluate(nine, model(answer=clock.answer), BOTH, SETTINGS, until=7.0)
    asked = Counter(q.video for q in run.questions)
    assert asked == dict.fromkeys(fair_order(nine, SETTINGS.seed)[:2], 3)
    assert run.planned == Counter(q.task for q in nine.questions)
    assert tuple(q.id for q in run.questions) == tuple(
        i for i in nine.ids if nine.benchmark.by_id[i].video in asked
    )


@pytest.mark.parametrize("window", [1, 4, 6, 7, 64])
def test_a_window_is_no_longer_than_what_is_left(
    nine: Slice, clock: Clock, window: int
) -> None:
    """Once the pace is known, asking together does not ask on for much longer."""
    how = replace(SETTINGS, window_cells=window)
    asked = Many(model(answer=clock.answer))
    run = evaluate(nine, asked, BOTH, how, until=7.0)
    if window == 64:
        assert run.planned is None  # all in one go, before any pace was known
    else:
        assert len(run.questions) == 6


def test_answers_are_those_of_the_whole_run(nine: Slice, clock: Clock) -> None:
    """Which questions there was time for changes nothing about any of them."""
    conditions = (*BOTH, "shuffled", "single_frame", "mismatched")
    whole = evaluate(nine, model(), conditions, SETTINGS)
    part = evaluate(nine, model(answer=clock.answer), conditions, SETTINGS, until=16)
    assert 0 < len(part.questions) < 9
    assert part.cells == {key: whole.cells[key] for key in part.cells}
    unhurried = evaluate(nine, model(), conditions, SETTINGS, until=1e9)
    assert unhurried == whole
    assert unhurried.planned is None


def test_a_part_is_compared_at_its_own_questions(nine: Slice, clock: Clock) -> None:
    """The slice's digest is that of what was asked; the whole fits once restricted."""
    whole = evaluate(nine, model(), BOTH, SETTINGS)
    part = evaluate(nine, model(answer=clock.answer), BOTH, SETTINGS, until=7.0)
    assert part.fingerprint.comparable["slice"] == slice_digest(part.questions)
    with pytest.raises(NotComparable, match="3 questions are only in the baseline"):
        require_comparable(part, whole)
    restricted = at_questions_of(part, whole)
    require_comparable(part, restricted)
    assert restricted.cells == part.cells


def test_other_questions_do_not_fit(nine: Slice, clock: Clock) -> None:
    """A question that the baseline lacks, or whose text changed, is refused."""
    part = evaluate(nine, model(answer=clock.answer), BOTH, SETTINGS, until=7.0)
    root = nine.benchmark.root
    fewer = evaluate(slice_of(root, nine.questions[:4]), model(), BOTH, SETTINGS)
    assert at_questions_of(part, fewer) is fewer
    other = [replace(q, text="What else?") for q in nine.questions]
    changed = evaluate(slice_of(root, other), model(), BOTH, SETTINGS)
    with pytest.raises(NotComparable, match="6 questions changed their text"):
        require_comparable(part, at_questions_of(part, changed))


def test_a_baseline_that_was_edited_is_not_restricted(nine: Slice) -> None:
    """Its slice's digest is not that of its questions: it is left to be refused."""
    whole = evaluate(nine, model(), BOTH, SETTINGS)
    edited = replace(whole.questions[0], digest="0" * 64)
    broken = replace(whole, questions=(edited, *whole.questions[1:]))
    assert at_questions_of(whole, broken) is broken


def test_known_answers_take_no_time(
    nine: Slice, clock: Clock, store: CellStore
) -> None:
    """Night after night the sample grows, in the same order."""
    grown = []
    for _ in range(3):
        clock.now = 0.0
        slow = model(answer=clock.answer)
        run = evaluate(nine, slow, BOTH, SETTINGS, store=store, until=5.0)
        grown.append({q.video for q in run.questions})
        assert slow.calls == 6
    order = fair_order(nine, SETTINGS.seed)
    assert grown == [set(order[:1]), set(order[:2]), set(order)]
    assert run.planned is None


def test_no_time_at_all_is_no_run(nine: Slice, clock: Clock) -> None:
    """Nothing passes because nothing was asked."""
    asked = model()
    with pytest.raises(CouldNotBeJudged, match="time was used up before a question"):
        evaluate(nine, asked, BOTH, SETTINGS, until=0.0)
    assert asked.calls == 0


# -- a fair sample -----------------------------------------------

SOMEWHERE = Path("x")


def test_the_order_is_that_of_the_questions_not_of_the_list() -> None:
    """The same for all workers, and another with another seed."""
    asked = [question(f"q{i}", f"{i % 7}.mp4") for i in range(20)]
    order = fair_order(slice_of(SOMEWHERE, asked), 0)
    assert sorted(order) == [f"{i}.mp4" for i in range(7)]
    assert order == fair_order(slice_of(SOMEWHERE, asked[::-1]), 0)
    assert len({tuple(fair_order(slice_of(SOMEWHERE, asked), s)) for s in range(9)}) > 1


def test_tasks_fill_up_evenly() -> None:
    """Every beginning of the order holds as many videos of either task."""
    asked = [
        replace(question(f"q{i}", f"{i}.mp4"), task="ab"[i % 2]) for i in range(40)
    ]
    task = {q.video: q.task for q in asked}
    order = fair_order(slice_of(SOMEWHERE, asked), 3)
    for n in range(1, 41):
        counts = Counter(task[video] for video in order[:n])
        assert abs(counts["a"] - counts["b"]) <= 1


def test_a_video_with_many_questions_does_not_come_first() -> None:
    """Of ten videos one has twenty questions; over 400 seeds it leads 40 times.

    Give or take: 40 is the mean of the binomial of 400 and 1/10, its standard
    deviation is 6. Led by any of its questions it would come first 276 times
    (20 of 29).
    """
    asked = [question(f"big-{i}", "big.mp4") for i in range(20)]
    asked += [question(f"q{i}", f"{i}.mp4") for i in range(9)]
    slice_ = slice_of(SOMEWHERE, asked)
    led = sum(fair_order(slice_, seed)[0] == "big.mp4" for seed in range(400))
    assert 16 <= led <= 64


# -- the pace ----------------------------------------------------


def test_the_pace_is_that_of_late() -> None:
    """Loading the weights for 100 s does not count, nor what was long ago."""
    now = SimpleNamespace(at=0.0)
    pace = Pace(lambda: now.at)
    assert pace.rate is None
    now.at = 100.0
    pace.note(10)
    assert pace.rate == pytest.approx(0.1)
    now.at = 102.0
    pace.note(10)
    assert pace.rate == pytest.approx(5.0)
    for _ in range(200):
        now.at += 1.0
        pace.note(2)
    assert pace.rate == pytest.approx(2.0)


def test_the_pace_keeps_few_numbers() -> None:
    """A million quick cells are no million points."""
    now = SimpleNamespace(at=0.0)
    pace = Pace(lambda: now.at)
    for _ in range(100_000):
        now.at += 0.001
        pace.note(1)
    assert pace.rate == pytest.approx(1000.0, rel=0.01)
    assert len(pace._points) < 300


def test_a_moment_has_come_when_it_is_there() -> None:
    """Nothing is begun at the very end, and without one there is always time."""
    now = SimpleNamespace(at=9.0)
    pace = Pace(lambda: now.at)
    assert not pace.past(10.0)
    now.at = 10.0
    assert pace.past(10.0)
    assert not pace.past(None)


def test_there_is_room_for_what_the_pace_allows() -> None:
    """Ten seconds at two a second are twenty cells; one is always begun."""
    now = SimpleNamespace(at=0.0)
    pace = Pace(lambda: now.at)
    assert pace.room(64, 10.0) == 64  # nobody knows yet
    now.at = 4.0
    pace.note(8)
    assert pace.rate == 2.0
    assert [pace.room(64, until) for until in (14.0, 5.0, 4.0, 1.0)] == [20, 2, 1, 1]
    assert pace.room(7, 14.0) == 7
    assert pace.room(64, None) == 64
