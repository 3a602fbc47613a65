"""Pages as files: templates filled in, figures drawn, both written.

Apart from what a page says, so that all of them have one frame, escape what others
wrote in one way, and have pictures of the same names beside them.
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
from pytest_vdg.reports import drawing
from pytest_vdg.reports._format import points, pvalue, span
from pytest_vdg.reports.chapters import Chapter, Part
from pytest_vdg.reports.past_pictures import listed, listed_pictures, remove_pictures
from pytest_vdg.reports.run_tables import LEVEL
from pytest_vdg.reports.squares import Square

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "index.html"
"""What a page is called in its folder."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A figure as the page and the files beside it have it."""

    name: str
    svg: Markup
    files: Mapping[str, bytes]
    """Name of a file to what is in it."""


Draw = Callable[["Figure | None", str, str], Picture | None]
"""Makes a picture of a figure, a name and what is read aloud in its place."""


def draw_into(made: list[Picture]) -> Draw:
    """Return what makes pictures and adds them to *made*; None stays None."""

    def draw(figure: Figure | None, name: str, alt: str) -> Picture | None:
        if figure is None:
            return None
        drawn = drawing.svg(figure)
        picture = Picture(
            name=name,
            svg=Markup(drawing.inline(drawn, name, alt)),  # noqa: S704 - escaped as XML
            files={f"{name}.svg": drawn, f"{name}.png": drawing.png(figure)},
        )
        made.append(picture)
        return picture

    return draw


def write_chapters(
    template: str,
    values: Mapping[str, object],
    chapters: Sequence[Chapter],
    folder: Path,
) -> list[str]:
    """Write a page of *template* and its pictures to *folder*; return what is told.

    To be called inside `drawing.drawing()`. Raises `StoreError` where nothing can
    be written.
    """
    made: list[Picture] = []
    draw = draw_into(made)
    shown = [chapter_values(each, draw) for each in chapters]
    page = render(template, {**values, "chapters": shown}, made)
    return write_files(page, made, folder)


def write_files(page: bytes, pictures: Sequence[Picture], folder: Path) -> list[str]:
    """Write *pictures*, then the *page* of them, to *folder*; return its name.

    Pictures of a page of ours that lay there go, unless they are no longer what
    that page says they are.
    """
    before = listed_pictures(folder / NAME)
    made = {name: data for picture in pictures for name, data in picture.files.items()}
    for name, data in made.items():
        write_atomically(folder / name, data)
    write_atomically(folder / NAME, page)
    remove_pictures(folder, {n: d for n, d in before.items() if n not in made})
    return [str(folder / NAME)]


def render(
    template: str, values: Mapping[str, object], made: Sequence[Picture]
) -> bytes:
    """Return the page that *template*, which extends ``base.html``, makes of *values*.

    The page lists the files of *made*, which lie beside it. All texts are escaped
    unless they are ``Markup``. Half of a pair of surrogates, as a broken reply may
    hold, becomes an escape.
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
            listed=listed(files for each in made for files in each.files.items()),
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


def chapter_values(chapter: Chapter, draw: Draw) -> dict[str, Any]:
    """Return *chapter* as templates take it, its figures drawn by *draw*."""
    return {
        "key": chapter.key,
        "title": chapter.title,
        "short": chapter.short,
        "lead": chapter.lead,
        "parts": [part_values(part, draw, chapter.key) for part in chapter.parts],
    }


def part_values(part: Part, draw: Draw, name: str = "") -> dict[str, Any]:
    """Return *part* as templates take it; its pictures are called *name* by default."""
    return {
        "title": part.title,
        "notes": part.notes,
        "picture": draw(part.figure, part.name or name, part.alt),
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


def _version() -> str:
    try:
        return version("pytest-vdg")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return ""
