"""Which questions flip: are those that need the video over-represented?

Apart from `flips` because it looks at four cells of questions, not at two
conditions, and because the odds ratio of small counts needs an exact interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp, ndtri

from pytest_vdg.stats import _inputs, _validate
from pytest_vdg.stats.mcnemar import Alternative


@dataclass(frozen=True, kw_only=True)
class Enrichment:
    """Result of `enrichment`."""

    odds_ratio: float | None
    """Sample odds ratio in [0, inf]; None where a margin is empty (0/0)."""
    low: float
    """Lower end of the exact conditional interval; 0 where none can be given."""
    high: float
    """Upper end of the exact conditional interval; may be inf."""
    woolf_low: float | None
    """Lower end by Woolf's logarithm, which reports often print; None where a
    cell is 0, which it does not survive."""
    woolf_high: float | None
    pvalue: float
    """Fisher's exact test."""
    flipped_share: float | None
    """Marked questions among the flipped ones; None where none flipped."""
    stable_share: float | None
    """Marked questions among the stable ones; None where none was stable."""
    alternative: Alternative
    confidence: float


def enrichment(
    *,
    flipped_marked: int,
    flipped_other: int,
    stable_marked: int,
    stable_other: int,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> Enrichment:
    """Test whether marked questions flip more often than others.

    Marked are, in the VDG paper, the questions right with the video only.

    Parameters
    ----------
    flipped_marked, flipped_other, stable_marked, stable_other : int
        Counts of questions, at least one in all.
    alternative : {"two-sided", "greater", "less"}
        "greater": marked questions flip more often. The interval is two-sided
        whatever the alternative.
    confidence : float
        Of the interval.

    Notes
    -----
    Test and interval condition on all margins; the ends are the odds ratios
    at which one more extreme table has a probability of (1 - confidence) / 2
    (Cornfield 1956), as in R's ``fisher.test``. The two-sided p-value is the
    probability of all tables that are no more probable than the one seen.

    References
    ----------
    Fisher (1935), Journal of the Royal Statistical Society 98:39-82. Cornfield
    (1956), Proceedings of the Third Berkeley Symposium 4:135-148. Woolf (1955),
    Annals of Human Genetics 19:251-253.

    Examples
    --------
    >>> found = enrichment(
    ...     flipped_marked=11, flipped_other=7, stable_marked=155, stable_other=371,
    ...     alternative="greater",
    ... )
    >>> f"{found.odds_ratio:.2f}, p = {found.pvalue:.3f}"
    '3.76, p = 0.006'
    """
    cells = tuple(
        _validate.count(value, name)
        for value, name in (
            (flipped_marked, "flipped_marked"),
            (flipped_other, "flipped_other"),
            (stable_marked, "stable_marked"),
            (stable_other, "stable_other"),
        )
    )
    _validate.questions(sum(cells), "the sum of the four counts")
    level = _validate.confidence(confidence)
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(
            f"alternative must be one of two-sided, greater, less, got {alternative!r}"
        )
    a, b, c, d = cells
    table = _Margins.of(a, b, c, d)
    low, high = table.limits((1 - level) / 2)
    woolf = _woolf(a, b, c, d, float(ndtri((1 + level) / 2)))
    return Enrichment(
        odds_ratio=_ratio(a * d, b * c),
        low=low,
        high=high,
        woolf_low=woolf[0],
        woolf_high=woolf[1],
        pvalue=table.pvalue(alternative),
        flipped_share=_ratio(a, a + b),
        stable_share=_ratio(c, c + d),
        alternative=alternative,
        confidence=level,
    )


def enrichment_among(
    *,
    flipped: npt.NDArray[np.bool_],
    marked: npt.NDArray[np.bool_],
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> Enrichment:
    """Count the four cells of `enrichment` over questions, then test them.

    Parameters
    ----------
    flipped, marked : bool ndarray, shape (n,)
        Whether each question's answer flipped, and whether it is marked. Row
        ``i`` of both is the same question.
    """
    moved, wanted = _inputs.paired(flipped=flipped, marked=marked)
    return enrichment(
        flipped_marked=int(np.sum(moved & wanted)),
        flipped_other=int(np.sum(moved & ~wanted)),
        stable_marked=int(np.sum(~moved & wanted)),
        stable_other=int(np.sum(~moved & ~wanted)),
        alternative=alternative,
        confidence=confidence,
    )


def _ratio(over: int, under: int) -> float | None:
    if under == 0:
        return math.inf if over else None
    return over / under


def _woolf(
    a: int, b: int, c: int, d: int, z: float
) -> tuple[float, float] | tuple[None, None]:
    if 0 in (a, b, c, d):
        return None, None
    centre = math.log(a) + math.log(d) - math.log(b) - math.log(c)
    half = z * math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    return math.exp(centre - half), math.exp(centre + half)


@dataclass(frozen=True, kw_only=True)
class _Margins:
    """All tables with the margins of one: its upper left cell tells them apart."""

    seen: int
    """Index of the table that was seen."""
    cells: npt.NDArray[np.float64]
    """Possible upper left cells, rising."""
    log_ways: npt.NDArray[np.float64]
    """Logarithm of in how many ways each comes about."""

    @classmethod
    def of(cls, a: int, b: int, c: int, d: int) -> _Margins:
        rows, columns = a + b, a + c
        lowest = max(0, rows + columns - (a + b + c + d))
        cells = np.arange(lowest, min(rows, columns) + 1, dtype=np.float64)
        log_ways = -(
            gammaln(cells + 1)
            + gammaln(rows - cells + 1)
            + gammaln(columns - cells + 1)
            + gammaln(cells + (a + b + c + d) - rows - columns + 1)
        )
        return cls(seen=a - lowest, cells=cells, log_ways=log_ways)

    def probabilities(self, log_odds: float) -> npt.NDArray[np.float64]:
        """Return the probability of each table if the odds ratio is this."""
        weights = self.log_ways + self.cells * log_odds
        return np.asarray(np.exp(weights - logsumexp(weights)))

    def pvalue(self, alternative: Alternative) -> float:
        """Return Fisher's p-value."""
        p = self.probabilities(0.0)
        if alternative == "greater":
            return min(1.0, float(p[self.seen :].sum()))
        if alternative == "less":
            return min(1.0, float(p[: self.seen + 1].sum()))
        # Equal but for rounding counts as equal, as in R.
        return min(1.0, float(p[p <= p[self.seen] * (1 + 1e-7)].sum()))

    def limits(self, tail: float) -> tuple[float, float]:
        """Return the odds ratios at which a tail has the probability *tail*."""
        last = self.cells.size - 1

        def above(log_odds: float) -> float:
            return float(self.probabilities(log_odds)[self.seen :].sum()) - tail

        def below(log_odds: float) -> float:
            return float(self.probabilities(log_odds)[: self.seen + 1].sum()) - tail

        low = 0.0 if self.seen == 0 else math.exp(brentq(above, -200, 200))
        high = math.inf if self.seen == last else math.exp(brentq(below, -200, 200))
        return low, high
