"""Frames of a report: those that the model saw, or a reason why there are none."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.backends.scripted import ScriptedBackend
from pytest_vdg.config.file import load_config
from pytest_vdg.config.resolve import resolve
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import COMMAND_LINE, Voice
from pytest_vdg.reports.album import Pictures
from pytest_vdg.reports.results import Results, RunResult
from pytest_vdg.runs import Run
from pytest_vdg.sessions.pictures import for_page
from pytest_vdg.sessions.results import packed, run_results, unpacked
from pytest_vdg.sessions.session import VdgSession
from tests.engine.examples import look
from tests.plugin.conftest import clips, write_questions  # noqa: F401

pytest.importorskip("PIL")

CONDITIONS = ("original", "black", "shuffled", "reversed", "mismatched", "text_only")


@pytest.fixture
def folder(clips: Path, tmp_path: Path) -> Path:  # noqa: F811
    """Return a project of four clips with two questions each."""
    shutil.copytree(clips, tmp_path / "data")
    write_questions(tmp_path / "data" / "questions.jsonl", range(4))
    return tmp_path


def settings(folder: Path, sampling: str = "frames: 4", **spoken: object) -> Settings:
    """Return the settings of *folder*, whose ``vdg.yaml`` samples so."""
    path = folder / "vdg.yaml"
    slices = "slices: {colours: {benchmark: plain, path: data/questions.jsonl}}\n"
    path.write_text(f"sampling: {{{sampling}}}\n{slices}", encoding="utf-8")
    given = {"backend": "any", "checkpoint": "any", "no_cache": True, **spoken}
    voice = Voice(source=COMMAND_LINE, base=folder, values=given)
    return resolve([voice], base=folder, config=load_config(path))


def asked(where: Settings, **how: object) -> Results:
    """Return the results of asking a model that looks, *how* one likes."""

    def make(name: str, settings: Mapping[str, object]) -> ScriptedBackend:
        return ScriptedBackend(_answer, scoring="choice")

    session = VdgSession(where, make_backend=make)
    try:
        session.evaluate(**({"conditions": CONDITIONS} | how))  # type: ignore[arg-type]
        runs = run_results(session, {})
    finally:
        session.close()
    return Results(origin="vdg run", created="2026-01-01", runs=runs)


def _answer(prompt: object, clip: object) -> Mapping[str, float]:
    seen = look(prompt, clip)  # type: ignore[arg-type]
    return {"A": seen["A"], "B": seen["B"] / 2, "C": seen["B"] / 2}


def pictures(where: Settings, results: Results) -> Pictures:
    """Return the pictures of the first run, as the page gets them."""
    found = for_page(where, results).runs[0].pictures
    assert found is not None
    return found


def with_run(results: Results, **changes: object) -> Results:
    """Return *results* with another run in the place of the first."""
    (result,) = results.runs
    run = replace(result.run, **changes)
    return replace(results, runs=(replace(result, run=run),))


def reasons(found: Pictures) -> set[str]:
    """Return why cells have no frames, those without a video aside."""
    return {
        shown.reason
        for (_, condition), shown in found.cells.items()
        if condition != "text_only"
    }


def test_each_cell_has_the_frames_that_were_seen(folder: Path) -> None:
    """As many, at the recorded times; conditions of one clip share their pictures."""
    where = settings(folder)
    results = asked(where)
    found = pictures(where, results)
    run = results.runs[0].run
    for key, cell in run.cells.items():
        shown = found.cells[key]
        if cell.times_s:
            assert shown.times_s == tuple(round(t, 3) for t in cell.times_s)
            assert shown.total == cell.frames_seen == 4
        else:
            assert "none were shown" in shown.reason
    for question in run.questions:
        original, black, shuffled, back, other = (
            found.cells[question.id, c].frames for c in CONDITIONS[:5]
        )
        assert sorted(original) == sorted(shuffled)
        assert original != shuffled
        assert original == back[::-1]
        assert len(set(black)) == 1
        assert not {*original} & {*other}
    # Four frames of each of three colours (two clips look alike), and a black one.
    assert len(found.images) == 3 * 4 + 1


def test_pictures_are_found_again_from_another_process(folder: Path) -> None:
    """A worker sends its runs as text; the controller decodes."""
    where = settings(folder)
    results = asked(where, questions=4, seed=3)
    sent = replace(results, runs=unpacked(packed(results.runs)))
    assert pictures(where, sent).cells == pictures(where, results).cells
    assert not pictures(where, sent).reason


def test_a_stored_run_is_found_by_the_name_of_its_slice(folder: Path) -> None:
    """Frames and texts, where the slice of that name is what was asked."""
    where = settings(folder)
    bare = replace(asked(where), runs=(RunResult(run=asked(where).runs[0].run),))
    (result,) = for_page(where, bare).runs
    assert result.texts["q00-0"].text == "Which colour is the red thing (0)?"
    assert result.pictures is not None
    assert reasons(result.pictures) == {""}


def test_runs_that_saw_the_same_share_their_pictures(folder: Path) -> None:
    """Two checkpoints on one slice: every video is read once, for both."""
    where = settings(folder)
    one = asked(where).runs[0]
    two = replace(one, run=replace(one.run, checkpoint="other").only(["original"]))
    results = Results(origin="vdg run", created="", runs=(one, two))
    first, second = (run.pictures for run in for_page(where, results).runs)
    assert first is not None
    assert second is not None
    assert first.images is second.images
    assert set(second.cells) == {k for k in first.cells if k[1] == "original"}


def test_other_frames_are_never_shown(folder: Path) -> None:
    """A configuration that samples otherwise makes no picture, and is named."""
    results = asked(settings(folder))
    found = pictures(settings(folder, "frames: 3"), results)
    assert not found.images
    assert "sampling is frames=3, was frames=4" in found.reason


def test_frames_of_other_times_are_never_shown(folder: Path) -> None:
    """Whatever the configuration says, the times of each cell decide."""
    where = settings(folder)
    results = asked(where)
    run = results.runs[0].run
    cells = {
        key: replace(cell, times_s=tuple(t + 0.25 for t in cell.times_s))
        for key, cell in run.cells.items()
    }
    assert reasons(pictures(where, with_run(results, cells=cells))) == {
        "frames of other times would be read now"
    }


def test_frames_that_nobody_recorded_are_never_shown(folder: Path) -> None:
    """A run that was imported does not say what was shown."""
    where = settings(folder)
    results = asked(where)
    run = results.runs[0].run
    cells = {key: replace(cell, times_s=()) for key, cell in run.cells.items()}
    assert reasons(pictures(where, with_run(results, cells=cells))) == {
        "the run does not record which frames were shown"
    }


def test_another_reader_is_told(folder: Path) -> None:
    """Two readers differ in the last bit of a pixel; another version does not."""
    where = settings(folder)
    results = asked(where)
    run = results.runs[0].run

    def by(reader: str) -> Pictures:
        cells = {
            key: replace(cell, reader=cell.reader and reader)
            for key, cell in run.cells.items()
        }
        return pictures(where, with_run(results, cells=cells))

    assert reasons(by("pyav-1.0")) == {""}
    (reason,) = reasons(by("decord-3.4.0"))
    assert reason.startswith("they were read by decord-3.4.0, and now by pyav")


def test_a_video_that_changed_is_not_shown(folder: Path) -> None:
    """Its own questions, and all that may have been shown it in place of theirs."""
    where = settings(folder)
    results = asked(where)
    shutil.copy(folder / "data" / "11.mp4", folder / "data" / "00.mp4")
    found = pictures(where, results)
    changed = "the video has another content by now"
    assert found.cells["q00-0", "original"].reason == changed
    assert not found.cells["q01-0", "original"].reason
    assert found.cells["q01-0", "mismatched"].reason == changed


def test_a_video_that_cannot_be_read_has_its_reason(folder: Path) -> None:
    """The others are shown; nothing is raised."""
    where = settings(folder)
    results = asked(where, conditions=["original"])
    (folder / "data" / "00.mp4").write_bytes(b"no video")
    found = pictures(where, results)
    assert "00.mp4" in found.cells["q00-0", "original"].reason
    assert not found.cells["q01-0", "original"].reason


def test_other_questions_have_no_pictures(folder: Path) -> None:
    """A slice of that name with another text is another slice."""
    where = settings(folder)
    results = asked(where)
    path = folder / "data" / "questions.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("Which", "What"))
    found = pictures(where, results)
    assert "is not what was asked" in found.reason
    assert not found.cells


def test_a_quick_look_is_found_again(folder: Path) -> None:
    """``--vdg-questions 5`` asks the beginning of the slice; the report need not."""
    results = asked(settings(folder, questions=5))
    assert len(results.runs[0].run.questions) == 5
    found = pictures(settings(folder), results)
    assert len(found.cells) == 5 * len(CONDITIONS)
    assert reasons(found) == {""}


def test_a_run_that_was_cut_short_shows_what_it_asked(folder: Path) -> None:
    """The video that stands in is that of the whole slice."""
    where = settings(folder)
    results = asked(where)
    run = results.runs[0].run
    kept = tuple(q for q in run.questions if q.video != "03.mp4")
    short = with_run(
        results,
        questions=kept,
        cells={k: c for k, c in run.cells.items() if k[0] in {q.id for q in kept}},
        planned={"colour": 4, "shade": 4},
        fingerprint=replace(
            run.fingerprint, comparable={**run.fingerprint.comparable, "slice": "?"}
        ),
    )
    found, whole = pictures(where, short), pictures(where, results)
    assert found.cells == {k: v for k, v in whole.cells.items() if k in found.cells}
    assert len(found.cells) == 6 * len(CONDITIONS)


@pytest.mark.parametrize("name", ["nobody-knows-it", "../../etc"])
def test_a_slice_that_is_gone_is_told(folder: Path, name: str) -> None:
    """The page says so; the session goes on."""
    where = settings(folder)
    results = asked(where)
    run = replace(results.runs[0].run, slice_name=name)
    found = pictures(where, replace(results, runs=(RunResult(run=run),)))
    assert name in found.reason


def test_an_imported_condition_has_no_pictures(folder: Path) -> None:
    """A run may have been asked under conditions that nothing here can make."""
    where = settings(folder)
    results = asked(where, conditions=["original"])
    run: Run = results.runs[0].run
    more = {
        (q, "upside_down"): replace(cell, condition="upside_down")
        for (q, _), cell in run.cells.items()
    }
    found = pictures(
        where,
        with_run(
            results,
            conditions=("original", "upside_down"),
            cells={**run.cells, **more},
        ),
    )
    assert not found.cells["q00-0", "original"].reason
    assert "cannot be shown here" in found.cells["q00-0", "upside_down"].reason
