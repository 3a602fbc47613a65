"""Audits and filters as one HTML page each, with its pictures beside it.

Apart from the page of results because nobody is judged here: what stands first is
what was found about the questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_vdg.audits.audit import Audit
from pytest_vdg.audits.filters import Filtered, Sweep, TableRow
from pytest_vdg.audits.panel import Panel
from pytest_vdg.audits.space import Place, place
from pytest_vdg.reports import audit_pictures, drawing
from pytest_vdg.reports._format import share
from pytest_vdg.reports.audit_lines import NOTHING, flaw_words, headline
from pytest_vdg.reports.audit_tables import audit_tables, text_table
from pytest_vdg.reports.chapters import Chapter, Part
from pytest_vdg.reports.filter_lines import (
    by_task,
    comparison_table,
    filter_words,
    sweep_table,
)
from pytest_vdg.reports.html_files import write_chapters
from pytest_vdg.reports.run_tables import Table
from pytest_vdg.reports.space_picture import space_figure


def write_audit(audit: Audit, where: str) -> list[str]:
    """Write the page of *audit* and its pictures to the folder *where*.

    Returns what was written. Raises `ConfigError` where matplotlib is missing, and
    `StoreError` where nothing can be written.
    """
    drawing.require_drawable("--html")
    with drawing.drawing():
        chapters = list(_audit_chapters(audit))
        values = {
            "headline": f"{audit.slice_name}: {headline(audit).rstrip(':')}",
            "state": "bad" if audit.found else "good",
            "sign": "!" if audit.found else "\u2713",
            "facts": _audit_facts(audit),
            "opening": "What was found",
            "nothing": NOTHING,
            "lines": [flaw_words(flaw) for flaw in audit.flaws],
            "notes": [*audit.notes, *([audit.unscored] if audit.unscored else [])],
        }
        return write_chapters("audit.html", values, chapters, Path(where))


def write_filter(
    panel: Panel,
    found: Filtered,
    table: Sequence[TableRow],
    swept: Sequence[Sweep],
    where: str,
) -> list[str]:
    """Write the page of a filter; returns and raises as `write_audit`."""
    drawing.require_drawable("--html")
    with drawing.drawing():
        values = {
            "headline": filter_words(panel, found),
            "state": "open",
            "sign": "\u2192",
            "facts": [
                ("slice", panel.slice_name),
                ("filtered by", ", ".join(found.used)),
                *([("judged by", table[0].judge)] if table else []),
            ],
            "opening": "What stays",
            "nothing": "",
            "lines": by_task(panel, found),
            "notes": panel.notes,
        }
        chapters = list(_filter_chapters(panel, table, swept, found.tau))
        return write_chapters("audit.html", values, chapters, Path(where))


def _audit_facts(audit: Audit) -> list[tuple[str, str]]:
    asked = audit.extent
    return [
        ("slice", audit.slice_name),
        ("questions", f"{asked.n}, videos {asked.n_videos}"),
        ("chance", share(audit.keys[0].chance)),
        *[(f"{m.kind} model", m.name) for m in audit.models],
    ]


def _audit_chapters(audit: Audit) -> Iterator[Chapter]:
    tables = audit_tables(audit)
    yield Chapter(
        key="key",
        short="Key",
        title="The answer key",
        lead="How often each label is the answer, and how often it would be in a key "
        "that prefers none. The floor is what always answering one label earns.",
        parts=(Part(tables=(tables["key"],)),),
    )
    if audit.text is not None:
        told = text_table(audit.text, f"{100 * audit.text.confidence:g}% CI")
        yield Chapter(
            key="text",
            short="Text",
            title="What the text gives away",
            lead="Simple baselines that see no video and ask no model, each against "
            "chance; what is above it, any language model may use.",
            parts=(Part(tables=(told,)),),
        )
    if "gaps" in tables:
        yield _space_chapter(audit, tables["gaps"])
    if "ladder" in tables:
        yield from _evidence_chapters(audit, tables)
    yield from _answer_chapters(tables)


def _space_chapter(audit: Audit, gaps: Table) -> Chapter:
    """Return what text is worth to the panel, and what the video adds."""
    places = audit_pictures.audit_places(audit)
    space = Part(
        tables=(gaps,),
        figure=space_figure(places) if places else None,
        alt="Blind gap and visual gain of the benchmark and of each task; the table "
        "holds the same numbers",
    )
    return Chapter(
        key="space",
        short="Space",
        title="Between text and video",
        lead="Right: the text gives answers away. Up: the video adds. A circle's area "
        "is the accuracy with the video.",
        parts=(space,),
    )


def _evidence_chapters(audit: Audit, tables: Mapping[str, Table]) -> Iterator[Chapter]:
    """Yield what frames and their order are worth to video models."""
    spectrum = Part(
        figure=audit_pictures.spectrum_figure(audit),
        alt="VDG by task with intervals; the table above holds the same numbers",
    )
    yield Chapter(
        key="spectrum",
        short="VDG",
        title="What the video is worth, by task",
        lead="VDG: accuracy with the video minus accuracy with black frames.",
        parts=(spectrum,),
    )
    steps = Part(
        tables=(tables["ladder"], tables["order"]),
        figure=audit_pictures.ladder_figure(audit),
        alt="Accuracy of each video model under each condition; the tables hold the "
        "same numbers",
    )
    yield Chapter(
        key="ladder",
        short="Ladder",
        title="What each kind of evidence adds",
        lead="From no video and black frames to the video, and the video backwards.",
        parts=(steps,),
    )


def _answer_chapters(tables: Mapping[str, Table]) -> Iterator[Chapter]:
    """Yield what the panel's answers say of the key, and of single questions."""
    answers = [tables[name] for name in ("agreement", "positions") if name in tables]
    if answers:
        yield Chapter(
            key="answers",
            short="Answers",
            title="Answers against the key",
            lead="Whether right answers come from the video, and whether a model has a "
            "habit of its own.",
            parts=(Part(tables=tuple(answers)),),
        )
    if "scores" in tables:
        yield Chapter(
            key="scores",
            short="Scores",
            title="Shortcut scores",
            lead="T: text alone is surely right. V: video moves the answer to the "
            "right one. S = T - V; `vdg filter` keeps questions with a small one.",
            parts=(Part(tables=(tables["scores"],)),),
        )


def _filter_chapters(
    panel: Panel,
    table: Sequence[TableRow],
    swept: Sequence[Sweep],
    tau: float | None,
) -> Iterator[Chapter]:
    if table:
        places = filter_places(panel.slice_name, table)
        compared = Part(
            tables=(comparison_table(table),),
            figure=space_figure(places) if places else None,
            alt="Blind gap and visual gain of all questions and of what each filter "
            "leaves; the table holds the same numbers",
        )
        yield Chapter(
            key="space",
            short="Filters",
            title="Full against filtered",
            lead="Judged by a model that took no part in filtering. Arrows lead from "
            "all questions to those that a filter leaves.",
            parts=(compared,),
        )
    if swept:
        left = Part(
            tables=tuple(sweep_table(each) for each in swept),
            figure=audit_pictures.sweep_figure(swept, tau),
            alt="Blind gap, visual gain and number of questions by threshold; the "
            "tables hold the same numbers",
        )
        yield Chapter(
            key="sweep",
            short="Sweep",
            title="What other thresholds would leave",
            lead="Dashes are the values of all questions; the dotted line is how many "
            "questions are left.",
            parts=(left,),
        )


def filter_places(name: str, table: Sequence[TableRow]) -> list[Place]:
    """Return a circle of all questions, and arrows to what each filter leaves."""
    whole = table[0].measures
    if whole is None:
        return []
    found = []
    for each in table[1:]:
        start = place(whole, name, filtered=each.measures)
        if start is not None and start.moved_to is not None:
            moved = Place(**{**vars(start.moved_to), "name": each.name})
            found.append(Place(**{**vars(start), "moved_to": moved}))
    return found
