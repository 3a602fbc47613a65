"""``vdg audit``: what is wrong with a benchmark, by a panel of models or by none.

Apart from ``ladder`` because the questions are judged here, not the models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vdg._commands._arguments import Where
from pytest_vdg._commands._panel import (
    Asked,
    Subject,
    Written,
    panel_of,
    questions_of,
    reported,
    require_writable,
    subject_of,
)
from pytest_vdg._commands.slice import Source
from pytest_vdg.errors import ConfigError

if TYPE_CHECKING:
    from pytest_vdg.audits.audit import Audit
    from pytest_vdg.audits.text import TextShortcuts
    from pytest_vdg.benchmarks.schema import Question


def audit(
    slice: str,  # noqa: A002 - what it is called elsewhere
    /,
    *,
    asked: Asked | None = None,
    source: Source | None = None,
    outputs: Written | None = None,
    where: Where | None = None,
) -> Sequence[str]:
    r"""Look for what lets a benchmark be answered without its videos.

    Flaws are named first, in words, and only where an interval says so; then
    what each model makes of the questions, by task, with intervals clustered by
    video. Without models: the answer key, and what the questions' text gives
    away. Exit code 0 whatever is found.

    example:
      vdg audit sight-leaky
      vdg audit mvbench-300 --models Qwen/Qwen2.5-VL-7B-Instruct \
                --text-models Qwen/Qwen2.5-7B --html audit
      vdg audit nextqa --path data/nextqa

    Parameters
    ----------
    slice
        Slice of vdg.yaml, or a benchmark.

    Raises
    ------
    ConfigError
        For a slice, model or option that nothing is known by.
    CouldNotBeJudged
        When a model cannot be asked, or runs do not fit together.
    """
    from pytest_vdg.reports.audit_json import audit_values
    from pytest_vdg.reports.audit_lines import audit_lines, audit_markdown

    outputs = outputs or Written()
    require_writable(outputs)
    subject = subject_of(slice, source or Source(), where)
    found = _found(subject, asked or Asked())
    pages: list[str] = []
    if outputs.html is not None:
        from pytest_vdg.reports.audit_html import write_audit

        pages = write_audit(found, outputs.html)
    return reported(
        outputs, audit_lines(found), audit_values(found), audit_markdown(found), pages
    )


def _found(subject: Subject, asked: Asked) -> Audit:
    from pytest_vdg.audits.audit import audit as audited
    from pytest_vdg.audits.audit import audit_key

    if not (asked.models or asked.text_models):
        looked_at = questions_of(subject)
        text, notes = _text(looked_at.questions)
        notes = (*looked_at.notes, *notes)
        return audit_key(subject.name, looked_at.questions, text=text, notes=notes)
    panel = panel_of(subject, asked)
    text, notes = _text(panel.texts)
    return audited(replace(panel, notes=(*panel.notes, *notes)), text=text)


def _text(
    questions: Sequence[Question],
) -> tuple[TextShortcuts | None, tuple[str, ...]]:
    """Return what the text gives away, or why it was not looked at."""
    from pytest_vdg.audits.text import text_shortcuts

    if not questions:
        return None, ()  # the panel says why
    try:
        found = text_shortcuts(questions)
    except ConfigError as error:  # scikit-learn is an extra
        return None, (f"the questions' text was not looked at: {error}",)
    return found, found.notes
