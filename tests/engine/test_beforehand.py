"""What is done ahead of its use: imports, loading, inputs; the run is the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.backends.protocol import (
    Backend,
    LoadingBackend,
    PreparingBackend,
    Reply,
    Request,
)
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.plan import make_plan
from pytest_vdg.engine.preflight import places, preflight
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import BackendError, CouldNotBeJudged, VideoNotConsumed
from pytest_vdg.frames import decoding
from pytest_vdg.frames._timeline import VideoInfo
from pytest_vdg.frames.decode import probe
from pytest_vdg.frames.decoding import Decoders, Place
from pytest_vdg.frames.excerpt import Excerpt
from pytest_vdg.frames.shelf import Shelf
from pytest_vdg.runs import Outcome
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import (
    LADDER,
    SETTINGS,
    Many,
    Stub,
    model,
    question,
    reading,
    slice_of,
)


class Eager(Many):
    """A backend that loads and prepares, and notes when it is told to."""

    def __init__(self, inner: Backend | None = None, *, fails: bool = False) -> None:
        """Ask *inner*; where this *fails* it does not load."""
        super().__init__(inner or model())
        self.events: list[str] = []
        self.begun: list[Sequence[Request]] = []
        self.fails = fails

    def import_libraries(self) -> None:
        """Note it."""
        self.events.append("import")

    def load(self) -> None:
        """Note it, and fail if this one does."""
        self.events.append("load")
        if self.fails:
            raise BackendError("the weights do not load")

    def prepare_many(self, requests: Sequence[Request]) -> None:
        """Note which batch it is."""
        self.begun.append(requests)
        self.events.append(f"prepare {len(self.begun) - 1}")

    def ask_many(self, requests: Sequence[Request]) -> list[Reply | BackendError]:
        """Note which of the batches it is that were begun, if it is any."""
        at = [i for i, begun in enumerate(self.begun) if begun is requests]
        self.events.append(f"ask {at[0]}" if at else "ask")
        if self.fails:
            raise BackendError("the weights do not load")
        return super().ask_many(requests)


FOUR_A_TIME = replace(SETTINGS, window_cells=4)
"""A window a question, with the four conditions of the ladder."""


def test_the_backend_is_one_of_both_kinds() -> None:
    """So that what follows is about something."""
    assert isinstance(Eager(), LoadingBackend)
    assert isinstance(Eager(), PreparingBackend)
    assert not isinstance(Many(model()), LoadingBackend | PreparingBackend)


# -- inputs ------------------------------------------------------


def test_a_window_is_prepared_while_the_one_before_it_is_asked(light: Slice) -> None:
    """Each is begun before the one before it is asked, and no other one is."""
    backend = Eager()
    evaluate(light, backend, LADDER, FOUR_A_TIME)
    assert backend.events[2:] == [
        "prepare 0",
        *("prepare 1", "ask 0", "prepare 2", "ask 1", "prepare 3", "ask 2"),
        *("prepare 4", "ask 3", "ask 4"),
    ]


@pytest.mark.parametrize("cells", [1, 3, 4, 7, 64])
def test_the_run_is_that_of_a_backend_that_prepares_nothing(
    light: Slice, cells: int
) -> None:
    """Cells, their order and the fingerprint."""
    how = replace(SETTINGS, window_cells=cells)
    conditions = (*LADDER, "mismatched", "text_only")
    one = evaluate(light, Eager(), conditions, how)
    other = evaluate(light, Many(model()), conditions, how)
    assert one == other
    assert list(one.cells) == list(other.cells)


def test_known_cells_do_not_overtake_those_that_wait(
    light: Slice, store: CellStore
) -> None:
    """The cells of a run taken up again stand in the order of the plan."""
    part = slice_of(light.benchmark.root, light.questions[1:3])
    evaluate(part, model(), LADDER, SETTINGS, store=store)
    backend = Eager()
    run = evaluate(light, backend, LADDER, FOUR_A_TIME, store=store)
    assert list(run.cells) == list(evaluate(light, model(), LADDER, SETTINGS).cells)
    assert len(backend.begun) == 3


def test_what_waits_is_asked_before_an_error_of_the_next_is_told(
    light: Slice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that ends in the middle has kept all that it would have without."""
    *_, last = dict.fromkeys(make_plan(light, LADDER, seed=0).paths.values())
    inner = decoding.read_clip

    def read(path: Path, *args: object, **options: object) -> object:
        if path == last:
            raise RuntimeError("no room")
        return inner(path, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(decoding, "read_clip", read)
    kept: list[set[str]] = []
    for backend in (Many(model()), Eager()):
        store = CellStore(tmp_path / type(backend).__name__)
        with pytest.raises(RuntimeError, match="no room"):
            evaluate(light, backend, LADDER, FOUR_A_TIME, store=store)
        rows = store.database.opened().execute("SELECT key FROM cells").fetchall()
        kept.append({key for (key,) in rows})
        store.close()
    assert kept[0] == kept[1]
    assert kept[0]


def test_nothing_more_is_asked_of_a_model_that_is_given_up(light: Slice) -> None:
    """What was prepared meanwhile is left."""
    backend = Eager(Stub(reply={"visual_tokens": 0}))
    with pytest.raises(VideoNotConsumed):
        evaluate(light, backend, LADDER, FOUR_A_TIME)
    assert backend.events[2:] == ["prepare 0", "prepare 1", "ask 0"]


def test_with_a_time_budget_nothing_waits(light: Slice) -> None:
    """A window put aside would be asked when the time is over."""
    backend = Eager()
    evaluate(light, backend, LADDER, FOUR_A_TIME, until=1e12)
    assert backend.begun == []


# -- loading -----------------------------------------------------


def test_libraries_before_videos_and_weights_after_the_first_clip(
    light: Slice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Videos are looked at before weights are read, and read while they are."""
    backend = Eager()
    inner = decoding.read_clip, decoding.probe

    def read(path: Path, *args: object, **options: object) -> object:
        backend.events.append("read")
        return inner[0](path, *args, **options)  # type: ignore[arg-type]

    def look(path: Path, **options: object) -> VideoInfo:
        backend.events.append("look")
        return inner[1](path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(decoding, "read_clip", read)
    monkeypatch.setattr(decoding, "probe", look)
    evaluate(light, backend, LADDER, SETTINGS)
    assert backend.events[:6] == ["import", "look", "look", "look", "read", "load"]
    assert backend.events.count("load") == 1


def test_no_weight_is_read_where_a_video_is_bad(folder: Path) -> None:
    """The run ends before, whatever was imported by then."""
    (folder / "a.mp4").write_bytes(b"")
    backend = Eager()
    with pytest.raises(CouldNotBeJudged, match=r"1 of 1 videos cannot"):
        evaluate(slice_of(folder, [question("q", "a.mp4")]), backend, LADDER, SETTINGS)
    assert backend.events == ["import"]


def test_where_all_is_known_nothing_is_imported(light: Slice, store: CellStore) -> None:
    """A run out of the store costs what it reads there."""
    evaluate(light, model(), LADDER, SETTINGS, store=store)
    backend = Eager()
    evaluate(light, backend, LADDER, SETTINGS, store=store)
    assert backend.events == []


def test_a_model_that_does_not_load_is_told_as_ever(light: Slice) -> None:
    """By the cells that are asked, until the run is given up."""
    plain = Many(Stub(fails=1000))
    with pytest.raises(CouldNotBeJudged) as expected:
        evaluate(light, plain, LADDER, replace(SETTINGS, give_up_after=3))
    with pytest.raises(CouldNotBeJudged) as caught:
        evaluate(light, Eager(fails=True), LADDER, replace(SETTINGS, give_up_after=3))
    assert "the weights do not load" in str(caught.value)
    assert str(caught.value).count("\n") == str(expected.value).count("\n")


def test_cells_without_a_video_load_when_they_are_asked(light: Slice) -> None:
    """There is no clip to wait for."""
    backend = Eager()
    run = evaluate(light, backend, ["text_only"], SETTINGS)
    assert backend.events == ["import", "prepare 0", "ask 0"]
    assert all(cell.outcome is not Outcome.FAILED for cell in run.cells.values())


# -- looks -------------------------------------------------------


def test_places_are_those_that_are_looked_at(clips: Path) -> None:
    """Each once, in the order of the looks, so that none waits for a later one."""
    looked: list[Place] = []

    def look(path: Path, /, *, picture_rate: float | None) -> VideoInfo:
        looked.append((path, picture_rate))
        return probe(path)

    asked = [
        replace(question(f"q{i}", video), excerpt=Excerpt(start_s=i / 10))
        for i, video in enumerate(["c.mp4", "a.mp4", "c.mp4", "b.mp4"])
    ]
    slice_ = slice_of(clips, asked)
    preflight(slice_, look=look)
    assert looked == list(places(slice_))
    assert [path.name for path, _ in looked] == ["a.mp4", "b.mp4", "c.mp4"]
    some = {("b.mp4", asked[3].excerpt)}
    assert [path.name for path, _ in places(slice_, some)] == ["b.mp4"]


@pytest.mark.parametrize("most", [1, 2, 64])
def test_looks_are_taken_from_those_begun(
    clips: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """No more are begun ahead than may be held, none twice; others are new looks."""
    monkeypatch.setattr(decoding, "MOST_LOOKS", most)
    given: list[Place] = [(clips / f"{name}.mp4", None) for name in "abc"]
    taken: list[int] = []

    def counted(places: Iterable[Place]) -> Iterable[Place]:
        for place in places:
            taken.append(1)
            yield place

    with reading(replace(SETTINGS, decode_workers=1)) as decoders:
        decoders.look_ahead(counted(given))
        assert len(taken) == min(most, 3)
        for path, _ in given:
            assert decoders.look(path).frames == probe(path).frames
        assert len(taken) == 3
        assert decoders.look(given[0][0]).frames == 8


def test_nothing_is_looked_at_ahead_without_processes(clips: Path) -> None:
    """It would only be done sooner, and not meanwhile."""
    with Decoders(sampling=SETTINGS.sampling, workers=0) as decoders:
        decoders.look_ahead([(clips / "missing.mp4", None)])
        assert decoders.look(clips / "a.mp4").frames == 8


# -- two runs ----------------------------------------------------


def test_a_second_checkpoint_is_shown_what_was_read_for_the_first(
    light: Slice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each video is decoded once for both, and each answers as it would alone."""
    read: list[str] = []
    inner = decoding.read_clip

    def note(path: Path, *args: object, **options: object) -> object:
        read.append(path.name)
        return inner(path, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(decoding, "read_clip", note)
    shelf = Shelf()
    runs = [
        evaluate(light, model(name=name), LADDER, SETTINGS, shelf=shelf)
        for name in ("new", "old")
    ]
    assert sorted(read) == ["a.mp4", "b.mp4", "c.mp4"]
    assert runs == [
        evaluate(light, model(name=name), LADDER, SETTINGS) for name in ("new", "old")
    ]
