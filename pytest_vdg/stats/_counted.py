"""From one value a question to the interval of its counts, clusters heeded.

Apart from `paired` and `proportion` because those take counts, so that a number
in print can be checked; whoever holds the questions also owes a design effect.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats.clusters import design_effect
from pytest_vdg.stats.paired import PairedDifference, paired_difference
from pytest_vdg.stats.proportion import Proportion, wilson


def difference(
    scores: npt.NDArray[np.int64], clusters: Iterable[Hashable], confidence: float
) -> PairedDifference:
    """Return the paired difference of scores in {-1, 0, 1}, shape (n,)."""
    return paired_difference(
        treated_only=int(np.sum(scores == 1)),
        control_only=int(np.sum(scores == -1)),
        n=scores.size,
        confidence=confidence,
        design_effect=design_effect(scores, clusters),
    )


def share(
    members: npt.NDArray[np.bool_], clusters: Iterable[Hashable], confidence: float
) -> Proportion:
    """Return the share of questions that are members, of bools of shape (n,)."""
    return wilson(
        successes=int(members.sum()),
        n=members.size,
        confidence=confidence,
        design_effect=design_effect(members, clusters),
    )
