"""What a report says of a run: nothing is left out without a word."""

from __future__ import annotations

import pytest

from pytest_vdg.reports import drawing
from pytest_vdg.reports.chapters import Part
from pytest_vdg.reports.results import RunResult
from pytest_vdg.reports.sections import chapters
from pytest_vdg.runs import Run
from tests.assertions.build import make_run


@pytest.fixture(autouse=True)
def _with_matplotlib() -> None:
    """Skip where the extra is not installed."""
    pytest.importorskip("matplotlib")


def parts(run: Run, baseline: Run | None = None) -> dict[str, Part]:
    """Return what is said of *run*, by chapter."""
    with drawing.drawing():
        made = chapters([RunResult(run=run, baseline=baseline)])
    return {each.key: each.parts[0] for each in made}


def test_each_task_has_its_row_and_one_task_none_of_its_own() -> None:
    """Over all tasks first; one task alone is all of them."""
    cells = {"original": "CC" * 12, "text_only": "WC" * 12, "black": "WW" * 12}
    said = parts(make_run(cells, tasks=("x", "y")))
    assert [row[0] for row in said["spectrum"].tables[0].rows] == [
        "all tasks",
        "x",
        "y",
    ]
    assert [row[1] for row in said["gaps"].tables[0].rows] == ["all tasks", "x", "y"]
    assert said["spectrum"].notes == said["gaps"].notes == ()
    (row,) = parts(make_run(cells))["spectrum"].tables[0].rows
    assert row[0] == "all tasks"


def test_what_has_no_number_is_named() -> None:
    """All cells of one task failed with the video: it has no visual gain, no VDG."""
    cells = {"original": "CF" * 12, "text_only": "WC" * 12, "black": "WW" * 12}
    said = parts(make_run(cells, tasks=("x", "y")))
    assert [row[1] for row in said["gaps"].tables[0].rows] == ["all tasks", "x"]
    (note,) = said["gaps"].notes
    assert note == "Left out, as blind gap or visual gain is not known: y."
    (note,) = said["spectrum"].notes
    assert note == "12 questions not judged under both, and left out."


def test_without_a_visual_gain_there_is_no_place_for_a_blind_gap() -> None:
    """The model answered without the video, and never with it."""
    said = parts(make_run({"original": "FFFF", "text_only": "CWCW", "black": "WWWW"}))
    assert said["gaps"].tables == ()
    (note,) = said["gaps"].notes
    assert note.startswith("Not measured: ")


def test_a_baseline_that_does_not_compare_is_named() -> None:
    """With the field that differs; the run's own table stands all the same."""
    cells = {"original": "CW" * 6, "black": "WW" * 6}
    run, other = make_run(cells), make_run(cells, comparable={"seed": "1"})
    said = parts(run, other)["tables"]
    assert len(said.squares) == 1
    (note,) = said.notes
    assert note.startswith("Not compared with the baseline: ")
    assert "seed: 0, was 1" in note
    assert len(parts(run, run)["tables"].squares) > 1
    assert parts(run, run)["tables"].notes == ()


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        (("original", "black", "shuffled"), "single_frame was not run"),
        (("original", "black"), "single_frame, shuffled were not run"),
    ],
)
def test_rungs_that_are_missing_are_named(shown: tuple[str, ...], missing: str) -> None:
    """The steps beside them are drawn as one."""
    said = parts(make_run(dict.fromkeys(shown, "CWCW")))
    (note,) = said["ladder"].notes
    assert note.startswith(missing)
