"""2x2 tables of the same questions, with the tests of those that differ.

Apart from ``_evidence`` because they count, while that estimates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_vdg.assertions._evidence import Correct
from pytest_vdg.assertions._words import plain, pvalue
from pytest_vdg.outcomes import Paired
from pytest_vdg.stats import counted
from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.mcnemar import mcnemar


@dataclass(frozen=True, kw_only=True)
class TwoByTwo:
    """Counts of the same questions, right or wrong in two ways of asking."""

    row: str
    column: str
    both: int
    row_only: int
    column_only: int
    neither: int
    questions: tuple[int, int]
    """Questions right in the row only, and in the column only, over their orders:
    what a test may count."""

    def lines(self) -> list[str]:
        """Return the table, its columns aligned."""
        heads = [f"{self.column} right", f"{self.column} wrong"]
        rows = [
            (f"{self.row} right", self.both, self.row_only),
            (f"{self.row} wrong", self.column_only, self.neither),
        ]
        label = max(len(text) for text, _, _ in rows)
        lines = [" " * label + "".join(f"  {head}" for head in heads)]
        for text, *cells in rows:
            numbers = zip(heads, cells, strict=True)
            shown = "".join(f"  {n:>{len(head)}}" for head, n in numbers)
            lines.append(f"{text:<{label}}{shown}")
        return lines


def arms_table(paired: Paired) -> TwoByTwo:
    """Return the table of the two conditions of one run."""
    return TwoByTwo(
        row=plain(paired.treated_name),
        column=plain(paired.control_name),
        both=paired.both,
        row_only=paired.treated_only,
        column_only=paired.control_only,
        neither=paired.neither,
        questions=counted.signs(paired.differences, paired.asked_ids),
    )


def arms_evidence(paired: Paired, *, effect: float) -> tuple[str, str]:
    """Return `table_evidence` of the two conditions of one run."""
    return table_evidence({"": arms_table(paired)}, effect=effect)


def runs_table(
    condition: str, now: Correct, then: Correct, questions: Sequence[str]
) -> TwoByTwo:
    """Return the table of one condition, in the baseline and now."""
    return TwoByTwo(
        row=f"{plain(condition)} then",
        column="now",
        both=int(np.sum(then & now)),
        row_only=int(np.sum(then & ~now)),
        column_only=int(np.sum(~then & now)),
        neither=int(np.sum(~then & ~now)),
        questions=counted.signs(then.astype(np.int64) - now, questions),
    )


def table_evidence(tables: Mapping[str, TwoByTwo], *, effect: float) -> tuple[str, str]:
    """Return the tables with their McNemar p-values, Holm over those shown.

    The exact test takes questions for independent; where the *effect* of
    shared videos says that they are not, its p-values are called approximate.
    Where questions were asked under several orders, each counts once, for the
    side that more of its orders are on.
    """
    tests = {
        name: mcnemar(treated_only=t.questions[1], control_only=t.questions[0])
        for name, t in tables.items()
    }
    adjusted = holm({name: test.pvalue for name, test in tests.items()})
    lines: list[str] = []
    for name, table in tables.items():
        one, two = table.questions
        mid = mcnemar(treated_only=two, control_only=one, method="mid-p")
        text = f"McNemar exact p{pvalue(tests[name].pvalue)}, "
        text += f"mid-p{pvalue(mid.pvalue)}"
        if len(tests) > 1:
            text += f", Holm-adjusted exact p{pvalue(adjusted[name])}"
        if (one, two) != (table.row_only, table.column_only):
            text += f" on questions, not orders: {one} and {two} right in one only"
        if effect > 1.05:
            text += " (approximate: questions share videos)"
        lines += [*table.lines(), text]
    return "2x2", "\n".join(lines)
