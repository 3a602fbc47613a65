"""The figures of an ablation show its numbers, and nothing that was not measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from pytest_vdg.reports.ablated import Ablation
from pytest_vdg.reports.ablation import ablate
from tests.assertions.build import NO_CAPS, make_run

pytest.importorskip("matplotlib")

from pytest_vdg.reports.ablation_pictures import levels_figure, tasks_figure
from pytest_vdg.reports.drawing import drawing, png, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@pytest.fixture(autouse=True)
def _ours() -> Iterator[None]:
    """Draw in our hand."""
    with drawing():
        yield


def found(tasks: tuple[str, ...] = ("all",)) -> Ablation:
    """Return an ablation: 12 of 16 right, then 10, and a level that all failed."""
    cells = {
        "original": "C" * 12 + "W" * 4,
        "compressed:18": "C" * 8 + "W" * 4 + "C" * 2 + "W" * 2,
        "compressed:38": "F" * 16,
    }
    return ablate(make_run(cells, tasks=tasks, caps=NO_CAPS))


def titles(figure: Figure) -> list[str]:
    """Return what stands above the panels."""
    return [axes.get_title(loc="left") for axes in figure.axes]


def marks(axes: Axes) -> list[tuple[float, float]]:
    """Return where marks stand."""
    drawn = [line for line in axes.lines if line.get_marker() not in ("None", "")]
    return [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in drawn]  # type: ignore[index]


def test_a_level_is_drawn_where_its_numbers_are() -> None:
    """10 of 16 are right, 2 fewer than the 12; 4 broke and 2 mended, 10 stable."""
    figure = levels_figure(found())
    panels = dict(zip(titles(figure), figure.axes, strict=True))
    assert marks(panels["accuracy, %"]) == [(0, 62.5)]
    assert marks(panels["stable answers, %"]) == [(0, 62.5)]
    assert marks(panels["level - original, percentage points"]) == [(0, -12.5)]
    (original,) = [
        line for line in panels["accuracy, %"].lines if line.get_gid() == "original"
    ]
    assert set(original.get_ydata()) == {75.0}


def test_what_was_not_measured_has_a_place_and_no_mark() -> None:
    """The axis names both levels; the failed one is empty."""
    (axes, *_) = levels_figure(found()).axes
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["18", "38"]
    assert [place for place, _ in marks(axes)] == [0]


def test_each_task_has_a_panel() -> None:
    """Named after it, with accuracy and stable share; none where there is one task."""
    assert tasks_figure(found()) is None
    names = ("one", "two", "three", "four")
    figure = tasks_figure(found(names))
    assert figure is not None
    assert titles(figure) == list(names)
    assert {len(marks(axes)) for axes in figure.axes} == {2}


def test_levels_of_two_kinds_are_named_whole() -> None:
    """A number alone would not say what it is of."""
    run = make_run(dict.fromkeys(["original", "fps:2", "sampled:8"], "CW" * 8))
    (axes, *_) = levels_figure(ablate(run)).axes
    assert [t.get_text() for t in axes.get_xticklabels()] == ["sampled:8", "fps:2"]
    assert axes.get_xlabel() == "level"


def test_figures_become_files() -> None:
    """PNG and SVG, the latter with its text as text."""
    figure = levels_figure(found())
    assert png(figure).startswith(b"\x89PNG")
    assert b"percentage points" in svg(figure)
