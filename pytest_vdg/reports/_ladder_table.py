"""The ladder of each run as a Markdown table: a row for all tasks and for each.

Apart from the ladder on the terminal because a table of Markdown has no lines
within a row, so that each number needs a column; the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pytest_vdg.reports._budget import Section
from pytest_vdg.reports._format import MISSING, points_within, share_within
from pytest_vdg.reports._markdown import code, heads, number, row
from pytest_vdg.reports.measured import Measured, measures
from pytest_vdg.reports.results import RunResult
from pytest_vdg.spelling import count

_EFFECTS = ("VDG", "spatial", "diversity", "temporal", "visual gain")
_Row = dict[tuple[str, str], Measured]
"""(measure, condition) to its number; no condition but for accuracies."""


def sections(results: Iterable[RunResult]) -> Iterator[Section]:
    """Yield the table of each run; conditions that were not run have no column."""
    for result in results:
        run = result.run
        rows: dict[str | None, _Row] = {}
        for each in measures(run):
            condition = each.treated if each.measure == "accuracy" else ""
            rows.setdefault(each.task, {})[each.measure, condition] = each
        if not rows:
            continue
        present = [e for e in _EFFECTS if any(_known(r, e) for r in rows.values())]
        columns = [("accuracy", c) for c in run.conditions] + [(e, "") for e in present]
        names = [code(c, 30) for c in run.conditions] + [f"{e}, pp" for e in present]
        title = f"**Ladder** of {code(run.checkpoint)} on {code(run.slice_name)}, "
        title += f"{count(len(run.questions), 'question')}, with 95% intervals"
        yield Section(
            opening=[title, "", *heads(["task", "n", *names], "lr" + "r" * len(names))],
            rows=[_line(task, found, columns) for task, found in rows.items()],
            closing=[""],
            what="tasks",
        )


def _known(found: Mapping[tuple[str, str], Measured], effect: str) -> bool:
    return (each := found.get((effect, ""))) is not None and each.estimate is not None


def _line(task: str | None, found: _Row, columns: Iterable[tuple[str, str]]) -> str:
    cells = [_number(found.get(column)) for column in columns]
    n = max(each.n for each in found.values())
    return row(["all" if task is None else code(task), str(n), *cells])


def _number(each: Measured | None) -> str:
    if each is None or each.estimate is None or each.low is None or each.high is None:
        return MISSING
    if each.measure == "accuracy":
        return number(share_within(each.estimate, each.low, each.high))
    return number(points_within(each.estimate, each.low, each.high))
