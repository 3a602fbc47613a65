"""What lies behind a verdict: accuracies, gaps, and what would have been seen.

Apart from ``_explain`` because this computes from runs and pairs, while that
only words what it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        share_text(name, accuracy(correct, *ids, confidence=confidence))
        for name, correct in (
            (paired.treated_name, paired.treated),
            (paired.control_name, paired.control),
        )
    )


def share_text(name: str, p: Proportion) -> str:
    """Return the accuracy under a condition, e.g. ``black 31.2% [25.1, 38.0]``."""
    return f"{plain(name)} {percent(p.estimate)} {percent_span(p.low, p.high)}"


def gap_text(difference: PairedDifference) -> str:
    """Return a gap with its interval, e.g. ``+1.2pp [-2.0, +4.4]``."""
    return f"{pp(difference.estimate)} {span(difference.low, difference.high)}"


def power_evidence(
    smallest: float,
    effect: float,
    n_videos: int,
    *,
    what: Literal["drop", "rise"] = "drop",
) -> tuple[str, str]:
    """Return what this slice could have shown, and how its videos weigh."""
    if smallest > 1:
        text = f"no {what} could have been shown, not even one of 100pp (80% power)"
    else:
        text = f"smallest detectable {what} {size(smallest)} (80% power)"
    text += f" | design effect {effect:.2f} over {count(n_videos, 'video')}"
    if n_videos < FEW_VIDEOS:
        text += f" | only {n_videos}: take the intervals as rough"
    return "power", text
