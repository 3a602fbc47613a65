"""Tiers of visual dependency, and whether one benchmark's tell another's.

Apart from the spectrum because a tier is a decision laid over a number: tasks
below the lower bound are worth a review, those above the upper one a model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

from scipy.special import bdtrc

from pytest_vdg.stats.proportion import Proportion, wilson

Tier = Literal["high", "middle", "low"]

BOUNDS = (0.10, 0.30)
"""Of the VDG paper, section 5.1; the middle tier holds both."""


def tier(vdg: float, bounds: tuple[float, float] = BOUNDS) -> Tier:
    """Return the tier of a visual dependency gap.

    Parameters
    ----------
    vdg : float
        A fraction in [-1, 1].
    bounds : (float, float)
        "low" lies below the first, "high" above the second.

    References
    ----------
    VDG paper, section 5.1: above 0.30, 0.10 to 0.30, below 0.10.

    Examples
    --------
    >>> [tier(vdg) for vdg in (0.392, 0.234, 0.066)]
    ['high', 'middle', 'low']
    """
    if not -1 <= vdg <= 1:  # also catches NaN
        raise ValueError(f"vdg must lie in [-1, 1], got {vdg!r}")
    low, high = bounds
    if not low < high:
        raise ValueError(f"bounds must rise, got {bounds!r}")
    if vdg > high:
        return "high"
    return "low" if vdg < low else "middle"


def predict_tiers(
    *,
    source: Mapping[str, float],
    category_of: Mapping[str, str],
    bounds: tuple[float, float] = BOUNDS,
) -> dict[str, Tier]:
    """Predict a tier for each task of one benchmark from another's gaps.

    Parameters
    ----------
    source : mapping of str to float
        The gap of each category, measured on the first benchmark.
    category_of : mapping of str to str
        The category of each task of the second benchmark, fixed before its
        gaps are known.

    Examples
    --------
    >>> predict_tiers(
    ...     source={"perceptual": 0.392, "temporal": 0.066},
    ...     category_of={"object_existence": "perceptual"},
    ... )
    {'object_existence': 'high'}
    """
    unknown = sorted(set(category_of.values()) - source.keys())
    if unknown:
        raise ValueError(
            f"no gap was measured for {', '.join(unknown)}; source has "
            f"{', '.join(sorted(source))}"
        )
    return {
        task: tier(source[category], bounds) for task, category in category_of.items()
    }


@dataclass(frozen=True, kw_only=True)
class TierAgreement:
    """Result of `tier_agreement`."""

    matched: int
    """Tasks whose gap lies in the predicted tier."""
    n: int
    """Tasks."""
    share: Proportion
    missed: tuple[str, ...]
    """Tasks whose gap lies in another tier, sorted."""
    chance_pvalue: float
    """Of as many matches if each tier were drawn alike: the VDG paper's (1/3)^n
    for n of n, which lets easy predictions count."""
    permutation_pvalue: float
    """Of as many matches if the observed tiers were dealt to the tasks at random,
    so that predicting one tier throughout shows nothing (p = 1)."""


def tier_agreement(
    *,
    predicted: Mapping[str, Tier],
    observed: Mapping[str, float],
    bounds: tuple[float, float] = BOUNDS,
    confidence: float = 0.95,
) -> TierAgreement:
    """Compare predicted tiers with measured gaps of the same tasks.

    Parameters
    ----------
    predicted : mapping of str to {"high", "middle", "low"}
        By task.
    observed : mapping of str to float
        Measured gap of the same tasks.

    Examples
    --------
    >>> found = tier_agreement(
    ...     predicted={"colour": "high", "order": "low", "count": "middle"},
    ...     observed={"colour": 0.41, "order": 0.06, "count": 0.35},
    ... )
    >>> found.matched, found.n, found.missed
    (2, 3, ('count',))
    """
    if predicted.keys() != observed.keys():
        raise ValueError(
            "predicted and observed must cover the same tasks, got "
            f"{sorted(predicted)} and {sorted(observed)}"
        )
    found = {task: tier(vdg, bounds) for task, vdg in observed.items()}
    missed = tuple(sorted(t for t in predicted if predicted[t] != found[t]))
    n, matched = len(predicted), len(predicted) - len(missed)
    share = wilson(successes=matched, n=n, confidence=confidence)
    known = get_args(Tier)
    rows = [sum(t == name for t in predicted.values()) for name in known]
    columns = [sum(t == name for t in found.values()) for name in known]
    return TierAgreement(
        matched=matched,
        n=n,
        share=share,
        missed=missed,
        chance_pvalue=float(bdtrc(matched - 1, n, 1 / 3)) if matched else 1.0,
        permutation_pvalue=_at_least(matched, rows, columns),
    )


def _at_least(matched: int, rows: list[int], columns: list[int]) -> float:
    """Return P(as many matches or more) over all tables with these margins."""
    ways = good = 0
    for table in _tables(rows, columns):
        count = math.prod(
            math.prod(math.comb(sum(column[: i + 1]), column[i]) for i in range(3))
            for column in zip(*table, strict=True)
        )
        ways += count
        good += count * (sum(table[i][i] for i in range(3)) >= matched)
    # Python's integers: exact whatever the number of tasks.
    return good / ways


def _tables(rows: list[int], columns: list[int]) -> Iterator[list[list[int]]]:
    """Yield all 3 x 3 tables of nonnegative integers with these margins."""
    for a, b in product(range(rows[0] + 1), repeat=2):
        for c, d in product(range(rows[1] + 1), repeat=2):
            first = [a, b, rows[0] - a - b]
            second = [c, d, rows[1] - c - d]
            third = [columns[i] - first[i] - second[i] for i in range(3)]
            if min(*first, *second, *third) >= 0:
                yield [first, second, third]
