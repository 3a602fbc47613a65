"""What an ablation came to, as data, as text and as JSON.

Apart from ``ablation``, which computes it, because it is read far from there:
in a notebook, a command, a report.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_vdg.outcomes import Missing
from pytest_vdg.reports._ablated_lines import ablation_lines
from pytest_vdg.stats.enrichment import Enrichment
from pytest_vdg.stats.equivalence import Equivalence
from pytest_vdg.stats.flips import Flips
from pytest_vdg.stats.proportion import Proportion

Flatness = Literal["FLAT", "NOT FLAT", "INCONCLUSIVE", "COULD NOT BE JUDGED"]
"""Whether accuracy is shown to stay within the margin, shown to leave it, neither,
or too much is missing to say."""


@dataclass(frozen=True, kw_only=True)
class FramesShown:
    """How many frames a level showed, over its questions."""

    fewest: int
    median: float
    most: int
    as_original: int
    """Questions for which it showed the very frames of the original, which no
    change of accuracy can come from."""
    n: int
    """Questions whose frames are recorded under both."""


@dataclass(frozen=True, kw_only=True)
class Breaking:
    """Among the questions right under ``original``: which of them a level breaks.

    Only what is right can break, and only what is right can need the video, so that
    an enrichment among all questions is partly true by construction; this is not.
    """

    needing: float | None
    """Broken share of those that need the video; None where none does."""
    others: float | None
    """Broken share of those right without it, too; None where there is none."""
    n_needing: int
    n_others: int
    odds_ratio: float | None
    """Of breaking, needing over others; None for 0/0."""
    low: float
    high: float
    """May be infinite."""
    pvalue: float
    """Fisher's exact test, two-sided."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one level came to, over the questions judged in it and in the original."""

    n: int
    """Distinct questions."""
    n_videos: int
    original: Proportion
    """Accuracy under ``original``."""
    accuracy: Proportion
    """Accuracy under the level."""
    flips: Flips
    """Broken and mended answers, stable share, change of accuracy."""
    equivalence: Equivalence
    """Whether the change stays within the margin, before Holm."""
    p_flat: float
    """p-value of "it leaves the margin", after Holm; small shows it flat."""
    p_change: float
    """McNemar's exact p-value of "nothing changed", after Holm."""
    smallest_detectable: float
    """The smallest drop that this many questions show, at 80 % power; above 1, none."""
    enrichment: Enrichment | None
    """Do flips fall on questions that need the video (right under ``original``,
    not under ``black``)? None without ``black``, or where nothing can be said."""
    breaking: Breaking | None
    """None without ``black``, or where no question is right under ``original``."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """One condition of an ablation on one task, or on all of them."""

    condition: str
    """E.g. ``compressed:28``."""
    task: str | None
    """None for all tasks."""
    verdict: Flatness
    why: str
    """The reason for the verdict, one line."""
    excluded: int
    """Questions without an answer in one of the two."""
    measured: Measured | None
    """None where nothing was judged in both."""
    frames: FramesShown | None
    """None where no frames are recorded."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Questions that got the same choice under ``original`` and at every level."""

    task: str | None
    share: Proportion


@dataclass(frozen=True, kw_only=True)
class Ablation:
    """Result of `ablate`."""

    slice_name: str
    checkpoint: str
    levels: tuple[Level, ...]
    """Over all tasks, in the order of the levels."""
    by_task: tuple[Level, ...]
    """Task by task, each in that order; empty where there is one task only."""
    agreement: tuple[Agreement, ...]
    """Over all tasks, then of each, where any question was judged at all levels."""
    margin: float
    """Changes of accuracy below it do not matter, a fraction."""
    confidence: float
    missing: Missing

    def lines(self) -> list[str]:
        """Return the ablation as text, ASCII and aligned."""
        return ablation_lines(self)

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON: no NaN, no infinity, null for what is not."""
        return {
            "slice": self.slice_name,
            "checkpoint": self.checkpoint,
            "margin": self.margin,
            "confidence": self.confidence,
            "missing": self.missing,
            "levels": [_level(each) for each in self.levels],
            "by_task": [_level(each) for each in self.by_task],
            "agreement": [
                {"task": each.task, **_share(each.share)} for each in self.agreement
            ],
        }


def _level(level: Level) -> dict[str, object]:
    found: dict[str, object] = {
        "condition": level.condition,
        "task": level.task,
        "verdict": level.verdict,
        "why": level.why,
        "excluded": level.excluded,
        "frames": None if level.frames is None else dict(vars(level.frames)),
    }
    return found | (_measured(level.measured) if level.measured is not None else {})


def _measured(measured: Measured) -> dict[str, object]:
    flips, tost = measured.flips, measured.equivalence
    change = flips.change
    return {
        "n": measured.n,
        "videos": measured.n_videos,
        "original": _share(measured.original),
        "accuracy": _share(measured.accuracy),
        "change": _finite(
            {
                "estimate": change.estimate,
                "low": change.low,
                "high": change.high,
                "lower_bound": tost.low,
                "upper_bound": tost.high,
                "design_effect": change.design_effect,
                "smallest_detectable": measured.smallest_detectable,
            }
        ),
        "broken": flips.correct_to_incorrect,
        "mended": flips.incorrect_to_correct,
        "net": flips.net,
        "stable": _share(flips.stable_share),
        "p_flat": tost.pvalue,
        "p_flat_holm": measured.p_flat,
        "p_change": flips.pvalue,
        "p_change_holm": measured.p_change,
        "enrichment": _enrichment(measured.enrichment),
        "breaking": None
        if measured.breaking is None
        else _finite(vars(measured.breaking)),
    }


def _share(share: Proportion) -> dict[str, object]:
    return {
        "estimate": share.estimate,
        "low": share.low,
        "high": share.high,
        "n": share.n,
    }


def _enrichment(found: Enrichment | None) -> dict[str, object] | None:
    if found is None:
        return None
    values: dict[str, float | None] = {
        "odds_ratio": found.odds_ratio,
        "low": found.low,
        "high": found.high,
        "pvalue": found.pvalue,
        "flipped_share": found.flipped_share,
        "stable_share": found.stable_share,
    }
    return _finite(values)


def _finite(values: Mapping[str, float | None]) -> dict[str, object]:
    """Return *values* with null for what JSON has no number for.

    An end of an interval that is not there is infinite: nothing bounds it.
    """
    return {
        name: value if value is not None and math.isfinite(value) else None
        for name, value in values.items()
    }
