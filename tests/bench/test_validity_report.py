"""Measured numbers reach the page, and nothing else of it is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.validity.exact import Misses
from bench.validity.grid import INDEPENDENT, SHAPES, Cell
from bench.validity.report import (
    coverage_table,
    list_outside,
    outside,
    put,
    table,
    why,
)


def cell(
    held: float,
    *,
    method: str = "gap",
    n: int = 100,
    shape: str = INDEPENDENT,
    carrying: float = 40,
    videos: int = 100,
    replicates: int | None = None,
) -> Cell:
    """Return a cell that holds the truth so often, missing it above."""
    misses = Misses(above=1 - held, below=0.0, replicates=replicates)
    return Cell(
        method=method,
        setting="0.7 against 0.35",
        shape=shape,
        n=n,
        videos=videos,
        carrying=carrying,
        interval=misses,
        bounds=misses,
    )


def test_a_block_is_replaced_and_prose_is_kept() -> None:
    """Writing twice leaves what writing once does."""
    page = "prose\n<!-- x -->\nold\n<!-- end x -->\nmore\n"
    once = put(page, {"x": table(["a"], [["1"]])})
    assert once == ("prose\n<!-- x -->\n| a |\n| --- |\n| 1 |\n<!-- end x -->\nmore\n")
    assert put(once, {"x": table(["a"], [["1"]])}) == once


def test_a_page_without_the_place_is_refused() -> None:
    """A result that nobody would see is an error."""
    with pytest.raises(ValueError, match="one place for 'x'"):
        put("prose", {"x": "1"})


def test_cells_outside_are_listed_the_worst_first() -> None:
    """Too narrow and too cautious, from 50 questions on."""
    cells = [cell(0.98), cell(0.95), cell(0.9), cell(0.5, n=30)]
    assert [c.interval.held for c in outside(cells)] == [0.9, 0.98]
    assert "90.0 (exact)" in list_outside(cells)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (cell(0.99, carrying=2), "fewer than 5 questions"),
        (cell(0.99, method="change of a gap", shape="x"), "the wider of two"),
        (cell(0.92), "discrete"),
        (cell(0.92, videos=9, replicates=100, shape="x"), "very few videos"),
        (cell(0.92, carrying=2, replicates=100, shape="x"), "bunched"),
        (cell(0.92, replicates=100, shape="x"), "an estimate"),
    ],
)
def test_every_cell_outside_has_a_reason(found: Cell, reason: str) -> None:
    """Caution is told from narrowness, and chance from design."""
    assert reason in why(found)


def test_too_narrow_is_bold() -> None:
    """A reader finds what is wrong at a glance."""
    assert "**92.0-95.0**" in coverage_table([cell(0.92), cell(0.95)])


def test_simulated_shares_have_an_error_and_exact_ones_none() -> None:
    """sqrt(.05 * .95 / 400) is 1.09 points."""
    assert cell(0.95).interval.error == 0
    assert cell(0.95, replicates=400).interval.error == pytest.approx(0.011, abs=2e-4)


def test_no_miss_in_a_simulation_is_no_proof_of_none() -> None:
    """The error of a share of zero is not zero."""
    assert cell(1.0, replicates=400).interval.error > 0.002


def test_the_picture_is_drawn_of_any_cells(tmp_path: Path) -> None:
    """Also where a kind of slice has none."""
    picture = pytest.importorskip("bench.validity.picture")
    path = tmp_path / "cells.png"
    picture.draw_cells(
        [cell(0.95), cell(0.7, shape=SHAPES[-1].name, replicates=9)], path
    )
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_page_has_a_place_for_every_result() -> None:
    """The command would fail after minutes otherwise."""
    page = Path(__file__).parents[2] / "docs" / "validity.md"
    names = ["how", "short", "coverage", "outside", "outside-list", "bounds"]
    names += ["losses", "claims", "plans", "real"]
    text = page.read_text("utf-8")
    assert put(text, dict.fromkeys(names, "x")).count("\nx\n") == len(names)
