"""Pages made of a headline and chapters: an audit, a filter, an ablation.

Apart from what they say, so that all of them are one file with the same frame and
pictures of the same names beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg.reports.page import Picture, make_picture, render, write_files
from pytest_vdg.reports.run_tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A part of a page: a figure, and tables with the same numbers."""

    key: str
    """Of its address, and the name of the picture's files."""
    short: str
    title: str
    lead: str
    tables: tuple[Table, ...] = ()
    figure: Figure | None = None
    alt: str = ""
    """What is read aloud in place of the figure."""


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
    pictures: list[Picture] = []
    shown = []
    for each in chapters:
        picture = None
        if each.figure is not None:
            picture = make_picture(each.figure, each.key, each.alt)
            pictures.append(picture)
        shown.append({**vars(each), "picture": picture})
    page = render(template, {**values, "chapters": shown})
    return write_files(page, pictures, folder)
