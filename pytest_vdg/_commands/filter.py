"""``vdg filter``: the questions of a benchmark that need their video, as a slice.

Apart from ``audit`` because it decides: what it writes is a benchmark of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from cyclopts import Group, Parameter

from pytest_vdg._commands._arguments import File, Where, names
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
from pytest_vdg.errors import ConfigError, CouldNotBeJudged

if TYPE_CHECKING:
    from pytest_vdg.audits.filters import Filtered, Sweep, TableRow
    from pytest_vdg.audits.panel import Panel


@Parameter(name="*", group=Group("The filter", sort_key=2))
@dataclass(frozen=True, kw_only=True)
class Rule:
    """Which questions stay, and who says what that did."""

    by: Literal["shortcut", "inspector", "bclean"] = "shortcut"
    """Keep small S; what at most one text model answers; what no video model
    answers blindly"""
    tau: float | None = None
    """Largest shortcut score S that stays (default: 0.1)"""
    judge: str | None = None
    """Video model that does not filter, and shows what filtering did"""
    to: File | None = None
    """Write the questions that stay to this file, a slice to be committed"""
    name: str | None = None
    """Of that slice (default: the slice's, with -grounded)"""


def filter_slice(
    slice: str,  # noqa: A002 - what it is called elsewhere
    /,
    *,
    rule: Rule | None = None,
    asked: Asked | None = None,
    source: Source | None = None,
    outputs: Written | None = None,
    where: Where | None = None,
) -> Sequence[str]:
    r"""Keep the questions that need their video, and write them as a slice.

    S = T - V of each question: how surely text models answer it, less how much
    the video moves video models to the right answer. What stays is written with
    how it was made, models and weights and every score, so that it can be
    checked. The judge is asked, too, and never filters.

    example:
      vdg filter mvbench-300 --models A B --text-models T1 T2 --judge C \
                 --to vdg_slices/mvbench-grounded.jsonl

    Parameters
    ----------
    slice
        Slice of vdg.yaml, or a benchmark.

    Raises
    ------
    ConfigError
        For a slice, model or option that nothing is known by.
    CouldNotBeJudged
        When no model is left to filter, or the judge is one that filtered.
    """
    from pytest_vdg.reports.audit_json import filter_values
    from pytest_vdg.reports.filter_lines import filter_lines, filter_markdown

    rule, outputs, asked = rule or Rule(), outputs or Written(), asked or Asked()
    require_writable(outputs, to=rule.to)
    tau = _threshold(rule)
    _require_sighted(asked, rule.judge)
    subject = subject_of(slice, source or Source(), where)
    told = _filtered(subject, rule, asked, tau)
    lines = filter_lines(*told)
    pages: list[str] = []
    if outputs.html is not None:
        from pytest_vdg.reports.audit_html import write_filter

        pages = write_filter(*told, outputs.html)
    if rule.to is not None:
        panel, found, *_ = told
        name = rule.name or f"{panel.slice_name}-grounded"
        lines.append(_saved(subject, panel, found, rule.to, name))
    return reported(outputs, lines, filter_values(*told), filter_markdown(*told), pages)


def _filtered(
    subject: Subject, rule: Rule, asked: Asked, tau: float
) -> tuple[Panel, Filtered, Sequence[TableRow], Sequence[Sweep]]:
    """Ask the panel; return it, what stays, and what the judge shows of both."""
    from pytest_vdg.audits.filters import comparison, filtered
    from pytest_vdg.audits.kin import kin

    panel = panel_of(subject, asked, also=() if rule.judge is None else (rule.judge,))
    judge = _judge(panel, asked, rule.judge)
    found = filtered(panel, rule.by, tau=tau, judge=judge)
    if judge is None:
        return panel, found, (), ()
    table, swept = comparison(panel, judge, tau=tau), _swept(panel, judge)
    related = [each.words for each in kin(panel, found, judge)]
    return replace(panel, notes=(*panel.notes, *related)), found, table, swept


def _threshold(rule: Rule) -> float:
    from pytest_vdg.stats.filtering import THRESHOLD

    if rule.tau is None:
        return THRESHOLD
    if rule.by != "shortcut":
        raise ConfigError(
            f"--tau is the threshold of S, and --by {rule.by} has none: leave it out"
        )
    if not -3 <= rule.tau <= 3:  # also catches NaN
        raise ConfigError(
            f"--tau {rule.tau:g}: S lies between -2 and 3, and 0.1 is usual"
        )
    return rule.tau


def _require_sighted(asked: Asked, judge: str | None) -> None:
    if judge is not None and judge in names(asked.text_models):
        raise ConfigError(
            f"--judge {judge!r} is a text model: a video model judges a filter, as it "
            "is asked with the video and without"
        )


def _judge(panel: Panel, asked: Asked, judge: str | None) -> str | None:
    """Return what the panel calls the judge; its members stand as they were named."""
    if judge is None:
        return None
    models = names(asked.models)
    place = models.index(judge) if judge in models else len(models)
    return panel.members[place].name


def _swept(panel: Panel, judge: str) -> Sequence[Sweep]:
    """Return the sweeps; none where the models that filter give no scores."""
    from pytest_vdg.audits.filters import sweeps

    try:
        return sweeps(panel, judge)
    except CouldNotBeJudged:
        return ()  # said in the row of the table


def _saved(subject: Subject, panel: Panel, found: Filtered, to: str, name: str) -> str:
    """Write the questions that stay as a slice; return what is told of it."""
    from pytest_vdg.audits.origin import origin
    from pytest_vdg.benchmarks.pinned import save_slice

    if any(q.of for q in panel.questions):
        raise ConfigError(
            f"slice {subject.name!r} asks each question in several orders, which is no "
            "slice to commit: filter it without 'rotate', and rotate what stays"
        )
    stays = {q.id for q, kept in zip(panel.questions, found.keep, strict=True) if kept}
    if not stays:
        raise CouldNotBeJudged(
            f"no question of slice {subject.name!r} stays, and an empty slice is none. "
            "Raise --tau, or look at the scores: --json - without --to"
        )
    whole = questions_of(subject)
    ids = tuple(i for i in whole.ids if i in stays)
    drawn = origin(panel, found, before=whole.drawn)
    kept = replace(whole, name=name, ids=ids, drawn=drawn)
    save_slice(kept, to)
    return f"wrote {to}: slice {name!r} of {len(kept)} questions"
