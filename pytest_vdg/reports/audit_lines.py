"""An audit as text: on a terminal, and as Markdown to be kept beside a benchmark.

Apart from the tables, which are the same in both: here flaws come first, in words,
and names of foreign origin are made harmless for whoever reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pytest_vdg.audits.audit import Audit
from pytest_vdg.audits.findings import Flaw
from pytest_vdg.outcomes.extent import in_orders
from pytest_vdg.reports._format import WIDTH, fitted, plain, share, share_span, wrapped
from pytest_vdg.reports._markdown import code, heads, number, row
from pytest_vdg.reports.audit_tables import audit_tables, text_table
from pytest_vdg.reports.run_tables import Table
from pytest_vdg.reports.text_shortcuts import text_lines
from pytest_vdg.spelling import count

NOTHING = "found nothing: no flaw is shown by its interval"
_LONGEST = 60
_NAMED = 5
_INDENT = "  "


def audit_lines(audit: Audit) -> list[str]:
    """Return *audit* for a terminal, ASCII and aligned; flaws first."""
    lines = [*wrapped(heading(audit)), *wrapped(_heard(audit), later=_INDENT)]
    lines += ["", headline(audit)]
    for flaw in audit.flaws:
        lines += wrapped(plain(flaw_words(flaw), 300), first=_INDENT, later=_INDENT * 2)
        lines += wrapped(_carriers(flaw), first=_INDENT * 2) if _carriers(flaw) else []
    for table in audit_tables(audit, every=False).values():
        lines += ["", *table_lines(table)]
    if audit.text is not None:
        lines += ["", *text_lines(replace(audit.text, notes=()))]
    if audit.unscored:
        lines.append("")
        for line in f"no shortcut scores: {audit.unscored}".split("\n"):
            lines += wrapped(plain(line, 300))
    return [*lines, *note_lines(audit.notes)]


def note_lines(notes: Iterable[str]) -> list[str]:
    """Return *notes* for a terminal."""
    return [x for note in notes for x in wrapped(plain(note, 300), first="note: ")]


def heading(audit: Audit) -> str:
    """Return what was audited, with its chance."""
    asked = audit.extent
    return (
        f"audit of slice {plain(audit.slice_name, _LONGEST)}: "
        f"{count(asked.n, 'question')}{in_orders(asked.orders)}, "
        f"{count(asked.n_videos, 'video')}, chance {share(audit.keys[0].chance)}"
    )


def headline(audit: Audit) -> str:
    """Return in a line what was found."""
    if not audit.found:
        return NOTHING
    return f"found {count(len(audit.flaws), 'flaw')}:"


def _heard(audit: Audit) -> str:
    if not audit.models:
        return "no model was asked: text and key only"
    named = (f"{plain(m.name, _LONGEST)} ({m.kind})" for m in audit.models)
    return f"panel: {', '.join(named)}"


def flaw_words(flaw: Flaw) -> str:
    """Return what a flaw is, where, and the interval that says so, in a line."""
    where = flaw.words + ("" if flaw.task is None else f", task {flaw.task}")
    if flaw.kind not in ("key", "text"):
        return where
    found = f"{share(flaw.estimate)} {share_span(flaw.low, flaw.high)}"
    return f"{where}, share {found} against {share(flaw.bound)}"


def _carriers(flaw: Flaw) -> str:
    """Return the first questions whose text carries *flaw*; empty for others."""
    ids = flaw.questions if flaw.kind == "text" else ()
    more = len(ids) - _NAMED
    shown = ", ".join(plain(i, 40) for i in ids[:_NAMED])
    return shown + (f" and {more} more" if more > 0 else "")


def table_lines(table: Table) -> list[str]:
    """Return *table* for a terminal, its caption above it."""
    rows = [[plain(cell, _LONGEST * 2) for cell in each] for each in table.rows]
    laid = fitted(
        [table.heads, *rows],
        align="l" * len(table.heads),
        keys=table.names,
        width=WIDTH - len(_INDENT),
    )
    caption = wrapped(plain(table.caption, 300))
    return [*caption, *(f"{_INDENT}{line}".rstrip() for line in laid)]


def audit_markdown(audit: Audit) -> str:
    """Return *audit* as Markdown; names stand as code, whatever they hold."""
    lines = [f"# {code(heading(audit), 200)}", ""]
    if audit.models:
        named = (f"{code(m.name)} ({m.kind})" for m in audit.models)
        lines += [f"Panel: {', '.join(named)}.", ""]
    lines += [f"**{headline(audit)}**", ""]
    lines += [f"- {code(plain(flaw_words(flaw), 300), 400)}" for flaw in audit.flaws]
    tables = [*audit_tables(audit).values()]
    if audit.text is not None:
        tables.append(text_table(audit.text, f"{100 * audit.text.confidence:g}% CI"))
    for table in tables:
        lines += ["", *markdown_table(table)]
    if audit.unscored:
        lines += ["", f"No shortcut scores: {code(audit.unscored, 600)}"]
    lines += ["", *(f"- {code(note, 400)}" for note in audit.notes)]
    return "\n".join(lines).rstrip() + "\n"


def markdown_table(table: Table) -> list[str]:
    """Return *table* as Markdown, its caption above it."""
    align = "".join("l" if i < 2 else "r" for i in range(len(table.heads)))
    return [
        f"**{code(table.caption, 300)}**",
        "",
        *heads(list(table.heads), align),
        *(row(_cells(each)) for each in table.rows),
    ]


def _cells(cells: Sequence[str]) -> list[str]:
    """Return *cells* with names as code and numbers as they are."""
    return [code(c, 120) if any(x.isalpha() for x in c) else number(c) for c in cells]
