"""What a comparison of runs came to, as data and as text.

Apart from ``compare``, which computes it, because it is read far from there:
in a notebook, a command, a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vdg.outcomes import Missing
from pytest_vdg.reports._format import columns, plain, points, pvalue, share, span
from pytest_vdg.stats.dissociation import Dissociation
from pytest_vdg.stats.mcnemar import Method
from pytest_vdg.stats.paired import PairedDifference

_NAME = 28
_SHOWN = 8


@dataclass(frozen=True, kw_only=True)
class Flipped:
    """A question that one of two runs answered correctly, and what both chose."""

    question_id: str
    first_choice: str
    """Label chosen by the first run, or what became of the cell."""
    second_choice: str
    """Label chosen by the second run, or what became of the cell."""
    first_right: bool
    """Whether the first run was right; else the second was."""


@dataclass(frozen=True, kw_only=True)
class ConditionTest:
    """Two runs under one condition, over the questions judged in both."""

    condition: str
    first: str
    """Name of the first run, see `Comparison.names`."""
    second: str
    n: int
    """Distinct questions."""
    n_videos: int
    excluded: int
    """Questions that left the pair."""
    first_accuracy: float
    second_accuracy: float
    difference: PairedDifference
    """Second minus first, with Tango's interval and the videos' design effect."""
    pvalue: float
    """McNemar's."""
    adjusted: float
    """`pvalue` after Holm over all tests of the comparison."""
    flipped: tuple[Flipped, ...]
    """All discordant questions, sorted by id."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Result of `compare_runs`."""

    slice_name: str
    names: tuple[str, ...]
    """A name a run: its checkpoint, numbered where two are alike."""
    tests: tuple[ConditionTest, ...]
    """Pairs of runs in the order given, each under every condition."""
    dissociations: tuple[tuple[str, str, Dissociation], ...]
    """(first, second, found) of each pair of runs that were asked under both
    ``original`` and ``black``, with Holm over these tests; else empty."""
    method: Method
    missing: Missing
    confidence: float

    def lines(self) -> list[str]:
        """Return the comparison as text, ASCII and aligned."""
        return [
            *self._header(),
            *_indented(_tests_table(self.tests, self.confidence)),
            *self._dissociation(),
            *_flipped_lines(self.tests),
        ]

    def _header(self) -> list[str]:
        policy = "failed counted wrong" if self.missing == "wrong" else "failed dropped"
        head = f"{len(self.names)} runs on slice {plain(self.slice_name, 40)}, {policy}"
        test = f"McNemar ({self.method}) with Holm over {len(self.tests)} tests"
        return [f"{head}; {test}, differences are second - first in points"]

    def _dissociation(self) -> list[str]:
        if not self.dissociations:
            return []
        alpha = self.dissociations[0][2].alpha
        rows = [["first", "second", "p original", "p black", "Holm-adjusted", "is"]]
        for first, second, found in self.dissociations:
            adjusted = (
                f"{pvalue(found.adjusted_original)} and {pvalue(found.adjusted_black)}"
            )
            rows.append(
                [
                    plain(first, _NAME),
                    plain(second, _NAME),
                    pvalue(found.p_original),
                    pvalue(found.p_black),
                    adjusted,
                    _kind(found),
                ]
            )
        title = f"dissociation, reliable below {alpha:g} after Holm over "
        title += f"{2 * len(self.dissociations)} tests"
        return ["", title, *_indented(columns(rows, align="llrrll"))]


def _tests_table(tests: Sequence[ConditionTest], confidence: float) -> list[str]:
    heads = ["condition", "first", "second", "n", "first", "second"]
    heads += [f"difference [{100 * confidence:g}% CI]", "1st only", "2nd only"]
    rows = [[*heads, "p", "Holm"]]
    for test in tests:
        d = test.difference
        rows.append(
            [
                plain(test.condition, 20),
                plain(test.first, _NAME),
                plain(test.second, _NAME),
                str(test.n),
                share(test.first_accuracy),
                share(test.second_accuracy),
                f"{points(d.estimate):>5} {span(d.low, d.high)}",
                str(d.control_only),
                str(d.treated_only),
                pvalue(test.pvalue),
                pvalue(test.adjusted),
            ]
        )
    return columns(rows, align="lllrrrlrrrr")


def _flipped_lines(tests: Sequence[ConditionTest]) -> list[str]:
    lines = ["", "flipped questions, first -> second choice"]
    for test in tests:
        where = f"{plain(test.condition, 20)}, {plain(test.first, _NAME)} -> "
        where += plain(test.second, _NAME)
        for what, right in (("lost", True), ("gained", False)):
            shown = [
                f"{plain(f.question_id, 40)} ({plain(f.first_choice, 20)}->"
                f"{plain(f.second_choice, 20)})"
                for f in test.flipped
                if f.first_right is right
            ]
            more = len(shown) - _SHOWN
            text = ", ".join(shown[:_SHOWN]) + (
                f", and {more} more" if more > 0 else ""
            )
            lines.append(
                f"  {where}: {what} {len(shown)}" + (f": {text}" if text else "")
            )
    return lines


def _kind(found: Dissociation) -> str:
    sighted = found.adjusted_original < found.alpha
    blind = found.adjusted_black < found.alpha
    if found.dissociated:
        return f"DISSOCIATED: differ on {'original' if sighted else 'black'} only"
    return "differ on both" if sighted and blind else "neither shown to differ"


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
