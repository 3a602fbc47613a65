"""An ablation as tables, and as Markdown to be kept beside a checkpoint.

Apart from the lines of a terminal because here nothing need fit a width: how surely
each verdict stands is shown, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_vdg.reports._ablated_lines import notes_in_one
from pytest_vdg.reports._format import (
    MISSING,
    points,
    points_within,
    pvalue,
    share,
    share_within,
)
from pytest_vdg.reports._markdown import code
from pytest_vdg.reports.ablated import Ablation, Flatness, Level
from pytest_vdg.reports.audit_lines import markdown_table
from pytest_vdg.reports.run_tables import Table
from pytest_vdg.spelling import count, detectable
from pytest_vdg.stats.proportion import Proportion

_ORDER: tuple[Flatness, ...] = (
    "FLAT",
    "NOT FLAT",
    "INCONCLUSIVE",
    "COULD NOT BE JUDGED",
)


def verdict_words(levels: Sequence[Level]) -> str:
    """Return how many *levels* have which verdict, e.g. ``4 FLAT, 1 NOT FLAT``."""
    found = Counter(level.verdict for level in levels)
    return ", ".join(f"{found[each]} {each}" for each in _ORDER if found[each])


def headline(found: Ablation) -> str:
    """Return in a line what was held against the original, and what it came to."""
    return (
        f"{found.checkpoint} on {found.slice_name}, "
        f"{count(len(found.levels), 'level')}: {verdict_words(found.levels)}"
    )


def level_tables(found: Ablation) -> tuple[Table, ...]:
    """Return a table of the levels over all tasks, and one by task if there are."""
    whole = _table(found, found.levels, _caption("All tasks", len(found.levels)))
    if not found.by_task:
        return (whole,)
    by_task = _caption("By task", len(found.by_task))
    return whole, _table(found, found.by_task, by_task)


def _caption(what: str, rows: int) -> str:
    return f"{what}; p-values adjusted over {count(rows, 'row')} (Holm)"


def _table(found: Ablation, levels: Sequence[Level], caption: str) -> Table:
    interval = f"[{100 * found.confidence:g}% CI]"
    margin = points(found.margin)[1:]
    heads = (
        *(("task",) if any(each.task is not None for each in levels) else ()),
        "level",
        "verdict",
        "n (videos)",
        "original",
        f"accuracy {interval}",
        f"change, pp {interval}",
        "MDE",
        "broken",
        "mended",
        f"stable {interval}",
        f"p within {margin}",
        "p no change",
    )
    return Table(heads=heads, rows=tuple(map(_row, levels)), caption=caption)


def _row(level: Level) -> tuple[str, ...]:
    first = () if level.task is None else (level.task,)
    found = level.measured
    if found is None:
        return (*first, level.condition, level.verdict, "0 (0)", *[MISSING] * 9)
    change, judged = found.flips.change, level.verdict != "COULD NOT BE JUDGED"
    return (
        *first,
        level.condition,
        level.verdict,
        f"{found.n} ({found.n_videos})",
        share(found.original.estimate),
        _share(found.accuracy),
        points_within(change.estimate, change.low, change.high),
        detectable(found.smallest_detectable),
        str(found.flips.correct_to_incorrect),
        str(found.flips.incorrect_to_correct),
        _share(found.flips.stable_share),
        *(map(pvalue, (found.p_flat, found.p_change)) if judged else (MISSING,) * 2),
    )


def _share(found: Proportion) -> str:
    return share_within(found.estimate, found.low, found.high)


def ablation_markdown(found: Ablation, notes: Sequence[str] = ()) -> str:
    """Return *found* as Markdown; names stand as code, whatever they hold.

    *notes* are what was told of the run besides.
    """
    lines = [
        f"# Ablation of {code(found.checkpoint)} on {code(found.slice_name)}",
        "",
        f"**{verdict_words(found.levels)}**: {_rule(found)}.",
    ]
    for table in level_tables(found):
        lines += ["", *markdown_table(table)]
    said = [*notes_in_one(found), *notes]
    lines += ["", *(f"- {code(line, 500)}" for line in said)]
    return "\n".join(lines).rstrip() + "\n"


def _rule(found: Ablation) -> str:
    failed = "counted wrong" if found.missing == "wrong" else "dropped"
    return (
        "changes are level minus original, and FLAT means shown to stay within "
        f"{points(found.margin)[1:]} points either way; failed cells are {failed}"
    )
