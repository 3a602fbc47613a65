"""What a report says of each run: tables in words, and the figures beside them.

Apart from the page, which puts them in order, and from the numbers, which are
`measured`'s: here it is decided what is said where there is no number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import pair
from pytest_vdg.reports import pictures
from pytest_vdg.reports.chapters import Chapter, Part
from pytest_vdg.reports.measured import Measured, View, measures
from pytest_vdg.reports.pictures import Point, Row
from pytest_vdg.reports.results import RunResult
from pytest_vdg.reports.run_tables import (
    CONFIDENCE,
    LEVEL,
    accuracy_table,
    effect_table,
    gaps_table,
    part_of,
    spectrum_table,
    step_table,
)
from pytest_vdg.reports.squares import against_baseline, against_black
from pytest_vdg.reports.steps import RUNGS, staircase
from pytest_vdg.reports.terminal import short_lines, unanswered_lines, unknown_lines
from pytest_vdg.runs import Run
from pytest_vdg.spelling import count
from pytest_vdg.stats.spectrum import spectrum


def chapters(runs: Sequence[RunResult]) -> list[Chapter]:
    """Return what is said of *runs*; make it inside `drawing.drawing()`."""
    makers = (
        (_spectrum, "spectrum", "VDG", "What the video is worth, by task", _SPECTRUM),
        (_ladder, "ladder", "Ladder", "What each kind of evidence adds", _LADDER),
        (_squares, "tables", "2\u00d72", "Which questions changed", _SQUARES),
        (_gaps, "gaps", "Gaps", "Blind gap and visual gain", _GAPS),
    )
    return [
        Chapter(
            key=key,
            short=short,
            title=title,
            lead=lead,
            parts=tuple(
                make(
                    each, title=run_title(each.run), name=f"{i}-{slug(each.run)}-{key}"
                )
                for i, each in enumerate(runs, start=1)
            ),
        )
        for make, key, short, title, lead in makers
    ]


_SPECTRUM = (
    "VDG, the visual dependency gap: accuracy with the video minus accuracy with "
    "black frames, over the same questions. At zero the video is not used."
)
_LADDER = (
    "From black frames to the video: what one frame adds, what more frames add, and "
    "what their order adds. Over the questions judged on every rung."
)
_SQUARES = (
    "The same questions answered twice. The p-value is McNemar's exact test; "
    "that of tables that stand together is adjusted (Holm)."
)
_GAPS = (
    "Blind gap: accuracy without a video minus chance. Visual gain: accuracy with the "
    "video minus accuracy without. Far right: the text gives answers away."
)


def run_title(run: Run) -> str:
    """Return what a run is called: its checkpoint and its slice."""
    return f"{run.checkpoint} on {run.slice_name}"


def slug(run: Run) -> str:
    """Return a run's slice as part of a file name."""
    return (
        re.sub(r"[^A-Za-z0-9]+", "-", run.slice_name).strip("-").lower()[:32] or "run"
    )


def run_notes(run: Run) -> tuple[str, ...]:
    """Return what has no answer, and what else people must hear of *run*."""
    return (*unanswered_lines(run), *short_lines(run), *unknown_lines(run))


def _spectrum(result: RunResult, *, title: str, name: str) -> Part:
    try:
        paired = pair(result.run, control="black")
    except CouldNotBeJudged as error:
        return Part(title=title, name=name, notes=(f"No VDG: {error}",))
    found = spectrum(
        treated=np.asarray(paired.treated),
        control=np.asarray(paired.control),
        groups=paired.tasks,
        videos=paired.video_ids,
        confidence=CONFIDENCE,
        questions=paired.asked_ids,
    )
    rows = [found.overall, *(found.rows if len(found.rows) > 1 else ())]
    sizes = [str(part_of(paired, row.group).extent.n) for row in rows]
    lost = len({each.question_id for each in paired.excluded})
    told = (f"{count(lost, 'question')} not judged under both, and left out.",)
    return Part(
        title=title,
        name=name,
        alt=f"VDG of {title} by task, with intervals; the table holds the same numbers",
        figure=pictures.rows_figure(
            [
                Row(
                    name="all tasks" if row is found.overall else row.group,
                    estimate=row.estimate,
                    low=row.low,
                    high=row.high,
                    note=f"n={size}",
                    strong=row is found.overall,
                )
                for row, size in zip(rows, sizes, strict=True)
            ],
            f"VDG, percentage points [{LEVEL}]",
        ),
        tables=(spectrum_table(rows, paired),),
        notes=told if lost else (),
    )


def _ladder(result: RunResult, *, title: str, name: str) -> Part:
    run = result.run
    found = list(measures(run, confidence=CONFIDENCE))
    tables = (accuracy_table(run, found), effect_table(found))
    stairs = staircase(View(run=run, confidence=CONFIDENCE))
    if stairs is None:
        told = f"No ladder: it takes at least two of {', '.join(RUNGS)}."
        return Part(title=title, name=name, tables=tables, notes=(told,))
    notes = []
    if stairs.missing:
        were = "were" if len(stairs.missing) > 1 else "was"
        missing = f"{', '.join(stairs.missing)} {were} not run"
        notes.append(f"{missing}: steps are drawn together where one is not known.")
    return Part(
        title=title,
        name=name,
        alt=f"Waterfall of {title} from {stairs.rungs[0][0]} to {stairs.rungs[-1][0]}; "
        "the tables hold its numbers",
        figure=pictures.waterfall_figure(stairs),
        tables=(step_table(stairs), *tables),
        notes=tuple(notes),
    )


def _squares(result: RunResult, *, title: str, name: str) -> Part:
    run, baseline = result.run, result.baseline
    whole = against_black(run)
    notes = []
    if whole is None:
        notes.append("No question was judged under both original and black.")
    found = [] if whole is None else [whole]
    if baseline is None:
        notes.append("No baseline: no claim compared this run with another.")
    else:
        try:
            found += against_baseline(run, baseline)
        except CouldNotBeJudged as error:
            notes.append(f"Not compared with the baseline: {error}")
    return Part(title=title, name=name, squares=tuple(found), notes=tuple(notes))


def _gaps(result: RunResult, *, title: str, name: str) -> Part:
    found = list(measures(result.run, confidence=CONFIDENCE))
    by_task: dict[str | None, dict[str, Measured]] = {}
    for each in found:
        by_task.setdefault(each.task, {})[each.measure] = each
    points = {task: _point(task, each) for task, each in by_task.items()}
    shown = [point for point in points.values() if point is not None]
    if not shown:
        told = "Not measured: it takes the conditions original and text_only."
        return Part(title=title, name=name, notes=(told,))
    unknown = [task or "all tasks" for task, point in points.items() if point is None]
    told = f"Left out, as blind gap or visual gain is not known: {', '.join(unknown)}."
    return Part(
        title=title,
        name=name,
        alt=f"Blind gap and visual gain of {title} by task, with intervals; the table "
        "holds the same numbers",
        figure=pictures.plane_figure(
            shown, xlabel="blind gap, pp", ylabel="visual gain, pp"
        ),
        tables=(gaps_table(shown),),
        notes=(told,) if unknown else (),
    )


def _point(task: str | None, found: dict[str, Measured]) -> Point | None:
    blind, gain = found.get("blind gap"), found.get("visual gain")
    if blind is None or gain is None:
        return None
    ends = [(m.low, m.high) for m in (blind, gain)]
    numbers = (blind.estimate, gain.estimate, *ends[0], *ends[1])
    if any(n is None for n in numbers):
        return None
    x, y, x_low, x_high, y_low, y_high = (float(n) for n in numbers if n is not None)
    return Point(
        name=task or "all tasks",
        x=x,
        x_ends=(x_low, x_high),
        y=y,
        y_ends=(y_low, y_high),
        strong=task is None,
    )
