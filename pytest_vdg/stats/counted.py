"""From one value a question to the interval of its counts, clusters heeded.

Apart from `paired` and `proportion` because those take counts, so that a number
in print can be checked; whoever holds the questions also owes what shared
videos make of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _validate
from pytest_vdg.stats.clusters import worth
from pytest_vdg.stats.paired import PairedDifference, paired_difference
from pytest_vdg.stats.proportion import Proportion, wilson


def difference(
    values: npt.ArrayLike,
    clusters: Iterable[Hashable],
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> PairedDifference:
    """Return the paired difference of scores, one a question.

    Parameters
    ----------
    values : array_like of int, shape (n,)
        Treated minus control, in {-1, 0, 1}.
    clusters : iterable of hashable, length n
        The video of each question.
    confidence : float
        See `paired_difference`.
    questions : iterable of hashable, length n, optional
        Which question each value is an asking of, see `clusters.design_effect`.

    Examples
    --------
    >>> found = difference([1, 1, 0, 0], ["a", "a", "b", "b"])
    >>> found.estimate, found.design_effect, found.df
    (0.5, 3.0, 1.0)
    """
    scores = _validate.scores(values)
    shared = worth(scores, clusters, questions)
    return paired_difference(
        treated_only=int((scores == 1).sum()),
        control_only=int((scores == -1).sum()),
        n=scores.size,
        confidence=confidence,
        design_effect=shared.design_effect,
        df=shared.df,
        questions=shared.questions,
    )


def share(
    members: npt.ArrayLike,
    clusters: Iterable[Hashable],
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> Proportion:
    """Return the share of questions that are members.

    Parameters
    ----------
    members : array_like of bool, shape (n,)
        Whether each question is one, e.g. was answered correctly.
    clusters, confidence, questions
        As for `difference`.

    Examples
    --------
    >>> found = share([True, True, False, False], ["a", "a", "b", "b"])
    >>> found.estimate, found.design_effect, found.df
    (0.5, 3.0, 1.0)
    """
    scores = _validate.scores(members)
    shared = worth(scores, clusters, questions)
    return wilson(
        successes=int(scores.sum()),
        n=scores.size,
        confidence=confidence,
        design_effect=shared.design_effect,
        df=shared.df,
        questions=shared.questions,
    )


def signs(values: npt.ArrayLike, questions: Iterable[Hashable]) -> tuple[int, int]:
    """Return how many questions gained and how many lost over their askings.

    What a sign test such as McNemar's may count: askings of one question are
    not independent, questions are taken to be. One that gained as often as it
    lost counts for neither.

    Parameters
    ----------
    values : array_like of int, shape (n,)
        Treated minus control for each asking, in {-1, 0, 1}.
    questions : iterable of hashable, length n
        Which question each is an asking of.

    Examples
    --------
    >>> signs([1, 1, -1, 0, 1, -1], ["p", "p", "p", "q", "r", "r"])
    (1, 0)
    """
    scores = _validate.scores(values)
    codes = _validate.cluster_codes(questions, scores.size, "questions")
    net = np.bincount(codes, weights=scores)
    return int((net > 0).sum()), int((net < 0).sum())
