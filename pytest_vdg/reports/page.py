"""``--vdg-report DIR``: one HTML file that opens without a network, and pictures.

Apart from what it says, which other modules decide: here it is put together. The
order of giving up, where a page would become too large, is that of `thumbnails`
and `browser`.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_vdg.reports import browser, drawing
from pytest_vdg.reports.album import FORM, Pictures
from pytest_vdg.reports.claims import (
    SIGNS,
    claim_cards,
    claim_rows,
    headline,
    silent,
    unjudged,
)
from pytest_vdg.reports.html_files import (
    Draw,
    Picture,
    chapter_values,
    draw_into,
    part_values,
    render,
    write_files,
)
from pytest_vdg.reports.past_chapter import trend_parts
from pytest_vdg.reports.pictures import rows_figure
from pytest_vdg.reports.results import Results
from pytest_vdg.reports.run_tables import LEVEL
from pytest_vdg.reports.script_data import for_script
from pytest_vdg.reports.sections import chapters, run_notes, run_title
from pytest_vdg.reports.thumbnails import Wall, hang

LARGEST = 15_000_000
"""Bytes that the page may take."""
_SPARE = 200_000
"""Bytes kept for what is not known when pictures are chosen."""


def write_page(results: Results, where: str) -> Sequence[str]:
    """Write the report of *results* to the folder *where*; return what was written.

    Raises `ConfigError` where matplotlib is missing, and `StoreError` where
    nothing can be written.
    """
    drawing.require_drawable("report")
    return write_files(*make_page(results), Path(where))


def make_page(results: Results) -> tuple[bytes, Sequence[Picture]]:
    """Return the page of *results*, and its figures."""
    made: list[Picture] = []
    with drawing.drawing():
        values = _values(results, draw_into(made))
        values |= _questions(results, sum(len(each.svg) for each in made))
    return render("report.html", values, made), made


def _values(results: Results, draw: Draw) -> dict[str, Any]:
    """Return what the page says apart from its questions."""
    state, line = headline(results)
    rows = claim_rows(results.tests)
    figure = rows_figure(rows, f"percentage points [{LEVEL}]") if rows else None
    alt = "All claims with their intervals and bounds; the cards hold the same numbers"
    return {
        "headline": line,
        "state": state,
        "sign": SIGNS[state],
        "facts": _facts(results),
        "made": _made(results),
        "faults": results.faults,
        "notes": _notes(results),
        "cards": claim_cards(results.tests),
        "verdict_figure": draw(figure, "verdicts", alt),
        "unjudged": unjudged(results),
        "loosened": results.loosened,
        "silent": silent(results),
        "chapters": [chapter_values(each, draw) for each in chapters(results.runs)],
        "trends": [part_values(part, draw) for part in trend_parts(results)],
    }


def _facts(results: Results) -> Sequence[tuple[str, str]]:
    runs = [each.run for each in results.runs]
    return _given(
        ("checkpoint", ", ".join(dict.fromkeys(run.checkpoint for run in runs))),
        ("slice", ", ".join(dict.fromkeys(run.slice_name for run in runs))),
        ("when", results.created.replace("T", " ")),
    )


def _made(results: Results) -> Sequence[tuple[str, str]]:
    cells = results.asked + results.cached
    return _given(
        ("by", results.origin),
        ("cells", f"{cells}, of which {results.cached} from cache" if cells else ""),
        ("command", results.command),
    )


def _given(*facts: tuple[str, str]) -> Sequence[tuple[str, str]]:
    return [(name, value) for name, value in facts if value]


def _notes(results: Results) -> Sequence[str]:
    """Return what was told at the end of the session, and what a run alone tells."""
    own = [line for each in results.runs for line in run_notes(each.run)]
    return list(dict.fromkeys((*results.notes, *own)))


def _questions(results: Results, taken: int) -> dict[str, Any]:
    """Return the questions and the pictures that fit beside what is *taken*."""
    runs = results.runs
    longest = browser.longest_that_fits(runs)
    album = [each.pictures or Pictures() for each in runs]
    numbers = {k: i for i, k in enumerate(dict.fromkeys(_keys(album)))}
    # Numbers are given before it is known which pictures stay: that only shortens.
    text = for_script(_data(results, numbers, longest))
    room = LARGEST - taken - len(text) - _SPARE
    wall = hang(album, [browser.telling(each) for each in runs], room)
    kept = {key: i for i, key in enumerate(wall.images)}
    return {
        "runs": [run_title(each.run) for each in runs],
        "filters": browser.FILTERS,
        "data": for_script(_data(results, kept, longest)),
        "images": for_script([_base64(data) for data in wall.images.values()]),
        "wall_note": _wall_note(wall, album),
    }


def _keys(album: Sequence[Pictures]) -> Sequence[str]:
    return [key for each in album for key in each.images]


def _data(results: Results, keys: Mapping[str, int], longest: int) -> dict[str, Any]:
    made = [browser.run_data(r, keys=keys, longest=longest) for r in results.runs]
    return {"form": FORM, "filters": browser.FILTERS, "runs": made}


def _wall_note(wall: Wall, album: Sequence[Pictures]) -> str:
    return wall.note if any(each.images for each in album) else ""


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
