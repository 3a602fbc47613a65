"""What pages are made of: chapters, and the parts they have.

Apart from what is said in them, and from the files, so that the page of results, an
audit, a filter and an ablation are drawn by the same lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_vdg.reports.run_tables import Table
from pytest_vdg.reports.squares import Square

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Part:
    """A figure, and tables with the same numbers."""

    title: str = ""
    """Of which run, e.g. ``grounded on sight``, where a chapter is of several."""
    name: str = ""
    """What its pictures are called, without suffix; by default as the chapter."""
    alt: str = ""
    """What the picture shows, for whoever does not see it."""
    figure: Figure | None = field(default=None, repr=False)
    tables: tuple[Table, ...] = ()
    squares: tuple[Square, ...] = ()
    notes: tuple[str, ...] = ()
    """What is missing and why, and what to heed."""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """One thing that is said: of every run, or of the questions."""

    key: str
    """Its anchor in the page."""
    short: str
    """What the way to it is called."""
    title: str
    lead: str
    """What it shows, in a sentence or two."""
    parts: tuple[Part, ...]
