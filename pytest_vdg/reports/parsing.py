"""How the answer parser did on a set of replies, condition by condition.

Apart from the ladder because no accuracy is claimed here: a reply that chooses
no option is a loss under one condition and none under another, and that is
what must be seen before two accuracies are subtracted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_vdg.benchmarks.answers import parse_answer
from pytest_vdg.reports._format import columns, plain, points, share, share_span
from pytest_vdg.reports._reply_rows import ReplyFile, ReplyRow
from pytest_vdg.spelling import count
from pytest_vdg.stats.proportion import wilson

NOTABLE = 0.02
"""A difference of parse rates that is remarked on; the cap of an assertion."""
WIDTH = 80
_SHOWN = 5
_CONDITION = 20
_NAME = 16
_IN_A_TABLE = (
    "      what is unparsed counts as not correct, so their accuracies",
    "      differ by wording, too",
)
# The run was judged with the texts at hand: its own verdicts stand.
_IN_A_RUN = (
    "      replies in an option's words are among the unparsed, though the",
    "      run itself read them by the texts",
)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A reply and the label that the parser found in it."""

    row: ReplyRow
    label: str | None

    @property
    def misread(self) -> bool:
        """Whether it was parsed to another label than a person reads."""
        known = self.row.judged and self.label is not None
        return known and self.label != self.row.expected

    @property
    def missed(self) -> bool:
        """Whether a person reads a label and the parser none."""
        return self.row.expected is not None and self.label is None


@dataclass(frozen=True, kw_only=True)
class ParseReport:
    """Result of `parse_report`."""

    readings: tuple[Reading, ...]
    left_out: tuple[str, ...]
    labels_only: bool

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions in order of first appearance."""
        return tuple(dict.fromkeys(r.row.condition for r in self.readings))

    @property
    def misread(self) -> tuple[Reading, ...]:
        """Replies that were parsed to another label than a person reads."""
        return tuple(r for r in self.readings if r.misread)

    def of(self, condition: str) -> tuple[Reading, ...]:
        """Return the readings under *condition*."""
        return tuple(r for r in self.readings if r.row.condition == condition)

    def parsed(self, condition: str) -> float:
        """Return which share of the replies under *condition* was parsed."""
        found = self.of(condition)
        return sum(r.label is not None for r in found) / len(found)

    def lines(self) -> list[str]:
        """Return the report as text, ASCII and no wider than 80 characters."""
        return [
            *self._table(),
            *self._remarks(),
            *_listed("parsed to another label than expected", self.misread),
            *_listed("not parsed", [r for r in self.readings if r.label is None]),
        ]

    def _table(self) -> list[str]:
        judged = any(r.row.judged for r in self.readings)
        heads = ["condition", "replies", "parsed", "share", "95% CI", "unparsed"]
        rows = [[*heads, "missed", "misread"] if judged else heads]
        for condition in self.conditions:
            found = self.of(condition)
            n, parsed = len(found), sum(r.label is not None for r in found)
            rate = wilson(successes=parsed, n=n)
            row = [
                _named(condition),
                str(n),
                str(parsed),
                share(rate.estimate),
                share_span(rate.low, rate.high),
                str(n - parsed),
            ]
            if judged:
                missed, misread = (
                    sum(r.missed for r in found),
                    sum(r.misread for r in found),
                )
                row += [str(missed), str(misread)]
            rows.append(row)
        return columns(rows, align="lrrrrr" + ("rr" if judged else ""))

    def _remarks(self) -> list[str]:
        lines = []
        if self.labels_only:
            lines += [
                "note: a run keeps no option texts, so only labels were looked for"
            ]
        rates = {condition: self.parsed(condition) for condition in self.conditions}
        best = max(rates, key=lambda condition: rates[condition])
        for condition, rate in rates.items():
            if rates[best] - rate > NOTABLE + 1e-9:  # 0.02 is not exact
                name = f"{_named(condition)} against {_named(best)}"
                lines += [
                    f"note: parse rate of {name}: {points(rate - rates[best])} points",
                    *(_IN_A_RUN if self.labels_only else _IN_A_TABLE),
                ]
        if self.left_out:
            number = count(len(self.left_out), "record")
            lines.append(f"note: {number} cannot be used")
            lines += [f"  {plain(each, WIDTH - 2)}" for each in self.left_out[:_SHOWN]]
        return lines


def parse_report(replies: ReplyFile) -> ParseReport:
    """Parse each of *replies* with its own options."""
    readings = tuple(
        Reading(row=row, label=parse_answer(row.reply, row.options))
        for row in replies.rows
    )
    return ParseReport(
        readings=readings,
        left_out=replies.left_out,
        labels_only=replies.labels_only,
    )


def _listed(title: str, readings: Iterable[Reading]) -> list[str]:
    """Return the first replies of each condition under a title; none for none."""
    found = list(readings)
    if not found:
        return []
    lines = ["", f"{title} ({len(found)}):"]
    for condition in dict.fromkeys(r.row.condition for r in found):
        here = [r for r in found if r.row.condition == condition]
        lines += [_example(reading) for reading in here[:_SHOWN]]
        if len(here) > _SHOWN:
            lines.append(f"  {_named(condition)}: {len(here) - _SHOWN} more")
    return lines


def _example(reading: Reading) -> str:
    row = reading.row
    where = f"  {_named(row.condition)} {plain(row.name, _NAME)}: "
    if reading.misread:
        where += f"{reading.label}, not {row.expected or 'none'}: "
    # One that is all white space would not be seen.
    said = row.reply if row.reply.strip() else repr(row.reply)
    return where + plain(said, max(WIDTH - len(where), 20))


def _named(condition: str) -> str:
    return plain(condition, _CONDITION) or "all"
