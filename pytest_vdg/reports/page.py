"""``--vdg-report DIR``: one HTML file that opens without a network, and pictures.

Apart from what it says, which other modules decide: here it is put together and
written. The order of giving up, where a page would become too large, is that
of `thumbnails` and `browser`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from pytest_vdg.atomic import write_atomically
from pytest_vdg.reports import browser, drawing
from pytest_vdg.reports._format import points, pvalue, span
from pytest_vdg.reports.album import FORM, Pictures
from pytest_vdg.reports.claims import (
    SIGNS,
    claim_cards,
    claim_rows,
    headline,
    silent,
    unjudged,
)
from pytest_vdg.reports.past_chapter import trend_parts
from pytest_vdg.reports.pictures import rows_figure
from pytest_vdg.reports.results import Results
from pytest_vdg.reports.run_tables import LEVEL
from pytest_vdg.reports.script_data import for_script
from pytest_vdg.reports.sections import Chapter, Part, chapters, run_notes, run_title
from pytest_vdg.reports.squares import Square
from pytest_vdg.reports.thumbnails import Wall, hang

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST = 15_000_000
"""Bytes that the page may take."""
NAME = "index.html"
_SPARE = 200_000
"""Bytes kept for what is not known when pictures are chosen."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A figure as the page and the files beside it have it."""

    name: str
    svg: Markup
    files: Mapping[str, bytes]
    """Name of a file to what is in it."""


def write_page(results: Results, where: str) -> Sequence[str]:
    """Write the report of *results* to the folder *where*; return what was written.

    Raises `ConfigError` where matplotlib is missing, and `StoreError` where
    nothing can be written.
    """
    drawing.require_drawable("report")
    return write_files(*make_page(results), Path(where))


def write_files(page: bytes, pictures: Sequence[Picture], folder: Path) -> list[str]:
    """Write *pictures*, then the *page* of them, to *folder*; return its name."""
    for picture in pictures:
        for name, data in picture.files.items():
            write_atomically(folder / name, data)
    write_atomically(folder / NAME, page)
    return [str(folder / NAME)]


def make_page(results: Results) -> tuple[bytes, Sequence[Picture]]:
    """Return the page of *results*, and its figures."""
    made: list[Picture] = []

    def draw(figure: Figure | None, name: str, alt: str) -> Picture | None:
        if figure is None:
            return None
        made.append(make_picture(figure, name, alt))
        return made[-1]

    with drawing.drawing():
        values = _values(results, draw)
        values |= _questions(results, sum(len(each.svg) for each in made))
    return render("report.html", values), made


def render(template: str, values: Mapping[str, object]) -> bytes:
    """Return the page that *template*, which extends ``base.html``, makes of *values*.

    All texts are escaped unless they are ``Markup``. Half of a pair of
    surrogates, as a broken reply may hold, becomes an escape.
    """
    script = _files()["page.js"]
    text = (
        _environment()
        .get_template(template)
        .render(
            css=Markup(_files()["page.css"]),  # noqa: S704 - ours
            script=Markup(script),  # noqa: S704 - ours
            script_source=Markup(f"'{_digest(script)}'"),  # noqa: S704 - base64
            version=_version(),
            **values,
        )
    )
    return text.encode("utf-8", "backslashreplace")


@cache
def _files() -> Mapping[str, str]:
    """Return the templates, the style and the script, by name."""
    folder = resources.files("pytest_vdg.reports").joinpath("html")
    return {
        each.name: each.read_text("utf-8")
        for each in folder.iterdir()
        if each.name.endswith((".html", ".css", ".js"))
    }


def _environment() -> Environment:
    return Environment(
        loader=DictLoader(dict(_files())),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )


def _digest(script: str) -> str:
    """Return by what the page names the one script that may run in it."""
    return (
        "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    )


Draw = Callable[["Figure | None", str, str], Picture | None]


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
        "chapters": [_chapter(each, draw) for each in chapters(results.runs)],
        "trends": [_part(part, draw) for part in trend_parts(results)],
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


def _chapter(chapter: Chapter, draw: Draw) -> dict[str, Any]:
    return {
        "key": chapter.key,
        "title": chapter.title,
        "short": chapter.short,
        "lead": chapter.lead,
        "parts": [_part(part, draw) for part in chapter.parts],
    }


def _part(part: Part, draw: Draw) -> dict[str, Any]:
    return {
        "title": part.title,
        "notes": part.notes,
        "picture": draw(part.figure, part.name, part.alt),
        "tables": part.tables,
        "shows": bool(part.figure or part.tables or part.squares),
        "squares": [(square, _square_words(square)) for square in part.squares],
    }


def _square_words(square: Square) -> str:
    value = square.difference
    words = f"{points(value.estimate)} pp {span(value.low, value.high)} [{LEVEL}], "
    words += (
        f"n={square.n} on {square.n_videos} videos, McNemar p {pvalue(square.pvalue)}"
    )
    if square.adjusted != square.pvalue:
        words += f" (Holm {pvalue(square.adjusted)})"
    return words + (f"; {square.excluded} left out" if square.excluded else "")


def make_picture(figure: Figure, name: str, alt: str) -> Picture:
    """Return *figure* as files called *name*, and as part of a page read as *alt*."""
    drawn = drawing.svg(figure)
    return Picture(
        name=name,
        svg=Markup(drawing.inline(drawn, name, alt)),  # noqa: S704 - escaped as XML
        files={f"{name}.svg": drawn, f"{name}.png": drawing.png(figure)},
    )


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


def _version() -> str:
    try:
        return version("pytest-vdg")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return ""
