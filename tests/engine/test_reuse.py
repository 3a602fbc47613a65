"""Each cell is asked once: reuse, resumption, and what must not be reused."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine import identity
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import BackendError, CouldNotBeJudged
from pytest_vdg.frames import decoding
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import Caps, Run
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import (
    LADDER,
    SETTINGS,
    look,
    model,
    slice_of,
)

ROOT = Path(__file__).parents[2]


# -- each cell once ----------------------------------------------


def test_each_cell_is_asked_once(light: Slice) -> None:
    """Five questions under five conditions are twenty-five calls."""
    asked = model()
    evaluate(light, asked, [*LADDER, "text_only"], SETTINGS)
    assert asked.calls == 25


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the videos that get decoded, as they are."""
    names: list[str] = []
    inner: Callable[..., Clip] = decoding.read_clip

    def note(path: Path, *args: object, **options: object) -> Clip:
        names.append(path.name)
        return inner(path, *args, **options)

    monkeypatch.setattr(decoding, "read_clip", note)
    return names


def test_each_video_is_decoded_once(light: Slice, decoded: list[str]) -> None:
    """However many questions and conditions, a video is opened once."""
    evaluate(light, model(), LADDER, SETTINGS)
    assert decoded == ["a.mp4", "b.mp4", "c.mp4"]


def test_text_only_decodes_nothing(light: Slice, decoded: list[str]) -> None:
    """What no one is shown is not decoded."""
    evaluate(light, model(), ["text_only"], SETTINGS)
    assert decoded == []


def test_a_second_run_asks_and_decodes_nothing(
    light: Slice, store: CellStore, decoded: list[str]
) -> None:
    """All answers are found again; the backend is not asked, so never loaded."""
    conditions = [*LADDER, "text_only", "mismatched"]
    first = evaluate(light, model(), conditions, SETTINGS, store=store)
    decoded.clear()
    again = model()
    second = evaluate(light, again, conditions, SETTINGS, store=store)
    assert again.calls == 0
    assert decoded == []
    assert second.cells == first.cells
    assert (first.cached_cells, second.cached_cells) == (0, 30)


def test_only_new_conditions_are_asked(light: Slice, store: CellStore) -> None:
    """A test that asks for one condition more pays for that one."""
    evaluate(light, model(), ["original", "black"], SETTINGS, store=store)
    more = model()
    run = evaluate(light, more, LADDER, SETTINGS, store=store)
    assert more.calls == 10
    assert run.cached_cells == 10


def test_a_larger_slice_reuses_a_smaller_one(
    clips: Path, questions: list[Question], store: CellStore
) -> None:
    """Answers belong to questions, not to slices."""
    small = slice_of(clips, questions[:2], name="small")
    evaluate(small, model(), ["original"], SETTINGS, store=store)
    more = model()
    evaluate(slice_of(clips, questions), more, ["original"], SETTINGS, store=store)
    assert more.calls == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"sampling": Sampling(frames=3)},
        {"seed": 1},
        {"instruction": "One letter."},
        {"reader": "pyav"},
        {"size": (16, 16)},
    ],
)
def test_changed_settings_ask_again(
    light: Slice, store: CellStore, changes: dict[str, object]
) -> None:
    """No answer given under other settings is reused."""
    evaluate(light, model(), ["original"], SETTINGS, store=store)
    again = model()
    evaluate(light, again, ["original"], replace(SETTINGS, **changes), store=store)
    assert again.calls == 5


@pytest.mark.parametrize(
    "changes", [{"name": "other weights"}, {"tokens_per_frame": 2}]
)
def test_another_model_is_asked_again(
    light: Slice, store: CellStore, changes: dict[str, object]
) -> None:
    """Weights changed in place, or another environment, are another model."""
    evaluate(light, model(), ["original"], SETTINGS, store=store)
    again = model(**changes)
    evaluate(light, again, ["original"], SETTINGS, store=store)
    assert again.calls == 5


def test_a_changed_version_asks_again(
    light: Slice, store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new version of a package that matters does not inherit answers."""
    evaluate(light, model(), ["original"], SETTINGS, store=store)
    again = model()
    other = replace(again.identity, versions={"torch": "3.0"})
    monkeypatch.setattr(type(again), "identity", other)
    evaluate(light, again, ["original"], SETTINGS, store=store)
    assert again.calls == 5


def test_answers_that_may_not_be_reused_for_ever_are_not(
    light: Slice, store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only within the time, or session, that the backend names.

    Runs of two such times are still compared: it is no part of the fingerprint.
    """

    def asked_in(time: str) -> tuple[int, Run]:
        backend = model()
        named = replace(backend.identity, reuse=time)
        monkeypatch.setattr(type(backend), "identity", named)
        run = evaluate(light, backend, ["original"], SETTINGS, store=store)
        monkeypatch.undo()
        return backend.calls, run

    calls, runs = zip(*map(asked_in, ("", "monday", "monday", "tuesday")), strict=True)
    assert calls == (5, 5, 0, 5)
    assert runs[0].fingerprint == runs[1].fingerprint == runs[3].fingerprint


def test_a_new_version_of_this_package_asks_again(
    light: Slice, store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How frames are made may have changed in it."""
    evaluate(light, model(), ["original"], SETTINGS, store=store)
    monkeypatch.setattr(identity, "version", lambda name: f"{name} 999")
    again = model()
    run = evaluate(light, again, ["original"], SETTINGS, store=store)
    assert again.calls == 5
    assert run.fingerprint.informative["pytest-vdg"] == "pytest-vdg 999"


def test_a_changed_video_is_shown_again(
    folder: Path, questions: list[Question], store: CellStore
) -> None:
    """Another content under the same name is another video."""
    slice_ = slice_of(folder, questions)
    evaluate(slice_, model(), ["original"], SETTINGS, store=store)
    shutil.copy(folder / "b.mp4", folder / "a.mp4")
    again = model()
    evaluate(slice_, again, ["original"], SETTINGS, store=store)
    assert again.calls == 1


def test_text_only_survives_a_change_of_frames(light: Slice, store: CellStore) -> None:
    """What shows no frames does not depend on which frames."""
    evaluate(light, model(), ["text_only"], SETTINGS, store=store)
    again = model()
    other = replace(SETTINGS, sampling=Sampling(frames=2))
    evaluate(light, again, ["text_only"], other, store=store)
    assert again.calls == 0


def test_a_corrected_key_needs_no_model(
    clips: Path, questions: list[Question], store: CellStore
) -> None:
    """When the benchmark corrects an answer, the kept replies are judged anew."""
    evaluate(slice_of(clips, questions), model(), ["original"], SETTINGS, store=store)
    corrected = [replace(q, answer="B") for q in questions]
    again = model()
    run = evaluate(
        slice_of(clips, corrected), again, ["original"], SETTINGS, store=store
    )
    assert again.calls == 0
    assert run.counts("original").wrong == 5


# -- cut short ---------------------------------------------------


def test_a_run_cut_short_goes_on_where_it_stopped(
    light: Slice, store: CellStore
) -> None:
    """After Ctrl-C nothing that was answered is asked again."""

    def tire(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        if tired.calls > 7:
            raise KeyboardInterrupt
        return look(prompt, clip)

    tired = model(answer=tire)
    with pytest.raises(KeyboardInterrupt):
        evaluate(light, tired, LADDER, SETTINGS, store=store)
    rest = model()
    run = evaluate(light, rest, LADDER, SETTINGS, store=store)
    assert (run.cached_cells, rest.calls) == (7, 13)


WORKER = """
import os, signal, sys
from pathlib import Path
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import CLIPS, LADDER, SETTINGS, look, model, question
from tests.engine.examples import slice_of

def answer(prompt, clip):
    if asked.calls > int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    return look(prompt, clip)

asked = model(answer=answer)
questions = [question(f"{v}-{i}", v) for v in CLIPS for i in range(3)]
slice_ = slice_of(Path(sys.argv[1]), questions)
run = evaluate(slice_, asked, LADDER, SETTINGS, store=CellStore(sys.argv[2]))
print(asked.calls, run.counts("original").correct, run.counts("black").correct)
"""


def start_worker(clips: Path, folder: Path, dies_after: int) -> subprocess.Popen[str]:
    """Start a process that evaluates nine questions under four conditions."""
    command = [sys.executable, "-c", WORKER, str(clips), str(folder), str(dies_after)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("dies_after", [0, 1, 17])
def test_a_killed_run_loses_only_the_cell_in_flight(
    clips: Path, tmp_path: Path, dies_after: int
) -> None:
    """After SIGKILL the next run asks for exactly the rest of 36 cells."""
    folder = tmp_path / "answers"
    first = start_worker(clips, folder, dies_after)
    first.communicate(timeout=600)
    assert first.returncode == -signal.SIGKILL
    printed, _ = start_worker(clips, folder, 10**9).communicate(timeout=600)
    # 9 questions, all keyed A: right with light, wrong without.
    assert printed.split() == [str(36 - dies_after), "9", "0"]


def test_runs_side_by_side_agree(clips: Path, tmp_path: Path) -> None:
    """Two processes on one store come to the same verdict, no cell doubled."""
    folder = tmp_path / "answers"
    workers = [start_worker(clips, folder, 10**9) for _ in range(2)]
    printed = [worker.communicate(timeout=600)[0].split() for worker in workers]
    assert [p[1:] for p in printed] == [["9", "0"]] * 2
    store = CellStore(folder)
    assert store.count() == 36
    store.close()


def test_what_failed_within_the_caps_fails_no_later_run(
    light: Slice, store: CellStore
) -> None:
    """A run that is taken up again asks failures first, and ends as it did."""

    def dark(prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
        if clip is not None and not clip.frames.any():
            raise BackendError("it is dark")
        return look(prompt, clip)

    settings = replace(SETTINGS, give_up_after=2, caps=Caps(failed=0.5))
    conditions = ["original", "black"]
    first, second = (
        evaluate(light, model(answer=dark), conditions, settings, store=store)
        for _ in range(2)
    )
    assert first.counts("black").failed == len(light)
    assert second == first
    strict = replace(settings, caps=Caps())
    with pytest.raises(CouldNotBeJudged, match="first 2 cells"):
        evaluate(light, model(answer=dark), conditions, strict, store=store)
