"""What a comparison of runs came to, as data and as text.

Apart from ``compare``, which computes it, because it is read far from there:
in a notebook, a command, a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vdg.outcomes import Missing
from pytest_vdg.reports._format import (
    fitted,
    plain,
    points,
    pvalue,
    share,
    span,
    wrapped,
)
from pytest_vdg.spelling import count
from pytest_vdg.stats.dissociation import Dissociation
from pytest_vdg.stats.mcnemar import Method
from pytest_vdg.stats.paired import PairedDifference

_NAME = 28
_CONDITION = 20
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
            *_tests_tables(self.tests, self.confidence),
            *self._dissociation(),
            *_flipped_lines(self.tests),
        ]

    def _header(self) -> list[str]:
        policy = "failed counted wrong" if self.missing == "wrong" else "failed dropped"
        head = f"{len(self.names)} runs on slice {plain(self.slice_name, 40)}, {policy}"
        test = (
            f"McNemar ({self.method}) with Holm over {count(len(self.tests), 'test')}"
        )
        said = f"{head}; {test}, differences are second - first in points"
        return wrapped(said, later="  ")

    def _dissociation(self) -> list[str]:
        if not self.dissociations:
            return []
        alpha = self.dissociations[0][2].alpha
        title = f"dissociation, reliable below {alpha:g} after Holm over "
        lines = ["", f"{title}{2 * len(self.dissociations)} tests"]
        for first, second, found in self.dissociations:
            raw = f"original {pvalue(found.p_original)}, black {pvalue(found.p_black)}"
            adjusted = found.adjusted_original, found.adjusted_black
            holm = " and ".join(map(pvalue, adjusted))
            lines += [f"  {_pair(first, second)}", f"    {_kind(found)}"]
            lines.append(f"    p {raw}; Holm-adjusted {holm}")
        return lines


def _pair(first: str, second: str) -> str:
    return f"{plain(first, _NAME)} -> {plain(second, _NAME)}"


def _tests_tables(tests: Sequence[ConditionTest], confidence: float) -> list[str]:
    """Return a table for each pair of runs, which its caption names."""
    pairs: dict[tuple[str, str], list[ConditionTest]] = {}
    for test in tests:
        pairs.setdefault((test.first, test.second), []).append(test)
    lines: list[str] = []
    for (first, second), own in pairs.items():
        lines += ["", f"first {plain(first, _NAME)}, second {plain(second, _NAME)}"]
        lines += _tests_table(own, confidence)
    return lines


def _tests_table(tests: Sequence[ConditionTest], confidence: float) -> list[str]:
    heads = ["condition", "n", "1st", "2nd", f"2nd - 1st [{100 * confidence:g}% CI]"]
    rows = [[*heads, "lost", "gain", "p", "Holm"]]
    for test in tests:
        d = test.difference
        rows.append(
            [
                plain(test.condition, _CONDITION),
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
    return fitted(rows, align="lrrrlrrrr")


def _flipped_lines(tests: Sequence[ConditionTest]) -> list[str]:
    lines = ["", "flipped questions, first -> second choice"]
    for test in tests:
        where = f"{plain(test.condition, _CONDITION)}, {_pair(test.first, test.second)}"
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
            line = f"{where}: {what} {len(shown)}" + (f": {text}" if text else "")
            lines += wrapped(line, first="  ", later="    ")
    return lines


def _kind(found: Dissociation) -> str:
    sighted = found.adjusted_original < found.alpha
    blind = found.adjusted_black < found.alpha
    if found.dissociated:
        return f"DISSOCIATED: differ on {'original' if sighted else 'black'} only"
    return "differ on both" if sighted and blind else "neither shown to differ"
