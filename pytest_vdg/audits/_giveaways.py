"""`GiveAway`: a question whose answer its text tells, and by what.

Apart from the baselines because that one is above chance says little of a single
question: one in four is right by luck. A question is listed only for what is right
in most of the questions that it is so sure of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from pytest_vdg.audits._items import Item
from pytest_vdg.audits._learner import Floats, Learner
from pytest_vdg.audits._picks import NONE
from pytest_vdg.stats.shortcut import AboveChance, blind_gap

HALF = 0.5
"""How far from chance to certainty something must be right to tell an answer."""
_SURE = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
"""How far from chance to certainty the classifier's probability may have to be."""
_FAMILY_SHARE = 0.25
"""A family of features is a reason from this share of what speaks for the answer."""


@dataclass(frozen=True, kw_only=True)
class GiveAway:
    """One question that gives itself away."""

    id: str
    task: str
    video: str
    answer: str
    """Label of the right option."""
    chance: float
    probability: float | None
    """Of the answer, by a classifier taught on other videos; None where it was
    not asked."""
    why: tuple[str, ...]
    """What tells it, strongest first: names of baselines, or ``fit`` (the option
    goes with the question's words), ``wording``, ``length``, ``label``, ``named``
    (words of the question) for what the classifier goes by."""

    def to_dict(self) -> dict[str, object]:
        """Return it as plain values."""
        return {**asdict(self), "why": list(self.why)}


@dataclass(frozen=True, kw_only=True)
class Sureness:
    """How right the classifier is where it is this sure, on other videos."""

    least: float
    """How far from chance to certainty the probability of its pick is at least."""
    askings: int
    right: int
    gap: AboveChance
    """Accuracy of these picks against chance."""
    tells: bool
    """Whether it is shown to be right at least half-way from chance to always."""

    def to_dict(self) -> dict[str, object]:
        """Return it as plain values."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Found:
    """Result of `found`."""

    giveaways: tuple[GiveAway, ...]
    sureness: tuple[Sureness, ...]
    """From the least sure; empty where no classifier was asked."""


def found(
    items: Sequence[Item],
    picks: Mapping[str, Sequence[int]],
    learner: Learner | None,
    *,
    confidence: float,
) -> Found:
    """Return the questions that give themselves away, by id.

    A classifier may be surer than it is right. It has to be half-way sure at least,
    and as sure as its picks need to be shown to be right half-way to always; where
    none are, it tells nothing of a single question.

    Parameters
    ----------
    items : sequence of Item
        All questions.
    picks : mapping of str to sequence of int
        Of the rules that are shown to be above chance, one an item.
    learner : Learner, optional
        The classifier that sees everything, if it is shown to be above chance.
    confidence : float
        Of the one-sided bound that decides whether something is sure enough.
    """
    why: list[list[str]] = [[] for _ in items]
    for name, chosen in picks.items():
        gap = _gap(items, chosen, confidence)
        if gap is not None and _tells(gap):
            for i, pick in enumerate(chosen):
                why[i] += [name] if pick == items[i].answer else []
    shares = learner.across() if learner else [np.zeros(0)] * len(items)
    levels = [(least, _surer(shares, least)) for least in _SURE]
    sureness = tuple(_levels(items, levels, confidence))
    sure = (each.least for each in sureness if each.tells and each.least >= HALF)
    least = next(sure, None)
    for i, pick in enumerate(dict(levels).get(least, ()) if least else ()):
        if learner is not None and pick == items[i].answer:
            why[i] += [n for n in _named(learner.reasons(i)) if n not in why[i]]
    return Found(
        giveaways=tuple(
            _giveaway(item, why[i], shares[i]) for i, item in enumerate(items) if why[i]
        ),
        sureness=sureness,
    )


def _giveaway(item: Item, why: Sequence[str], shares: Floats) -> GiveAway:
    return GiveAway(
        id=item.id,
        task=item.task,
        video=item.video,
        answer=item.labels[item.answer],
        chance=1 / len(item.labels),
        probability=float(shares[item.answer]) if shares.size else None,
        why=tuple(why),
    )


def _gap(
    items: Sequence[Item], picks: Sequence[int], confidence: float
) -> AboveChance | None:
    """Return how right *picks* are where there is one; None where there is none."""
    spoken = [(i, p) for i, p in zip(items, picks, strict=True) if p != NONE]
    if not spoken:
        return None
    return blind_gap(
        correct=np.array([item.answer == pick for item, pick in spoken]),
        options=[len(item.labels) for item, _ in spoken],
        clusters=[item.video for item, _ in spoken],
        confidence=confidence,
        questions=[item.of for item, _ in spoken],
    )


def _tells(gap: AboveChance) -> bool:
    """Return whether *gap* is shown to be half-way to always right, or more."""
    return gap.lower_bound >= HALF * (1 - gap.chance)


def _levels(
    items: Sequence[Item],
    levels: Sequence[tuple[float, Sequence[int]]],
    confidence: float,
) -> Iterator[Sureness]:
    for least, picks in levels:
        gap = _gap(items, picks, confidence)
        if gap is not None:
            yield Sureness(
                least=least,
                askings=gap.n,
                right=round(gap.accuracy * gap.n),
                gap=gap,
                tells=_tells(gap),
            )


def _surer(shares: Sequence[Floats], least: float) -> list[int]:
    """Return the likeliest option of each question where it is as likely as that."""
    return [
        int(own.argmax()) if own.size and _advantage(own) >= least else NONE
        for own in shares
    ]


def _advantage(shares: Floats) -> float:
    """Return how far the likeliest option is from chance to certainty."""
    chance = 1 / shares.size
    return (float(shares.max()) - chance) / (1 - chance)


def _named(reasons: Mapping[str, float]) -> list[str]:
    """Return the families that speak for the answer most, the strongest first."""
    whole = sum(value for value in reasons.values() if value > 0)
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    kept = [n for n, v in ordered if v > 0 and v >= _FAMILY_SHARE * whole]
    return kept or [ordered[0][0]]
