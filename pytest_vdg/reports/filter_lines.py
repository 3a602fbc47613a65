"""A filter as text: what stays, who judged it, and the traffic paper's table.

Apart from the audit because a filter changes a benchmark: what was removed, by
whom, and what a model that took no part in it then measures.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vdg.audits.filters import RULES, Filtered, Sweep, TableRow
from pytest_vdg.audits.panel import Panel
from pytest_vdg.reports._format import MISSING, plain, points, share, span, wrapped
from pytest_vdg.reports._markdown import code
from pytest_vdg.reports.audit_lines import markdown_table, note_lines, table_lines
from pytest_vdg.reports.run_tables import Table
from pytest_vdg.spelling import count


def filter_lines(
    panel: Panel,
    found: Filtered,
    table: Sequence[TableRow] = (),
    swept: Sequence[Sweep] = (),
) -> list[str]:
    """Return what *found* leaves of *panel*, and how others judge it."""
    used = ", ".join(plain(name, 60) for name in found.used)
    said = [filter_words(panel, found), f"filtered by {used}"]
    if found.unknown:
        said.append(
            f"{count(len(found.unknown), 'question')} not known well enough to stay "
            f"(first: {', '.join(plain(i, 40) for i in found.unknown[:3])})"
        )
    if found.scores is not None:
        said += [
            f"no part of {plain(n, 60)}: {w}" for n, w in found.scores.silent.items()
        ]
    lines = [line for text in said for line in wrapped(text, later="  ")]
    lines += [f"  {line}" for line in by_task(panel, found)]
    if not table:
        lines += ["", *_UNJUDGED]
    for each in filter_tables(table, swept):
        lines += ["", *table_lines(each)]
    return [*lines, *note_lines(panel.notes)]


_UNJUDGED = (
    "no model judged it: those that filtered must not.",
    "Hold a video model out to see what the filter does: --judge MODEL",
)


def filter_words(panel: Panel, found: Filtered) -> str:
    """Return in a line what was done."""
    rule = RULES[found.by]
    if found.tau is not None:
        rule += f" <= {found.tau:g}"
    return (
        f"filter of slice {plain(panel.slice_name, 60)} by {rule}: {found.kept} of "
        f"{count(len(panel.questions), 'question')} stay, {len(found.removed)} removed"
    )


def by_task(panel: Panel, found: Filtered) -> list[str]:
    """Return how many questions of each task stay; what has none left is said."""
    lines = []
    for task in panel.tasks:
        of = panel.of_task(task)
        left = int((found.keep & of).sum())
        none = "" if left else ": none is left"
        lines.append(f"{plain(task, 60)}: {left} of {int(of.sum())}{none}")
    return lines


def filter_markdown(
    panel: Panel,
    found: Filtered,
    table: Sequence[TableRow] = (),
    swept: Sequence[Sweep] = (),
) -> str:
    """Return the same as Markdown."""
    lines = [f"# {code(filter_words(panel, found), 200)}", ""]
    lines += [f"Filtered by {', '.join(map(code, found.used))}.", ""]
    lines += [" ".join(_UNJUDGED), ""] if not table else []
    for each in filter_tables(table, swept):
        lines += [*markdown_table(each), ""]
    lines += [f"- {code(note, 400)}" for note in panel.notes]
    return "\n".join(lines).rstrip() + "\n"


def filter_tables(table: Sequence[TableRow], swept: Sequence[Sweep]) -> list[Table]:
    """Return the tables of a filter: full against filtered, and each sweep."""
    found = [comparison_table(table)] if table else []
    return [*found, *(sweep_table(each) for each in swept)]


def comparison_table(table: Sequence[TableRow]) -> Table:
    """Return the table of the traffic paper's form, with intervals."""
    judge = table[0].judge
    rows = []
    for each in table:
        m = each.measures
        blind = None if m is None else m.blind
        video = None if m is None else m.above.get("original")
        gain = None if m is None else m.gain
        rows.append(
            (
                each.name,
                share(None if blind is None else blind.accuracy),
                share(None if video is None else video.accuracy),
                MISSING
                if blind is None
                else f"{points(blind.estimate)} {span(blind.low, blind.high)}",
                MISSING
                if gain is None
                else f"{points(gain.estimate)} {span(gain.low, gain.high)}",
                MISSING if each.n is None else str(each.n),
                each.why or ", ".join(each.filtered.used if each.filtered else ()),
            )
        )
    return Table(
        caption=f"Judged by {judge}, which took no part in filtering",
        heads=(
            "filter",
            "Acc_B",
            "Acc_V",
            "BG, pp [95% CI]",
            "VG, pp [95% CI]",
            "# QA",
            "by",
        ),
        rows=tuple(rows),
    )


def sweep_table(swept: Sweep) -> Table:
    """Return the thresholds of *swept* between which many questions come in.

    The first that keeps any, then each that keeps a tenth of all more, and the
    last: every threshold is in the figure and among the values.
    """
    rows = []
    last = 0
    for number, each in enumerate(swept.rows):
        first = each.n > 0 and last == 0
        end = number == len(swept.rows) - 1
        if first or end or each.n - last >= 0.1 * swept.full.n:
            last = each.n
            gap, gain = points(each.blind_gap), points(each.visual_gain)
            rows.append((f"{each.threshold:g}", gap, gain, str(each.n)))
    whole = swept.full
    all_ = points(whole.blind_gap), points(whole.visual_gain)
    return Table(
        caption=f"Sweep of tau over {swept.score}: keep {swept.score} <= tau, judged "
        f"by {swept.judge}",
        heads=("tau", "BG, pp", "VG, pp", "# QA"),
        rows=(*rows, ("all", *all_, str(whole.n))),
    )
