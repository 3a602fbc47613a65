"""What lies behind a verdict: accuracies, 2x2 tables, losses, flips.

Apart from ``_explain`` because this computes from runs and pairs, while that
only words what it is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Literal

import numpy as np
import numpy.typing as npt

from pytest_vdg.assertions._words import (
    count,
    percent,
    percent_span,
    plain,
    pp,
    pvalue,
    size,
    span,
)
from pytest_vdg.outcomes import Missing, Paired
from pytest_vdg.outcomes.columns import among, column, counted_in_all
from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.runs import AskedQuestion, Outcome, Run, TaskFilter
from pytest_vdg.stats import counted
from pytest_vdg.stats.detectable import (
    smallest_detectable_paired_difference,
    smallest_detectable_share,
)
from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.proportion import Proportion

Correct = npt.NDArray[np.bool_]

FEW_VIDEOS = 10
"""Below this many videos, an interval over videos is itself uncertain."""


def gap(paired: Paired, *, confidence: float) -> PairedDifference:
    """Return treated minus control with an interval over videos."""
    return counted.difference(
        paired.differences, paired.video_ids, confidence, paired.asked_ids
    )


def detectable(difference: PairedDifference, *, rise: bool = False) -> float:
    """Return the smallest drop, or *rise*, that a slice like this would show."""
    counts = difference.treated_only, difference.control_only
    gained, lost = counts[::-1] if rise else counts
    return smallest_detectable_paired_difference(
        treated_only=gained,
        control_only=lost,
        n=difference.n,
        confidence=difference.confidence,
        design_effect=difference.design_effect,
        df=difference.df,
        questions=difference.questions,
    )


def accuracy(
    correct: Correct,
    videos: Sequence[str],
    questions: Sequence[str],
    *,
    confidence: float,
) -> Proportion:
    """Return the share of *correct* with an interval over videos."""
    return counted.share(correct, videos, confidence, questions)


def condition_accuracy(
    run: Run,
    condition: str,
    task: TaskFilter,
    *,
    confidence: float,
    missing: Missing = "drop",
) -> tuple[Proportion, Extent]:
    """Return the accuracy under one *condition*, and over what."""
    kept = counted_in_all(run, (condition,), task, missing)
    correct = among(column(run, condition, task), [Outcome.CORRECT])[kept]
    asked = list(compress(run.selected(task), kept))
    return accuracy_of(correct, asked, confidence=confidence), Extent.over(asked)


def accuracy_of(
    correct: Correct, asked: Sequence[AskedQuestion], *, confidence: float
) -> Proportion:
    """Return `accuracy` over the questions *asked*."""
    videos, questions = [q.video for q in asked], [q.question for q in asked]
    return accuracy(correct, videos, questions, confidence=confidence)


def detectable_share(share: Proportion, *, rise: bool = False) -> float:
    """Return the smallest drop, or *rise*, of a share that a slice like this shows."""
    return smallest_detectable_share(
        successes=share.n - share.successes if rise else share.successes,
        n=share.n,
        confidence=share.confidence,
        design_effect=share.design_effect,
        df=share.df,
        questions=share.questions,
    )


def arm_accuracies(paired: Paired) -> tuple[tuple[str, float], ...]:
    """Return (condition, accuracy) of both arms over the judged questions."""
    return (
        (paired.control_name, float(np.mean(paired.control))),
        (paired.treated_name, float(np.mean(paired.treated))),
    )


def accuracy_line(paired: Paired, *, confidence: float) -> str:
    """Return both arms' accuracies with Wilson intervals."""
    ids = paired.video_ids, paired.asked_ids
    return " | ".join(
        _share(name, accuracy(correct, *ids, confidence=confidence))
        for name, correct in (
            (paired.treated_name, paired.treated),
            (paired.control_name, paired.control),
        )
    )


def _share(name: str, p: Proportion) -> str:
    return f"{plain(name)} {percent(p.estimate)} {percent_span(p.low, p.high)}"


def gap_text(difference: PairedDifference) -> str:
    """Return a gap with its interval, e.g. ``+1.2pp [-2.0, +4.4]``."""
    return f"{pp(difference.estimate)} {span(difference.low, difference.high)}"


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


def excluded_line(
    run: Run,
    conditions: Sequence[str],
    task: TaskFilter,
    *,
    left: int,
    missing: Missing = "drop",
) -> str:
    """Return what gave no answer under each condition, and what left the pair.

    Empty where each cell was judged and parsed.
    """
    parts = []
    lost = 0
    for condition in conditions:
        counts = run.counts(condition, task)
        lost += counts.failed + counts.unparsed + counts.not_applicable
        text = f"{plain(condition)} {counts.failed} failed, {counts.unparsed} unparsed"
        if counts.not_applicable:
            text += f", {counts.not_applicable} not applicable"
        parts.append(text)
    if not lost:
        return ""
    asked = run.selected(task)
    total = count(len(asked), "order" if any(q.of for q in asked) else "question")
    line = f"{left} of {total} left the pair: " + " | ".join(parts)
    return line + ("; failed counted wrong" if missing == "wrong" else "")


def excluded_evidence(now: str, then: str | None = None) -> list[tuple[str, str]]:
    """Return `excluded_line` with its label, of one run or two, where it tells."""
    if not now and not then:
        return []
    if then is None:
        return [("excluded", now)]
    return [("excluded", f"now {now or 'none'}\nbaseline {then or 'none'}")]


def unmatched_evidence(paired: Paired, *, of: int) -> list[tuple[str, str]]:
    """Return each condition over its own questions, where these differ."""
    if paired.n == of:
        return []
    arms = (
        (paired.treated_name, paired.treated_alone),
        (paired.control_name, paired.control_alone),
    )
    shares = [f"{plain(c)} {percent(own.accuracy)} of its {own.n}" for c, own in arms]
    difference = pp(paired.unmatched_difference)
    return [("unmatched", f"{' | '.join(shares)}, difference {difference}")]


def power_evidence(
    smallest: float,
    effect: float,
    n_videos: int,
    *,
    what: Literal["drop", "rise"] = "drop",
) -> tuple[str, str]:
    """Return what this slice could have shown, and how its videos weigh."""
    text = (
        f"smallest detectable {what} {size(smallest)} (80% power) | "
        f"design effect {effect:.2f} over {count(n_videos, 'video')}"
    )
    if n_videos < FEW_VIDEOS:
        text += f" | only {n_videos}: take the intervals as rough"
    return "power", text
