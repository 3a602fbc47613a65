"""What TVBench reports: accuracy above random, order, and right answers shared.

Apart from the ladder because these are levels against chance, not differences
of conditions: a benchmark is temporal if a model falls *to chance* without order.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _inputs, _validate, counted
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.proportion import Proportion
from pytest_vdg.stats.shortcut import AboveChance, blind_gap, visual_gain


@dataclass(frozen=True, kw_only=True)
class Average:
    """The mean of several tasks' figures, each task counting alike."""

    estimate: float
    low: float
    """Lower end of the two-sided interval."""
    high: float
    """Upper end of the two-sided interval."""
    lower_bound: float
    """One-sided lower bound."""
    upper_bound: float
    """One-sided upper bound."""


@dataclass(frozen=True, kw_only=True)
class AboveRandom:
    """Result of `above_random`."""

    tasks: dict[str, AboveChance]
    """By task, sorted."""
    average: Average
    """Of the tasks' accuracies less chance, each task counting alike."""
    confidence: float


def above_random(
    *,
    correct: npt.NDArray[np.bool_],
    options: npt.ArrayLike,
    groups: Iterable[str],
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
) -> AboveRandom:
    """Return how far the accuracy of each task lies above its chance.

    Parameters
    ----------
    correct : bool ndarray, shape (n,)
        Whether each question was answered correctly, under any input.
    options : array_like of int, shape (n,)
        How many options each question has.
    groups : iterable of str, length n
        The task of each question.
    clusters : iterable of hashable, length n, optional
        The video of each question; None takes questions for independent.
    confidence : float
        Of each interval, not adjusted for the number of tasks.

    Notes
    -----
    The interval of the average combines the tasks' distances to their ends as
    root of the sum of squares (Zou & Donner 2008); it takes tasks for
    independent, as they are where no two ask about one video.

    References
    ----------
    TVBench paper, table 4. Zou & Donner (2008), Statistics in Medicine
    27:1693-1702.

    Examples
    --------
    >>> found = above_random(
    ...     correct=np.array([True, True, True, False]),
    ...     options=[2, 2, 4, 4],
    ...     groups=["order", "order", "count", "count"],
    ... )
    >>> {task: gap.estimate for task, gap in found.tasks.items()}
    {'count': 0.25, 'order': 0.5}
    >>> found.average.estimate
    0.375
    """
    right = _validate.correctness(correct, "correct")
    names, codes = _inputs.group_codes(groups, right.size)
    counts = np.asarray(options)
    if counts.shape != right.shape:
        raise ValueError(
            f"{right.size} questions need as many options, got shape {counts.shape}"
        )
    units = _validate.cluster_codes(
        _inputs.clusters_or_none(clusters, right.size), right.size
    )
    tasks = {
        name: blind_gap(
            correct=right[codes == i],
            options=counts[codes == i],
            clusters=units[codes == i].tolist(),
            confidence=confidence,
        )
        for i, name in enumerate(names)
    }
    return AboveRandom(
        tasks=tasks, average=_average(list(tasks.values())), confidence=confidence
    )


def _average(gaps: Sequence[AboveChance]) -> Average:
    size = len(gaps)
    estimate = math.fsum(gap.estimate for gap in gaps) / size

    def reach(ends: Iterable[float]) -> float:
        pairs = zip(gaps, ends, strict=True)
        return math.hypot(*(gap.estimate - end for gap, end in pairs)) / size

    return Average(
        estimate=estimate,
        low=estimate - reach(gap.low for gap in gaps),
        high=estimate + reach(gap.high for gap in gaps),
        lower_bound=estimate - reach(gap.lower_bound for gap in gaps),
        upper_bound=estimate + reach(gap.upper_bound for gap in gaps),
    )


@dataclass(frozen=True, kw_only=True)
class OrderSensitivity:
    """Result of `order_sensitivity`."""

    original: AboveChance
    shuffled: AboveChance
    reversed: AboveChance
    shuffled_loss: PairedDifference
    """Original minus shuffled, on the same questions."""
    reversed_loss: PairedDifference
    """Original minus reversed, on the same questions."""

    @property
    def needs_order(self) -> bool:
        """Whether shuffling is shown to cost accuracy."""
        return self.shuffled_loss.lower_bound > 0

    @property
    def reversed_below_chance(self) -> bool:
        """Whether reversed clips are shown to mislead, as on a temporal benchmark."""
        return self.reversed.upper_bound < 0

    def shuffled_at_chance(self, margin: float) -> bool:
        """Whether shuffled accuracy is shown to lie within *margin* of chance.

        Shown, not merely not refuted: both one-sided bounds lie inside.
        """
        if not 0 < margin < 1:  # also catches NaN
            raise ValueError(
                f"margin must lie between 0 and 1, both excluded, got {margin!r}"
            )
        low, high = self.shuffled.lower_bound, self.shuffled.upper_bound
        return -margin < low and high < margin


def order_sensitivity(
    *,
    original: npt.NDArray[np.bool_],
    shuffled: npt.NDArray[np.bool_],
    reversed: npt.NDArray[np.bool_],  # noqa: A002 - the condition's own name
    options: npt.ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
) -> OrderSensitivity:
    """Compare accuracy in order, out of order and backwards with chance.

    Parameters
    ----------
    original, shuffled, reversed : bool ndarray, shape (n,)
        Whether each question was answered correctly under that condition. Row
        ``i`` of all is the same question.
    options : array_like of int, shape (n,)
        How many options each question has.
    clusters : iterable of hashable, length n, optional
        The video of each question; None takes questions for independent.
    confidence : float
        Of each interval and each one-sided bound.

    References
    ----------
    TVBench paper, section 5.3 ("Does time matter?").
    """
    arms = _inputs.paired(original=original, shuffled=shuffled, reversed=reversed)
    units = list(_inputs.clusters_or_none(clusters, arms[0].size))

    def level(arm: npt.NDArray[np.bool_]) -> AboveChance:
        return blind_gap(
            correct=arm, options=options, clusters=units, confidence=confidence
        )

    def loss(arm: npt.NDArray[np.bool_]) -> PairedDifference:
        return visual_gain(
            video=arms[0], text_only=arm, clusters=units, confidence=confidence
        )

    return OrderSensitivity(
        original=level(arms[0]),
        shuffled=level(arms[1]),
        reversed=level(arms[2]),
        shuffled_loss=loss(arms[1]),
        reversed_loss=loss(arms[2]),
    )


def right_agreement(
    *,
    given: npt.NDArray[np.bool_],
    also: npt.NDArray[np.bool_],
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> Proportion:
    """Return the share of questions right under one input that another gets too.

    Parameters
    ----------
    given : bool ndarray, shape (n,)
        Whether each question was answered correctly under the input whose right
        answers are looked at, e.g. text only.
    also : bool ndarray, shape (n,)
        The same under the other input, e.g. video. Row ``i`` of both is the
        same question.
    clusters : iterable of hashable, length n, optional
        The video of each question; None takes questions for independent.
    confidence : float
        Of the interval.
    questions : iterable of hashable, length n, optional
        Which question each row is an asking of, see `clusters.design_effect`.

    Raises
    ------
    ValueError
        Where no question was right under *given*.

    References
    ----------
    TVBench paper, section 3.

    Examples
    --------
    >>> right_agreement(
    ...     given=np.array([True, True, False]), also=np.array([True, False, True])
    ... ).estimate
    0.5
    """
    first, second = _inputs.paired(given=given, also=also)
    if not first.any():
        raise ValueError("nothing to compare: no question was right under given")
    codes = _inputs.clusters_or_none(clusters, first.size)
    units = _validate.cluster_codes(codes, first.size)
    asked = _validate.cluster_codes(
        _inputs.clusters_or_none(questions, first.size), first.size, "questions"
    )
    return counted.share(
        second[first], units[first].tolist(), confidence, asked[first].tolist()
    )
