"""Option positions: is a label answered, or right, more often than its share?

Apart from accuracy because a model that always says B is right as often as the
key says B, with or without a video, and a skewed key rewards it for that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _inputs, _validate, counted
from pytest_vdg.stats.goodness import Fit, goodness_of_fit, marginal_homogeneity
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.proportion import Proportion


@dataclass(frozen=True, kw_only=True)
class LabelDistribution:
    """How often each label comes, in the key or among the answers."""

    counts: Mapping[str, int]
    """Questions by label, sorted; labels that some question offers, 0 included."""
    n: int
    """Questions with a label."""
    mode: str
    """Most frequent label, the first of equals."""
    entropy: float
    """In bits."""
    evenness: float
    """`entropy` over that of as many of each label, in [0, 1]; 1 for one label."""
    fit: Fit
    """Against every option of a question alike."""


@dataclass(frozen=True, kw_only=True)
class Positions:
    """Result of `positions`."""

    n: int
    """Questions; where some were asked several times, askings."""
    key: LabelDistribution
    answers: LabelDistribution | None
    """Over the answered questions; None where none was answered."""
    excess: Mapping[str, PairedDifference]
    """By label: share of answers less share of the key, over all questions."""
    homogeneity: Fit
    """Answers against the key, over the answered questions."""
    floor: Proportion
    """Accuracy of always answering the key's mode: the majority-answer floor."""
    accuracy: float
    chance: float
    """Mean of 1/K."""
    explained: float | None
    """See `share_explained_by_mode`, for the mode of the answers; None without
    answers."""

    @property
    def unanswered(self) -> int:
        """Questions without an answer; they match no label."""
        return self.n - (self.answers.n if self.answers else 0)

    @property
    def largest_excess(self) -> str:
        """The label whose share of answers differs most from its share of the key."""
        return max(self.excess, key=lambda label: abs(self.excess[label].estimate))


def positions(
    *,
    answers: Sequence[str | None],
    key: Sequence[str],
    options: Sequence[Collection[str]],
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> Positions:
    """Compare the distribution of answers over labels with that of the key.

    Parameters
    ----------
    answers : sequence of str or None, length n
        The label answered to each question, None where none was.
    key : sequence of str, length n
        The right label of each question.
    options : sequence of collections of str, length n
        The labels that each question offers; questions may offer different
        numbers. Give ``["ABCD"] * n`` where all offer the same four.
    clusters : iterable of hashable, length n, optional
        The video of each question, for the intervals; None takes questions
        for independent.
    confidence : float
        Of every interval, not adjusted for the number of labels.
    questions : iterable of hashable, length n, optional
        Which question each row is an asking of, see `clusters.design_effect`.
        `homogeneity` then counts the first asking of each.

    Notes
    -----
    A sighted model answers as the key goes, so that a skewed key skews its
    answers: position bias is what differs from the key (`homogeneity`,
    `excess`), not from as many of each label (`fit`). The latter tells of the
    key itself, and of a model without the video. Where questions offer
    different numbers of options `fit` is approximate, on the side of caution.

    Raises
    ------
    ValueError
        For unequal lengths, no question, or a label that its question does
        not offer, with the position of the question.

    Examples
    --------
    >>> found = positions(
    ...     answers=list("AAAB"), key=list("ABCD"), options=["ABCD"] * 4
    ... )
    >>> found.answers.mode, found.largest_excess, found.key.entropy
    ('A', 'A', 2.0)
    """
    _require_offered(answers, key, options)
    n = len(key)
    codes = _inputs.clusters_or_none(clusters, n)
    asked = _inputs.clusters_or_none(questions, n)
    _, first = np.unique(
        _validate.cluster_codes(asked, n, "questions"), return_index=True
    )
    names = sorted(set().union(*options))
    accuracy = sum(a == k for a, k in zip(answers, key, strict=True)) / n
    chance = math.fsum(1 / len(offered) for offered in options) / n
    right = _distribution(key, options, names)
    given = _distribution(answers, options, names)
    return Positions(
        n=n,
        key=right,
        answers=given if given.n else None,
        excess={
            label: counted.difference(
                _excess(label, answers, key), codes, confidence, asked
            )
            for label in names
        },
        homogeneity=_homogeneity(
            [answers[i] for i in first], [key[i] for i in first], names
        ),
        floor=counted.share(np.array(key) == right.mode, codes, confidence, asked),
        accuracy=accuracy,
        chance=chance,
        explained=share_explained_by_mode(
            accuracy=accuracy, chance=chance, mode_share=right.counts[given.mode] / n
        )
        if given.n
        else None,
    )


def share_explained_by_mode(
    *, accuracy: float, chance: float, mode_share: float
) -> float | None:
    """Return the share of above-chance accuracy that one label would earn.

    (mode_share - chance) / (accuracy - chance): what always answering the
    model's most frequent label would be above chance, over what the model is.
    Negative where that label is rarer in the key than chance.

    Parameters
    ----------
    accuracy : float
        Of the model without the video, in [0, 1].
    chance : float
        Mean of 1/K.
    mode_share : float
        Share of the *key* that the model's most frequent answer has.

    Returns
    -------
    float or None
        None where the accuracy is not above chance, and nothing is explained.

    References
    ----------
    VDG paper, Table S5, whose overall row (29, 31, -21 %) this gives.

    Examples
    --------
    >>> f"{share_explained_by_mode(accuracy=0.385, chance=0.25, mode_share=0.29):.2f}"
    '0.30'
    """
    right = _validate.probability(accuracy, "accuracy")
    guessed = _validate.probability(chance, "chance")
    share = _validate.probability(mode_share, "mode_share")
    return (share - guessed) / (right - guessed) if right > guessed else None


def entropy(counts: Mapping[str, int]) -> float:
    """Return the entropy of a distribution over labels in bits.

    Parameters
    ----------
    counts : mapping of str to int
        At least one question; labels with 0 add nothing.

    Examples
    --------
    >>> entropy({"A": 50, "B": 50})
    1.0
    """
    seen = np.array([_validate.count(c, label) for label, c in counts.items()])
    shares = seen[seen > 0] / _validate.questions(int(seen.sum()), "the sum of counts")
    return abs(float(-np.sum(shares * np.log2(shares))))  # abs: no -0.0


def _require_offered(
    answers: Sequence[str | None],
    key: Sequence[str],
    options: Sequence[Collection[str]],
) -> None:
    lengths = len(answers), len(key), len(options)
    if len(set(lengths)) > 1:
        raise ValueError(
            f"answers, key and options must have equal lengths, got {lengths}"
        )
    _validate.questions(len(key))
    rows = zip(answers, key, options, strict=True)
    for i, (answer, right, offered) in enumerate(rows):
        known = set(offered)  # "AB" in "ABCD" is true of strings
        _require_known(right, known, f"key {right!r} at position {i}")
        if answer is not None:
            _require_known(answer, known, f"answer {answer!r} at position {i}")


def _require_known(label: str, known: set[str], name: str) -> None:
    if label not in known:
        raise ValueError(f"{name} is not among the options {', '.join(sorted(known))}")


def _distribution(
    labels: Sequence[str | None],
    options: Sequence[Collection[str]],
    names: list[str],
) -> LabelDistribution:
    """Count *labels*; a None is left out, with its options."""
    seen = Counter(label for label in labels if label is not None)
    counts = {name: seen[name] for name in names}
    expected = dict.fromkeys(names, 0.0)
    for label, offered in zip(labels, options, strict=True):
        for name in offered if label is not None else ():
            expected[name] += 1 / len(offered)
    total = sum(counts.values())
    bits = entropy(counts) if total else 0.0
    possible = {name: counts[name] for name in names if expected[name] > 0}
    return LabelDistribution(
        counts=counts,
        n=total,
        mode=max(names, key=counts.__getitem__),
        entropy=bits,
        evenness=bits / math.log2(len(names)) if len(names) > 1 else 1.0,
        fit=goodness_of_fit(possible, {name: expected[name] for name in possible})
        if total
        else Fit(pvalue=1.0, statistic=0.0, df=0, method="exact"),
    )


def _homogeneity(
    answers: Sequence[str | None], key: Sequence[str], names: list[str]
) -> Fit:
    code = {name: i for i, name in enumerate(names)}
    table: npt.NDArray[np.int64] = np.zeros((len(names), len(names)), dtype=np.int64)
    for answer, right in zip(answers, key, strict=True):
        if answer is not None:
            table[code[answer], code[right]] += 1
    return marginal_homogeneity(table)


def _excess(
    label: str, answers: Sequence[str | None], key: Sequence[str]
) -> npt.NDArray[np.int64]:
    return np.array(
        [
            (answer == label) - (right == label)
            for answer, right in zip(answers, key, strict=True)
        ],
        dtype=np.int64,
    )
