"""An ablation as one HTML page, with its pictures beside it.

Apart from the page of results because no claim is judged here: what stands first is
the verdict on each level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_vdg.reports import ablation_pictures, drawing
from pytest_vdg.reports._ablated_lines import notes_in_one
from pytest_vdg.reports._format import points
from pytest_vdg.reports.ablated import Ablation
from pytest_vdg.reports.ablation_tables import headline, level_tables
from pytest_vdg.reports.chapters import Chapter, Part
from pytest_vdg.reports.html_files import write_chapters


def write_ablation(found: Ablation, where: str, notes: Sequence[str] = ()) -> list[str]:
    """Write the page of *found* and its pictures to the folder *where*.

    *notes* are what was told of the run besides. Returns what was written. Raises
    `ConfigError` where matplotlib is missing, and `StoreError` where nothing can be
    written.
    """
    drawing.require_drawable("--html")
    with drawing.drawing():
        values = {
            "headline": headline(found),
            "state": "open",
            "sign": "\u2192",
            "facts": [
                ("checkpoint", found.checkpoint),
                ("slice", found.slice_name),
                ("margin", f"{points(found.margin)[1:]} points"),
                ("failed", "wrong" if found.missing == "wrong" else "dropped"),
            ],
            "opening": "Verdicts",
            "nothing": "",
            "lines": _verdicts(found),
            "notes": notes,
        }
        chapters = list(_chapters(found))
        return write_chapters("ablation.html", values, chapters, Path(where))


def _verdicts(found: Ablation) -> list[str]:
    judged = [level for level in found.levels if level.verdict != "COULD NOT BE JUDGED"]
    lines = [f"{each.condition}: {each.verdict}, {each.why}" for each in judged]
    return [*lines, *notes_in_one(found)]


def _chapters(found: Ablation) -> Iterator[Chapter]:
    tables = level_tables(found)
    measured = any(level.measured is not None for level in found.levels)
    whole = Part(
        tables=tables[:1],
        figure=ablation_pictures.levels_figure(found) if measured else None,
        alt="Accuracy, its change from the original and the share of stable answers "
        "at each level; the table holds the same numbers",
    )
    yield Chapter(
        key="levels",
        short="Levels",
        title="All tasks together",
        lead="Accuracy at each level and of the original on the same questions; "
        "answers that stay right or stay wrong, of which an even curve says nothing; "
        "and the paired difference, which decides: the band is the margin.",
        parts=(whole,),
    )
    if len(tables) > 1:
        by_task = Part(
            tables=tables[1:],
            figure=ablation_pictures.tasks_figure(found) if measured else None,
            alt="Accuracy and share of stable answers at each level, by task; the "
            "table holds the same numbers",
        )
        yield Chapter(
            key="tasks",
            short="Tasks",
            title="Task by task",
            lead="Accuracy, and answers that stay right or stay wrong. A task has "
            "fewer questions than all together, so that more stays undecided.",
            parts=(by_task,),
        )
