"""How likely a claim is to hold on a slice that was not asked yet.

Apart from `detectable`, which is one line of algebra: this draws samples and
decides each by the very rules of the assertions, so that the power it
promises is the power that they have, at fifty questions as at three thousand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _validate
from pytest_vdg.stats._drawn import Sums, draw
from pytest_vdg.stats._growth import Growth, Videos
from pytest_vdg.stats._ruled import mean_above, mirrored
from pytest_vdg.stats._search import questions_needed

__all__ = [
    "Answers",
    "Growth",
    "Outlook",
    "Videos",
    "floor_outlook",
    "no_loss_outlook",
    "questions_needed",
]

DRAWS = 4000
"""Samples for one power: its standard error is then at most 0.8 points."""
_NO_CHANGE = 1.6449**2
"""z²/(n + z²) is the 95 % bound of a share never seen in n (Wilson 1927)."""


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """How often a claim comes to what; shares of drawn samples in [0, 1]."""

    n: int
    n_videos: int
    passes: float
    """``ok``: the power of the claim, where it is true."""
    against: float
    """``BELOW FLOOR``, ``REGRESSION`` or ``DISSOCIATION``."""
    vacuous: float | None = None
    """``COULD NOT BE JUDGED``: the baseline shows nothing that could be lost;
    None for a claim without a baseline."""

    @property
    def undecided(self) -> float:
        """``INCONCLUSIVE``."""
        return 1 - self.passes - self.against - (self.vacuous or 0.0)


def floor_outlook(
    *,
    gained: float,
    lost: float,
    n: int,
    floor: float,
    videos: Videos,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Outlook:
    """Return how often a gap is shown to be above *floor* on *n* questions.

    Parameters
    ----------
    gained, lost : float
        The assumed truth: shares of questions right under the treated and
        under the control condition only; the gap is their difference.
    n : int
        Questions, at least 2.
    floor : float
        A fraction in [-1, 1].
    videos : Videos
        On what videos the questions lie.
    confidence : float
        Of the one-sided bounds.
    draws, seed : int
        Equal arguments give equal results.

    Notes
    -----
    Each sample is decided as `assert_vdg_above` does: by the one-sided bounds
    of `counted.difference`, with the design effect of that sample. It is not
    assumed to be known, which costs power where videos are few.

    How questions on one video are alike is drawn from a Dirichlet
    distribution. A design effect does not tell the form: with up to 1.6,
    power under another (each question copies its video's answer with some
    chance) was within 3 points; with more, or where whole videos are all or
    nothing, it was higher than promised, never lower.
    """
    level = _validate.confidence(confidence)
    rest = round(1 - gained - lost, 12)  # not -1e-17 where they sum to one
    shares = (
        _validate.probability(gained, "gained"),
        _validate.probability(lost, "lost"),
        _validate.probability(rest, "1 - gained - lost"),
    )
    (sums,) = _drawn(shares, ((1, -1, 0),), videos=videos, n=n, draws=draws, seed=seed)
    return Outlook(
        n=sums.n,
        n_videos=sums.n_videos,
        passes=float(np.mean(mean_above(sums, floor, level=level))),
        against=float(np.mean(mean_above(mirrored(sums), -floor, level=level))),
    )


@dataclass(frozen=True, kw_only=True)
class Answers:
    """How the gap of a question was in a baseline, and how it is now.

    Shares of all questions by (then, now), each 1 where only the treated
    condition is right, -1 where only the control is, and 0 else.
    """

    shares: tuple[tuple[tuple[int, int], float], ...]

    def __post_init__(self) -> None:
        """Refuse what are no shares of a whole."""
        whole = sum(share for _, share in self.shares)
        if abs(whole - 1) > 1e-9:
            raise ValueError(f"shares of answers must sum to one, got {whole:g}")

    @classmethod
    def unchanged(cls, *, gained: float, lost: float, mean_square: float) -> Answers:
        """Return a new checkpoint with the same gap that answers some anew.

        A share of the questions gets the answers of any other question, which
        leaves all shares as they are. That share is chosen to make
        *mean_square* the mean squared change of the gap, and is at most one:
        two checkpoints that have nothing in common.
        """
        if not 0 <= mean_square <= 4:  # also catches NaN
            raise ValueError(f"mean_square must lie in [0, 4], got {mean_square!r}")
        now = {1: gained, -1: lost, 0: 1 - gained - lost}
        variance = gained + lost - (gained - lost) ** 2
        anew = min(mean_square / (2 * variance), 1.0) if variance > 0 else 0.0
        return cls._of(
            {
                (a, b): now[a] * (anew * now[b] + (1 - anew) * (a == b))
                for a in now
                for b in now
            }
        )

    @classmethod
    def measured(
        cls,
        *,
        then: npt.NDArray[np.int64],
        now: npt.NDArray[np.int64],
        questions: int | None = None,
    ) -> Answers:
        """Return the changes between two runs, as often up as down.

        Each question counts half as it was and half the other way round: what
        is planned for is that nothing was lost, with changes as measured.
        That so many questions did not change does not show that none does:
        changes are at least as frequent as in `smallest_detectable_difference`,
        in distinct *questions* where *then* and *now* hold several askings of each.
        """
        if not np.isin([then, now], (-1, 0, 1)).all():
            raise ValueError("then and now must be gaps of a question: -1, 0 or 1")
        pairs = Counter(zip(then.tolist(), now.tolist(), strict=True))
        n = _validate.questions(sum(pairs.values()))
        found = cls._of(
            {
                (a, b): (pairs[a, b] + pairs[b, a]) / (2 * n)
                for a in (1, -1, 0)
                for b in (1, -1, 0)
            }
        )
        least = _NO_CHANGE / (_validate.distinct(questions, n) + _NO_CHANGE)
        if found.mean_square >= least:
            return found
        gained, lost = (
            sum(s for (a, _), s in found.shares if a == sign) for sign in (1, -1)
        )
        return cls.unchanged(gained=gained, lost=lost, mean_square=least)

    @classmethod
    def _of(cls, shares: dict[tuple[int, int], float]) -> Answers:
        return cls(shares=tuple((k, s) for k, s in shares.items() if s > 0))

    def blinded(self, share: float) -> Answers:
        """Return the same where *share* of the questions lost its gap.

        Those are answered with the video as without it, so that the gap falls
        by that share of itself.
        """
        found: dict[tuple[int, int], float] = {}
        for (then, now), s in self.shares:
            found[then, now] = found.get((then, now), 0.0) + s * (1 - share)
            found[then, 0] = found.get((then, 0), 0.0) + s * share
        return self._of(found)

    @property
    def gap(self) -> float:
        """The gap of the baseline."""
        return sum(then * s for (then, _), s in self.shares)

    @property
    def change(self) -> float:
        """The true change of the gap."""
        return sum((now - then) * s for (then, now), s in self.shares)

    @property
    def mean_square(self) -> float:
        """Mean squared change of a question's gap."""
        return sum((now - then) ** 2 * s for (then, now), s in self.shares)


def no_loss_outlook(
    *,
    answers: Answers,
    n: int,
    margin: float,
    videos: Videos,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Outlook:
    """Return how often "no loss beyond *margin*" holds on *n* questions.

    Parameters
    ----------
    answers : Answers
        The assumed truth, baseline and new run.
    n, videos, confidence, draws, seed
        As for `floor_outlook`; both runs are over the same questions.
    margin : float
        A fraction in [0, 1].

    Notes
    -----
    Each sample is decided as `assert_no_dissociation_regression` does: by the
    bounds of `cluster_mean`, of which the farther of two is taken, and only
    where the baseline's own gap is shown to be above zero and is larger than
    the margin.
    """
    level = _validate.confidence(confidence)
    allowed = _validate.probability(margin, "margin")
    kinds, shares = zip(*answers.shares, strict=True)
    scores = tuple(then for then, _ in kinds), tuple(now - then for then, now in kinds)
    then, change = _drawn(shares, scores, videos=videos, n=n, draws=draws, seed=seed)
    holds = mean_above(change, -allowed, level=level)
    below = mean_above(mirrored(change), 0.0, level=level, two_sided=True)
    to_lose = mean_above(then, 0.0, level=level) & (then.mean > allowed)
    return Outlook(
        n=change.n,
        n_videos=change.n_videos,
        passes=float(np.mean(holds & to_lose)),
        against=float(np.mean(below & (change.mean < -allowed))),
        vacuous=float(np.mean(holds & ~to_lose)),
    )


def _drawn(
    shares: tuple[float, ...],
    scores: tuple[tuple[int, ...], ...],
    *,
    videos: Videos,
    n: int,
    draws: int,
    seed: int,
) -> tuple[Sums, ...]:
    if n < 2:
        raise ValueError(f"a plan needs at least two questions, got n={n!r}")
    # What never happens cannot be drawn, and need not be.
    kept = [i for i, share in enumerate(shares) if share > 0]
    whole = sum(shares[i] for i in kept)
    return draw(
        shares=tuple(shares[i] / whole for i in kept),
        scores=tuple(tuple(row[i] for i in kept) for row in scores),
        sizes=videos.of(n),
        correlation=videos.correlation,
        draws=draws,
        seed=(seed, n),
    )
