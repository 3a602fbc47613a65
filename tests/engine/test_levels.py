"""Compression and rate in whole runs: what is shown, read, kept, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.assertions import assert_stable_under
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine import identity
from pytest_vdg.engine.consumption import Planned, check_against
from pytest_vdg.engine.costs import run_cost
from pytest_vdg.engine.footage import Footage
from pytest_vdg.engine.plan import Plan, make_plan, parse_conditions, shows_video
from pytest_vdg.engine.reel import Reel, uses_of
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.views import samplings_besides
from pytest_vdg.errors import ConfigError, MediaError, VideoNotConsumed
from pytest_vdg.frames import _process, decoding
from pytest_vdg.frames._exchange import Look, Read
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import needs_partner, view_of
from pytest_vdg.frames.decoding import Want
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import CellResult, Outcome, Run
from pytest_vdg.sessions.costs import Costs, cost_lines
from pytest_vdg.store.cells import CellStore
from pytest_vdg.verdicts import Verdict
from tests.engine.examples import (
    SETTINGS,
    Many,
    model,
    question,
    reading,
    slice_of,
    write_clip,
)
from tests.frames import faulty_reader

CRFS = ("compressed:18", "compressed:38")
ALL = ("original", "black", *CRFS, "sampled:2", "fps:100", "mismatched", "text_only")


def answers(run: Run, condition: str) -> list[CellResult]:
    """Return the cells of *condition* as if they were those of ``original``."""
    cells = [run.cells[q.id, condition] for q in run.questions]
    return [replace(cell, condition="original") for cell in cells]


# -- what is shown -----------------------------------------------


def test_levels_show_what_they_say(light: Slice) -> None:
    """Two of eight frames, all eight, and the four of the run once compressed."""
    run = evaluate(light, model(), ALL, SETTINGS)
    seen = {c: run.cells["q1", c].frames_seen for c in ALL}
    assert seen == {
        **dict.fromkeys(("original", "black", *CRFS, "mismatched"), 4),
        "sampled:2": 2,
        "fps:100": 8,
        "text_only": 0,
    }
    tokens = {c: run.cells["q1", c].visual_tokens for c in ALL}
    assert tokens == {c: 4 * n for c, n in seen.items()}
    times = {c: run.cells["q1", c].times_s for c in ALL}
    assert times["compressed:18"] == times["original"]
    assert times["sampled:2"] == (0.25, 0.75)
    assert times["fps:100"] == tuple(i / 8 for i in range(8))
    readers = {c: run.cells["q1", c].reader or "" for c in ALL}
    assert [c for c in ALL if "x264" in readers[c]] == list(CRFS)


@pytest.mark.parametrize(
    ("own", "spec"),
    [
        (Sampling(frames=4), "sampled:4"),
        (Sampling(frames=3, endpoints=True), "sampled:3"),
        (Sampling(fps=4), "fps:4"),
        (Sampling(fps=4, max_frames=2), "fps:4"),
    ],
)
@pytest.mark.parametrize("many", [False, True])
def test_the_runs_own_rate_gives_the_runs_own_answers(
    light: Slice, own: Sampling, spec: str, many: bool
) -> None:
    """The same frames, tokens, input and probabilities as ``original``, read once."""
    backend = Many(model()) if many else model()
    how = replace(SETTINGS, sampling=own)
    with reading(how) as decoders:
        run = evaluate(light, backend, ["original", spec], how, decoders=decoders)
        assert decoders.decodes == 3
    assert answers(run, spec) == answers(run, "original")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_video_is_opened_once_and_once_a_level(clips: Path, workers: int) -> None:
    """All rates in one pass, each encoding in one of its own, for all questions."""
    asked = [question(f"{v}-{i}", f"{v}.mp4") for v in "abc" for i in range(4)]
    how = replace(SETTINGS, decode_workers=workers)
    slice_ = slice_of(clips, asked)
    with reading(how) as decoders:
        run = evaluate(slice_, Many(model()), ALL, how, decoders=decoders)
        assert decoders.decodes == 3 * (1 + len(CRFS))
    assert run == evaluate(slice_, model(), ALL, SETTINGS)


def test_a_level_reads_nothing_else(light: Slice) -> None:
    """Asked alone, compressed frames do not need the original's."""
    with reading() as decoders:
        evaluate(light, model(), ["compressed:38"], SETTINGS, decoders=decoders)
        assert decoders.decodes == 3


def test_a_real_run_can_be_claimed_stable(clips: Path) -> None:
    """Of 120 questions on clips that survive CRF 38, nine in ten are shown to stay."""
    asked = [question(f"q{i:03}", f"{'abc'[i % 3]}.mp4") for i in range(120)]
    specs = ["original", "black", "compressed:38"]
    run = evaluate(slice_of(clips, asked), model(), specs, SETTINGS)
    # As if each were about a video of its own: three are too few to judge by.
    each = tuple(replace(q, video=q.id) for q in run.questions)
    found = assert_stable_under(replace(run, questions=each), "compressed:38", 0.9)
    assert (found.n, found.verdict) == (120, Verdict.PASS)


# -- what is kept ------------------------------------------------


def test_answers_are_found_again(light: Slice, store: CellStore) -> None:
    """A second run asks and reads nothing."""
    first = evaluate(light, model(), ALL, SETTINGS, store=store)
    backend = model()
    with reading() as decoders:
        again = evaluate(light, backend, ALL, SETTINGS, store=store, decoders=decoders)
        assert (decoders.decodes, backend.calls) == (0, 0)
    assert again == first


def test_only_rates_still_asked_are_read(
    light: Slice, store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known of one rate is not decoded again for another."""
    evaluate(light, model(), ["sampled:2"], SETTINGS, store=store)
    wants: list[Want] = []
    inner = decoding.Decoders.submit

    def note(self: decoding.Decoders, want: Want) -> Callable[[], Clip]:
        wants.append(want)
        return inner(self, want)

    monkeypatch.setattr(decoding.Decoders, "submit", note)
    specs = ["sampled:2", "sampled:3"]
    evaluate(light, model(), specs, SETTINGS, store=store)
    assert {want.also for want in wants} == {(Sampling(frames=3),)}


def test_another_encoder_is_another_answer(
    light: Slice, store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the compressed cells only: the others keep their keys."""
    conditions = ["original", "sampled:2", "compressed:38"]
    evaluate(light, model(), conditions, SETTINGS, store=store)
    monkeypatch.setattr(identity, "encoding", lambda: "x264 core 999")
    run = evaluate(light, model(), conditions, SETTINGS, store=store)
    cached = Counter(c for (_, c), cell in run.cells.items() if cell.cached)
    assert cached == {"original": 5, "sampled:2": 5}
    assert run.fingerprint.informative["encoder"] == "x264 core 999"


def test_a_rate_does_not_depend_on_the_runs_own(light: Slice, store: CellStore) -> None:
    """Two frames are two frames, whatever number the original has."""
    evaluate(light, model(), ["sampled:2"], SETTINGS, store=store)
    how = replace(SETTINGS, sampling=Sampling(frames=6))
    run = evaluate(light, model(), ["original", "sampled:2"], how, store=store)
    assert run.cached_cells == 5
    others = replace(SETTINGS, sampling=Sampling(frames=6, endpoints=True))
    run = evaluate(light, model(), ["sampled:2"], others, store=store)
    assert run.cached_cells == 0


def test_the_encoder_is_told_where_something_is_encoded(light: Slice) -> None:
    """With its version and settings; runs that encode nothing do not load it."""
    run = evaluate(light, model(), ["original", "compressed:38"], SETTINGS)
    assert "x264 core" in run.fingerprint.informative["encoder"]
    assert "preset=medium" in run.fingerprint.informative["encoder"]
    plain = evaluate(light, model(), ["original", "fps:2"], SETTINGS)
    assert "encoder" not in plain.fingerprint.informative
    assert plain.fingerprint.comparable == run.fingerprint.comparable


# -- what it will cost -------------------------------------------


def test_encodings_are_counted_before(light: Slice, store: CellStore) -> None:
    """One a video and level, none of those that are known; and told in words."""
    cost = run_cost(light, model(), ALL, SETTINGS, store=store)
    by_name = {part.condition: part for part in cost.conditions}
    assert [by_name[c].encodings for c in ALL] == [0, 0, 3, 3, 0, 0, 0, 0]
    assert by_name["sampled:2"].videos == {"a.mp4", "b.mp4", "c.mp4"}
    lines = cost_lines(Costs(runs=(cost,), faults=()))
    assert any("compressed: 6 encodings, each of all frames" in line for line in lines)
    evaluate(light, model(), ["original", "compressed:18"], SETTINGS, store=store)
    cost = run_cost(light, model(), ALL, SETTINGS, store=store)
    assert cost.together.encodings == 3


# -- what is refused ---------------------------------------------


def test_a_reader_that_differs_is_refused_first(light: Slice) -> None:
    """Before a model is asked, and in the plan too."""
    backend, how = model(), replace(SETTINGS, reader="decord")
    with pytest.raises(ConfigError, match="two differences at once"):
        evaluate(light, backend, ["original", "compressed:38"], how)
    with pytest.raises(ConfigError, match="two differences at once"):
        run_cost(light, backend, ["original", "compressed:38"], how)
    assert backend.calls == 0


def test_a_missing_encoder_is_told_first(
    light: Slice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a model is asked; runs that encode nothing do not mind."""

    def refuse() -> str:
        raise ConfigError("condition 'compressed' needs the encoder libx264")

    monkeypatch.setattr(identity, "encoding", refuse)
    backend = model()
    with pytest.raises(ConfigError, match="needs the encoder libx264"):
        evaluate(light, backend, ["original", "compressed:38"], SETTINGS)
    assert backend.calls == 0
    evaluate(light, backend, ["original", "sampled:2"], SETTINGS)


def test_a_video_that_cannot_be_encoded_costs_its_own_cells(
    light: Slice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under that level; the original and the other videos are asked."""
    inner = decoding.read_clip

    def read(path: Path, *given: object, **named: object) -> Clip:
        if named["crf"] == 38 and path.name == "b.mp4":
            raise MediaError("b.mp4: cannot be encoded")
        return inner(path, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(decoding, "read_clip", read)
    run = evaluate(light, model(), ["original", *CRFS], SETTINGS)
    lost = {key for key, cell in run.cells.items() if cell.outcome is Outcome.FAILED}
    assert lost == {("q1", "compressed:38"), ("q2", "compressed:38")}
    assert run.cells["q1", "compressed:38"].reason == "b.mp4: cannot be encoded"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"timestamps_s": np.arange(4.0)}, "another times after encoding"),
        ({"source_indices": (0, 1, 2, 3)}, "another frames after encoding"),
        ({"frames": np.zeros((4, 8, 8, 3), np.uint8)}, "another size after encoding"),
    ],
)
def test_more_than_pictures_may_not_differ(
    light: Slice, change: dict[str, object], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held against the original that is shown, whatever the reader says."""
    inner = decoding.read_clip

    def read(*given: object, **named: object) -> Clip:
        clip = inner(*given, **named)  # type: ignore[arg-type]
        return clip if named["crf"] is None else replace(clip, **change)

    monkeypatch.setattr(decoding, "read_clip", read)
    run = evaluate(light, model(), ["original", "compressed:38"], SETTINGS)
    outcomes = {c: run.counts(c).failed for c in run.conditions}
    assert outcomes == {"original": 0, "compressed:38": 5}
    assert what in (run.cells["q1", "compressed:38"].reason or "")


# -- what the model must have seen -------------------------------


def cell(condition: str, frames: int, **changes: object) -> CellResult:
    """Return a cell of *frames* frames at a token each."""
    values: dict[str, object] = {
        "question_id": "q1",
        "condition": condition,
        "outcome": Outcome.CORRECT,
        "frames_seen": frames,
        "visual_tokens": frames,
        "times_s": tuple(range(frames)),
        "input_digest": f"{condition} {frames}",
    }
    return CellResult(**(values | changes))  # type: ignore[arg-type]


def planned(*specs: str, block: int = 1) -> Planned:
    """Return what a run of four frames plans."""
    return Planned.of(parse_conditions(specs), Sampling(frames=4), block)


def never() -> bool:
    """Fail: no light is asked for."""
    raise AssertionError("pixels were looked at for nothing")


def test_a_level_is_held_against_its_own_plan() -> None:
    """Two frames beside four may cost fewer tokens; two beside two may not."""
    plan = planned("original", "sampled:2", "fps:2")
    check_against(
        cell("sampled:2", 2), [cell("original", 4)], has_light=never, planned=plan
    )
    fewer = cell("fps:2", 2, visual_tokens=1)
    with pytest.raises(VideoNotConsumed, match=r"as under 'sampled:2' \(2\), got 1"):
        check_against(fewer, [cell("sampled:2", 2)], has_light=never, planned=plan)


@pytest.mark.parametrize("condition", ["compressed:38", "shuffled", "sampled:4"])
def test_the_same_frames_are_the_same_times(condition: str) -> None:
    """Where the plan is to show the original's frames, no others pass."""
    plan = planned("original", condition)
    other = cell(condition, 4, times_s=(0, 1, 2, 9))
    with pytest.raises(VideoNotConsumed, match="the frames that 'original' shows"):
        check_against(other, [cell("original", 4)], has_light=never, planned=plan)
    fewer = cell(condition, 3)
    with pytest.raises(VideoNotConsumed, match="the frames that 'original' shows"):
        check_against(fewer, [cell("original", 4)], has_light=never, planned=plan)


def test_more_frames_must_be_another_input() -> None:
    """A processor that samples again gives the model the same frames each time."""
    plan = planned("original", "sampled:8")
    same = cell("sampled:8", 8, input_digest="original 4")
    with pytest.raises(VideoNotConsumed, match="which shows 4 frames and not 8"):
        check_against(same, [cell("original", 4)], has_light=never, planned=plan)


def test_frames_that_are_merged_may_be_the_same_input() -> None:
    """Three still frames, padded to two pairs, are the tensors of four."""
    plan = planned("original", "sampled:3", block=2)
    same = cell("sampled:3", 3, input_digest="original 4", visual_tokens=4)
    check_against(same, [cell("original", 4)], has_light=never, planned=plan)


def test_a_model_that_samples_again_is_found_out(light: Slice) -> None:
    """In a whole run: four frames arrive whatever is shown, and all are reported."""

    class Resampling:
        """Sees four frames of any clip, and says it saw them all."""

        name, frames_per_token, calls = "resampling", 1, 0

        def __init__(self) -> None:
            """Ask a model that looks."""
            self.inner = model()
            self.identity = self.inner.identity

        def ask(self, prompt: object, clip: Clip | None) -> object:
            """Answer to four frames, and report as many as were given."""
            reply = self.inner.ask(prompt, clip)  # type: ignore[arg-type]
            return replace(reply, input_digest="always the same")

        def close(self) -> None:
            """Hold nothing."""

    with pytest.raises(VideoNotConsumed, match="another input than under 'original'"):
        evaluate(light, Resampling(), ["original", "sampled:2"], SETTINGS)  # type: ignore[arg-type]


# -- in which order it is read -----------------------------------

FRAMES = 4
PARTS = (WHOLE, Excerpt(end_s=1.0), Excerpt(start_s=1.0))
SPECS = ("original", "text_only", "mismatched", "sampled:2", "fps:3", *CRFS)


class Cinema:
    """Plays the decoders: one clip for each want, counted."""

    workers = 2

    def __init__(self) -> None:
        """Show nothing yet."""
        self.read: Counter[Want] = Counter()

    def submit(self, want: Want) -> Callable[[], Clip]:
        """Return what gives a clip, once."""
        self.read[want] += 1
        others = tuple((place,) for place in range(len(want.also)))
        takes = (tuple(range(FRAMES)), *others)
        height, width = want.size or (4, 4)
        clip = Clip(
            frames=np.zeros((FRAMES, height, width, 3), dtype=np.uint8),
            timestamps_s=np.arange(FRAMES, dtype=np.float64),
            source_fps=1.0,
            source_frames=FRAMES,
            source_indices=tuple(range(FRAMES)),
            reader="synthetic",
            crf=want.crf,
            takes=takes if want.also else (),
        )
        return lambda: clip


@st.composite
def programmes(draw: st.DrawFn) -> tuple[Plan, set[tuple[str, str]]]:
    """Return a plan over several videos, and cells that are known already."""
    names = [f"{i}.mp4" for i in range(draw(st.integers(1, 5)))]
    asked: list[Question] = [
        replace(question(f"{name}-{i}", name), excerpt=part)
        for name in names
        for i, part in enumerate(
            draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=3))
        )
    ]
    specs = draw(st.lists(st.sampled_from(SPECS), min_size=1, unique=True))
    plan = make_plan(slice_of(Path("x"), asked), specs, seed=0)
    cells = [(q.id, str(c)) for _, q, c in plan.cells()]
    return plan, set(draw(st.lists(st.sampled_from(cells))))


@given(programme=programmes())
def test_each_part_of_each_level_is_read_once(
    programme: tuple[Plan, set[tuple[str, str]]],
) -> None:
    """Whatever is known, in whatever order levels are asked; nothing else is read."""
    plan, known = programme
    size = (4, 4)
    how = replace(SETTINGS, size=size)
    also = samplings_besides(plan, known, how.sampling)
    uses = list(uses_of(plan, known, size, also=also))
    cinema = Cinema()
    reel = Reel(uses, cinema, room=1 << 30)  # type: ignore[arg-type]
    for video in plan.videos:
        footage = Footage(video, plan.paths, how, reel, also)
        _watch(plan, known, footage, video.questions, how.sampling)
    assert set(cinema.read) == {use.want for use in uses}
    assert max(cinema.read.values(), default=1) == 1


def _watch(
    plan: Plan,
    known: set[tuple[str, str]],
    footage: Footage,
    questions: Sequence[Question],
    own: Sampling,
) -> None:
    """Look at all clips about one video as a run does."""
    for asked in questions:
        for condition in plan.conditions:
            if not shows_video(condition) or (asked.id, str(condition)) in known:
                continue
            view = view_of(condition, own)
            clip = footage.clip(asked.excerpt, view)
            assert clip.crf == view.crf
            if needs_partner(condition) and plan.no_partner is None:
                assert footage.partner(asked.excerpt).crf is None


def test_unequal_sizes_are_encoded_at_their_own(folder: Path) -> None:
    """A level is shown at the size of its original, whatever partners have."""
    write_clip(folder / "b.mp4", level=120, side=48)
    asked = [question(f"q{v}", f"{v}.mp4") for v in "abc"]
    run = evaluate(slice_of(folder, asked), model(), ALL, SETTINGS)
    assert all(cell.outcome.judged for cell in run.cells.values())


def test_another_rate_changes_nothing_of_a_partner(folder: Path) -> None:
    """Of a partner of another size, too, the frames of the run's own rate are shown."""
    write_clip(folder / "b.mp4", level=120, side=48)
    slice_ = slice_of(folder, [question(f"q{v}", f"{v}.mp4") for v in "abc"])
    alone = evaluate(slice_, model(), ["original", "mismatched"], SETTINGS)
    beside = ["original", "sampled:2", "fps:100", "mismatched"]
    run = evaluate(slice_, model(), beside, SETTINGS)
    assert answers(run, "mismatched") == answers(alone, "mismatched")


def test_encoding_has_a_longer_limit(
    light: Slice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty times that of reading: every frame is decoded, and encoded besides."""
    limits: dict[int | None, float] = {}
    inner = _process.Process.ask

    def ask(self: _process.Process, task: Read | Look, timeout_s: float) -> object:
        if isinstance(task, Read):
            limits[task.want.crf] = timeout_s
        return inner(self, task, faulty_reader.PATIENCE_S)

    monkeypatch.setattr(_process.Process, "ask", ask)
    how = replace(SETTINGS, decode_workers=1, decode_timeout_s=50.0)
    evaluate(light, model(), ["original", "compressed:38"], how)
    assert limits == {None: 50.0, 38: 1000.0}
